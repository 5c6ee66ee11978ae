// The text of a file in UTF-8, whatever its encoding, without a byte order mark.

import type { TextFormat } from './bulk-format.ts';

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
