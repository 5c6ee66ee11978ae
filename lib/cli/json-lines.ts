// Lines of a large text file, a chunk at a time: readline makes an event of each line, which costs more than reading it.
import { createReadStream } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** Lines, and the number of the first of them, from 1. */
export interface SomeLines {
  readonly firstLine: number;
  readonly lines: readonly string[];
}

const chunkBytes = 1 << 16;
/** Longer than any line that this tool or the worker writes. */
const lineLimitBytes = 1 << 20;

/** The lines of a file, blank ones too, without their ends. Throws UsageError where it can't be read. */
export async function* linesOf(path: string): AsyncGenerator<SomeLines> {
  let rest: Buffer = Buffer.alloc(0);
  let firstLine = 1;
  for await (const chunk of chunksOf(path)) {
    const buffer: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = buffer.lastIndexOf(0x0a);
    rest = buffer.subarray(end + 1);
    if (rest.length > lineLimitBytes) throw new UsageError(`${path} has a line of more than ${lineLimitBytes} bytes`);
    if (end < 0) continue;
    const lines = buffer.toString('utf8', 0, end).split('\n');
    yield { firstLine, lines };
    firstLine += lines.length;
  }
  if (rest.length > 0) yield { firstLine, lines: [rest.toString()] };
}

/** The bytes of a file. Throws UsageError where it can't be read. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) yield chunk as Buffer;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`can't read ${path} (${code})`);
  }
}
