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

/** A table as text, without blanks at the ends of its lines. */
export function plainTable(
  head: readonly string[],
  colAligns: readonly ('left' | 'right')[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const style = { head: [], border: [], 'padding-left': 1, 'padding-right': 1 };
  const table = new Table({ chars: none, style, head: [...head], colAligns: [...colAligns] });
  table.push(...rows.map((row) => [...row]));
  return table.toString().replace(/ +$/gm, '');
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
