// How far a batch has come, as a person and as a program read it.
import { standings, wordOf } from '../../payout/order/standing.ts';
import { type Batch, isLeft } from '../../batches/batch.ts';
import { addedTallies, sameTally, tallyEnds, type TallyLine, totalsAsLists } from '../../batches/tally.ts';
import { type BatchProgress, type OpenRow, batchStateShown } from '../../batches/batch-progress.ts';
import { formatMinorUnits } from '../../gateway/money.ts';
import { plainTable } from '../plain-table.ts';
import { counted, momentText } from '../quantities.ts';
import { type BatchVerdict, rowsVerdictText, whyNotPaidText } from './batch-reasons.ts';
import { whenAsJson, rowsFromText } from './submit-times.ts';
import { shellWord, tool } from '../../payout/operate/spelling.ts';

/** Whether a person is needed: rows in doubt, held or written by newer code, and sums that are not those of the file. */
function needsAttention({ lines, sums }: BatchProgress): boolean {
  const wanting = new Set(['in-doubt', 'held', 'unreadable']);
  return sums === 'unbalanced' || lines.some(({ state }) => wanting.has(state));
}

/** As one JSON object. */
export function progressAsJson(batch: Batch, progress: BatchProgress, nowMs: number): object {
  const { totals, closure, createdAtMs, uploadMovedAtMs, uploadedAtMs, ...rest } = batch;
  const { heldUntilMs, approval, rowsFromMs, ...header } = rest;
  const { lines, oldestOpen, ...counts } = progress;
  return {
    found: true,
    at: timeText(nowMs),
    ...header,
    state: batchStateShown(batch, progress),
    totals: totalsAsLists(totals),
    registeredAt: timeText(createdAtMs),
    ...whenAsJson({ rowsFromMs }),
    ...(heldUntilMs !== undefined && { heldUntil: timeText(heldUntilMs) }),
    ...(approval && { approval: { ...approval, atMs: undefined, expiresAtMs: undefined, ...approvalTimes(approval) } }),
    ...(uploadMovedAtMs !== undefined && { uploadMovedAt: timeText(uploadMovedAtMs) }),
    ...(uploadedAtMs !== undefined && { uploadedAt: timeText(uploadedAtMs) }),
    ...(closure && {
      closedAt: timeText(closure.firstAtMs),
      told: { revision: closure.revision, at: timeText(closure.atMs) },
    }),
    progress: {
      ...counts,
      states: lines.map(({ minorUnits, ...line }) => ({
        ...line,
        ...(line.currency !== undefined && { amount: formatMinorUnits(minorUnits, line.currency) }),
      })),
      ...(oldestOpen && { oldestOpen: openAsJson(oldestOpen) }),
    },
    attention: needsAttention(progress) || isLeft(batch, nowMs),
  };
}

const approvalTimes = ({ atMs, expiresAtMs }: NonNullable<Batch['approval']>) => ({
  at: timeText(atMs),
  expiresAt: timeText(expiresAtMs),
});

function openAsJson({ sinceMs, ...row }: OpenRow): object {
  return { ...row, ...(sinceMs !== undefined && { since: timeText(sinceMs) }) };
}

const timeText = (atMs: number) => new Date(atMs).toISOString();

/** As a page; its last line says whether the rows were paid. */
export function progressAsText(
  batch: Batch,
  progress: BatchProgress,
  nowMs: number,
  { verdict: rows, lanes = '' }: { readonly verdict: BatchVerdict; readonly lanes?: string },
): string {
  const { batchId, by, createdAtMs, merchant } = batch;
  const names = [`batch ${batchId}`, ...(merchant === undefined ? [] : [merchant]), batchStateShown(batch, progress)];
  const head = `${names.join(' · ')} · registered ${momentText(createdAtMs)} by ${by}`;
  const facts = `${summary(batch, progress, nowMs)}\n${lanes}`.trimEnd();
  const verdicts = `  ${verdict(batch, progress, rows, nowMs)}\n${rowsVerdictText(batch, rows)}`;
  const parts = [head, statesTable(progress), facts, whyNotPaidText(batch, rows), verdicts];
  return `${parts.filter((it) => it !== '').join('\n\n')}\n`;
}

