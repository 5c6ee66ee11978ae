// Lines of a text in UTF-8, some at a time.
import { openBulkFile, utf8Of } from './bulk-file.ts';
import { UsageError } from './usage-error.ts';

/** Longer than any line that this tool or the worker writes. */
const ownLimitBytes = 1 << 20;

/** The lines of a file of this tool or the worker, blank ones too. Throws UsageError if it can't be read. */
export async function* fileLines(
  path: string,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<readonly string[]> {
  const file = await openBulkFile(path);
  try {
    const bytes = utf8Of(file.chunks(), { encoding: 'utf-8', skipBytes: 0 }, (some) => onBytes(some.length));
    for await (const lines of linesOf(bytes, ownLimitBytes)) {
      const whole = lines.filter((it) => it !== undefined);
      if (whole.length < lines.length) throw new UsageError(`${path} has a line of more than ${ownLimitBytes} bytes`);
      yield whole;
    }
  } finally {
    await file.close();
  }
}

/** Lines by line feeds alone: a text in JSON may hold other signs that end a line. Undefined for one that is too long. */
export async function* linesOf(
  bytes: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<readonly (string | undefined)[]> {
  let rest: Buffer = Buffer.alloc(0);
  let tooLong = false;
  const textOf = (line: Buffer) => (tooLong || line.length > limitBytes ? undefined : line.toString());
  for await (const chunk of bytes) {
    const lines: (string | undefined)[] = [];
    let buffer: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = buffer.indexOf(0x0a); end >= 0; end = buffer.indexOf(0x0a)) {
      lines.push(textOf(buffer.subarray(0, end)));
      tooLong = false;
      buffer = buffer.subarray(end + 1);
    }
    tooLong ||= buffer.length > limitBytes;
    rest = tooLong ? Buffer.alloc(0) : buffer;
    yield lines;
  }
  if (rest.length > 0 || tooLong) yield [textOf(rest)];
}
