// Tables: without lines, as a report shows them, and with lines where cells have several.
import Table from 'cli-table3';

const none = {
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
};

/** A terminal that does not say how wide it is has 0. */
const terminalWidth = () => (process.stdout.isTTY && process.stdout.columns) || Infinity;

/** A table as text, without blanks at the ends of its lines; at a terminal no wider than it. */
export function plainTable(
  head: readonly string[],
  colAligns: readonly ('left' | 'right')[],
  rows: readonly (readonly (string | number)[])[],
  width = terminalWidth(),
): string {
  const style = { head: [], border: [], 'padding-left': 1, 'padding-right': 1 };
  const colWidths = fittingWidths(head, colAligns, rows, width);
  const table = new Table({
    chars: none,
    style,
    head: [...head],
    colAligns: [...colAligns],
    ...(colWidths && { colWidths, wordWrap: true, wrapOnWordBoundary: true }),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replace(/ +$/gm, '');
}

const paddings = 2;
const narrowest = 12;

/** The widths of the columns where the table would be too wide: the widest texts give way. */
function fittingWidths(
  head: readonly string[],
  aligns: readonly ('left' | 'right')[],
  rows: readonly (readonly (string | number)[])[],
  width: number,
): number[] | undefined {
  const longest = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));
  const widths = head.map(
    (title, at) => paddings + Math.max(title.length, ...rows.map((row) => longest(String(row[at] ?? '')))),
  );
  // There is a blank between two columns, and one before the first.
  const total = () => widths.reduce((sum, it) => sum + it + 1, 0);
  if (total() <= width) return undefined;
  for (let tooWide = total() - width; tooWide > 0; tooWide = total() - width) {
    const texts = widths.map((it, at) => (aligns[at] === 'left' ? it : 0));
    const widest = Math.max(...texts);
    if (widest <= narrowest) break;
    const next = Math.max(narrowest, ...texts.filter((it) => it < widest));
    const at = texts.indexOf(widest);
    widths[at] = Math.max(next === widest ? widest - 1 : next, widest - tooWide, narrowest);
  }
  return widths;
}

/** A table with lines, its long cells broken at words; null is as wide as it must be. */
export function linedTable(
  head: readonly string[],
  colWidths: readonly (number | null)[],
  rows: readonly (readonly string[])[],
): string {
  const table = new Table({
    head: [...head],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [...colWidths],
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}
