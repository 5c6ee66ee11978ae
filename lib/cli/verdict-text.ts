// The verdict as a person reads it: why payments were not made, what to do, and the answer in the last line.
import type { Tally } from '../batches/tally.ts';
import type { UnpaidReason, PaymentsVerdict } from '../operate/verdict.ts';
import { type Standing, standings } from '../payout/order/standing.ts';
import { formatMinorUnits } from '../gateway/money.ts';
import { plainTable } from './plain-table.ts';
import { counted } from '../payout/operate/spelling.ts';

/** What became of payments, a line for each standing and currency; the meaning of a standing is in its first line. */
export function standingsTable(lines: Tally): string {
  const isElsewhere = lines.some(({ elsewhere }) => elsewhere > 0);
  return plainTable(
    ['payments', 'standing', 'money', '', ...(isElsewhere ? ['other or no batch'] : []), 'what it means'],
    ['right', 'left', 'right', 'left', ...(isElsewhere ? ['right' as const] : []), 'left'],
    lines.map(({ standing, currency, count, minorUnits, elsewhere }, at) => [
      count,
      standing,
      currency === undefined ? '' : formatMinorUnits(minorUnits, currency),
      currency ?? '',
      ...(isElsewhere ? [elsewhere || ''] : []),
      standing === lines[at - 1]?.standing ? '' : standings[standing].meaning,
    ]),
  );
}

/** Each reason with its number of payments, its words, what to do, and the first orders; empty if there is none. */
export function reasonsText(reasons: readonly UnpaidReason[]): string {
  if (reasons.length === 0) return '';
  const width = String(Math.max(...reasons.map(({ payments }) => payments))).length;
  const indent = ' '.repeat(width + 3);
  const lines = reasons.flatMap((reason) => {
    const { payments, orders, standing, code, gatewayCode, httpStatus, message, remedy, andTheLike } = reason;
    const words = [
      ...(gatewayCode === undefined ? [] : [`gateway code ${gatewayCode}`]),
      ...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]),
      message,
      ...(andTheLike ? ['and the like'] : []),
    ].join(', ');
    const more = payments > orders.length ? ` and ${payments - orders.length} more` : '';
    return [
      `  ${String(payments).padStart(width)} ${standing} · ${code}: ${words}`,
      `${indent}→ ${remedy}`,
      `${indent}${orders.join(', ')}${more}`,
    ];
  });
  return ['  why, and what to do', ...lines].join('\n');
}

/** Reasons, next steps and the answer; `noun`: what was counted. */
export function verdictText(
  { reasons, next, settled, payments, unsettled, standings: counts }: PaymentsVerdict,
  noun: string,
): string {
  const names = Object.keys(counts) as Standing[];
  const facts = names.map((name) => `${counts[name]} ${name}`).join(', ');
  const answer = settled
    ? `  ✔ ${payments === 1 ? `1 ${noun}` : `all ${payments} ${noun}s`}: ${facts}`
    : `  ✘ ${unsettled} of ${counted(payments, noun)} ${unsettled === 1 ? 'is' : 'are'} not settled: ${facts}`;
  return [reasonsText(reasons), next.map((line) => `  ${line}`).join('\n'), answer]
    .filter((part) => part !== '')
    .join('\n\n');
}
