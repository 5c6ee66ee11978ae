// AWS as every command of the tool uses it: one client a service, by the worker's settings, and the ports over them. Nothing is
// asked of AWS before a port is used, so that who may not read secrets can look at batches all the same.
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { DescribeSecretCommand, paginateListSecrets } from '@aws-sdk/client-secrets-manager';
import { silentLog } from '../aws/cloudwatch-lines.ts';
import { createDynamoDbAllOrders } from '../aws/dynamodb-all-orders.ts';
import { createDynamoDbControls } from '../aws/dynamodb-controls.ts';
import { createDynamoDbDayTotals } from '../aws/dynamodb-day-totals.ts';
import { createDynamoDbDueWork } from '../aws/dynamodb-due-work.ts';
import { createDynamoDbLanes } from '../aws/dynamodb-lanes.ts';
import { tablesOf, newDynamoDbClient } from '../aws/dynamodb-table.ts';
import { createDynamoDbWaiting } from '../aws/dynamodb-waiting.ts';
import type { WorkerConfig } from '../aws/env-config.ts';
import { createKmsSigners, kmsClientOnDemand } from '../aws/kms-client.ts';
import {
  contractName,
  createSecretsManagerContracts,
  isGone,
  newSecretsManagerClient,
} from '../aws/secrets-manager-credentials.ts';
import { createSqsResults, newSqsClient } from '../aws/sqs-queues.ts';
import { systemClock, systemRandom } from '../aws/system.ts';
import { createTableClock } from '../aws/table-clock.ts';
import { personOf } from '../batches/approval-proof.ts';
import { wakingBatches } from '../batches/closed-batches.ts';
import { createDynamoDbClosedBatches } from '../batches/dynamodb-closed-batches.ts';
import { createDynamoDbBatchIndex, createDynamoDbKnownOrders } from '../batches/dynamodb-batch-index.ts';
import { createDynamoDbBatches } from '../batches/dynamodb-batches.ts';
import { createDynamoDbSafeguards } from '../batches/dynamodb-safeguards.ts';
import { createKmsApprovalCheck, createKmsApprovalMaker } from '../batches/kms-approvals.ts';
import { guardedCredentials } from '../batches/safeguards.ts';
import { createSqsJobSender } from '../batches/sqs-batch-queues.ts';
import { createStsIdentity, newStsClient } from '../batches/sts-identity.ts';
import { createDynamoDbCardKeyStore } from '../card-data/dynamodb-card-key-store.ts';
import { createSecretsManagerKeyring } from '../card-data/secrets-manager-keyring.ts';
import { createSqsDeadLetters } from '../dead-letters/sqs-dead-letters.ts';
import { createHttpGateway } from '../gateway/http-gateway.ts';
import type { Credentials, MerchantContract } from '../gateway/ports.ts';
import { createSecretsManagerCallbackDesk } from '../merchants/secrets-manager-callback-desk.ts';
import { createSecretsManagerAdmin } from '../merchants/secrets-manager-admin.ts';
import { couldBear } from '../payout/message/job.ts';
import type { Log } from '../payout/ports.ts';
import { createDynamoDbTables, ordersOf } from '../restore/dynamodb-known-tables.ts';
import { createLedgerRegion } from '../restore/dynamodb-ledger-region.ts';
import { createKnownTables } from '../restore/known-tables.ts';
import { configured } from './command-line.ts';

/** Every port of the tool. */
export type ToolPorts = ReturnType<typeof createToolPorts>;

/** The ports by the worker's settings; a usage error where they are missing. */
export const toolPorts = (): ToolPorts => configured(createToolPorts);

