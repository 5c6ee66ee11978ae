// The console's questions to the operator's port, and its answers as JSON. Rights are the caller's: what AWS refuses is shown as not
// allowed, part by part, and the rest of the page stays.
import { standings } from '../../payout/order/standing.ts';
import * as v from 'valibot';
import { systemClock } from '../../aws/system.ts';
import { batchStatus } from '../../batches/batch-result.ts';
import { isUnderWay, payoutsIn, type Tally } from '../../batches/tally.ts';
import type { Batch } from '../../batches/batch.ts';
import type { Operator, Todo } from '../../client/operator.ts';
import { moneyText } from '../../gateway/money.ts';
import {
  type Act,
  accepted,
  commandOf,
  type OperatorDesk,
  formOf,
  type Given,
  previewOf,
  whoseOf,
} from '../../operate/act.ts';
import { actNames, actOf } from '../../operate/acts.ts';
import { reasonToFill, shellWord, tool } from '../../payout/operate/spelling.ts';
import type { LaneName } from '../../payout/pace/lane-state.ts';
import type { Whose } from '../live-money.ts';
import { deadLettersOf } from '../orders/operator-commands.ts';
import { orderAsJson, orderAsText, waitingAsJson } from '../orders/order-text.ts';
import { waitsOfOrder } from '../orders/waits-of-order.ts';
import { notFoundText, type Part, partAnswer } from '../part-answer.ts';
import { shownText } from '../perform-act.ts';
import { shownQuestion } from './questions.ts';

function batchLine(batch: Batch, tally?: Tally) {
  const { batchId, by, createdAtMs, rows, totals } = batch;
  const money = Object.entries(totals).map(([currency, { minorUnits }]) => moneyText({ minorUnits, currency }));
  return { batchId, state: batchStatus(batch, tally), by, createdAtMs, rows, money };
}

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
      lines: it.money.map(({ standing, count, currency = '', minorUnits }) => ({
        state: standing,
        orders: count,
        amount: moneyText({ currency, minorUnits }),
      })),
    })),
    lanes,
    batches: mapped(batches, (it) => it.map((batch) => batchLine(batch))),
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
  const { batch, tally } = found;
  return {
    ...batchLine(batch, tally),
    uploaded: payoutsIn(tally),
    ended: payoutsIn(tally.filter(({ standing }) => !isUnderWay(standing))),
    lines: tally.map(({ standing, count, currency, minorUnits }) => ({
      state: standing,
      meaning: standings[standing].meaning,
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
  if (found.kind === 'none') return unclaimed(operator, key, waits.lines);
  if (found.kind !== 'found') return { key, unreadable: found.reason };
  const { view: entry } = found;
  return {
    ...orderAsJson(entry),
    isDecidable: entry.state === 'held' || entry.state === 'in-doubt',
    text: orderAsText(entry) + waits.lines,
  };
}

/** An order that no worker has claimed: it waits, or a dead letter has it. */
async function unclaimed(operator: Operator, key: string, lines: string) {
  const letters = lines === '' && key.includes('/') ? await deadLettersOf(operator, key) : undefined;
  const text = lines + (letters?.text ?? '');
  return text === '' ? null : { key, isDecidable: false, isUnclaimed: true, text };
}

/** The messages in the lines of a lane; no body is opened. */
export async function lineOf(operator: Operator, lane: LaneName) {
  const { rows, mayBeMore } = await operator.whoWaits(lane);
  return { mayBeMore, rows: rows.map((row) => ({ order: row.key, ...waitingAsJson(row) })) };
}

/** The form of an act, with what there is to choose now. */
export const formNamed = (name: string, desk: OperatorDesk) => formOf(actNamed(name), desk);

/** What an act would do, whose money it is, and the command that does the same. */
export async function preview(asked: unknown, desk: OperatorDesk, notice: (whose: Whose) => Promise<string>) {
  const { act, it } = actIn(asked);
  const shown = await previewOf(act, desk, it);
  const seen = shown.seen !== undefined && { seen: shown.seen };
  const text = shownText(shown);
  return {
    command: commandOf(act, { ...it, ...seen }),
    meaning: act.effect(it),
    where: await notice(whoseOf(act, it, shown)),
    ...(text !== undefined && { text }),
    ...(shown.why !== undefined && { why: shown.why }),
    ...seen,
  };
}

/** Does it, by the same port as the command line. */
export async function perform(asked: unknown, desk: OperatorDesk) {
  const { act, it } = actIn(asked);
  const { done, text, word } = await act.run(desk, it, {});
  return { command: commandOf(act, it), done, text, ...(word !== undefined && { word }) };
}

function actNamed(name: string): Act {
  const known = actNames.find((one) => one === name);
  if (known === undefined) throw new RangeError(`there is no act ${name}`);
  return actOf(known);
}

const askedSchema = v.strictObject({ act: v.string(), given: v.record(v.string(), v.unknown()) });

/** What the browser sends; everything else is refused. */
function actIn(asked: unknown): { readonly act: Act; readonly it: Given } {
  const read = v.safeParse(askedSchema, asked);
  if (!read.success) throw new RangeError('it is no act');
  const act = actNamed(read.output.act);
  return { act, it: accepted(act, read.output.given) };
}
