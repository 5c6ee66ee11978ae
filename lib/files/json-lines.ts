// Lines of a large text file, a chunk at a time: readline makes an event of each line, which costs more than reading it.
import { open } from 'node:fs/promises';
import { unreadable } from './file-failure.ts';
import { UsageError } from './usage-error.ts';

/** Lines, and the number of the first of them, from 1. */
interface SomeLines {
  readonly firstLine: number;
  readonly lines: readonly string[];
}

const chunkBytes = 1 << 16;
/** Longer than any line that this tool or the worker writes. */
const lineLimitBytes = 1 << 20;

/**
 * The lines of a file, blank ones too, without their ends. Throws UsageError where it can't be read. All is read into one
 * buffer: a new one a chunk would be given back long after it was read.
 */
export async function* linesOf(path: string): AsyncGenerator<SomeLines> {
  const buffer = Buffer.allocUnsafe(lineLimitBytes + chunkBytes);
  const file = await open(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    let firstLine = 1;
    let rest = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, rest, chunkBytes, null).catch((error: unknown) => {
        throw unreadable(path, error);
      });
      if (bytesRead === 0) break;
      const filled = rest + bytesRead;
      const end = buffer.lastIndexOf(0x0a, filled - 1);
      rest = filled - end - 1;
      if (rest > lineLimitBytes) throw new UsageError(`${path} has a line of more than ${lineLimitBytes} bytes`);
      if (end < 0) continue;
      const lines = buffer.toString('utf8', 0, end).split('\n');
      buffer.copyWithin(0, end + 1, filled);
      yield { firstLine, lines };
      firstLine += lines.length;
    }
    if (rest > 0) yield { firstLine, lines: [buffer.toString('utf8', 0, rest)] };
  } finally {
    await file.close();
  }
}
