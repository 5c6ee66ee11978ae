// Private keys in every form that a secret store may hold them in. Made fresh: no key is kept in the repository.
import { generateKeyPairSync } from 'node:crypto';

/** A pair of 2048 bits, the least that is taken. */
export const rsaPair = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The same private key, written in both PEM types. */
export const pkcs1Pem: string = rsaPair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
export const pkcs8Pem: string = rsaPair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
