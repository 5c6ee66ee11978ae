// `payouts restore`: everything pauses, a table that was restored from a backup is made ready, and becomes the ledger, without paying again
// what it has lost.
import { newDynamoDbClient } from '../../aws/dynamodb-table.ts';
import { systemClock } from '../../aws/system.ts';
import { redact } from '../../gateway/redact.ts';
import { maybeOnePerson } from '../../batches/approval-proof.ts';
import { firstSentOf } from '../../dead-letters/dead-letter.ts';
import { scanDeadLetters } from '../../dead-letters/scan-dead-letters.ts';
import { tableOrders } from '../../restore/dynamodb-known-tables.ts';
import { mayTakeOver } from '../../restore/dynamodb-ledger-region.ts';
import { beginPause, endPause, quietFromMs, restoredBy } from '../../restore/pause.ts';
import {
  doubtHeld,
  doubtNamed,
  namedByJob,
  namedByParked,
  namedByResult,
  type NamedOrder,
} from '../../restore/lost-orders.ts';
import { type OperatorOptions, notDone, say, why } from '../command-line.ts';
import { tellMoney } from '../live-money.ts';
import { couldBear } from '../../payout/message/job.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import type { Restored } from '../../payout/order/restored.ts';
import { walkNote } from '../../operate/acts.ts';
import { readyTable } from '../../restore/dynamodb-restored-table.ts';
import { regionRefusal } from '../../merchants/refused-region.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { fileLines } from '../../files/json-lines.ts';
import { readGateway } from '../reconcile/reconcile-inputs.ts';
import { counted, tool } from '../../payout/operate/spelling.ts';
import { UsageError } from '../../files/usage-error.ts';
import { toolPorts, whoDecides } from '../tool-ports.ts';

/** Options of `payouts restore doubt`. */
interface DoubtOptions extends OperatorOptions {
  readonly gateway?: readonly string[];
  readonly map: ReadonlyMap<string, string>;
}

/** Options of `payouts restore fence`. */
interface FenceOptions extends OperatorOptions {
  readonly addressesRefused: boolean;
}

/** The ports, over the table itself, whatever table it is. */
function ports() {
  const its = toolPorts();
  return { ...its, tableName: its.config.ledgerTableName, orders: tableOrders(its.table), credentials: its.guarded };
}

const timeText = (ms: number) => new Date(ms).toISOString();

/** `payouts restore status`: what the comparison says of the tables. */
export async function restoreStatus(options: OperatorOptions): Promise<number> {
  const { known, region, tableName: table } = ports();
  const [verdict, moved] = await Promise.all([known.verdict(), region.movedFrom()]);
  const fenced = mayTakeOver(moved) ? '' : `; ${fenceText(moved?.region ?? '')}`;
  say(options, { table, ...verdict, moved }, `${table}: ${statusText(verdict)}${fenced}`);
  return verdict.kind === 'known' ? 0 : 1;
}

type Verdict = Awaited<ReturnType<ReturnType<typeof ports>['known']['verdict']>>;

