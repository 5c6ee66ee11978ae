// The console's questions to the operator's port, and its answers as JSON. Rights are the caller's: what AWS refuses is shown as not
// allowed, part by part, and the rest of the page stays.
import { viewOf } from '../../payout/order/view.ts';
import * as v from 'valibot';
import { type Batch } from '../../batches/batch.ts';
import { progressMeanings, stateShown } from '../../batches/batch-progress.ts';
import { systemClock } from '../../aws/system.ts';
import type { Operator, Todo } from '../../client/operator.ts';
import { redriveClasses } from '../../dead-letters/judge-dead-letter.ts';
import { movable, type RedrivePlan } from '../../dead-letters/redrive-dead-letters.ts';
import { moneyText } from '../../gateway/money.ts';
import { operationNames } from '../../gateway/operations.ts';
import { reasonToFill, shellWord, tool } from '../../payout/operate/spelling.ts';
import { merchantOf } from '../../local/verdict.ts';
import { couldBear } from '../../payout/message/job.ts';
import type { LaneName } from '../../payout/pace/lane-state.ts';
import type { Operated } from '../../payout/operate/decide.ts';
import { orderAsJson, orderAsText, waitingAsJson } from '../orders/order-text.ts';
import { waitsOfOrder } from '../orders/waits-of-order.ts';
import type { Whose } from '../live-money.ts';
import { whyNoApproval } from '../orders/approve-decision.ts';
import { sentenceOf, unregistered } from '../orders/operator-commands.ts';
import { notFoundText, type Part, partAnswer } from '../part-answer.ts';
import { counted } from '../quantities.ts';
import { shownQuestion } from './questions.ts';

const batchLine = ({ batchId, state, by, createdAtMs, rows, totals }: Batch) => ({
  batchId,
  state,
  by,
  createdAtMs,
  rows,
  money: Object.entries(totals).map(([currency, { minorUnits }]) => moneyText({ minorUnits, currency })),
});

/** Looking at dead letters hides them from others for a moment, so that it is not done at every glance. */
const todoServesMs = 60_000;
const todos = new WeakMap<Operator, { readonly atMs: number; readonly todo: Promise<Todo> }>();

function todoOf(operator: Operator, isFresh: boolean): Promise<Todo> {
  const nowMs = systemClock.nowMs();
  const kept = todos.get(operator);
  if (kept && !isFresh && nowMs - kept.atMs < todoServesMs) return kept.todo;
  const todo = operator.todo();
  todos.set(operator, { atMs: nowMs, todo });
  // A part that could not be read is asked for again at the next look.
  void todo.then(({ notRead }) => notRead.length > 0 && todos.delete(operator));
  return todo;
}

/** The first page: what needs a person, money and lanes, batches. */
export async function overview(
  operator: Operator,
  { alarms, isFresh }: { readonly alarms: () => Promise<readonly string[]>; readonly isFresh: boolean },
) {
  const [todo, money, lanes, batches, inForce] = await Promise.all([
    partAnswer(() => todoOf(operator, isFresh)),
    partAnswer(() => operator.openMoney()),
    partAnswer(() => operator.lanes()),
    partAnswer(() => operator.batches()),
    partAnswer(alarms),
  ]);
  return {
    todo: mapped(todo, ({ questions, mayBeMore, notRead }) => ({
      mayBeMore,
      questions: questions.map(shownQuestion),
      notRead: notRead.map(({ part, error }) => `${part}: ${notFoundText(error)}`),
    })),
    money: mapped(money, (it) => ({
      mayBeMore: it.mayBeMore,
      lines: it.money.map((line) => ({
        ...line,
        minorUnits: undefined,
        amount: moneyText(line),
      })),
    })),
    lanes,
    batches: mapped(batches, (it) => it.map(batchLine)),
    alarms: inForce,
  };
}

function mapped<T, U>(part: Part<T>, change: (value: T) => U): Part<U> {
  return part.kind === 'found' ? { kind: 'found', value: change(part.value) } : part;
}

