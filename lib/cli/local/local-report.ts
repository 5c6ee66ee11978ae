// The books of a local run as a person reads them.
import { type Accounts, type CurrencyAccount, type Ending, endings } from '../../local/accounts.ts';
import { plainTable } from '../plain-table.ts';

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
  const became = (Object.entries(endings) as [Ending, string][])
    .filter(([ending]) => accounts.endings[ending] > 0)
    .map(([ending, meaning]) => [ending, accounts.endings[ending], meaning]);
  const dead = 'of these: in the dead-letter queue with the reason, ready to be redriven';
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

function verdict({ agree, money, paidTwice, disagreements, endings: count }: Accounts): string {
  const twice = money ? `${paidTwice.length} orders paid twice, ` : '';
  const facts = `${twice}${count.missing} jobs without an end`;
  if (agree && money) return `  ✔ money and results agree: ${facts}`;
  if (agree) return `  ✔ every job has an end: ${facts} (nobody counted the money: the gateway is not the simulator)`;
  const wrong = [...paidTwice.map((key) => `${key} was paid more than once`), ...disagreements];
  return [`  ✘ money and results disagree: ${facts}`, ...wrong.slice(0, 20).map((it) => `    ${it}`)].join('\n');
}