function statusText(verdict: Verdict): string {
  if (verdict.kind === 'unknown') return `it is not the ledger: ${verdict.why}`;
  const { restored } = verdict;
  return restored
    ? `it is the ledger; what was sent before ${timeText(restored.pausedAtMs)} may be lost with an earlier table`
    : 'it is the ledger, and was never restored';
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

/** `payouts restore begin`: everything is paused. */
export async function begin(options: OperatorOptions): Promise<number> {
  const all = ports();
  const reason = redact(why(options), []);
  await tellMoney('every merchant', all.credentials);
  const restoring = await beginPause({ by: await all.identity.whoAmI(), reason }, all);
  const [pausedAt, approveFrom] = [restoredBy(restoring).pausedAtMs, quietFromMs(restoring, all.limits)].map(timeText);
  const text = [
    `Everything is paused since ${timeText(restoring.sinceMs)}; from ${pausedAt} on nothing more is sent.`,
    `What was first sent before that goes into doubt. Once the restored table is there: \`${tool} restore doubt\`.`,
    `An approver, who is another person, ends the pause after ${approveFrom}: \`${tool} approve restore\`.`,
  ].join('\n');
  return say(options, { paused: true, pausedAt, approveFrom }, text);
}

/** `payouts restore doubt`: what the restored table may have lost is written into it. */
export async function doubt(files: readonly string[], options: DoubtOptions): Promise<number> {
  const its = ports();
  const table = its.tableName;
  await tellMoney('every merchant', its.credentials);
  const { restoring } = await its.tables.stored();
  if (!restoring) {
    const text = `no restore was begun, and the worker may be at work: \`${tool} restore begin\` first`;
    return notDone(options, { table, outcome: 'not-begun' }, text);
  }
  const restored = restoredBy(restoring);
  const held = await doubtHeld(restored, its, { onRead: readingLine(options) });
  let made = 0;
  for await (const named of namedBeside(files, options, restored, its))
    if (await doubtNamed(named, restored, its)) made += 1;
  const { open, ended, raised, unreadable } = held;
  const text = [
    `${table}: put in doubt: ${counted(open, 'open order')}; ${counted(ended, 'order')} that ended unpaid, as a job may have named the end since; ${counted(made, 'order')} that the table did not know`,
    `Renumbered: ${counted(raised, 'other order')}: paid, cancelled or a check, so nothing pays it again.`,
    ...(unreadable > 0
      ? [`${counted(unreadable, 'order')} of newer code left alone: use the release that wrote them`]
      : []),
    'Run it again with every source that you have, until each number is 0.',
  ].join('\n');
  say(options, { table, ...held, made }, text);
  return unreadable > 0 ? 1 : 0;
}

function readingLine({ json }: OperatorOptions): (read: number) => void {
  let nextAt = 10_000;
  return (read) => {
    if (json || read < nextAt) return;
    nextAt = read + 10_000;
    process.stderr.write(`${counted(read, 'order')} read\n`);
  };
}

/** Everything beside the table that names orders: results, reports, dead letters and what waits. */
async function* namedBeside(
  files: readonly string[],
  { gateway = [], map }: DoubtOptions,
  restored: Restored,
  its: ReturnType<typeof ports>,
): AsyncGenerator<NamedOrder> {
  for (const file of files)
    for await (const lines of fileLines(file)) yield* lines.flatMap((line) => namedByResult(line) ?? []);
  yield* namedByParked(restored, its.waiting.jobs);
  const letters: NamedOrder[] = [];
  const walk = await scanDeadLetters(async (some) => {
    letters.push(...some.flatMap((it) => namedByJob(restored, it.body, firstSentOf(it)) ?? []));
    return {};
  }, its);
  const note = walkNote(walk);
  if (note !== false) process.stderr.write(`payouts: dead letters: ${note}; run it again\n`);
  yield* letters;
  // Last: a report names no endpoint, and without that no account is asked about the order.
  for (const report of gateway) yield* await namedByReport(report, map);
}

/** The orders of a gateway's report, read as `payouts reconcile` reads it. */
async function namedByReport(text: string, maps: ReadonlyMap<string, string>): Promise<readonly NamedOrder[]> {
  const [, merchant = '', path = ''] = /^([^=]*)=(.+)$/.exec(text) ?? [];
  if (!couldBear({ merchant }))
    throw new UsageError(`--gateway "${text}": write whose it is, as in acme-eu=report.csv`);
  const keys = new Set<string>();
  await readGateway(
    { path, merchant },
    { addGateway: (key) => void keys.add(key) },
    { maps, statuses: new Map() },
    () => {},
  );
  return [...keys].map((key) => ({ key }));
}

/** `payouts approve restore`: an approver who has not begun the restore ends the pause, and the present tables are the worker's. */
export async function approveRestore(options: OperatorOptions & { readonly yes: boolean }): Promise<number> {
  const its = ports();
  const table = its.tableName;
  const refuse = (outcome: string, text: string) => notDone(options, { table, outcome, why: text }, text);
  if (!options.yes) requireSomebody('add --yes to approve');
  await tellMoney('every merchant', its.credentials);
  const question = `Does ${table}, with what was put in doubt, know of every payment that was made?`;
  if (!options.yes && !(await saysYes(question))) return refuse('declined', 'not approved');
  const whyNotReady = async (restored: Restored) => {
    const moved = await its.region.movedFrom();
    if (!mayTakeOver(moved)) return fenceText(moved?.region ?? '');
    const left = await doubtHeld(restored, its, { isDry: true, onRead: readingLine(options) });
    const count = left.open + left.ended + left.raised + left.unreadable;
    return count > 0
      ? `${counted(count, 'order')} of the table may be lost and not in doubt: \`${tool} restore doubt\``
      : undefined;
  };
  const { whoAmI } = its.identity;
  const ended = await endPause({ ...its, whoAmI, maybeOnePerson, whyNotReady });
  if (ended.kind === 'refused') return refuse('refused', ended.why);
  return say(options, { table, outcome: ended.kind }, ended.text);
}

const fenceText = (region: string) =>
  `this copy comes from ${region}, which may come back and pay: it does not become the ledger before the gateway is known to refuse that Region (\`${tool} restore fence\`)`;

/** `payouts restore fence`: the proof that every gateway refuses the Region that was lost. */
export async function fenceRegion(places: readonly string[], options: FenceOptions): Promise<number> {
  const { region: its, tableName: table, ...keys } = ports();
  const moved = await its.movedFrom();
  if (moved === undefined)
    return notDone(options, { table, outcome: 'no-move' }, `${table} comes from no other Region: no fence is needed`);
  const { region } = moved;
  // What the gateways answer needs no reason; the word of a person does.
  const { reason = 'its keys were tried', addressesRefused } = options;
  const said = {
    by: await whoDecides(),
    reason: redact(addressesRefused ? why(options) : reason, []),
    atMs: systemClock.nowMs(),
  };
  if (addressesRefused) {
    await its.noteRefused(region, 'addresses', said);
    const text = `by the word of ${said.by} every gateway refuses the addresses of ${region}; next: \`${tool} restore doubt\``;
    return say(options, { table, outcome: 'fenced', region, proof: 'addresses' }, text);
  }
  const asked = new Map(places.map((it) => merchantAtEndpoint(it)));
  const left = (await keys.merchants()).filter((merchant) => !asked.has(merchant));
  const unproven = left.map((merchant) => ({ merchant, why: 'its gateway was not asked: name an endpoint of it too' }));
  for (const [merchant, endpointId] of asked) {
    const proof = await regionRefusal(merchant, endpointId, keys);
    if (proof.kind === 'unproven') unproven.push({ merchant, why: proof.why });
  }
  if (asked.size === 0 || unproven.length > 0) {
    const text = unproven.map(({ merchant, why }) => `${merchant}: not proven: ${why}`).join('\n');
    const outcome = { table, outcome: 'unproven', region, unproven };
    return notDone(options, outcome, text || 'there is no merchant to ask about');
  }
  await its.noteRefused(region, 'keys', said);
  const text = `the gateways of all ${asked.size} merchants refuse the keys that ${region} has, and take the new ones; next: \`${tool} restore doubt\``;
  return say(options, { table, outcome: 'fenced', region, proof: 'keys', merchants: [...asked.keys()] }, text);
}

function merchantAtEndpoint(text: string): readonly [merchant: string, endpointId: string] {
  const [merchant = '', endpointId = '', ...more] = text.split('=');
  if (!couldBear({ merchant }) || endpointId === '' || more.length > 0)
    throw new UsageError(`"${text}" must be a merchant and an endpoint of its, as in acme-eu=39915`);
  return [merchant, endpointId];
}
