// The comparison as the table that infra/docs/comparison.md shows.
import type { Tally } from './comparison.ts';

const perOne = (count: number, of: number) => (count / of).toFixed(2);

const columns: readonly { readonly head: string; readonly of: (tally: Tally) => string }[] = [
  { head: 'orders paid twice', of: (it) => String(it.paidTwice) },
  { head: 'the same, once the file was sent again a day later', of: (it) => String(it.paidTwiceAfterReplay) },
  { head: 'results that lied', of: (it) => String(it.lies) },
  { head: 'orders left unknown (of them paid)', of: (it) => `${it.unknown} (${it.unknownPaid})` },
  { head: 'orders in named doubt', of: (it) => String(it.inDoubt) },
  { head: 'store writes per job', of: (it) => perOne(it.storeWrites, it.jobs) },
  { head: 'POSTs per order', of: (it) => perOne(it.posts, it.orders) },
];

/** One row a worker. */
export function tableOf(tallies: ReadonlyMap<string, Tally>): string {
  const rows = [
    ['', ...columns.map(({ head }) => head)],
    Array.from({ length: columns.length + 1 }, () => '---'),
    ...[...tallies].map(([name, tally]) => [name, ...columns.map(({ of }) => of(tally))]),
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |`.replaceAll(' --- ', '---')).join('\n');
}

/** The page with this table in the place of the one that it has. */
export function withComparison(page: string, table: string): string {
  const block = /(?:^\|[^\n]*\n)+<!-- comparison -->/m;
  if (!block.test(page)) throw new Error('the page has no table marked <!-- comparison -->');
  return page.replace(block, () => `${table}\n<!-- comparison -->`);
}
