// AWS as a submission uses it.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoDbCardKeyStore } from '../../card-data/dynamodb-card-key-store.ts';
import { STSClient } from '@aws-sdk/client-sts';
import { readWorkerConfig } from '../../aws/env-config.ts';
import { sha256 } from '../../batches/sha256.ts';
import { createSqsJobSender } from '../../batches/sqs-job-sender.ts';
import { createStsIdentity } from '../../batches/sts-identity.ts';
import { systemClock } from '../../aws/system.ts';
import type { CardKeyStore } from '../../card-data/card-ports.ts';
import type { Hashing, Identity, JobSender } from '../../batches/bulk-ports.ts';
import { createOperatorPorts } from '../../composition.ts';

/** The operator's ports, and the jobs queue. */
export type SubmitPorts = ReturnType<typeof createOperatorPorts> & {
  readonly sender: JobSender;
  readonly hashing: Hashing;
  /** Where the keys of CVVs are left. */
  readonly cardKeys: CardKeyStore;
  readonly identity: Identity;
};

/** A file takes its time: more tries and longer waits than a worker has in an invocation. */
const patientClient = { maxAttempts: 6, requestHandler: { connectionTimeout: 3_000, requestTimeout: 20_000 } };

/** The ports by the worker's settings. Throws ConfigurationError where they are missing. */
export function createSubmitPorts(): SubmitPorts {
  const config = readWorkerConfig();
  const sender = createSqsJobSender({ client: new SQSClient(patientClient), queueUrl: config.jobsQueueUrl });
  const cardKeys = createDynamoDbCardKeyStore({
    client: new DynamoDBClient(patientClient),
    tableName: config.ledgerTableName,
    nowMs: systemClock.nowMs,
  });
  const identity = createStsIdentity(new STSClient({}));
  return { ...createOperatorPorts(config), sender, hashing: sha256, cardKeys, identity };
}
