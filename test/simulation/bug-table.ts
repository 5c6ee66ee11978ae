// The table of the planted bugs in infra/docs/planted-bugs.md: the walk that found each, and after how many lives.
import type { BugReport } from './bug-hunt.ts';
import type { PlantedBug } from './planted-steps.ts';

const mark = '<!-- planted-bugs -->';

/** The rows, in the order in which the bugs were planted; `reports` without the control. */
export function bugTable(
  reports: ReadonlyMap<string, BugReport>,
  it: {
    readonly command: string;
    readonly livesAtMost: number;
    readonly guarded: readonly PlantedBug[];
    readonly same: readonly string[];
  },
): string {
  const found = [...reports.values()].filter(({ fault }) => fault !== undefined).length;
  const share = ((100 * found) / Math.max(reports.size, 1)).toFixed(1);
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const rows = [...reports].map(
    ([
      name,
      {
        lives: [first],
        by,
        after,
        fault,
      },
    ]) =>
      [
        cell(name),
        first?.uniform ?? '–',
        first?.guided ?? '–',
        fault === undefined ? '**not found**' : `${by}, ${after}`,
      ].join(' | '),
  );
  return [
    `\`${it.command}\` planted ${reports.size} bugs and found ${found} of them (${share} %).`,
    '',
    `| planted | random lives (at most ${it.livesAtMost}) | guided lives | found first by, after lives |`,
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
    'Not counted, as something else makes up for it; the two together are planted above:',
    '',
    ...it.guarded.map(({ name, guardedBy }) => `- ${name}: ${guardedBy}.`),
    '',
    'Not counted, as no answer of the gateway is judged otherwise by the changed table:',
    '',
    ...it.same.map((name) => `- ${name}.`),
    '',
  ].join('\n');
}

/** The page with this table in the place of its own. */
export function withBugTable(page: string, table: string): string {
  const [before = '', , after = ''] = page.split(mark);
  return `${before}${mark}\n\n${table}\n${mark}${after}`;
}
