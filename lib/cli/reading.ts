// Text as a person reads it at a terminal: no wider than it, with good and bad in colour. Programs get it plain.
import { styleText } from 'node:util';
import { type Tone, toneOf } from '../operate/order-words.ts';
import { tool } from '../payout/operate/spelling.ts';
import { standingNames } from '../payout/order/standing.ts';

/** Help is read in paragraphs: no line of it is longer, whatever the terminal. */
export const helpAtMost = 80;

/** Help without lines that a narrow terminal breaks: paragraphs anew, what is indented with its lines in its own column. */
export function inParagraphs(text: string, width = helpAtMost): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const end = () => {
    if (paragraph.length > 0) lines.push(...wrapped(paragraph.join(' '), width, ''));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    if (line !== '' && !line.startsWith(' ')) {
      paragraph.push(line);
      // A heading, or the line of use.
      if (line.endsWith(':') || line.startsWith('Usage:')) end();
      continue;
    }
    end();
    const [, term] = /^( *\S+(?: \S+)* {2,})\S/.exec(line) ?? [];
    // A command is one line, to be copied.
    if (line.length <= width || term === undefined || line.trimStart().startsWith(tool)) lines.push(line);
    else lines.push(...wrapped(line.slice(term.length), width, ' '.repeat(term.length), term));
  }
  end();
  return lines.join('\n');
}

/** The text in lines of this width, broken between words. */
export function wrapped(text: string, width: number, indent: string, first = indent): string[] {
  const lines: string[] = [];
  let line = first;
  let isBegun = false;
  for (const word of text.split(/ +/)) {
    if (isBegun && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent + word;
    } else line += isBegun ? ` ${word}` : word;
    isBegun = true;
  }
  return [...lines, line];
}

type Colour = 'green' | 'red' | 'yellow';
const tones: Readonly<Partial<Record<Tone, Colour>>> = { paid: 'green', failed: 'red', doubt: 'yellow' };
const colours: Readonly<Record<string, Colour | undefined>> = {
  ...Object.fromEntries(standingNames.map((name) => [name, tones[toneOf(name)]])),
  // Of lanes.
  open: 'green',
  closed: 'red',
  slowed: 'yellow',
  probing: 'yellow',
  paused: 'yellow',
  'stopped on doubt': 'yellow',
  // Marks.
  '✔': 'green',
  '✘': 'red',
  '!': 'yellow',
};
/** A word of state alone in its cell, or after "now"; a mark at the beginning of a line. */
const stateCell = new RegExp(`(^| {2}|now )(${Object.keys(colours).join('|')})(?= {2}|, final|:|$| ·)`, 'gm');
const markAtBegin = /^( *)([✔✘!])(?= )/gm;

/** The text with colour where it is for a terminal; NO_COLOR keeps it plain. */
export function coloured(text: string, stream: Pick<NodeJS.WriteStream, 'isTTY'>): string {
  if (!stream.isTTY || process.env['NO_COLOR'] || /^\s*[{[]/.test(text)) return text;
  const paint = (all: string, before: string, word: string) => {
    const colour = colours[word];
    return colour ? before + styleText(colour, word, { validateStream: false }) : all;
  };
  return text.replaceAll(stateCell, paint).replaceAll(markAtBegin, paint);
}
