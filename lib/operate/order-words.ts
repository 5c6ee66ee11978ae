// What is told of an order, in words: the same at a terminal and in the console.
import type { HistoryLine } from '../payout/order/history.ts';
import type { OrderView } from '../payout/order/projection.ts';
import { type Standing, standings } from '../payout/order/standing.ts';

/** The colours of states, at a terminal and in the console. */
export type Tone = 'paid' | 'accepted' | 'doubt' | 'failed' | 'waiting';

/** The colour of a standing. */
export function toneOf(standing: Standing): Tone {
  const { needsPerson, isFinal, result } = standings[standing];
  if (needsPerson || result === 'in-doubt') return 'doubt';
  if (result === 'approved') return 'paid';
  if (result === 'accepted') return 'accepted';
  return isFinal && result !== 'cancelled' ? 'failed' : 'waiting';
}

/** The history's reasons as texts; failure codes, and reasons that are not listed, are shown as they are. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['claimed', 'claimed, to be sent'],
  ['accepted', 'the gateway took it'],
  ['LEDGER_RESTORED', 'the ledger was restored and may have lost that it was sent'],
  ['approved', 'the gateway says it is paid'],
  ['check-approved', 'the gateway approved the check'],
  ['not-known', 'the gateway was asked, and knew no such order'],
  ['asked', 'the gateway was asked last'],
  ['overdue', 'no more can be found out: a person must decide'],
  ['reversed', 'the payment was undone, or a part of it'],
  ['cancelled', 'cancelled by hand'],
  ['released-as-paid', 'released as paid'],
  ['released-as-not-paid', 'released as not paid'],
]);

/** The words of a line of its life. */
export const lifeText = ({ reason }: HistoryLine): string => reasons.get(reason) ?? reason;

/** The gateway's status and code of a failure; empty if it gave none. */
export const gatewayCodes = ({ failure }: OrderView): string =>
  [failure?.httpStatus && `HTTP ${failure.httpStatus}`, failure?.gatewayCode && `code ${failure.gatewayCode}`]
    .filter(Boolean)
    .join(', ');

/** An end opens by its name alone: a declined or failed order is never sent again by any other message. */
export const opensText = ({ endId }: OrderView): string | undefined =>
  endId && `A job with the same content and "resends": "${endId}" sends it again; no other does.`;

/** What was heard of the order beside its failure, a sentence each. */
export function reportedOf({ looks, mayHaveMore, gatewayAmount, reversal, surprises = [] }: OrderView): string[] {
  const total = reversal?.amount === undefined ? '' : `, ${reversal.amount} in all`;
  return [
    gatewayAmount !== undefined && `The gateway says another amount: ${gatewayAmount}`,
    reversal && `Undone by a ${reversal.type}: ${reversal.status}${total} (${new Date(reversal.atMs).toISOString()})`,
    looks > 0 && `The gateway was asked ${looks === 1 ? 'once' : `${looks} times at most`}`,
    mayHaveMore && 'There may be payments of it that are not known here',
    ...surprises.map((it) => `A callback that did not fit: ${it}`),
  ].filter((it) => typeof it === 'string');
}
