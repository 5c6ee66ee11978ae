// A local run as a person reads it: the books of a rehearsal, and of jobs of one's own whether they were paid.
import { tool } from '../../payout/operate/spelling.ts';
import { type Accounts, type CurrencyAccount, type Ending, endings } from '../../local/accounts.ts';
import type { MoneyAnswer, Reason, PaidVerdict } from '../../local/verdict.ts';
import { counted as countedAs } from '../quantities.ts';
import { plainTable } from '../plain-table.ts';

/** The report of a run: ends of the jobs, money that moved, and whether the two agree. */
export function accountsAsText(accounts: Accounts, elapsedMs: number): string {
  const parts = [summary(accounts, elapsedMs), endingsTable(accounts)];
  if (accounts.money) parts.push(moneyTable(accounts.money));
  parts.push(verdictOnBooks(accounts));
  return `${parts.join('\n\n')}\n\n`;
}

/** Whether the jobs were paid, and what to do about those that were not. */
export function verdictAsText(accounts: Accounts, verdict: PaidVerdict, elapsedMs: number): string {
  const parts = [summary(accounts, elapsedMs), endingsTable(accounts), answerTable(verdict.results)];
  if (accounts.money) parts.push(moneyTable(accounts.money));
  parts.push(reasonsText(verdict.reasons, 'line'), openText(verdict));
  if (!accounts.agree) parts.push(verdictOnBooks(accounts));
  parts.push(verdictOnJobs(verdict));
  return `${parts.filter((it) => it !== '').join('\n\n')}\n\n`;
}

/** The same without the simulator's books: money by what the ledger says, reasons, what is open, and the verdict. */
export function verdictAlone(verdict: PaidVerdict): string {
  const parts = [
    answerTable(verdict.results),
    reasonsText(verdict.reasons, 'message'),
    openText(verdict, 'message'),
    verdictOnJobs(verdict),
  ];
  return `${parts.filter((it) => it !== '').join('\n\n')}\n`;
}

const summary = ({ messages, orders, deadLetters }: Accounts, elapsedMs: number) =>
  `  ${countedAs(messages, 'message')}, ${countedAs(orders, 'order')}, ${countedAs(deadLetters, 'dead letter')}, ${(elapsedMs / 1000).toFixed(1)} s`;

function endingsTable(accounts: Accounts): string {
  const became = (Object.entries(endings) as [Ending, string][])
    .filter(([ending]) => accounts.endings[ending] > 0)
    .map(([ending, meaning]) => [ending, accounts.endings[ending], meaning]);
  const dead = `of these: in the dead-letter queue with the reason; with --keep, \`${tool} dlq list\` shows them`;
  const letters = accounts.deadLetters > 0 ? [['· dead letters', accounts.deadLetters, dead]] : [];
  return plainTable(['became', 'jobs', 'what it means'], ['left', 'right', 'left'], [...became, ...letters]);
}

function moneyTable(money: readonly CurrencyAccount[]): string {
  const head = ['money', 'simulator counted', 'results: paid or accepted', 'in doubt, counted', 'difference'];
  const rows = money.map((it) => [
    it.currency,
    `${it.counted} (${it.countedOrders})`,
    `${it.accepted} (${it.acceptedOrders})`,
    `${it.inDoubtCounted} (${it.inDoubtCountedOrders})`,
    it.difference,
  ]);
  return plainTable(head, ['left', 'right', 'right', 'right', 'right'], rows);
}

function verdictOnBooks({ agree, money, paidTwice, disagreements, endings: count }: Accounts): string {
  const twice = money ? `${countedAs(paidTwice.length, 'order')} paid twice, ` : '';
  const facts = `${twice}${countedAs(count.missing + count.waiting, 'job')} without an end`;
  if (agree && money) return `  ✔ money and results agree: ${facts}`;
  if (agree) return `  ✔ every job has an end: ${facts} (the money was not counted: the gateway is not the simulator)`;
  const wrong = [...paidTwice.map((key) => `${key} was paid more than once`), ...disagreements];
  return [`  ✘ money and results disagree: ${facts}`, ...wrong.slice(0, 20).map((it) => `    ${it}`)].join('\n');
}

/** Columns of the money, in the order of hope; a check moves none. */
const columns = (Object.keys(endings) as Ending[]).filter((ending) => ending !== 'checked');

function answerTable(money: readonly MoneyAnswer[]): string {
  if (money.length === 0) return '';
  const shown = columns.filter((column) => money.some(({ by }) => by[column] !== undefined));
  const rows = money.map(({ currency, asked, askedOrders, by }) => [
    currency,
    `${asked} (${askedOrders})`,
    ...shown.map((column) => (by[column] ? `${by[column].amount} (${by[column].orders})` : '–')),
  ]);
  return plainTable(['money', 'asked for', ...shown], ['left', 'right', ...shown.map((): 'right' => 'right')], rows);
}

/** Each reason with its number of jobs, what was said, what to do, and which they are: lines, messages or rows. */
export function reasonsText(reasons: readonly Reason[], counted: string): string {
  if (reasons.length === 0) return '';
  const width = String(Math.max(...reasons.map(({ jobs }) => jobs))).length;
  const lines = reasons.flatMap(
    ({ jobs, which = [], ending, code, gatewayCode, httpStatus, message, remedy, andTheLike }) => {
      const said = [
        ...(gatewayCode === undefined ? [] : [`gateway code ${gatewayCode}`]),
        ...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]),
        message,
        ...(andTheLike ? ['and the like'] : []),
      ].join(', ');
      const indent = ' '.repeat(width + 3);
      const more = jobs > which.length ? ` and ${jobs - which.length} more` : '';
      const named = `${indent}${counted}${which.length > 1 ? 's' : ''} ${which.join(', ')}${more}`;
      const head = `  ${String(jobs).padStart(width)} ${ending} · ${code}: ${said}`;
      return [head, `${indent}→ ${remedy}`, ...(which.length > 0 ? [named] : [])];
    },
  );
  return ['  why, and what to do', ...lines].join('\n');
}

const openShown = 10;

function openText({ open }: PaidVerdict, counted = 'line'): string {
  if (open.length === 0) return '';
  const lines = open
    .slice(0, openShown)
    .map(({ line, order, ending, why }) => `    ${counted} ${line} · ${order} · ${ending} · ${why}`);
  const more =
    open.length > openShown
      ? [
          `    … and ${open.length - openShown} more (${counted === 'line' ? '--json lists' : 'the log names'} them all)`,
        ]
      : [];
  return [`  ${open.length} still open`, ...lines, ...more].join('\n');
}

/** The last line says it all. */
function verdictOnJobs({ settled, jobs, unsettled, endings: count, refusedAlike }: PaidVerdict): string {
  const facts = (Object.keys(endings) as Ending[])
    .filter((ending) => count[ending] > 0)
    .map((ending) => `${count[ending]} ${ending}`)
    .join(', ');
  if (settled) return `  ✔ ${jobs === 1 ? '1 job' : `all ${jobs} jobs`}: ${facts}`;
  const line = `  ✘ ${unsettled} of ${countedAs(jobs, 'job')} ${unsettled === 1 ? 'is' : 'are'} not settled: ${facts}`;
  return refusedAlike ? `${line}\n    ${refusedAlikeText}` : line;
}

/** Failures that are seldom about the orders. */
export const refusedAlikeText =
  'The gateway refused every order in the same words: that is seldom about the orders. Ask it about the account.';
