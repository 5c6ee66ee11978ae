// A table as text: aligned columns, no wider than the terminal, long texts broken at words.
import { wrapped } from './reading.ts';
import { widthOf } from './terminal.ts';

type Alignment = 'left' | 'right';

const margin = '  ';
const gap = '   ';
const narrowest = 12;

/** A terminal that does not say how wide it is has 0. */
const terminalWidth = () => (process.stdout.isTTY && process.stdout.columns) || Infinity;

/** The table, without blanks at the ends of its lines. */
export function plainTable(
  head: readonly string[],
  alignments: readonly Alignment[],
  rows: readonly (readonly (string | number)[])[],
  width = terminalWidth(),
): string {
  const texts = [head, ...rows.map((row) => row.map(String))];
  const widths = fittingWidths(texts, alignments, width);
  const isTooWide = around(widths) + widths.reduce((sum, it) => sum + it, 0) > width;
  const kept = head.flatMap((_, at) => (rows.some((row) => row[at] !== '') ? [at] : []));
  // A column in which nothing is written gives its place to the others.
  if (isTooWide && kept.length > 0 && kept.length < head.length)
    return plainTable(
      pick(head, kept),
      pick(alignments, kept),
      rows.map((row) => pick(row, kept)),
      width,
    );
  return texts.flatMap((row) => rowLines(row, alignments, widths)).join('\n');
}

const pick = <T>(row: readonly T[], kept: readonly number[]): T[] => kept.flatMap((at) => row[at] ?? []) as T[];
const around = ({ length }: readonly number[]) => margin.length + gap.length * (length - 1);

/** The lines of one row: as many as its highest cell has. */
function rowLines(row: readonly string[], alignments: readonly Alignment[], widths: readonly number[]): string[] {
  const cells = widths.map((width, at) => cellLines(row[at] ?? '', width));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => {
    const padded = cells.map((lines, at) => {
      const text = lines[line] ?? '';
      const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
      return alignments[at] === 'right' ? blanks + text : text + blanks;
    });
    return (margin + padded.join(gap)).trimEnd();
  });
}

/** A cell's text, broken at words. A word that is longer than the column is broken too: no part of an id gets lost. */
const cellLines = (text: string, width: number): string[] =>
  text
    .split('\n')
    .flatMap((line) => (widthOf(line) > width ? wrapped(line, width, '') : [line]))
    .flatMap((line) => (widthOf(line) > width ? (line.match(new RegExp(`.{1,${width}}`, 'gu')) ?? []) : [line]));

/** Each column's width. If the table would be too wide, the widest columns of text become narrower. */
function fittingWidths(
  texts: readonly (readonly string[])[],
  alignments: readonly Alignment[],
  width: number,
): readonly number[] {
  const longest = (text: string) => Math.max(...text.split('\n').map(widthOf));
  const widths = alignments.map((_, at) => Math.max(...texts.map((row) => longest(row[at] ?? ''))));
  const isShrinkable = (at: number) => alignments[at] === 'left' && (widths[at] ?? 0) > narrowest;
  for (let tooWide = widths.reduce((sum, it) => sum + it, around(widths)) - width; tooWide > 0; tooWide -= 1) {
    const widest = Math.max(...widths.filter((_, at) => isShrinkable(at)));
    const at = widths.findIndex((it, column) => it === widest && isShrinkable(column));
    if (at < 0) break;
    widths[at] = widest - 1;
  }
  return widths;
}