/** One batch; null where there is none. */
export async function oneBatch(operator: Operator, batchId: string) {
  const found = await operator.batch(batchId);
  if (!found) return null;
  const { batch, progress } = found;
  return {
    ...batchLine(batch),
    uploaded: progress.rows,
    ended: progress.ended,
    endedLastMinute: progress.endedLastMinute,
    sums: progress.sums,
    lines: progress.lines.map(({ state, count, currency, minorUnits }) => ({
      state: stateShown(state),
      meaning: progressMeanings[state],
      count,
      ...(currency !== undefined && { money: moneyText({ minorUnits, currency }) }),
    })),
    commands: [
      `${tool} batch ${shellWord(batchId)} --watch`,
      `${tool} report ${shellWord(batchId)} --format pain.002 --file FILE --output REPORT`,
      `${tool} retry ${shellWord(batchId)} FILE`,
      `${tool} cancel --batch ${shellWord(batchId)} --reason "${reasonToFill}"`,
    ],
  };
}

/** One order; null where it was never claimed. */
export async function oneOrder(operator: Operator, key: string) {
  const [found, waits] = await Promise.all([operator.order(key), waitsOfOrder(operator, key, systemClock.nowMs())]);
  if (found.kind === 'none')
    return waits.lines === '' ? null : { key, isDecidable: false, isUnclaimed: true, text: waits.lines };
  if (found.kind !== 'found') return { key, unreadable: found.reason };
  const entry = viewOf(found.order);
  return {
    ...orderAsJson(entry),
    isDecidable: entry.state === 'held' || entry.state === 'in-doubt',
    text: orderAsText(entry) + waits.lines,
  };
}

/** The messages in the lines of a lane; no body is opened. */
export async function lineOf(operator: Operator, lane: LaneName) {
  const { rows, mayBeMore } = await operator.whoWaits(lane);
  return { mayBeMore, rows: rows.map((row) => ({ order: row.key, ...waitingAsJson(row) })) };
}

const text = (most: number) => v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(most));
const reason = v.pipe(
  text(500),
  v.check((it) => !it.includes(reasonToFill), 'write what you saw'),
);

/** Handed to the command line, where what begins with a dash is an option. */
const argument = (most: number) => v.pipe(text(most), v.regex(/^[^-]/));

const gatewayOrderId = v.exactOptional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,40}$/)));

/** The acts of the console; everything else is refused. */
export const actSchema = v.variant('kind', [
  v.strictObject({
    kind: v.literal('decide'),
    order: text(200),
    as: v.picklist(['paid', 'not-paid']),
    reason,
    gatewayOrderId,
    evenUnanswered: v.exactOptional(v.boolean()),
    approval: v.exactOptional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,2000}$/))),
  }),
  v.strictObject({
    kind: v.literal('approve-release'),
    order: text(200),
    // The ARN that AWS names to the decider.
    for: v.pipe(text(400), v.regex(/^arn:[^:]*:(iam|sts)::\d*:/)),
    gatewayOrderId,
    /** The order's version that was looked at, as the preview names it. */
    seenVersion: v.exactOptional(v.pipe(v.number(), v.integer())),
  }),
  v.strictObject({ kind: v.literal('cancel'), order: text(200), reason }),
  v.strictObject({ kind: v.literal('cancel-batch'), batch: text(200), reason }),
  v.strictObject({ kind: v.literal('pause'), merchant: v.exactOptional(text(200)), reason }),
  v.strictObject({ kind: v.literal('resume'), merchant: v.exactOptional(text(200)), reason }),
  v.strictObject({ kind: v.literal('pause-lane'), merchant: text(200), endpoint: text(64), reason }),
  v.strictObject({ kind: v.literal('resume-lane'), merchant: text(200), endpoint: text(64), reason }),
  v.strictObject({ kind: v.literal('probe'), merchant: text(200), endpoint: text(64), reason }),
  v.strictObject({ kind: v.literal('redrive'), messages: v.pipe(v.array(text(128)), v.nonEmpty()) }),
  v.strictObject({
    kind: v.literal('retry'),
    batch: argument(200),
    // On this machine; without it the rows come from the batch's dead letters.
    file: v.exactOptional(argument(500)),
    merchant: v.exactOptional(text(200)),
    operation: v.exactOptional(v.picklist(operationNames)),
    endpoint: v.exactOptional(text(64)),
    hold: v.exactOptional(v.boolean()),
    acceptWarnings: v.exactOptional(v.boolean()),
  }),
]);

/** One of them. */
export type Act = v.InferOutput<typeof actSchema>;

