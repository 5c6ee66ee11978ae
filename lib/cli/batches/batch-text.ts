// How far a batch has come, as a person and as a program read it.
import { standings } from '../../payout/order/standing.ts';
import { type Batch, isAbandoned } from '../../batches/batch.ts';
import { batchStatus } from '../../batches/batch-result.ts';
import { balances, payoutsIn, sameTally, type Tally, totalsAsLists } from '../../batches/tally.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import type { PaymentsVerdict } from '../../operate/verdict.ts';
import type { LaneView } from '../../payout/pace/lane-view.ts';
import { standingsTable, verdictText } from '../verdict-text.ts';
import { momentText } from '../quantities.ts';
import { counted, shellWord, tool } from '../../payout/operate/spelling.ts';

/** What became of the payouts of a batch so far. */
export interface BatchProgress {
  readonly tally: Tally;
  readonly verdict: PaymentsVerdict;
  readonly lanes: readonly LaneView[];
}

/** Every payout is uploaded, but count or money is not that of the file. */
const isUnbalanced = (batch: Batch, tally: Tally): boolean =>
  payoutsIn(tally) === batch.rows && !balances(tally, batch);

/** As one JSON object. */
export function progressAsJson(batch: Batch, { tally, verdict, lanes }: BatchProgress, nowMs: number): object {
  const { totals, closure, createdAtMs, uploadMovedAtMs, uploadedAtMs, looked: _, wokenAtMs: _woken, ...rest } = batch;
  const { heldUntilMs, approval, ...header } = rest;
  const { standings: _standings, ...answer } = verdict;
  return {
    found: true,
    at: timeText(nowMs),
    ...header,
    state: batchStatus(batch, tally),
    totals: totalsAsLists(totals),
    registeredAt: timeText(createdAtMs),
    heldUntil: timeText(heldUntilMs),
    approval: approval && { ...approval, atMs: undefined, expiresAtMs: undefined, ...approvalTimes(approval) },
    uploadMovedAt: timeText(uploadMovedAtMs),
    uploadedAt: timeText(uploadedAtMs),
    closedAt: timeText(closure?.firstAtMs),
    published: closure && { revision: closure.revision, at: timeText(closure.atMs) },
    uploaded: payoutsIn(tally),
    standings: tally.map(({ minorUnits, ...line }) => ({
      ...line,
      amount: line.currency === undefined ? undefined : formatMinorUnits(minorUnits, line.currency),
    })),
    balanced: balances(tally, batch),
    attention:
      isUnbalanced(batch, tally) || isAbandoned(batch, nowMs) || tally.some((it) => standings[it.standing].needsPerson),
    ...answer,
    lanes,
  };
}

const approvalTimes = ({ atMs, expiresAtMs }: NonNullable<Batch['approval']>) => ({
  at: timeText(atMs),
  expiresAt: timeText(expiresAtMs),
});

const timeText = (atMs: number | undefined) => (atMs === undefined ? undefined : new Date(atMs).toISOString());

/** As a page; its last line says whether the payouts are settled. */
export function progressAsText(
  batch: Batch,
  { tally, verdict }: Omit<BatchProgress, 'lanes'>,
  nowMs: number,
  lanes = '',
): string {
  const { batchId, by, createdAtMs, merchant } = batch;
  const names = [`batch ${batchId}`, ...(merchant === undefined ? [] : [merchant]), batchStatus(batch, tally)];
  const head = `${names.join(' · ')} · registered ${momentText(createdAtMs)} by ${by}`;
  const facts = `${summary(batch, tally)}\n${lanes}`.trimEnd();
  const parts = [
    head,
    tally.length === 0 ? '' : standingsTable(tally),
    facts,
    `  ${wholeText(batch, tally, nowMs)}`,
    // Before the upload the line above says what to do.
    verdictText(tally.length === 0 ? { ...verdict, next: [] } : verdict, 'payout'),
  ];
  return `${parts.filter((it) => it !== '').join('\n\n')}\n`;
}

function summary(batch: Batch, tally: Tally): string {
  const totals = totalsAsLists(batch.totals).map(
    ({ amount, currency, count }) => `${amount} ${currency} in ${counted(count, 'row')}`,
  );
  const lines = [
    ['file', [counted(batch.rows, 'row'), ...totals].join(' · ')],
    ['uploaded', `${payoutsIn(tally)} of ${counted(batch.rows, 'row')}`],
  ];
  return lines.map(([name = '', text]) => `  ${name.padEnd(10)} ${text}`).join('\n');
}

/** What the batch as a whole waits for. */
function wholeText(batch: Batch, tally: Tally, nowMs: number): string {
  const { state, approval, batchId } = batch;
  switch (state) {
    case 'awaiting-approval':
      return `· nothing is sent until a second person has approved it (\`${tool} approve\`)`;
    case 'approved':
      return `· approved by ${approval?.by ?? 'somebody'}; not sent yet: \`${tool} submit FILE --batch ${shellWord(batchId)}\``;
    case 'uploading':
      return isAbandoned(batch, nowMs)
        ? `! half sent, and left: run the same \`${tool} submit\` over the same file to go on, or \`${tool} cancel --batch ${shellWord(batchId)} --reason "…"\``
        : `· still being uploaded; run the same \`${tool} submit\` again if it was cut off`;
    case 'uploaded':
    case 'closed':
      return balances(tally, batch)
        ? `· count and money are those of the file${publishedText(batch, tally)}`
        : '✘ count or money is not that of the file: somebody must look';
  }
}

/** The published result of the batch, and whether more follows. */
function publishedText({ closure, unpublished }: Batch, tally: Tally): string {
  if (!closure) return '';
  const { revision, atMs } = closure;
  const words = revision === 1 ? 'batch result published' : `batch result published in revision ${revision},`;
  const published = `; ${words} ${momentText(atMs)}`;
  if (unpublished) return `${published}, not on the results queue yet`;
  return sameTally(tally, closure.tally)
    ? published
    : `${published}; payouts have changed since, and the next revision follows`;
}
