// `payouts setup`: makes what the settings name and is missing, where no stack has made it: for an emulator, or a worker
// in a container. Exit codes: 0 everything is there, 1 not, 2 bad input.
import { CreateTableCommand, UpdateTimeToLiveCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { makingSecrets } from '../../operate/remedies.ts';
import { newBlind, systemClock } from '../../aws/system.ts';
import {
  batchesTableDefinition,
  ledgerTableDefinition,
  plainTableDefinition,
  waitingTableDefinition,
} from '../../local/ledger-table.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { configured, notDone, say } from '../command-line.ts';
import { createDynamoDbTables } from '../../restore/dynamodb-known-tables.ts';
import { recordOf, restorePage, type TablesSource } from '../../restore/known-tables.ts';
import { kmsClientOnDemand } from '../../aws/kms-client.ts';
import { createKmsApprovalMaker } from '../../batches/kms-approvals.ts';
import { tool } from '../../payout/operate/spelling.ts';
import { whoDecides } from '../tool-ports.ts';
import { missingOf, type NamedResource, resourceClients, type ResourceClients, resourcesOf } from './resources.ts';

/** Options of `payouts setup`. */
interface SetupOptions {
  readonly yes: boolean;
  readonly json: boolean;
}

/** Runs the command; returns the exit code. */
export async function runSetup({ yes, json }: SetupOptions): Promise<number> {
  const config = configured((it) => it);
  const clients = resourceClients(config);
  const all = resourcesOf(config);
  const missing = await missingOf(all, clients);
  const there = all.filter((it) => !missing.includes(it));
  if (!json) for (const { kind, name } of there) process.stderr.write(`  is there   ${kind} ${name}\n`);
  if (missing.length > 0 && !yes) {
    for (const { kind, name } of missing) process.stderr.write(`  is missing ${kind} ${name}\n`);
    requireSomebody('add --yes to make what is missing');
    if (!(await saysYes('Make what is missing?'))) return notDone({ json }, { made: [], missing }, 'nothing was made');
  }
  const tables = createDynamoDbTables(config, { ...clients, secrets: clients.secretsManager });
  const isTable = ({ kind }: NamedResource) => kind === 'table';
  // A table in the place of one that paid would be empty, and stand in the way of its restore.
  if (missing.some(isTable) && Object.keys(await tables.stored()).length > 0) {
    const names = missing.filter(isTable).map(({ name }) => name);
    return notDone(
      { json },
      { made: [], missing },
      `${names.join(', ')} was there before: ${restorePage}; nothing was made`,
    );
  }
  for (const resource of missing) {
    await make(resource, config, clients);
    if (!json) process.stderr.write(`  made       ${resource.kind} ${resource.name}\n`);
  }
  const isNew = all.filter(isTable).every((it) => missing.includes(it));
  const next = isNew && (await isBegun(tables, config)) ? '' : beginText(config);
  return say({ json }, { made: missing, there }, `everything is there.${next}${nextText(config)}`);
}

/** Nothing was paid by tables that were all made now. Only an approver may say so. */
async function isBegun(tables: TablesSource, { approvalKeyId, limits }: WorkerConfig): Promise<boolean> {
  const maker = createKmsApprovalMaker({ newClient: kmsClientOnDemand({ limits }), keyId: approvalKeyId });
  try {
    const its = { by: await whoDecides(), atMs: systemClock.nowMs() };
    const read = await tables.stored();
    return await tables.store({ record: await recordOf(await tables.described(), its, maker) }, read);
  } catch {
    return false;
  }
}

const beginText = ({ ledgerTableName }: WorkerConfig) =>
  ` Nothing is sent before an approver says \`${tool} ledger begin ${ledgerTableName}\`.`;

const nextText = ({ secretPrefix }: WorkerConfig) =>
  ` Each merchant needs its contract and its keys yet, such as\n  ${makingSecrets(secretPrefix, 'acme-eu')}`;

async function make(resource: NamedResource, config: WorkerConfig, clients: ResourceClients): Promise<void> {
  switch (resource.kind) {
    case 'queue':
      return makeQueue(resource, config, clients);
    case 'table':
      return makeTable(resource, clients);
    case 'secret':
      return makeWorkerSecret(resource, clients);
  }
}

/** As infra/resources/queues.yml has them: what a worker's time-outs and its redrives need. */
async function makeQueue(
  { setting, name }: NamedResource,
  config: WorkerConfig,
  { sqs }: ResourceClients,
): Promise<void> {
  const isOfJobs = setting === 'JOBS_QUEUE_URL' || setting === 'BATCH_JOBS_QUEUE_URL';
  // A job that comes a second time is parked, so it may come soon.
  const timeOuts = isOfJobs ? 1.5 : 6;
  const visibilitySeconds = Math.ceil((timeOuts * config.limits.functionTimeoutMs) / 1000);
  const keepsLong = isOfJobs || setting === 'DEAD_LETTER_QUEUE_URL';
  const isOfLetters = setting === 'DEAD_LETTER_QUEUE_URL';
  const isOfReferences = setting === 'REFERENCES_QUEUE_URL';
  const arnOf = async (QueueUrl: string) =>
    (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }))).Attributes?.[
      'QueueArn'
    ];
  const Attributes = {
    MessageRetentionPeriod: String(isOfReferences ? referencesKeptSeconds : (keepsLong ? 14 : 10) * 86_400),
    VisibilityTimeout: String(isOfLetters ? 60 : Math.min(visibilitySeconds, 43_200)),
    ...(isOfJobs && {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: await arnOf(config.deadLetterQueueUrl),
        maxReceiveCount: config.limits.maxReceiveCount,
      }),
    }),
  };
  await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
}

/** A reference is of no use once its lease is over. */
const referencesKeptSeconds = 240;

function definitionOf(setting: string) {
  switch (setting) {
    case 'CARD_KEYS_TABLE_NAME':
    case 'CONTROLS_TABLE_NAME':
      return plainTableDefinition;
    case 'WAITING_TABLE_NAME':
      return waitingTableDefinition;
    case 'BATCHES_TABLE_NAME':
      return batchesTableDefinition;
    default:
      return ledgerTableDefinition;
  }
}

async function makeTable({ setting, name }: NamedResource, { dynamodb }: ResourceClients): Promise<void> {
  const definition = definitionOf(setting);
  await dynamodb.send(new CreateTableCommand({ TableName: name, ...definition }));
  await waitUntilTableExists({ client: dynamodb, minDelay: 1, maxDelay: 1, maxWaitTime: 60 }, { TableName: name });
  // All but orders and waiting jobs expire: an order that expired would be paid again by a late message.
  if (definition === ledgerTableDefinition || definition === waitingTableDefinition) return;
  const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true };
  // Emulators without it keep items for ever, which breaks nothing.
  await dynamodb.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification })).catch(() => {});
}

/** No person needs to see the key. */
async function makeWorkerSecret({ name }: NamedResource, { secretsManager }: ResourceClients): Promise<void> {
  const id = new Date(systemClock.nowMs()).toISOString().slice(0, 'YYYY-MM'.length);
  const secret = {
    fingerprintKeyId: id,
    fingerprintKeys: { [id]: Buffer.from(newBlind(), 'base64url').toString('hex') },
  };
  await secretsManager.send(new CreateSecretCommand({ Name: name, SecretString: JSON.stringify(secret) }));
}
