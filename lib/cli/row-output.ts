// Where rows are written: standard output or a file, no faster than it takes them.
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { UsageError } from './usage-error.ts';

/** A place for text. */
export interface RowOutput {
  write(text: string): Promise<void>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Opens a file of this user alone, or standard output without a path. Throws UsageError where it can't be written. */
export async function openRowOutput(path?: string): Promise<RowOutput> {
  if (path === undefined) return outputOver(process.stdout, async () => {});
  const stream = createWriteStream(path, { mode: 0o600 });
  try {
    await once(stream, 'open');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`can't write ${path} (${code})`);
  }
  return outputOver(stream, async () => {
    stream.end();
    await once(stream, 'close');
  });
}

function outputOver(stream: NodeJS.WritableStream, close: () => Promise<void>): RowOutput {
  let failure: Error | undefined;
  let isGone = false;
  // Whoever reads only the head of it is not an error.
  stream.on('error', (error: Error & { code?: string }) => {
    isGone = true;
    if (error.code !== 'EPIPE') failure = error;
  });
  return {
    async write(text) {
      if (failure) throw failure;
      if (!isGone && !stream.write(text)) await once(stream, 'drain').catch(() => {});
    },
    close,
  };
}