/** The second person's approval. */
type ApprovalAct = Extract<Act, { kind: 'approve-release' }>;

/** A retry, which reads a file and makes a batch: the console lets the command itself do it. */
type RetryAct = Extract<Act, { kind: 'retry' }>;

/** The output of a command, and its exit code. */
export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Its arguments, after `payouts`. */
export function retryWords({ batch, file, merchant, operation, endpoint, acceptWarnings }: RetryAct): string[] {
  const said = { merchant, operation, endpoint };
  return [
    'retry',
    batch,
    ...(file === undefined ? [] : [file]),
    ...Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...(acceptWarnings ? ['--accept-warnings'] : []),
  ];
}

/** The last arguments of commands that really send, or register. */
export const retryEnd = ({ hold }: RetryAct): string => (hold ? '--hold' : '--yes');

const dryRunSchema = v.object({
  written: v.number(),
  totals: v.array(v.object({ amount: v.string(), currency: v.string() })),
  reasons: v.array(v.object({ code: v.string(), jobs: v.number() })),
  kept: v.record(v.string(), v.number()),
  left: v.number(),
  leftFile: v.exactOptional(v.string()),
});

/** The rows that a retry would send, by its dry run; or why there are none. */
export function shownRetry({ stdout, stderr }: CommandEnd): { readonly text: string } | { readonly why: string } {
  const [first = ''] = stdout.split('\n', 1);
  if (first === '') return { why: stderr.trim() };
  const { written, totals, reasons, kept, left, leftFile } = v.parse(dryRunSchema, JSON.parse(first));
  const money = totals.map(({ amount, currency }) => `${amount} ${currency}`).join(' and ');
  const others = Object.entries(kept).map(([state, count]) => `${count} ${state}`);
  const lines = [
    written > 0 && `${counted(written, 'row')} proven unpaid, ${money}:`,
    ...reasons.map(({ code, jobs }) => `  ${jobs} ${code}`),
    others.length > 0 && `not retried: ${others.join(', ')}`,
    left > 0 && `${counted(left, 'unpaid row')} can not be written: ${leftFile}`,
  ].filter((line) => line !== false);
  return written > 0 ? { text: lines.join('\n') } : { why: ['nothing to retry', ...lines].join('; ') };
}

/** The outcome of a retry, by the last line of the command. */
export function retried({ code, stdout, stderr }: CommandEnd): ActEnd {
  const said = stdout.trim().split('\n\n').at(-1)?.trim();
  return { done: code === 0, text: said || stderr.trim() };
}

/** The outcome of an act. */
interface ActEnd {
  readonly done: boolean;
  readonly text: string;
  /** The text that another person needs. */
  readonly word?: string;
}

/** Looking at dead letters hides them for a moment: whose they are is remembered from the plan that was shown. */
const planned = new WeakMap<Operator, ReadonlyMap<string, string>>();

/** The merchant whose money an act touches. */
export function whoseOf(it: Act, operator: Operator): Whose {
  switch (it.kind) {
    case 'decide':
    case 'approve-release':
    case 'cancel':
      return [merchantOf(it.order)];
    case 'redrive':
      return it.messages.flatMap((message) => planned.get(operator)?.get(message) ?? []);
    case 'cancel-batch':
      return 'every merchant';
    case 'pause':
    case 'resume':
    case 'retry':
      return it.merchant === undefined ? 'every merchant' : [it.merchant];
    case 'pause-lane':
    case 'resume-lane':
    case 'probe':
      return [it.merchant];
  }
}

/** The plan of a redrive as it is shown before anybody says yes. */
export async function shownPlan(operator: Operator) {
  const { plan } = await operator.planRedrive();
  const owned = plan.deadLetters.flatMap(({ messageId, order }) =>
    order === undefined ? [] : [[messageId, merchantOf(order)] as const],
  );
  planned.set(operator, new Map(owned));
  const moves = movable(plan);
  return plan.deadLetters.map(({ messageId, order, class: name, because, money }) => ({
    messageId,
    what: order ?? messageId,
    class: name,
    meaning: redriveClasses[name].says,
    because,
    moves: moves.has(messageId),
    ...(money && { money: moneyText(money) }),
  }));
}

