// `payouts restore`: a table that was restored from a backup becomes the ledger, without paying again what it has lost.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { newDynamoDbClient } from '../../aws/dynamodb-table.ts';
import { systemClock } from '../../aws/system.ts';
import { redact } from '../../gateway/redact.ts';
import { tableOrders } from '../../restore/dynamodb-restoration.ts';
import { createDynamoDbRestoreAdmin, mayTakeOver } from '../../restore/dynamodb-restore-admin.ts';
import { type Adopted, adoptLine, beginRestore } from '../../restore/restore-ledger.ts';
import { createSecondPerson } from '../../batches/decision-approval.ts';
import {
  approveSharedDecision,
  judgeSharedApproval,
  endText,
  firstDemandingTwo,
} from '../../batches/shared-decision.ts';
import { type OperatorOptions, notDone, say, why } from '../command-line.ts';
import { approveAsked, type ApproverOptions, requireApprover, requireArn } from '../orders/approve-decision.ts';
import { tellMoneyOf } from '../orders/operator-commands.ts';
import { couldBear } from '../../payout/message/job.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import type { QueueDepths } from '../../payout/inquire/due-work.ts';
import { lineCountedTo, type ParkedJobs } from '../../payout/wait/parked-job.ts';
import { readyTable } from '../../restore/dynamodb-restored-table.ts';
import { regionRefusal } from '../../merchants/refused-region.ts';
import { counted } from '../quantities.ts';
import { shellWord, tool } from '../../payout/operate/spelling.ts';
import { UsageError } from '../../files/usage-error.ts';
import { toolPorts, whoDecides } from '../tool-ports.ts';
import type { LedgerRole } from '../../restore/restored-orders.ts';

/** Options of `payouts restore begin`. */
interface BeginOptions extends OperatorOptions {
  readonly to: string;
}

/** Options of `payouts restore fence`. */
interface FenceOptions extends OperatorOptions {
  readonly addressesRefused: boolean;
}

/** Options of `payouts restore end`. */
interface EndOptions extends OperatorOptions {
  readonly despiteMessages: boolean;
  /** The token that an approver printed. */
  readonly approval?: string;
}

/** The ports, over the table itself, whatever role it names for itself. */
function ports() {
  const its = toolPorts();
  const { config, table, controls: controlsAdmin } = its;
  const restoreAdmin = createDynamoDbRestoreAdmin(table);
  return { ...its, tableName: config.ledgerTableName, orders: tableOrders(table), controlsAdmin, restoreAdmin };
}

const saying = async (options: OperatorOptions) => ({
  by: await whoDecides(),
  reason: redact(why(options), []),
  atMs: systemClock.nowMs(),
});
/** Says what was not done to the table; the exit code. */
const refusalOf = (table: string, options: OperatorOptions) => (outcome: object, text: string) =>
  notDone(options, { table, ...outcome }, text);
const timeText = (ms: number) => new Date(ms).toISOString();

/** `payouts restore status`: what the table says of itself. */
export async function restoreStatus(options: OperatorOptions): Promise<number> {
  const { restoration, restoreAdmin, tableName } = ports();
  const role = await restoration.role();
  const moved = await restoreAdmin.movedFrom();
  const text = `${tableName}: ${sentenceOf(role)}${mayTakeOver(moved) ? '' : `; ${fenceText(moved?.region ?? '')}`}`;
  say(options, { table: tableName, ...role, ...(moved && { moved }) }, text);
  return role.kind === 'foreign' ? 1 : 0;
}

function sentenceOf(role: LedgerRole): string {
  switch (role.kind) {
    case 'ledger':
      return 'it is the ledger, and was never restored';
    case 'foreign':
      return `it is not the ledger: ${role.why}`;
    case 'restored': {
      const { toMs, sinceMs, settled } = role.restored;
      const now = settled
        ? 'settled: what it does not know is new'
        : 'not settled: what it does not know goes into doubt, and nothing of it is sent';
      return `it is the ledger since ${timeText(sinceMs)}, restored to ${timeText(toMs)}; ${now}`;
    }
  }
}

/** A restore of AWS takes hours; after a day something else is wrong. */
const longestRestoreMs = 24 * 3_600_000;

/** `payouts restore ready`: waits for a table that is being restored, and switches on what a restore leaves off. */
export async function makeReady(table: string, options: OperatorOptions): Promise<number> {
  const client = newDynamoDbClient({ limits: patientAwsCalls });
  const untilMs = systemClock.nowMs() + longestRestoreMs;
  const tell = (line: string) => void process.stderr.write(`${line}\n`);
  const readied = await readyTable(table, untilMs, { client, clock: systemClock, say: tell });
  const text = readied.kind === 'ready' ? `${table}: ready to be the ledger` : readied.why;
  say(options, { table, ...readied }, text);
  return readied.kind === 'ready' ? 0 : 1;
}

