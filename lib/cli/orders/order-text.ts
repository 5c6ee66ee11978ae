// An order's life as a person reads it: what it is, what happened to it when and why, and what that means for the money.
import { standings } from '../../payout/order/standing.ts';
import { isCancelledBeforehand, type OrderView, waitsForCardData } from '../../payout/order/projection.ts';
import type { HistoryLine } from '../../payout/order/history.ts';
import type { LookedLetter } from '../../operate/operator.ts';
import { gatewayCodes, lifeText, opensText, reportedOf } from '../../operate/order-words.ts';
import { waysOut, waysOutOfLetter, whyDead } from '../../operate/questions.ts';
import { amountFields, moneyText } from '../../gateway/money.ts';
import type { ParkedHead } from '../../payout/wait/parked-job.ts';
import { endedBy } from '../../payout/wait/reasons.ts';
import { momentText, span } from '../quantities.ts';

/** The order as plain data, for `--json`. */
export function orderAsJson(entry: OrderView) {
  // The result's own word for the standing belongs to the results.
  const { money, result: _, ...rest } = entry;
  return {
    ...rest,
    ...(money && amountFields(money)),
  };
}

/** What the standing alone does not say: what happens next, or what a person can do. */
function adviceOn(entry: OrderView): string[] {
  if (waitsForCardData(entry)) return ['A new message with newly sealed card data sends it.'];
  switch (entry.standing) {
    case 'held':
      return ["Check the gateway's back office, then run one of:"];
    case 'held-unpaid':
      return ['Ended as not paid, it can be sent again by the name of that end:'];
    case 'in-doubt':
      return ['Nothing is sent again meanwhile.'];
    case 'cancelled':
      return (entry.earlierAttempts ?? []).length + entry.attempts > 0
        ? ['It was sent before. If the gateway says later that it was paid, a new result says so.']
        : [];
    default:
      return [];
  }
}

/** The order's timeline. */
export function orderAsText(entry: OrderView): string {
  const lines = [headOf(entry), '', ...timeline(entry), '', `  now ${nowOf(entry)}`];
  lines.push(...sayings(entry).map((it) => `      ${it}`), '');
  return lines.join('\n');
}

function headOf(entry: OrderView): string {
  const facts = [`${entry.merchant}/${entry.orderId}`];
  if (isCancelledBeforehand(entry)) return `${facts[0]} · no job of it has come`;
  facts.push(entry.operation);
  if (entry.money) facts.push(moneyText(entry.money));
  if (entry.payee !== undefined) facts.push(`to ${entry.payee}`);
  if (entry.gatewayOrderId !== undefined) facts.push(`gateway order ${entry.gatewayOrderId}`);
  if (entry.account !== undefined) facts.push(`account ${entry.account}`);
  const earlier = entry.earlierAttempts ?? [];
  if (earlier.length > 0) facts.push(`before: ${earlier.map(attemptText).join(', ')}`);
  if (entry.batchId !== undefined) facts.push(`batch ${entry.batchId}`);
  return facts.join(' · ');
}

/** An attempt of which nothing is known is one that a restore may have lost. */
const attemptText = ({ gatewayOrderId, account }: NonNullable<OrderView['earlierAttempts']>[number]) =>
  gatewayOrderId ?? (account === undefined ? 'perhaps forgotten ones' : 'an attempt without an id');

/** The history, in the order of time. */
const timeline = ({ history }: OrderView): string[] => history.map((line, index) => lineText(line, history[index - 1]));

function lineText(line: HistoryLine, before: HistoryLine | undefined): string {
  const { atMs, standing, attempts } = line;
  const passed = before === undefined ? '' : `+${span(atMs - before.atMs)}`;
  const attempt = attempts > 1 ? ` (attempt ${attempts})` : '';
  return `  ${momentText(atMs)} ${passed.padStart(9)}  ${standing.padEnd(11)}  ${lifeText(line)}${attempt}`;
}

function nowOf({ standing, final, revision, seen }: OrderView): string {
  const shown = seen === undefined ? '' : ` · seen ${seen}`;
  return `${standing}${final ? ', final' : ''} · revision ${revision}${shown}`;
}

function sayings(entry: OrderView): string[] {
  const { failure, note, unpublished } = entry;
  const from = gatewayCodes(entry);
  return [
    ...(failure ? [`${failure.code}: ${failure.message}${from && ` (${from})`}`] : []),
    ...(note === undefined ? [] : [note]),
    standings[entry.standing].meaning,
    ...waitText(entry),
    ...adviceOn(entry),
    ...waysOut(entry).map((it) => `  ${it}`),
    opensText(entry) ?? [],
    ...reportedOf(entry),
    ...(unpublished ? ['Its result is not on the results queue yet.'] : []),
  ].flat();
}

/** What it waits for, and until when. */
function waitText({ waits }: OrderView): string[] {
  if (!waits) return [];
  const { nextAtMs, untilMs, decidableAtMs } = waits;
  const times = [
    nextAtMs !== undefined && `asked next ${momentText(nextAtMs)}`,
    untilMs !== undefined && `until ${momentText(untilMs)} at the latest`,
    decidableAtMs !== undefined && `"not paid" can be said from ${momentText(decidableAtMs)}`,
  ].filter((it) => it !== false);
  return [`Waits for ${waits.for}${times.length > 0 ? `: ${times.join(', ')}` : ''}.`];
}

/** The dead letters of an order that was never claimed; empty if there is none. */
export const lettersOfOrderAsText = (letters: readonly LookedLetter[]): string =>
  letters
    .map((it) => {
      const lines = [`a dead letter since ${momentText(it.sentAtMs)}: ${whyDead(it)}`, ...waysOutOfLetter(it), it.body];
      return lines.map((line, at) => `${at === 0 ? '  ' : '      '}${line}\n`).join('');
    })
    .join('');

/** A message of the order that waits in the table: its lane, moment, reason and money in clear; its body stays sealed. */
export function waitingAsJson({ lane, class: of, sinceMs, goAtMs, because, batchId, money }: ParkedHead) {
  const times = { since: new Date(sinceMs).toISOString(), goesFrom: new Date(goAtMs).toISOString() };
  return {
    ...lane,
    class: of,
    because,
    endedBy: endedBy(because),
    ...times,
    ...(money && amountFields(money)),
    batchId,
  };
}

/** The messages of the order that wait, a line each; empty if none does. */
export function waitingAsText(rows: readonly ParkedHead[], nowMs: number): string {
  return rows.map((row) => `  waits ${parkedText(row, nowMs)}\n`).join('');
}

function parkedText(row: ParkedHead, nowMs: number): string {
  const { lane, class: of, sinceMs, goAtMs, because, money } = row;
  const kind = of === 'urgent' ? 'a single job' : 'a row of a batch';
  const where = lane ? `${kind} at ${lane.merchant} ${lane.endpointId}` : `${kind} in the common line`;
  const next = goAtMs > nowMs ? `, tried next ${momentText(goAtMs)}` : '';
  const sum = money === undefined ? '' : `, ${moneyText(money)}`;
  return `since ${momentText(sinceMs)} (${span(Math.max(0, nowMs - sinceMs))}): ${because}, ended by ${endedBy(because)} · ${where}${sum}${next}`;
}