/** The order or restore that an approver is to look at, as it is now; or why there is nothing to approve. */
export async function shownApproval(operator: Operator, it: ApprovalAct) {
  const found = await operator.approvable(it.order, it.gatewayOrderId);
  if (found.kind !== 'approvable') return { why: whyNoApproval(found, it.for) };
  return { text: orderAsText(viewOf(found.order)), seenVersion: found.order.version };
}

async function approved(operator: Operator, it: ApprovalAct): Promise<ActEnd> {
  const { seenVersion, gatewayOrderId } = it;
  if (seenVersion === undefined) return { done: false, text: 'look at the order first' };
  const its = { decider: it.for, seenVersion, ...(gatewayOrderId !== undefined && { gatewayOrderId }) };
  const approval = await operator.approveRelease(it.order, its);
  if (approval.kind !== 'approved') return { done: false, text: whyNoApproval(approval, it.for) };
  const until = new Date(approval.untilMs).toISOString();
  const text = `approved until ${until}, for ${it.for} and for the order as it is now. They decide once more, with this approval:`;
  return { done: true, text, word: approval.token };
}

/** Does it, by the same port as the command line. */
export async function act(operator: Operator, it: Exclude<Act, RetryAct>): Promise<ActEnd> {
  switch (it.kind) {
    case 'decide': {
      const { order, kind: _, ...decision } = it;
      return operated(await operator.decide(order, decision), it.as);
    }
    case 'approve-release':
      return approved(operator, it);
    case 'cancel': {
      const slash = it.order.indexOf('/');
      const names = { merchant: it.order.slice(0, slash), orderId: it.order.slice(slash + 1) };
      if (slash < 1 || !couldBear(names)) throw new RangeError('write the order as <merchant>/<order id>');
      return operated(await operator.cancel({ ...names, reason: it.reason }));
    }
    case 'cancel-batch': {
      const isUnknown = await operator.cancelBatch(it.batch, it.reason);
      const doubt = isUnknown ? `; ${unregistered}` : '';
      return { done: true, text: `batch ${it.batch}: what is not claimed yet will not be sent${doubt}` };
    }
    case 'pause':
    case 'resume': {
      const known = await operator.pause(it.merchant, it.kind === 'pause', it.reason);
      const who = it.merchant ?? 'all merchants';
      return known
        ? { done: true, text: it.kind === 'pause' ? `${who}: paused; jobs wait` : `${who}: resumed` }
        : { done: false, text: `there is no secret for a merchant "${it.merchant}"; nothing was changed` };
    }
    case 'pause-lane':
      await operator.pauseLane({ merchant: it.merchant, endpointId: it.endpoint }, it.reason);
      return { done: true, text: `${it.merchant} at ${it.endpoint}: paused; jobs wait` };
    case 'resume-lane':
    case 'probe': {
      const changes = it.kind === 'probe' ? operator.probeLanes : operator.resumeLanes;
      const found = await changes(it.merchant, it.endpoint);
      if (!found || found.changed.length === 0)
        return { done: false, text: 'nothing was changed: no such lane is closed' };
      const still = found.merchantPaused ? '; the merchant itself stays paused' : '';
      const what =
        it.kind === 'probe'
          ? 'the next order that comes back is the probe, within a minute where one waits'
          : 'resumed';
      return { done: true, text: `${it.merchant} at ${found.changed.join(', ')}: ${what}${still}` };
    }
    case 'redrive': {
      const { plan } = await operator.planRedrive();
      const chosen: Pick<RedrivePlan, 'deadLetters'> = {
        deadLetters: plan.deadLetters.filter(({ messageId }) => it.messages.includes(messageId)),
      };
      const { moved } = await operator.redrive(chosen);
      const count = [...moved.values()].filter((end) => end.startsWith('redriven')).length;
      return { done: count === it.messages.length, text: `${count} of ${it.messages.length} redriven` };
    }
  }
}

function operated(end: Operated, as?: 'paid' | 'not-paid'): ActEnd {
  switch (end.kind) {
    case 'done':
    case 'beforehand':
    case 'answered': {
      const instead = end.kind === 'answered' ? "the gateway's own answer was taken instead: " : '';
      return { done: true, text: `${instead}${end.order.key} is ${stateShown(viewOf(end.order).state)} now` };
    }
    default:
      return { done: false, text: sentenceOf(end, as) };
  }
}

