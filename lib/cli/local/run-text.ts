// A local run as a person reads it: what became of the payments, whether the books agree, and the verdict.
import type { LocalRun } from '../../local/local-run.ts';
import type { RunBooks } from '../../local/run-books.ts';
import { counted } from '../../payout/operate/spelling.ts';
import { standingsTable, verdictText } from '../verdict-text.ts';

/** The whole report. A rehearsal has payments that are meant to fail: its books are its answer, and what had no end yet. */
export function runText(
  { messages, deadLetters, elapsedMs, lines, books, verdict }: RunShown,
  isRehearsal: boolean,
): string {
  const summary = `  ${counted(messages, 'message')}, ${counted(verdict.payments, 'payment')}, ${counted(deadLetters, 'dead letter')}, ${(elapsedMs / 1000).toFixed(1)} s`;
  const parts = [summary, standingsTable(lines), books ? booksText(books) : ''];
  return [...parts, isRehearsal ? leftText(verdict) : verdictText(verdict, 'job')]
    .filter((it) => it !== '')
    .join('\n\n');
}

/** A rehearsal succeeds if each payment has ended or waits for a person; jobs of one's own, if each is settled. The books agree in both. */
export const hasSucceeded = ({ books, verdict }: Pick<RunShown, 'books' | 'verdict'>, isRehearsal: boolean): boolean =>
  books?.agree !== false && (isRehearsal ? verdict.underWay === 0 : verdict.settled);

const leftText = ({ underWay, payments }: LocalRun['verdict']): string =>
  underWay === 0
    ? ''
    : `  ✘ ${underWay} of ${counted(payments, 'payment')} had not ended when the run stopped. On a busy machine, wait longer: --wait SECONDS`;

/** The parts of a run that are shown. */
type RunShown = Pick<LocalRun, 'messages' | 'deadLetters' | 'elapsedMs' | 'lines' | 'books' | 'verdict'>;

/** Whether ledger, results and the simulator's count agree. */
export function booksText({ agree, counted: sums, paidTwice, disagreements }: RunBooks): string {
  const moved = sums.map(({ amount, currency, orders }) => `${amount} ${currency} (${orders})`).join(' · ');
  const lines = moved === '' ? [] : [`  the gateway counted  ${moved}`];
  if (agree) return [...lines, '  ✔ ledger, results and gateway agree: 0 orders paid twice'].join('\n');
  const wrong = [...paidTwice.map((key) => `${key} was paid more than once`), ...disagreements];
  return [...lines, '  ✘ the books disagree:', ...wrong.slice(0, 20).map((it) => `    ${it}`)].join('\n');
}
