// The bytes of an answer as text. No content coding is asked for; one that comes all the same is undone by the platform,
// within the same bound as plain text. What can't be undone is unread, and unread is not refused.

/** The text, or why there is none. */
export type BodyText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** What the answer's headers say of its body. */
export interface BodyHeaders {
  readonly contentEncoding?: string | undefined;
  readonly contentType?: string | undefined;
}

/** A gateway that codes its answers twice is none that we know. */
const codingsAtMost = 2;

/** Reads the bytes; the text is never longer than `limitBytes` bytes. Never throws. */
export function bodyText(bytes: Buffer, headers: BodyHeaders, limitBytes: number): BodyText {
  const codings = (headers.contentEncoding ?? '')
    .split(',', codingsAtMost + 1)
    .map((it) => it.trim().toLowerCase())
    .filter((it) => it !== '' && it !== 'identity');
  if (codings.length > codingsAtMost) return { kind: 'unreadable', reason: 'the answer is coded too often' };
  try {
    const plain = codings.reduceRight((coded, coding) => decoded(coded, coding, limitBytes), bytes);
    return { kind: 'text', text: textOf(plain, charsetOf(headers.contentType)) };
  } catch {
    return { kind: 'unreadable', reason: 'the content coding or charset of the answer could not be read' };
  }
}

/** Throws on a coding that it does not know, on bytes that are none of it, and on more bytes than the limit. */
function decoded(bytes: Buffer, coding: string, maxOutputLength: number): Buffer {
  // By name where it is needed: the usual answer has no coding, and a cold start need not load what undoes one.
  const { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } = process.getBuiltinModule('node:zlib');
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, { maxOutputLength });
    case 'br':
      return brotliDecompressSync(bytes, { maxOutputLength });
    case 'deflate': {
      // RFC 9110 section 8.4.1.2: some send it without the zlib wrapper, whose first byte ends in 8.
      const isWrapped = ((bytes[0] ?? 0) & 0x0f) === 8;
      return isWrapped ? inflateSync(bytes, { maxOutputLength }) : inflateRawSync(bytes, { maxOutputLength });
    }
    default:
      throw new RangeError('an unknown content coding');
  }
}

function charsetOf(contentType = ''): string | undefined {
  return /;\s?charset="?([\w.:-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase();
}

/** Throws on a charset that nobody knows, and on bytes that are none of it. */
function textOf(bytes: Buffer, charset: string | undefined): string {
  if (charset !== undefined) return new TextDecoder(charset, { fatal: true }).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not said, and not UTF-8: the charset of the interface document, in which every octet is a character.
    return bytes.toString('latin1');
  }
}