const quoted = (text: string) => `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;

/** The command that does the same; each act shows it. Written out whole, so that a test reads each of them by the parser. */
export function commandOf(it: Act): string {
  const why = 'reason' in it ? quoted(it.reason) : '';
  switch (it.kind) {
    case 'decide': {
      const id = it.gatewayOrderId === undefined ? '' : ` --id ${shellWord(it.gatewayOrderId)}`;
      const approval = it.approval === undefined ? '' : ` --approval ${shellWord(it.approval)}`;
      const more = `${id}${it.evenUnanswered ? ' --even-unanswered' : ''}${approval}`;
      return it.as === 'paid'
        ? `${tool} release ${shellWord(it.order)} --as paid --reason ${why}${more}`
        : `${tool} release ${shellWord(it.order)} --as not-paid --reason ${why}${more}`;
    }
    case 'approve-release': {
      const id = it.gatewayOrderId === undefined ? '' : ` --id ${shellWord(it.gatewayOrderId)}`;
      return `${tool} approve-release ${shellWord(it.order)} --for ${shellWord(it.for)}${id}`;
    }
    case 'cancel':
      return `${tool} cancel ${shellWord(it.order)} --reason ${why}`;
    case 'cancel-batch':
      return `${tool} cancel --batch ${shellWord(it.batch)} --reason ${why}`;
    case 'pause':
      return it.merchant === undefined
        ? `${tool} pause --yes --reason ${why}`
        : `${tool} pause ${shellWord(it.merchant)} --reason ${why}`;
    case 'resume':
      return it.merchant === undefined
        ? `${tool} resume --reason ${why}`
        : `${tool} resume ${shellWord(it.merchant)} --reason ${why}`;
    case 'pause-lane':
      return `${tool} lanes pause ${shellWord(it.merchant)} --endpoint ${shellWord(it.endpoint)} --reason ${why}`;
    case 'resume-lane':
      return `${tool} lanes resume ${shellWord(it.merchant)} --endpoint ${shellWord(it.endpoint)} --reason ${why}`;
    case 'probe':
      return `${tool} lanes probe ${shellWord(it.merchant)} --endpoint ${shellWord(it.endpoint)} --reason ${why}`;
    case 'redrive':
      return it.messages.map((message) => `${tool} dlq redrive --message ${shellWord(message)} --yes`).join('\n');
    case 'retry':
      return [`${tool}`, ...[...retryWords(it), retryEnd(it)].map(shellWord)].join(' ');
  }
}

/** The effect of an act, shown before anybody says yes. */
export function effectOf(it: Act): string {
  switch (it.kind) {
    case 'decide':
      return it.as === 'paid'
        ? 'The order ends as paid, and is never sent again. The gateway is asked first where it can be, and its answer counts.'
        : 'The order ends as not paid. A job that names this end may then send it again: if it was paid after all, it is paid twice. The gateway is asked first where it can be, and its answer counts.';
    case 'approve-release':
      return `You say beside ${it.for} that none of it was paid; then it can be paid again. Your approval holds for a day, for them alone, and for the order as it is below.`;
    case 'cancel':
      return 'The order is called off if it was not sent yet. It is never sent under this id.';
    case 'cancel-batch':
      return 'What of the batch was not sent yet never will be, and the result of each job says so. What was sent goes on.';
    case 'pause':
      return `Nothing new is sent for ${it.merchant ?? 'ANY merchant'} within five seconds. Jobs wait and lose nothing.`;
    case 'resume':
      return `${it.merchant ?? 'All merchants'} may send again; waiting jobs go within a minute or two.`;
    case 'pause-lane':
      return 'Nothing new is sent at this endpoint within ten seconds. Jobs wait and lose nothing.';
    case 'resume-lane':
      return 'The lane opens, whatever has closed it, and its orders are sent again at its pace.';
    case 'probe':
      return 'The next order of the closed lane is sent as a probe; if it is taken, the lane opens.';
    case 'redrive':
      return `${it.messages.length} of the dead letters go back to the queue of jobs, where the plan still holds for them.`;
    case 'retry':
      return it.hold
        ? 'The rows below are registered as a batch of their own; a second person approves it, and only then it is sent.'
        : 'The rows below are sent once more as a batch of their own, each under its order id and by the name of its end.';
  }
}
