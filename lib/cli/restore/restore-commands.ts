// `payouts restore`: a table that was restored from a backup becomes the ledger, without paying again what it has forgotten.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { createDynamoDbControls } from '../../aws/dynamodb-controls.ts';
import { createDynamoDbDueWork } from '../../aws/dynamodb-due-work.ts';
import { controlsTable, ledgerTable } from '../../aws/dynamodb-table.ts';
import { ConfigurationError, readWorkerConfig, type WorkerConfig } from '../../aws/env-config.ts';
import { createSqsQueueDepths, measuredQueues } from '../../aws/sqs-queue-depths.ts';
import { systemClock } from '../../aws/system.ts';
import { redact } from '../../gateway/redact.ts';
import { createDynamoDbRestoration, ordersOf } from '../../restore/dynamodb-restoration.ts';
import { createDynamoDbRestoreAdmin } from '../../restore/dynamodb-restore-admin.ts';
import { type Adopted, adoptLine, beginRestore } from '../../restore/restore-ledger.ts';
import { type OperatorOptions, say, why } from '../orders/operator-commands.ts';
import { UsageError } from '../usage-error.ts';
import { whoDecides } from '../orders/who-decides.ts';
import type { LedgerStanding } from '../../restore/restored-ledger.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';

/** Options of `payouts restore begin`. */
export interface BeginOptions extends OperatorOptions {
  readonly to: string;
  readonly sameName: boolean;
}

/** Options of `payouts restore end`. */
export interface EndOptions extends OperatorOptions {
  readonly despiteMessages: boolean;
}

function ports() {
  try {
    const config = readWorkerConfig();
    return { tableName: config.ledgerTableName, ...createRestorePorts(config) };
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.message);
    throw error;
  }
}

const saying = async (options: OperatorOptions) => ({
  by: await whoDecides(options),
  reason: redact(why(options), []),
  atMs: systemClock.nowMs(),
});
const timeText = (ms: number) => new Date(ms).toISOString();

/** `payouts restore status`: what the table says of itself. */
export async function restoreStatus(options: OperatorOptions): Promise<number> {
  const { restoration, tableName } = ports();
  const standing = await restoration.standing();
  say(options, { table: tableName, ...standing }, `${tableName}: ${sentenceOf(standing)}`);
  return standing.kind === 'foreign' ? 1 : 0;
}

function sentenceOf(standing: LedgerStanding): string {
  switch (standing.kind) {
    case 'ledger':
      return 'it is the ledger, and was never restored';
    case 'foreign':
      return `it is not the ledger (it bears the name of ${standing.of}): nothing is decided by it`;
    case 'restored': {
      const { toMs, sinceMs, settled } = standing.restored;
      const now = settled
        ? 'settled: what it does not know is new'
        : 'not settled: what it does not know goes into doubt, and nothing of it is sent';
      return `it is the ledger since ${timeText(sinceMs)}, restored to ${timeText(toMs)}; ${now}`;
    }
  }
}

/** `payouts restore leave`: another table takes over from this one. */
export async function leaveTable(toTable: string, options: OperatorOptions): Promise<number> {
  const { restoreAdmin, tableName } = ports();
  if (toTable === tableName) throw new UsageError(`${toTable} is this table; name the one that takes over`);
  await restoreAdmin.handOver(toTable, await saying(options));
  const text = `${tableName}: within 5 seconds nothing is decided by it any more; ${toTable} takes over`;
  say(options, { table: tableName, ledger: toTable }, text);
  return 0;
}