function statesTable({ lines }: BatchProgress): string {
  if (lines.length === 0) return '';
  return plainTable(
    ['rows', 'state', 'money', '', 'not final', 'elsewhere', 'what it means'],
    ['right', 'left', 'right', 'left', 'right', 'right', 'left'],
    lines.map(({ state, currency, count, minorUnits, notFinal, elsewhere }) => [
      count,
      wordOf(state),
      currency === undefined ? '' : formatMinorUnits(minorUnits, currency),
      currency ?? '',
      notFinal || '',
      elsewhere || '',
      standings[wordOf(state)].meaning,
    ]),
  );
}

function summary(batch: Batch, progress: BatchProgress, nowMs: number): string {
  const { rows, ended, endedLastMinute, oldestOpen } = progress;
  const totals = totalsAsLists(batch.totals).map(
    ({ amount, currency, count }) => `${amount} ${currency} in ${counted(count, 'row')}`,
  );
  const lines = [
    ['file', [counted(batch.rows, 'row'), ...totals].join(' · ')],
    ...(batch.rowsFromMs === undefined ? [] : [['times', rowsFromText(batch.rowsFromMs)]]),
    ['uploaded', `${rows} of ${counted(batch.rows, 'row')}`],
    ['processed', `${ended} of ${counted(batch.rows, 'row')}${paceText(batch.rows - ended, endedLastMinute)}`],
    ...(oldestOpen ? [['oldest', oldestText(oldestOpen, nowMs)]] : []),
  ];
  return lines.map(([name = '', text]) => `  ${name.padEnd(10)} ${text}`).join('\n');
}

function paceText(left: number, endedLastMinute: number): string {
  if (endedLastMinute === 0 || left === 0) return '';
  return ` · ${(endedLastMinute / 60).toFixed(1)}/s in the last minute, ${Math.ceil(left / endedLastMinute)} min to go at that pace`;
}

function oldestText({ orderKey, state, sinceMs }: OpenRow, nowMs: number): string {
  if (sinceMs === undefined) return `${orderKey} is ${state}`;
  return `${orderKey} is ${state}, begun ${Math.floor((nowMs - sinceMs) / 60_000)} min ago`;
}

function verdict(batch: Batch, progress: BatchProgress, rows: BatchVerdict, nowMs: number): string {
  const { state, approval } = batch;
  switch (state) {
    case 'awaiting-approval':
      return `· nothing is sent until a second person has approved it (\`${tool} approve\`)`;
    case 'approved':
      return `· approved by ${approval?.by ?? 'somebody'}; nothing is uploaded yet`;
    case 'uploading':
      return isLeft(batch, nowMs)
        ? `! half sent, and left: run the same \`${tool} submit\` over the same file to go on, or \`${tool} cancel --batch ${shellWord(batch.batchId)} --reason "…"\``
        : `· still being uploaded; run the same \`${tool} submit\` again if it was cut off`;
    case 'uploaded':
    case 'closed':
      return `${verdictOfRows(progress, rows)}${toldText(batch, progress)}`;
  }
}

function verdictOfRows({ sums, lines }: BatchProgress, { settled }: BatchVerdict): string {
  const inDoubt = lines.reduce((rows, line) => rows + line.inDoubt, 0);
  switch (sums) {
    case 'unbalanced':
      return '✘ every row was processed, but count or money is not that of the file';
    case 'open':
      return `· rows are still being processed${inDoubt > 0 ? ', some are in doubt: nothing is sent again' : ''}`;
    case 'in-doubt':
      return `! all rows were processed, except ${inDoubt} whose outcome is unknown: somebody must decide`;
    case 'balanced':
      return `${settled ? '✔' : '·'} all rows and the total match the file`;
  }
}

/** The published result of the batch, and whether more follows. */
function toldText({ closure, unpublished }: Batch, { sums, lines }: BatchProgress): string {
  if (sums === 'unbalanced') return '';
  if (!closure) return sums === 'open' ? '' : '; the batch result is published within a few minutes';
  const words =
    closure.revision === 1 ? 'batch result published' : `batch result published in revision ${closure.revision},`;
  const published = `; ${words} ${momentText(closure.atMs)}`;
  if (unpublished) return `${published}, not on the results queue yet`;
  const isTrue = isSameAsTold(lines, closure);
  return isTrue ? published : `${published}; rows have changed since, and the next revision follows`;
}

function isSameAsTold(lines: BatchProgress['lines'], { tally }: NonNullable<Batch['closure']>): boolean {
  const asTold = lines.map(({ state, ...line }): TallyLine => {
    const end = tallyEnds.find((it) => it === state) ?? 'open';
    return { ...line, end, notFinal: end === 'open' || end === 'in-doubt' ? line.count : line.notFinal };
  });
  return sameTally(addedTallies([asTold]), tally);
}
