// The books of a local run as a person reads them.
import Table from 'cli-table3';
import { type Accounts, type CurrencyAccount, type Ending, endings } from '../local/accounts.ts';

const plainTable = {
  chars: {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: ' ',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: ' ',
  },
  style: { head: [], border: [], 'padding-left': 1, 'padding-right': 1 },
};

/** What became of the jobs, whose money moved, and whether the two agree. */
export function accountsAsText(accounts: Accounts, elapsedMs: number): string {
  const { messages, orders, deadLetters } = accounts;
  const summary = `  ${messages} messages, ${orders} orders, ${deadLetters} dead letters, ${(elapsedMs / 1000).toFixed(1)} s`;
  const parts = [summary, endingsTable(accounts)];
  if (accounts.money) parts.push(moneyTable(accounts.money));
  parts.push(verdict(accounts));
  return `${parts.join('\n\n')}\n\n`;
}

function endingsTable(accounts: Accounts): string {
  const table = new Table({
    ...plainTable,
    head: ['became', 'jobs', 'what it means'],
    colAligns: ['left', 'right', 'left'],
  });
  for (const [ending, meaning] of Object.entries(endings) as [Ending, string][]) {
    if (accounts.endings[ending] > 0) table.push([ending, accounts.endings[ending], meaning]);
  }
  if (accounts.deadLetters > 0) {
    table.push([
      '· dead letters',
      accounts.deadLetters,
      'of these: in the dead-letter queue with the reason, ready to be redriven',
    ]);
  }
  return withoutTrailingSpaces(table.toString());
}

function withoutTrailingSpaces(text: string): string {
  return text.replace(/ +$/gm, '');
}

function moneyTable(money: readonly CurrencyAccount[]): string {
  const head = ['money', 'simulator counted', 'results: paid or accepted', 'in doubt, counted', 'difference'];
  const table = new Table({ ...plainTable, head, colAligns: ['left', 'right', 'right', 'right', 'right'] });
  for (const it of money) {
    table.push([
      it.currency,
      `${it.counted} (${it.countedOrders})`,
      `${it.accepted} (${it.acceptedOrders})`,
      `${it.inDoubtCounted} (${it.inDoubtCountedOrders})`,
      it.difference,
    ]);
  }
  return withoutTrailingSpaces(table.toString());
}

function verdict({ agree, money, paidTwice, disagreements, endings: count }: Accounts): string {
  const twice = money ? `${paidTwice.length} orders paid twice, ` : '';
  const facts = `${twice}${count.missing} jobs without an end`;
  if (agree && money) return `  ✔ money and results agree: ${facts}`;
  if (agree) return `  ✔ every job has an end: ${facts} (nobody counted the money: the gateway is not the simulator)`;
  const wrong = [...paidTwice.map((key) => `${key} was paid more than once`), ...disagreements];
  return [`  ✘ money and results disagree: ${facts}`, ...wrong.slice(0, 20).map((it) => `    ${it}`)].join('\n');
}
