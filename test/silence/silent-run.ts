// A whole system with card data in it: every path that a message can take, and everything that is left afterwards, as
// text by the place where it was found.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoDbCardKeyStore } from '../../lib/card-data/dynamodb-card-key-store.ts';
import type { CardKeyStore } from '../../lib/card-data/sealed-params.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { sendToJobsQueue } from '../../lib/local/jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { queueDepth } from '../../lib/aws/sqs-event-source.ts';
import { rowsWaiting, takeMessages } from '../../lib/local/queue-reader.ts';
import { workerSecret } from '../../lib/local/sample-merchants.ts';
import { startWorkerProcess } from '../../lib/local/worker-process.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { runCli } from '../cli/support/cli.ts';
import { startSampleGateway } from '../cli/support/sample-world.ts';
import { privateCardKeys } from '../support/card-keys.ts';
import type { Known } from './scanner.ts';

/** What the run is given to do. */
export interface SilentRun {
  readonly directory: string;
  /** Message bodies, for the worker that is killed and for the one after it; the depot takes the keys of CVVs. */
  readonly bodies: (cardKeys: CardKeyStore) => Promise<{ readonly first: string[]; readonly later: string[] }>;
  /** Command lines of the tool, run when everything is quiet. */
  readonly commands: readonly (readonly string[])[];
}

/** What is left, and the keys that were in use. */
export interface Remains {
  readonly texts: ReadonlyMap<string, string>;
  readonly keys: readonly Known[];
}

/** The leader releases what waits soon after. */
const oftenSwept = ['--sweep-seconds', '2'];

/** Runs it: a worker takes the messages and is killed in the middle, another one ends the work. */
export async function runSilently({ directory, bodies, commands }: SilentRun): Promise<Remains> {
  await mkdir(directory, { recursive: true });
  // The worker ends a message at its fourth receive, cleaned. The queue would move it as it came, so it has to be far from
  // doing so, as the queue that ships is: its time-out is short here, and a machine under load lets it pass several times.
  const aws = await startEmbeddedAws({ maxReceiveCount: defaultLimits.maxReceiveCount, visibilityTimeoutSeconds: 4 });
  const gateway = await startSampleGateway(aws);
  // Those that are looked for afterwards.
  const own = { _worker: workerSecret(), _card: { current: 'ec-1', keys: privateCardKeys } };
  for (const [name, secret] of Object.entries(own)) aws.secrets.put(`payouts/${name}`, secret);
  const sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
  const dynamodb = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
  const environment = workerEnvironment(aws, localWorkerLimits.environment);
  const texts = new Map<string, string>();
  try {
    const depot = createDynamoDbCardKeyStore({ client: dynamodb, tableName: aws.cardKeysTableName, nowMs: Date.now });
    const { first, later } = await bodies(depot);
    await sendToJobsQueue(sqs, aws.queueUrls.jobs, first);

    const logFile = (name: string) => join(directory, name);
    const killed = startWorkerProcess(environment, { logFile: logFile('killed.log'), args: oftenSwept });
    killed.crashed.catch(() => {});
    while ((await queueDepth(sqs, aws.queueUrls.results)) === 0) await sleep(50);
    await killed.kill();
    await sendToJobsQueue(sqs, aws.queueUrls.jobs, later);
    const worker = startWorkerProcess(environment, { logFile: logFile('worker.log'), args: oftenSwept });
    worker.crashed.catch(() => {});
    await comesToRest(
      async () => (await queueDepth(sqs, aws.queueUrls.jobs)) + (await rowsWaiting(dynamodb, aws.waitingTableName)),
    );
    await worker.stop();

    for (const args of commands) {
      const { stdout, stderr } = await runCli(args, { env: environment, cwd: directory });
      texts.set(`payouts ${args.join(' ')}`, stdout + stderr);
    }
    for (const name of ['killed.log', 'worker.log']) texts.set(name, await readFile(logFile(name), 'utf8'));
    for (const [name, url] of Object.entries(aws.queueUrls)) texts.set(`queue ${name}`, await drained(sqs, url));
    const items: unknown[] = [];
    for (const TableName of tableNamesOf(aws)) {
      for await (const { Items = [] } of paginateScan({ client: dynamodb }, { TableName })) items.push(...Items);
    }
    texts.set('ledger', JSON.stringify(items));
    return { texts, keys: keysIn({ ...gateway.secrets, ...own }) };
  } finally {
    sqs.destroy();
    dynamodb.destroy();
    await gateway.simulator.close();
    await aws.close();
  }
}

const tableNamesOf = (aws: EmbeddedAws) => [
  aws.ledgerTableName,
  aws.cardKeysTableName,
  aws.batchesTableName,
  aws.controlsTableName,
  aws.waitingTableName,
];

/** A job of a closed gateway goes on waiting: what changes no more for a while is at rest. */
async function comesToRest(depth: () => Promise<number>): Promise<void> {
  // Longer than any wait between two tries of the local worker, on a machine under load too: then a job still lay there as its sender wrote it.
  const quietMs = 25_000;
  let [left, sinceMs] = [await depth(), Date.now()];
  while (left > 0 && Date.now() - sinceMs < quietMs) {
    await sleep(100);
    const now = await depth();
    if (now !== left) [left, sinceMs] = [now, Date.now()];
  }
}

async function drained(sqs: SQSClient, url: string): Promise<string> {
  const messages: unknown[] = [];
  for (let some = await takeMessages(sqs, url, 0); some.length > 0; some = await takeMessages(sqs, url, 0)) {
    messages.push(...some.map(({ Body, MessageAttributes }) => ({ Body, MessageAttributes })));
  }
  return JSON.stringify(messages);
}

/** Every secret part of every secret: whole for short ones, line by line for PEMs. */
function keysIn(secrets: Readonly<Record<string, unknown>>): Known[] {
  const secretFields = /^(controlKey|privateKey|d|p|q|dp|dq|qi|local)$/;
  const found: Known[] = [];
  const walk = (name: string, value: unknown) => {
    if (typeof value === 'object' && value !== null) {
      for (const [field, part] of Object.entries(value)) walk(`${name}.${field}`, part);
    } else if (typeof value === 'string' && secretFields.test(name.split('.').at(-1) ?? '')) {
      const lines = value.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-----'));
      found.push(...lines.slice(0, 4).map((line) => ({ name, value: line })));
    }
  };
  walk('secret', secrets);
  return found;
}
