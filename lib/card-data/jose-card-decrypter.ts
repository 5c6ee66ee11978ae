// Seals opened by jose. The library is loaded with the first sealed job: most workers never see one, and their cold start
// should not pay for it.
import type { CardDecrypter } from './open-card-data.ts';
import { sealEncryption } from './sealed-params.ts';
import type { CardKeys } from './secrets-manager-card-keys.ts';

/** A vault over these keys. */
export function createJoseCardDecrypter({ keys }: { readonly keys: CardKeys }): CardDecrypter {
  return {
    async open(sealed, { kid, alg }) {
      const found = await keys.of(kid);
      if (found.kind === 'unavailable') return found;
      if (found.kind === 'unknown') return unopenable('is sealed under a key that the worker does not have (kid)');
      if (found.alg !== alg) return unopenable(`is sealed by ${alg}, which its key is not for (${found.alg})`);
      const text = await decrypted(sealed, found.key, alg);
      return text === undefined
        ? unopenable('was changed on its way, or is sealed for another key of the same id')
        : { kind: 'content', text };
    },
    openCode: (sealed, { secret }) => decrypted(sealed, Buffer.from(secret, 'base64url'), 'dir'),
  };
}

function unopenable(reason: string) {
  return { kind: 'unopenable', reason } as const;
}

/** The reason why it can't be decrypted is not returned: it could serve an attacker who tries keys or changed texts. */
async function decrypted(
  jwe: string,
  key: Parameters<typeof import('jose/jwe/compact/decrypt').compactDecrypt>[1],
  alg: string,
): Promise<string | undefined> {
  const { compactDecrypt } = await import('jose/jwe/compact/decrypt');
  try {
    const { plaintext } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: [alg],
      contentEncryptionAlgorithms: [sealEncryption],
    });
    return new TextDecoder('utf-8', { fatal: true }).decode(plaintext);
  } catch {
    return undefined;
  }
}
