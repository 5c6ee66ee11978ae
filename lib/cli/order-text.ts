// An order's life as a person reads it.
import type { LedgerEntry } from '../domain/ledger.ts';
import { formatMinorUnits } from '../domain/money.ts';

/** The order as plain data, for `--json`. */
export function orderAsJson(entry: LedgerEntry) {
  const { money, fingerprint: _fingerprint, owner: _owner, ...rest } = entry;
  return {
    ...rest,
    ...(money && { amount: formatMinorUnits(money.minorUnits, money.currency), currency: money.currency }),
  };
}

/** The order's timeline. */
export function orderAsText(entry: LedgerEntry): string {
  const { money, failure, looks } = entry;
  const facts = [
    `${entry.merchant}/${entry.orderId}`,
    entry.operation,
    ...(money ? [`${formatMinorUnits(money.minorUnits, money.currency)} ${money.currency}`] : []),
    ...(entry.gatewayOrderId === undefined ? [] : [`gateway order ${entry.gatewayOrderId}`]),
    ...(entry.batchId === undefined ? [] : [`batch ${entry.batchId}`]),
  ];
  const lines = entry.history.map(
    ({ atMs, state, attempts, reason }) =>
      `  ${new Date(atMs).toISOString()}  ${state.padEnd(11)} ${reason}${attempts > 1 ? `, attempt ${attempts}` : ''}`,
  );
  const asked = looks
    ? [`  asked the gateway ${looks.count} times since; ${looks.negatives} times in a row it knew no such order`]
    : [];
  const why = failure ? [`  ${failure.code}: ${failure.message}`] : [];
  const note = entry.note === undefined ? [] : [`  ${entry.note}`];
  const pending = entry.unpublished ? ['  its result is still to be told'] : [];
  const end = `  now ${entry.state}${entry.final ? ', final' : ''}, revision ${entry.revision}`;
  return [`${facts.join(' · ')}`, ...lines, end, ...why, ...note, ...asked, ...pending, ''].join('\n');
}