/** The ports by these settings. `log` hears of secrets that can't be read, and of letters that are thrown away. */
// Long: a table, a port a line.
export function createToolPorts(config: WorkerConfig, log: Log = silentLog) {
  const { limits, secretPrefix: prefix, workerSecretId, approvalKeyId: keyId } = config;
  const clock = createTableClock(systemClock);
  const aws = { limits };
  const dynamodb = clock.watching(newDynamoDbClient(aws));
  const { ledger: table, batches: ofBatches, controls: ofControls, ...others } = tablesOf(config, dynamodb, clock);
  const sqs = newSqsClient(aws);
  // `restore begin` dates its pause, and DynamoDB may not answer then.
  const client = clock.watching(newSecretsManagerClient(aws));
  const newKms = kmsClientOnDemand(aws);
  const signerFor = createKmsSigners(newKms);
  const ttlMs = limits.credentialsTtlMs;
  const stored = createSecretsManagerContracts({ client, prefix, workerSecretId, ttlMs, clock, log });
  const credentials: Credentials<MerchantContract> = stored;
  const macs = createKmsApprovalCheck({ newClient: newKms, keyId });
  const safeguards = createDynamoDbSafeguards(ofBatches);
  const guards = { store: safeguards, macs, clock, ttlMs };
  const tables = createDynamoDbTables(config, { dynamodb, secrets: client });
  const secretAdmin = createSecretsManagerAdmin({ client, prefix, signerFor });
  const known = createKnownTables({ source: tables, macs, nowMs: clock.nowMs });
  const region = createLedgerRegion(table);
  return {
    config,
    clock,
    random: systemRandom,
    limits,
    log,
    /** The prefix of the names of merchants' secrets. */
    secretPrefix: prefix,
    // The ledger.
    table,
    /** The tables, their record, and the comparison of both. */
    tables,
    known,
    region,
    wasLedger: region.wasLedger,
    orders: ordersOf(table, known),
    allOrders: createDynamoDbAllOrders(table),
    dueWork: createDynamoDbDueWork(table),
    knownOrders: createDynamoDbKnownOrders(table),
    batchIndex: createDynamoDbBatchIndex(table),
    // Batches and approvals.
    batches: createDynamoDbBatches(ofBatches),
    ofBatches,
    safeguards,
    macs,
    /** For approvers alone. */
    maker: createKmsApprovalMaker({ newClient: newKms, keyId }),
    identity: createStsIdentity(newStsClient(aws)),
    // Lanes, controls and what waits.
    controls: createDynamoDbControls(ofControls),
    dayTotals: createDynamoDbDayTotals(ofControls),
    lanes: createDynamoDbLanes(ofControls),
    waiting: { jobs: createDynamoDbWaiting(others.waiting) },
    // Queues.
    sender: createSqsJobSender({ client: sqs, queueUrl: config.batchJobsQueueUrl }),
    results: wakingBatches(
      createSqsResults({ client: sqs, queueUrl: config.resultsQueueUrl }),
      createDynamoDbClosedBatches(ofBatches),
    ),
    deadLetters: createSqsDeadLetters({ ...config, client: sqs }),
    // Contracts and keys: keys are read by `secretAdmin` alone, for the keeper of secrets.
    credentials,
    /** The same with the merchant's safeguards in the profile, as the worker reads them; unavailable without valid ones. */
    guarded: guardedCredentials({ credentials, ...guards }),
    fingerprinting: stored,
    secretAdmin,
    callbackDesk: createSecretsManagerCallbackDesk({ client, prefix, secretAdmin }),
    /** Is there a contract of this merchant? Nothing in it is read. */
    async isKnown(merchant: string): Promise<boolean> {
      try {
        const { DeletedDate } = await client.send(
          new DescribeSecretCommand({ SecretId: prefix + contractName(merchant) }),
        );
        return DeletedDate === undefined;
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    },
    /** Merchants that have a secret, in their order. */
    async merchants(): Promise<readonly string[]> {
      const names: string[] = [];
      // By the beginning of a name, which may be that of a word within another: looked at again.
      const begin = prefix + contractName('');
      const Filters = [{ Key: 'name' as const, Values: [begin] }];
      for await (const page of paginateListSecrets({ client }, { Filters }))
        for (const { Name = '' } of page.SecretList ?? []) names.push(Name);
      const own = names.filter((name) => name.startsWith(begin)).map((name) => name.slice(begin.length));
      return own.filter((merchant) => couldBear({ merchant })).toSorted();
    },
    keyMaker: {
      // In the thread pool: a key of 4096 bits takes a second or two.
      async newPrivateKey(bits: number) {
        const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
        return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      },
    },
    /** The keys under which senders seal. */
    cardRing: createSecretsManagerKeyring({ client, prefix }),
    /** Where the keys of CVVs are left. */
    cardKeys: createDynamoDbCardKeyStore(others.cardKeys),
    // The gateway.
    gateway: createHttpGateway({ limits, ...clock }),
  };
}

/** The person of the caller by STS. Rejects if AWS names no person: then nothing is decided. */
export const whoDecides = async (): Promise<string> => personText(await toolPorts().identity.whoAmI());

/** The person that AWS names by this ARN. */
export const personText = (arn: string): string => personOf(arn) ?? arn.replace(/^.*:/, '');
