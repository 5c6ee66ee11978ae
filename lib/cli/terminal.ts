// Text of a gateway, a sender or a file, as the tool shows it. No control sequence of theirs reaches the terminal,
// and nothing that turns the direction of writing: it could hide an order, or make a number look like another.
import { cutShort } from '../files/file-failure.ts';
import { unseen } from '../gateway/redact.ts';
import { coloured } from './reading.ts';

/** All control characters (C0 but line feed and tab, C1), and line separators. */
const controls = /(?![\n\t])[\p{Cc}\u2028\u2029]/gu;

/** The text without them; JSON has them as escapes, so that its meaning is kept. */
export function shownSafely(text: string): string {
  const isJson = /^\s*[{[]/.test(text);
  const shown = (character: string) => (isJson ? escaped(character) : '');
  return text.replaceAll('\r\n', '\n').replaceAll(controls, shown).replaceAll(unseen, shown);
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

/** Columns that the text takes: two for a character of East Asia or an emoji, none for one that joins the character before. */
export function widthOf(text: string): number {
  const wide = text.match(
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/gu,
  );
  return [...text.replaceAll(/\p{M}/gu, '')].length + (wide?.length ?? 0);
}

/** Text that is drawn over itself on a terminal, by {@link shownSafely}. Of a text that is higher, the last lines are shown. */
export function createRedrawn(stream: NodeJS.WriteStream) {
  const write: Write = rawWrites.get(stream) ?? stream.write.bind(stream);
  let rows = 0;
  const draw = (lines: readonly string[]) => {
    write((rows > 0 ? `\u001b[${rows}A\u001b[J` : '') + lines.map((line) => `${line}\n`).join(''));
    rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / (stream.columns || Infinity))), 0);
  };
  return {
    show: (text: string) =>
      draw(
        shownSafely(text)
          .trimEnd()
          .split('\n')
          .slice(-((stream.rows || Infinity) - 1)),
      ),
    clear: () => draw([]),
  };
}
