// Were the rows of a batch paid? Why not, counted by reason as in the verdict of a local run, what is open, and the answer.
import type { RowStatus } from '../../batches/batch-row.ts';
import type { Batch, BatchRow } from '../../batches/batch.ts';
import type { BatchProgress } from '../../batches/batch-progress.ts';
import type { FailureOf } from '../../gateway/gateway-outcome.ts';
import {
  countReasons,
  isOwnReason,
  merchantOf,
  notConfirmedYet,
  type Reason,
  type RemedyPlace,
} from '../../local/verdict.ts';
import { counted } from '../quantities.ts';
import { reasonsText, refusedAlikeText } from '../local/local-report.ts';
import { shellWord, tool } from '../../payout/operate/spelling.ts';

/** The ends of a row, the best first. */
const rowEndings = ['paid', 'accepted', 'checked', 'declined', 'failed', 'called off', 'in doubt', 'waiting'] as const;
type RowEnding = (typeof rowEndings)[number];

/** A row that may still end in another way. */
interface ShownOpenRow {
  readonly order: string;
  readonly ending: RowEnding;
  readonly why: string;
}

/** The answer. */
export interface BatchVerdict {
  /** Every row was paid, declined for its own reasons, called off, or accepted where the contract can tell no more. */
  readonly settled: boolean;
  /** Rows that are not, those that are not uploaded yet among them. */
  readonly unsettled: number;
  /** Rows that still come to an end by themselves; of those uploaded. */
  readonly underWay: number;
  readonly endings: Readonly<Partial<Record<RowEnding, number>>>;
  /** The most frequent first. */
  readonly reasons: readonly Reason[];
  readonly openRows: number;
  /** The first of them. */
  readonly open: readonly ShownOpenRow[];
  /** The gateway refused every row in the same words, which is seldom about the rows. */
  readonly refusedAlike: boolean;
}

const openShown = 10;
const notBegun: FailureOf<string> = { code: 'NOT_BEGUN', message: 'no worker has begun it' };

/** Counts rows by their states; none yet. */
export function createBatchReasons(place: RemedyPlace) {
  const reasons = countReasons(place);
  const endings: Partial<Record<RowEnding, number>> = {};
  const words = new Set<string>();
  const open: ShownOpenRow[] = [];
  let [rows, settledRows, openRows, underWay] = [0, 0, 0, 0];

  function noteOpen(order: string, ending: RowEnding, why: string): void {
    openRows += 1;
    if (open.length < openShown) open.push({ order, ending, why });
  }

  return {
    add({ orderKey }: BatchRow, status: RowStatus): void {
      const ending = endingOfRow(status);
      const failure = failureOf(status);
      rows += 1;
      endings[ending] = (endings[ending] ?? 0) + 1;
      words.add(ending === 'declined' ? `${failure?.code}/${failure?.gatewayCode}` : ending);
      const isAskedAbout = isTaken(status);
      if (isAskedAbout || isOnItsWay(status)) underWay += 1;
      if (failure && isNoPayment(ending))
        reasons.add(ending, failure, { merchant: merchantOf(orderKey), order: orderKey, which: orderKey });
      if (ending === 'waiting' || ending === 'in doubt')
        noteOpen(orderKey, ending, failure?.code ?? 'under way: the gateway is asked');
      else if (isAskedAbout) noteOpen(orderKey, ending, notConfirmedYet);
      if (isSettled(ending, failure) && !isAskedAbout) settledRows += 1;
    },
    taken(batch: Batch, { sums }: Pick<BatchProgress, 'sums'>): BatchVerdict {
      const refusedAlike = rows > 2 && words.size === 1 && endings.declined === rows;
      const unsettled = refusedAlike ? rows : Math.max(batch.rows, rows) - settledRows;
      const settled = unsettled === 0 && (sums === 'balanced' || sums === 'in-doubt');
      return { settled, unsettled, underWay, endings, reasons: reasons.taken(), openRows, open, refusedAlike };
    },
  };
}

function endingOfRow(status: RowStatus): RowEnding {
  if (status.kind === 'open') {
    return status.state === 'in-doubt' || status.state === 'submitting' ? 'in doubt' : 'waiting';
  }
  switch (status.end) {
    case 'approved':
      return 'paid';
    case 'accepted':
    case 'checked':
    case 'declined':
    case 'failed':
      return status.end;
    case 'cancelled':
      return 'called off';
    case 'held':
      return status.inDoubt ? 'in doubt' : 'waiting';
  }
}

/** Taken by a gateway that has not said how it ended, and is being asked. */
const isTaken = (status: RowStatus): boolean => status.kind === 'ended' && !status.final && status.end === 'accepted';

/** Whether a row goes on by itself; one that newer code wrote can be read by that code alone. */
const isOnItsWay = (it: RowStatus): boolean => it.kind === 'open' && it.state !== 'unreadable';

function failureOf(status: RowStatus): FailureOf<string> | undefined {
  const failure = (status.kind === 'ended' ? status.failure : undefined) ?? status.entry?.failure;
  return failure ?? (status.kind === 'open' && !status.entry ? notBegun : undefined);
}

const isNoPayment = (ending: RowEnding): ending is 'declined' | 'failed' | 'waiting' | 'in doubt' =>
  ending === 'declined' || ending === 'failed' || ending === 'waiting' || ending === 'in doubt';

function isSettled(ending: RowEnding, failure: FailureOf<string> | undefined): boolean {
  if (ending === 'declined') return failure !== undefined && isOwnReason(failure.code);
  return !isNoPayment(ending);
}

/** Why rows are not paid, and which are open; empty where all are paid. */
export function whyNotPaidText(batch: Batch, { reasons, open, openRows, endings }: BatchVerdict): string {
  const lines = open.map(({ order, ending, why }) => `    ${order} · ${ending} · ${why}`);
  const more =
    openRows > open.length
      ? [`    … and ${openRows - open.length} more (\`${tool} report ${shellWord(batch.batchId)}\` has them all)`]
      : [];
  const openText = openRows === 0 ? '' : [`  ${openRows} not settled yet`, ...lines, ...more].join('\n');
  const retry =
    (endings.declined ?? 0) + (endings.failed ?? 0) === 0
      ? ''
      : `  the unpaid ones once more: \`${tool} retry ${shellWord(batch.batchId)} FILE\``;
  return [reasonsText(reasons, 'order'), retry, openText].filter((it) => it !== '').join('\n\n');
}

/** The last line says it all. */
export function rowsVerdictText(batch: Batch, { settled, unsettled, endings, refusedAlike }: BatchVerdict): string {
  const facts = rowEndings.flatMap((ending) => (endings[ending] ? [`${endings[ending]} ${ending}`] : [])).join(', ');
  if (settled) return `  ✔ ${batch.rows === 1 ? '1 row' : `all ${batch.rows} rows`}: ${facts}`;
  const became = facts === '' ? 'none is on the queue yet' : facts;
  const line = `  ✘ ${unsettled} of ${counted(batch.rows, 'row')} ${unsettled === 1 ? 'is' : 'are'} not settled: ${became}`;
  return refusedAlike ? `${line}\n    ${refusedAlikeText}` : line;
}
