// The file that is submitted. A pipe, which can be read only once, is copied into a temporary file of this user alone. The
// file's name is removed before its first byte is written, so nothing is left behind, however this ends.
import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { sniffedBytes, type TextFormat } from './bulk-format.ts';
import { unreadable } from './file-failure.ts';
import { UsageError } from './usage-error.ts';

/** An open file of rows. */
export interface BulkFile {
  /** For a person, and for names that are made from it; `stdin` for standard input. */
  readonly name: string;
  readonly head: Buffer;
  readonly sizeBytes: number;
  /** All bytes, or those from one place up to another; any number of times, one at a time. */
  chunks(begin?: number, end?: number): AsyncIterable<Buffer>;
  /** Some bytes from a place; fewer at the end of the file. */
  slice(begin: number, bytes: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** A hundred rows or two: what is alive at once stays small. */
const chunkBytes = 16_384;

/** Opens a file, or standard input for `-`. Throws UsageError if it can't be read. */
export async function openBulkFile(path: string, stdin: Readable = process.stdin): Promise<BulkFile> {
  const handle = path === '-' ? await spooled(stdin) : await openedOrSpooled(path);
  try {
    const head = await sliceOf(handle, 0, sniffedBytes);
    const { size: sizeBytes } = await handle.stat();
    return {
      name: path === '-' ? 'stdin' : basename(path),
      head,
      sizeBytes,
      chunks: (start = 0, end = Infinity) =>
        handle.createReadStream({ start, end: end - 1, autoClose: false, highWaterMark: chunkBytes }),
      slice: (begin, bytes) => sliceOf(handle, begin, bytes),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw unreadable(path, error);
  }
}

async function sliceOf(handle: FileHandle, begin: number, bytes: number): Promise<Buffer> {
  const some = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(some, 0, bytes, begin);
  return some.subarray(0, bytesRead);
}

async function openedOrSpooled(path: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
  const stats = await handle.stat();
  if (stats.isFile()) return handle;
  if (stats.isDirectory()) {
    await handle.close();
    throw new UsageError(`${path} is a directory; name one file`);
  }
  return spooled(handle.createReadStream());
}

async function spooled(source: AsyncIterable<Uint8Array>): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-'));
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
  const handle = await open(join(folder, 'rows'), flags, 0o600).finally(() => rm(folder, { recursive: true }));
  try {
    for await (const chunk of source) await handle.appendFile(chunk);
    return handle;
  } catch (error) {
    await handle.close();
    throw unreadable('standard input', error);
  }
}

/** The text, a chunk at a time; every byte as it was read is shown to `onBytes`. */
export async function* utf8Of(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { encoding, skipBytes }: TextFormat,
  onBytes: (bytes: Buffer) => void = () => {},
): AsyncGenerator<Buffer> {
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding);
  let toSkip = skipBytes;
  for await (const chunk of chunks) {
    onBytes(chunk);
    const text = decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
    if (text.length > toSkip) yield text.subarray(toSkip);
    toSkip = Math.max(0, toSkip - text.length);
  }
}