/** `payouts restore adopt`: puts back what was published after the backup, a result or a line of the log per line. */
export async function adoptFile(file: string, options: OperatorOptions): Promise<number> {
  const { orders, clock, random } = ports();
  const counts: Record<Adopted, number> = { adopted: 0, known: 0, nothing: 0 };
  await tellMoneyOf('every merchant');
  const lines = createInterface({ input: file === '-' ? process.stdin : createReadStream(file), crlfDelay: Infinity });
  try {
    for await (const line of lines)
      if (line.trim() !== '') counts[await adoptLine(line, { orders, clock, random })] += 1;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'open')
      throw new UsageError(`can't read ${file}: name a file of results or log lines, one JSON object per line`);
    throw error;
  }
  const { adopted, known, nothing } = counts;
  const text = `${counted(adopted, 'order')} put back, ${known} there already; ${counted(nothing, 'line')} without anything that was sent`;
  return say(options, counts, text);
}

/** `payouts restore begin`: the table becomes the ledger; everybody is paused. */
export async function begin(options: BeginOptions): Promise<number> {
  const toMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(options.to) ? Date.parse(options.to) : Number.NaN;
  if (!(toMs <= systemClock.nowMs()))
    throw new UsageError('--to must be the time that the table was restored to, such as "2026-11-21T10:00:00Z"');
  const said = await saying(options);
  await tellMoneyOf('every merchant');
  const all = ports();
  const role = await all.restoration.role();
  const refuse = refusalOf(all.tableName, options);
  if (role.kind !== 'foreign')
    return refuse({ outcome: 'not-a-copy' }, `${all.tableName} is the ledger itself, and no restored copy`);
  const moved = await all.restoreAdmin.movedFrom();
  if (moved && !mayTakeOver(moved))
    return refuse({ outcome: 'not-fenced', region: moved.region }, fenceText(moved.region));
  const { id: tableId } = (await all.tables.described()).ledger;
  if (tableId === undefined)
    return refuse({ outcome: 'no-table' }, `there is no table ${all.tableName}: say the restore first`);
  await beginRestore({ toMs, tableId }, said, all);
  const text = [
    `${all.tableName}: restored to ${timeText(toMs)}. All merchants are paused.`,
    'What it calls never sent goes into doubt before it is sent; what it does not know waits.',
    `Next: an approver says \`${tool} ledger begin ${all.tableName}\`, and it is the ledger. Then \`${tool} restore adopt RESULTS\`, \`${tool} resume\`;`,
    `once every order of the gap is known, \`${tool} restore end\`.`,
  ].join('\n');
  return say(options, { table: all.tableName, restoredTo: timeText(toMs), paused: true }, text);
}

const fenceText = (region: string) =>
  `this copy comes from ${region}, which may come back and pay: it does not become the ledger before the gateway is known to refuse that Region (\`${tool} restore fence\`)`;

/** `payouts restore fence`: the proof that every gateway refuses the Region that was lost. */
export async function fenceRegion(places: readonly string[], options: FenceOptions): Promise<number> {
  const { restoreAdmin, tableName } = ports();
  const refuse = refusalOf(tableName, options);
  const moved = await restoreAdmin.movedFrom();
  if (moved === undefined)
    return refuse({ outcome: 'no-move' }, `${tableName} comes from no other Region: nothing is to be fenced off`);
  const { region } = moved;
  const said = await saying(options);
  if (options.addressesRefused) {
    if (options.reason === undefined)
      throw new UsageError('--addresses-refused is your word: say by --reason who at the gateway has confirmed it');
    await restoreAdmin.noteRefused(region, 'addresses', said);
    const text = `by the word of ${said.by} every gateway refuses the addresses of ${region}; next: \`${tool} restore begin --to TIME --reason WHY\``;
    return say(options, { table: tableName, outcome: 'fenced', region, proof: 'addresses' }, text);
  }
  const asked = new Map(places.map((it) => merchantAtEndpoint(it)));
  const keys = toolPorts();
  const left = (await keys.merchants()).filter((merchant) => !asked.has(merchant));
  const unproven = left.map((merchant) => ({ merchant, why: 'its gateway was not asked: name an endpoint of it too' }));
  for (const [merchant, endpointId] of asked) {
    const proof = await regionRefusal(merchant, endpointId, keys);
    if (proof.kind === 'unproven') unproven.push({ merchant, why: proof.why });
  }
  if (asked.size === 0 || unproven.length > 0) {
    const text = unproven.map(({ merchant, why }) => `${merchant}: not proven: ${why}`).join('\n');
    return refuse({ outcome: 'unproven', region, unproven }, text || 'there is no merchant to ask about');
  }
  await restoreAdmin.noteRefused(region, 'keys', said);
  const text = `the gateways of all ${asked.size} merchants refuse the keys that ${region} has, and take the new ones; next: \`${tool} restore begin --to TIME --reason WHY\``;
  const outcome = { outcome: 'fenced', region, proof: 'keys', merchants: [...asked.keys()] };
  return say(options, { table: tableName, ...outcome }, text);
}

function merchantAtEndpoint(text: string): readonly [merchant: string, endpointId: string] {
  const [merchant = '', endpointId = '', ...more] = text.split('=');
  if (!couldBear({ merchant }) || endpointId === '' || more.length > 0)
    throw new UsageError(`"${text}" must be a merchant and an endpoint of its, as in acme-eu=39915`);
  return [merchant, endpointId];
}

