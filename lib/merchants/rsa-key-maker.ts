// New RSA keys, out of the system's cryptographic source.
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyMaker } from './secret-ports.ts';

/** Keys are made in the thread pool; one of 4096 bits takes a second or two. */
export const rsaKeyMaker: KeyMaker = {
  async newPrivateKey(bits) {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
    return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  },
};
