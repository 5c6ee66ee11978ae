// What card data on the queue needs from the world: somebody who has the private keys and knows how to open a seal.
import type { Failure } from '../domain/ledger.ts';
import type { SealKey } from '../domain/sealed-params.ts';

/** What came of opening a seal. The content is card data: whoever has it keeps it to himself. */
type OpenedSeal =
  | { readonly kind: 'content'; readonly text: string }
  /** It can't be opened, now or later; the reason never holds a part of it. */
  | { readonly kind: 'unopenable'; readonly reason: string }
  /** Whether it can be opened is not known now. */
  | { readonly kind: 'unavailable'; readonly failure: Failure };

/** Opens what was sealed for the worker. Never rejects. */
export interface CardVault {
  /** Opens a compact JWE under the worker's private key of this id. */
  open(sealed: string, key: SealKey): Promise<OpenedSeal>;
}
