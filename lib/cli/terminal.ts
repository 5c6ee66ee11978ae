// Text of a gateway, a sender or a file, as the tool shows it. No control sequence of theirs reaches the terminal,
// and nothing that turns the direction of writing: it could hide an order, or make a number look like another.
import { cutShort } from '../files/file-failure.ts';
import { coloured } from './reading.ts';

/** All control characters (C0 but line feed and tab, C1), directions of writing, line separators, what cannot be seen. */
const unsafe =
  /(?:(?![\n\t])[\p{Cc}\u2028\u2029\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}])/gu;

/** The text without them; JSON has them as escapes, so that its meaning is kept. */
export function shownSafely(text: string): string {
  const isJson = /^\s*[{[]/.test(text);
  return text.replaceAll('\r\n', '\n').replaceAll(unsafe, (character) => (isJson ? escaped(character) : ''));
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

type Write = NodeJS.WriteStream['write'];
const rawWrites = new WeakMap<NodeJS.WriteStream, Write>();

/**
 * From now on these streams take text by {@link shownSafely} alone. A reader that has read enough (`| head`) is no failure, and
 * no reason to leave off what is being done.
 */
export function guardTerminal(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    const raw: Write = stream.write.bind(stream);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      // Where standard error itself is on the full disk, nothing can be said.
      if (stream !== process.stderr) process.stderr.write(`payouts: ${cutShort('the output', error).message}\n`);
      process.exit(1);
    });
    rawWrites.set(stream, raw);
    stream.write = ((chunk: string | Uint8Array, ...rest: never[]) =>
      raw(typeof chunk === 'string' ? coloured(shownSafely(chunk), stream) : chunk, ...rest)) as Write;
  }
}

/** The stream for code that draws on it by control sequences of its own; the text that it draws goes by {@link shownSafely}. */
export function drawnUpon(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return Object.create(stream, { write: { value: rawWrites.get(stream) ?? stream.write.bind(stream) } });
}
