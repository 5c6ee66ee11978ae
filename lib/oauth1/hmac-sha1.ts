// HMAC-SHA1 (RFC 2104) out of two one-shot hashes. `createHmac` makes a stream object for each call, which takes as long
// as the hashing itself; the tests hold this file against it.
import { hash } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const BLOCK_BYTES = 64;

/** RFC 2104 section 2: the key in its two masked forms, one block each, as Latin-1 text. */
interface KeyBlocks {
  readonly inner: string;
  readonly outer: string;
}

// By key object, so that what is derived from a key lives no longer than the key does.
const blocksByKey = new WeakMap<KeyObject, KeyBlocks>();

/** `HMAC-SHA1 (key, text)` in Base64. The text is ASCII, as a signature base string always is. */
export function hmacSha1(key: KeyObject, text: string): string {
  const { inner, outer } = blocksByKey.get(key) ?? prepareBlocks(key);
  // RFC 2104 section 2: "H(K XOR opad, H(K XOR ipad, text))"
  const innerHash = hash('sha1', Buffer.from(inner + text, 'latin1'), 'binary');
  return hash('sha1', Buffer.from(outer + innerHash, 'latin1'), 'base64');
}

function prepareBlocks(key: KeyObject): KeyBlocks {
  const given = key.export();
  // "Applications that use keys longer than B bytes will first hash the key using H."
  const bytes = given.length > BLOCK_BYTES ? Buffer.from(hash('sha1', given, 'binary'), 'latin1') : given;
  const blocks = { inner: masked(bytes, 0x36), outer: masked(bytes, 0x5c) };
  blocksByKey.set(key, blocks);
  return blocks;
}

function masked(key: Uint8Array, mask: number): string {
  const block = Buffer.alloc(BLOCK_BYTES, mask);
  for (const [index, byte] of key.entries()) block[index] = byte ^ mask;
  return block.toString('latin1');
}
