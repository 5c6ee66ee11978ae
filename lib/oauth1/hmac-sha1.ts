// HMAC-SHA1 (RFC 2104) out of two one-shot hashes. `createHmac` makes a stream object for each call, which takes as long
// as the hashing itself; the tests hold this file against it.
import { hash } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 20;

/** RFC 2104 section 2: the key in its two masked forms, one block each. */
interface KeyBlocks {
  /** To be followed by the text that is signed. Latin-1; a key in ASCII gives ASCII, which is the same in UTF-8. */
  readonly inner: string;
  readonly innerIsAscii: boolean;
  /** Bytes, with room for the inner hash after the block. */
  readonly outer: Buffer;
}

// By key object, so that what is derived from a key lives no longer than the key does.
const blocksByKey = new WeakMap<KeyObject, KeyBlocks>();

/** `HMAC-SHA1 (key, text)` in Base64. The text is ASCII, as a signature base string always is. */
export function hmacSha1(key: KeyObject, text: string): string {
  const { inner, innerIsAscii, outer } = blocksByKey.get(key) ?? prepareBlocks(key);
  // RFC 2104 section 2: "H(K XOR opad, H(K XOR ipad, text))". `hash` takes text as UTF-8, and faster than bytes.
  const innerText = inner + text;
  const innerHash = hash('sha1', innerIsAscii ? innerText : Buffer.from(innerText, 'latin1'), 'binary');
  outer.write(innerHash, BLOCK_BYTES, 'latin1');
  return hash('sha1', outer, 'base64');
}

function prepareBlocks(key: KeyObject): KeyBlocks {
  const given = key.export();
  // "Applications that use keys longer than B bytes will first hash the key using H."
  const bytes = given.length > BLOCK_BYTES ? Buffer.from(hash('sha1', given, 'binary'), 'latin1') : given;
  const outer = Buffer.concat([masked(bytes, 0x5c), Buffer.alloc(HASH_BYTES)]);
  const inner = masked(bytes, 0x36).toString('latin1');
  const blocks = { inner, innerIsAscii: bytes.every((byte) => byte < 0x80), outer };
  blocksByKey.set(key, blocks);
  return blocks;
}

function masked(key: Uint8Array, mask: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, mask);
  for (const [index, byte] of key.entries()) block[index] = byte ^ mask;
  return block;
}
