// AWS as the submission and the approval of a file use it.
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { ledgerTable } from '../../aws/dynamodb-table.ts';
import { readWorkerConfig } from '../../aws/env-config.ts';
import { silentLog } from '../../aws/json-logger.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-client.ts';
import { createSecretsManagerCredentials } from '../../aws/secrets-manager-credentials.ts';
import { newSqsClient } from '../../aws/sqs-client.ts';
import { newStsClient } from '../../aws/sts-client.ts';
import { systemClock, systemRandom } from '../../aws/system.ts';
import type { Batches } from '../../batches/batch-ports.ts';
import type { Hashing, Identity, JobSender } from '../../batches/bulk-ports.ts';
import { createDynamoDbBatches } from '../../batches/dynamodb-batches.ts';
import { sha256 } from '../../batches/sha256.ts';
import { createSqsJobSender } from '../../batches/sqs-job-sender.ts';
import { createStsIdentity } from '../../batches/sts-identity.ts';
import type { CardKeyStore } from '../../card-data/card-ports.ts';
import { createDynamoDbCardKeyStore } from '../../card-data/dynamodb-card-key-store.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import type { Clock, Credentials, Random } from '../../payout/ports.ts';

/** All that a file needs on its way to the jobs queue. */
export interface SubmissionPorts {
  readonly batches: Batches;
  readonly credentials: Credentials;
  readonly sender: JobSender;
  readonly hashing: Hashing;
  /** Where the keys of CVVs are left. */
  readonly cardKeys: CardKeyStore;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly random: Random;
}

/** The ports by the worker's settings. Throws ConfigurationError where they are missing. */
export function createSubmitPorts(): SubmissionPorts {
  const config = readWorkerConfig();
  const { limits, secretPrefix: prefix } = config;
  const clock = systemClock;
  const aws = { limits: patientAwsCalls };
  const table = ledgerTable(config, newDynamoDbClient(aws));
  const secrets = { prefix, ttlMs: limits.credentialsTtlMs, clock, log: silentLog };
  return {
    batches: createDynamoDbBatches(table),
    // Profiles are read, nothing is signed: no client of KMS.
    credentials: createSecretsManagerCredentials({ ...secrets, client: newSecretsManagerClient(aws) }),
    sender: createSqsJobSender({ client: newSqsClient(aws), queueUrl: config.jobsQueueUrl }),
    hashing: sha256,
    cardKeys: createDynamoDbCardKeyStore(table),
    identity: createStsIdentity(newStsClient(aws)),
    clock,
    random: systemRandom,
  };
}
