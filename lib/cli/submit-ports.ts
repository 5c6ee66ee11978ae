// AWS as a submission uses it.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoDbCardKeyDepot } from '../adapters/dynamodb-card-key-depot.ts';
import { STSClient } from '@aws-sdk/client-sts';
import { readWorkerConfig } from '../adapters/env-config.ts';
import { sha256 } from '../adapters/sha256.ts';
import { createSqsJobSender } from '../adapters/sqs-job-sender.ts';
import { createStsIdentity } from '../adapters/sts-identity.ts';
import { systemClock } from '../adapters/system.ts';
import type { CardKeyDepot } from '../app/card-ports.ts';
import type { Hashing, Identity, JobSender } from '../app/bulk-ports.ts';
import { createOperatorPorts } from '../composition.ts';

/** The operator's ports, and the jobs queue. */
export type SubmitPorts = ReturnType<typeof createOperatorPorts> & {
  readonly sender: JobSender;
  readonly hashing: Hashing;
  /** Where the keys of CVVs are left. */
  readonly cardKeys: CardKeyDepot;
  readonly identity: Identity;
};

/** A file takes its time: more tries and longer waits than a worker has in an invocation. */
const patientClient = { maxAttempts: 6, requestHandler: { connectionTimeout: 3_000, requestTimeout: 20_000 } };

/** The ports by the worker's settings. Throws ConfigurationError where they are missing. */
export function createSubmitPorts(): SubmitPorts {
  const config = readWorkerConfig();
  const sender = createSqsJobSender({ client: new SQSClient(patientClient), queueUrl: config.jobsQueueUrl });
  const cardKeys = createDynamoDbCardKeyDepot({
    client: new DynamoDBClient(patientClient),
    tableName: config.ledgerTableName,
    nowMs: systemClock.nowMs,
  });
  const identity = createStsIdentity(new STSClient({}));
  return { ...createOperatorPorts(config), sender, hashing: sha256, cardKeys, identity };
}
