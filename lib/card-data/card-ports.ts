// What card data on the queue needs from the world: somebody who has the private keys and knows how to open a seal.
import type { Failure } from '../payout/failures.ts';
import type { SealedOrder, SealKey } from './sealed-params.ts';
import type { CardKey } from '../payout/ports.ts';

/** What came of opening a seal. The content is card data: whoever has it keeps it to himself. */
type OpenedSeal =
  | { readonly kind: 'content'; readonly text: string }
  /** It can't be opened, now or later; the reason never holds a part of it. */
  | { readonly kind: 'unopenable'; readonly reason: string }
  /** Whether it can be opened is not known now. */
  | { readonly kind: 'unavailable'; readonly failure: Failure };

/** Opens what was sealed for the worker. Never rejects. */
export interface CardDecrypter {
  /** Opens a compact JWE under the worker's private key of this id. */
  open(sealed: string, key: SealKey): Promise<OpenedSeal>;
  /** Opens a single-use field under the key of its order; undefined when it is not sealed under this one. */
  openCode(sealed: string, key: CardKey): Promise<string | undefined>;
}

/** What became of a key that a sender brought. */
export type Deposit =
  /** Under this key the order's single-use card data is to be sealed: the one brought, or the one that stood there. */
  | { readonly kind: 'key'; readonly key: CardKey }
  /** The order is claimed or has ended: no key of it will ever be handed out again. */
  | { readonly kind: 'closed' };

/** Where senders leave the keys of single-use card data, at the order's own place in the ledger. */
export interface CardKeyStore {
  /**
   * Leaves a key for an order that nobody has claimed yet, or that waits to be claimed anew. The first key stays: every
   * copy that is sealed before the claim is sealed under the same one. A call that rejects may be repeated.
   */
  deposit(order: SealedOrder, key: CardKey): Promise<Deposit>;
}