/** `payouts restore end`: every order of the gap is back in the ledger. */
export async function end(options: EndOptions): Promise<number> {
  const said = await saying(options);
  await tellMoneyOf('every merchant');
  const { restoration, restoreAdmin, queueDepths, waiting, tableName } = ports();
  const refuse = refusalOf(tableName, options);
  const role = await restoration.role();
  if (role.kind !== 'restored')
    return refuse({ outcome: 'no-restore' }, `${tableName}: ${sentenceOf(role)}; there is nothing to end`);
  const left = await messagesLeft(queueDepths, waiting.jobs);
  if (left.jobs + left.deadLetters + left.ownMessages > 0 && !options.despiteMessages) {
    const more = left.isMore ? ' or more' : '';
    const text =
      `${counted(left.jobs, 'job')}${more} and ${counted(left.deadLetters, 'dead letter')} may be of orders that were sent in the gap, and ` +
      `wait until it is ended; ${counted(left.ownMessages, 'message')} on the worker's own queues may be answers about them. Put back what ` +
      'was published, wait for the answers, and say --despite-messages where you know each of them';
    const { jobs: jobsDepth, deadLetters: deadLettersDepth, ownMessages: ownDepth } = left;
    return refuse({ outcome: 'messages-left', jobsDepth, deadLettersDepth, ownDepth }, text);
  }
  const shared = await endedByTwo(tableName, role.restored.sinceMs, options.approval);
  if (shared.kind === 'not shared') return refuse({ outcome: shared.outcome, why: shared.why }, shared.why);
  const by = shared.approvedBy === undefined ? said.by : `${said.by} and ${shared.approvedBy}`;
  await restoreAdmin.settle({ ...said, by });
  const text = `${tableName}: settled; an order that it does not know is a new one`;
  return say(options, { table: tableName, settled: true }, text);
}

/** `payouts restore approve-end`: an approver says beside who ends the gap that every order of it is known. */
export async function approveEnd(options: ApproverOptions): Promise<number> {
  requireApprover(options);
  requireArn(options, 'payouts restore end');
  await tellMoneyOf('every merchant');
  const its = ports();
  const table = its.tableName;
  const role = await its.restoration.role();
  if (role.kind !== 'restored' || role.restored.settled) {
    const why = `${table} has no restore that is to be ended`;
    return notDone(options, { outcome: 'no-restore', why }, why);
  }
  const { toMs, sinceMs } = role.restored;
  const [to, since] = [toMs, sinceMs].map(timeText);
  return approveAsked(options, {
    shown: `${table}: restored to ${to}, the ledger since ${since}\n  ${options.for} is about to say that every order of that time is known; then what the ledger does not hold is paid as new`,
    question: 'Is every order of that time back in the ledger?',
    holdsFor: '',
    saidBeside: 'restore end',
    approve: () => approveSharedDecision(endText(table, sinceMs), options.for, its),
  });
}

/** The places where an order of the gap may still be: the queues, and what waits, where a job goes that met the gap. */
async function messagesLeft(queueDepths: QueueDepths, waiting: Pick<ParkedJobs, 'all'>) {
  const depths = await queueDepths.measure();
  let rows = 0;
  for await (const _row of waiting.all()) {
    rows += 1;
    if (rows === lineCountedTo) break;
  }
  const jobs = (depths.jobsDepth ?? 0) + (depths.batchJobsDepth ?? 0) + rows;
  const ownMessages = depths.checksDepth ?? 0;
  return { jobs, isMore: rows === lineCountedTo, deadLetters: depths.deadLettersDepth ?? 0, ownMessages };
}

type SharedEnd =
  | { readonly kind: 'shared'; readonly approvedBy?: string }
  | { readonly kind: 'not shared'; readonly outcome: 'needs-approver' | 'refused'; readonly why: string };

/** With an approver where any merchant demands two: what the ledger does not hold is sent as new from then on. */
async function endedByTwo(table: string, restoredAtMs: number, approval: string | undefined): Promise<SharedEnd> {
  const its = toolPorts();
  const secondPerson = createSecondPerson({ ...its, store: its.safeguards });
  const demanding = await firstDemandingTwo(await its.merchants(), secondPerson);
  if (demanding === undefined) return { kind: 'shared' };
  const judged = await judgeSharedApproval(endText(table, restoredAtMs), approval, its);
  switch (judged.kind) {
    case 'holds':
      return { kind: 'shared', approvedBy: judged.approvedBy };
    case 'refused':
      return { kind: 'not shared', outcome: 'refused', why: judged.why };
    case 'needs-approver': {
      const why =
        `two persons release the money of ${demanding}, so two say that every order of the gap is known: an approver looks and runs ` +
        `\`${tool} restore approve-end --for ${shellWord(judged.decider)}\`; then say the same again with the --approval that it prints`;
      return { kind: 'not shared', outcome: 'needs-approver', why };
    }
    default:
      return judged satisfies never;
  }
}