/** `payouts restore adopt`: puts back what was told after the backup, a result or a line of the log per line. */
export async function adoptFile(file: string, options: OperatorOptions): Promise<number> {
  const { ledger, clock } = ports();
  const counts: Record<Adopted, number> = { adopted: 0, known: 0, nothing: 0 };
  const lines = createInterface({ input: file === '-' ? process.stdin : createReadStream(file), crlfDelay: Infinity });
  try {
    for await (const line of lines) if (line.trim() !== '') counts[await adoptLine(line, { ledger, clock })] += 1;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'open')
      throw new UsageError(`can't read ${file}: name a file of results or log lines, one JSON object per line`);
    throw error;
  }
  const { adopted, known, nothing } = counts;
  const text = `${adopted} orders put back, ${known} were there already, ${nothing} lines told of nothing that was sent`;
  say(options, counts, text);
  return 0;
}

/** `payouts restore begin`: the table becomes the ledger; everybody is paused. */
export async function begin(options: BeginOptions): Promise<number> {
  const toMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(options.to) ? Date.parse(options.to) : Number.NaN;
  if (!(toMs <= systemClock.nowMs()))
    throw new UsageError('--to must be the time that the table was restored to, such as "2026-11-21T10:00:00Z"');
  const said = await saying(options);
  const all = ports();
  const standing = await all.restoration.standing();
  if (standing.kind !== 'foreign' && !options.sameName) {
    const outcome = 'not-a-copy';
    const text = `${all.tableName} says that it is the ledger itself, no copy; if it was restored under its own name, say --same-name`;
    say(options, { table: all.tableName, outcome }, text);
    return 1;
  }
  const open = await beginRestore(toMs, said, all);
  const text = [
    `${all.tableName} is the ledger from now on, restored to ${timeText(toMs)}; ${open} open orders go on.`,
    'All merchants are paused. What the ledger does not know, or calls never sent, is not sent but goes into doubt.',
    'Next: `npx payouts restore adopt RESULTS`, `npx payouts resume`, wait until the queues are empty, `npx payouts restore end`.',
  ].join('\n');
  say(options, { table: all.tableName, restoredTo: timeText(toMs), openOrders: open, paused: true }, text);
  return 0;
}

/** `payouts restore end`: every order of the gap is back in the ledger. */
export async function end(options: EndOptions): Promise<number> {
  const said = await saying(options);
  const { restoration, restoreAdmin, queueDepths, tableName } = ports();
  const standing = await restoration.standing();
  if (standing.kind !== 'restored') {
    say(
      options,
      { table: tableName, outcome: 'no-restore' },
      `${tableName}: ${sentenceOf(standing)}; there is nothing to end`,
    );
    return 1;
  }
  const { jobsDepth: urgent = 0, batchJobsDepth = 0, deadLettersDepth = 0 } = await queueDepths.measure();
  const jobsDepth = urgent + batchJobsDepth;
  if (jobsDepth + deadLettersDepth > 0 && !options.despiteMessages) {
    const text =
      `${jobsDepth} jobs and ${deadLettersDepth} dead letters may be of orders that were sent in the gap: let them come ` +
      'through (resume, redrive), or say --despite-messages where you know each of them';
    say(options, { table: tableName, outcome: 'messages-left', jobsDepth, deadLettersDepth }, text);
    return 1;
  }
  await restoreAdmin.settle(said);
  say(
    options,
    { table: tableName, settled: true },
    `${tableName}: settled; an order that it does not know is a new one`,
  );
  return 0;
}

// AWS as whoever takes a restored table into service uses it: the table itself, whatever it says of itself.

/** The ports by the settings. */
export function createRestorePorts(config: WorkerConfig) {
  const aws = { limits: config.limits };
  const dynamodb = newDynamoDbClient(aws);
  const table = ledgerTable(config, dynamodb);
  return {
    ledger: ordersOf(table),
    dueWork: createDynamoDbDueWork(table),
    controlsAdmin: createDynamoDbControls(controlsTable(config, dynamodb)),
    queueDepths: createSqsQueueDepths({ client: newSqsClient(aws), queueUrls: measuredQueues(config) }),
    restoration: createDynamoDbRestoration(table),
    restoreAdmin: createDynamoDbRestoreAdmin(table),
    clock: systemClock,
  };
}
