// Where rows are written: standard output or a file, no faster than it takes them.
import { createWriteStream, rmSync } from 'node:fs';
import { lstat, realpath, rename } from 'node:fs/promises';
import { once } from 'node:events';
import { parse } from 'node:path';
import { finished } from 'node:stream/promises';
import { cutShort, unwritable } from './file-failure.ts';

/** A place for text. */
export interface RowOutput {
  /** Throws FileWriteError if the disk does not take it. */
  write(text: string | Uint8Array): Promise<void>;
  /** Resolves when everything is written. Throws FileWriteError. */
  close(): Promise<void>;
}

/**
 * Opens a file of this user alone, or standard output without a path. The file is written beside its place and put there
 * when it is whole: what ends early leaves what was there before, and no beginning of a file. Throws UsageError if it
 * can't be made.
 */
export async function openRowOutput(path?: string, link: 'stays' | 'goes' = 'stays'): Promise<RowOutput> {
  if (path === undefined) return outputOver(process.stdout, 'standard output', async () => {});
  const place = await placeOf(path, link);
  // Made anew: nothing that somebody has laid in this place is written through.
  if (place.isAside) rmSync(place.written, { force: true });
  const stream = createWriteStream(place.written, { mode: 0o600, ...(place.isAside && { flags: 'wx' }) });
  try {
    await once(stream, 'open');
  } catch (error) {
    throw unwritable(path, error);
  }
  const leaveNothing = () => rmSync(place.written, { force: true });
  if (place.isAside) process.once('exit', leaveNothing);
  return outputOver(stream, path, async () => {
    stream.end();
    await finished(stream);
    if (!place.isAside) return;
    await rename(place.written, place.named);
    process.off('exit', leaveNothing);
  });
}

/**
 * Devices and pipes are written to as they are. A link that a person names stays one; in the place of a file whose name we made, it
 * goes, as that was not meant. Throws UsageError for a folder.
 */
async function placeOf(
  path: string,
  link: 'stays' | 'goes',
): Promise<{ named: string; written: string; isAside: boolean }> {
  const named = link === 'goes' ? path : await realpath(path).catch(() => path);
  const found = await lstat(named).catch(() => undefined);
  if (found?.isDirectory()) throw unwritable(path, Object.assign(new Error(), { code: 'EISDIR' }));
  const isAside = found === undefined || found.isFile() || (link === 'goes' && found.isSymbolicLink());
  return { named, written: isAside ? `${named}.${process.pid}.part` : named, isAside };
}

function outputOver(stream: NodeJS.WritableStream, name: string, close: () => Promise<void>): RowOutput {
  let failure: Error | undefined;
  let isGone = false;
  // A reader who takes only the head of it is no error.
  stream.on('error', (error: Error & { code?: string }) => {
    isGone = true;
    if (error.code !== 'EPIPE') failure = error;
  });
  return {
    async write(text) {
      if (failure) throw cutShort(name, failure);
      if (!isGone && !stream.write(text)) await once(stream, 'drain').catch(() => {});
    },
    async close() {
      await close().catch((error: unknown) => {
        throw cutShort(name, failure ?? error);
      });
    },
  };
}

/** Opens a file of rows, whose sums go into a file beside it, as in `november.totals.csv`; `stream` in the place of standard output. */
export async function openRowsWithTotals(output: string | undefined, stream?: RowOutput) {
  const rows = stream ?? (await openRowOutput(output));
  return {
    write: rows.write,
    /** Ends it; answers with the files that were written. Without a name the sums are not written. */
    async close(totalsText: string): Promise<readonly string[]> {
      await rows.close();
      if (output === undefined) return [];
      const { dir, name, ext } = parse(output);
      const beside = `${dir === '' ? '' : `${dir}/`}${name}.totals${ext}`;
      const totals = await openRowOutput(beside);
      await totals.write(totalsText);
      await totals.close();
      return [output, beside];
    },
  };
}

/** One JSON object a line. */
export const jsonLines = (values: readonly object[]): string => values.map((it) => `${JSON.stringify(it)}\n`).join('');
