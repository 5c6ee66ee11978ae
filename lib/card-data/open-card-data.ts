// The gate of card data: a seal is opened. It is asked before all others, which judge the opened job; a seal that cannot be opened
// takes nothing away from the order. Card data in the clear never comes so far: its message was refused when it was read.
import type { Gate, Verdict } from '../payout/gates.ts';
import type { Job } from '../payout/message/job.ts';
import { orderKey } from '../payout/order/order.ts';
import type { SingleUseCode } from '../payout/ports.ts';
import type { Failure } from '../payout/message/failures.ts';
import {
  type CardKey,
  type ClaimedCardKeys,
  readSealKey,
  type SealKey,
  unsealed,
  whyNotBound,
  withCode,
} from './sealed-params.ts';

/** The ports of the gate. */
export interface CardDataPorts {
  readonly cardDecrypter: Pick<CardDecrypter, 'open'>;
}

/** The worker's gate. The job goes on opened. */
export function cardDataGate(ports: CardDataPorts): Gate {
  return async ({ job }) => (job.sealedParams === undefined ? { kind: 'go' } : openSeal(job, job.sealedParams, ports));
}

/** The same without card keys: the checks of a seal that need no opening. */
export const closedCardDataGate: Gate = async ({ job }) => {
  if (job.sealedParams === undefined) return { kind: 'go' };
  const key = readSealKey(job.sealedParams, job);
  if (key.kind === 'fault') return invalid(key.fault);
  // A person who reads and writes the queue must not charge the sealed card another amount, or pay another receiver.
  const why = whyNotBound(key.value, job);
  return why === undefined ? { kind: 'go' } : invalid(why);
};

async function openSeal(job: Job, sealed: string, { cardDecrypter }: CardDataPorts): Promise<Verdict> {
  const key = readSealKey(sealed, job);
  if (key.kind === 'fault') return invalid(key.fault);
  const opened = await cardDecrypter.open(sealed, key.value);
  if (opened.kind === 'unavailable') return { kind: 'wait', because: opened.failure };
  if (opened.kind === 'unopenable') return invalid(`sealedParams ${opened.reason}`);
  // Its header is proven now: it holds the digest of the clear fields beside it.
  const why = whyNotBound(key.value, job);
  if (why !== undefined) return invalid(why);
  const whole = unsealed(job, opened.text);
  return whole.kind === 'fault' ? invalid(whole.fault) : { kind: 'go', job: whole.value };
}

function invalid(message: string): Verdict {
  return { kind: 'refuse', failure: { code: 'SEALED_PARAMS_INVALID', message } };
}

/**
 * Opens the CVV of a claimed order by its key, which is taken for that: this attempt is the only one there can be. The claim
 * comes first. A worker that took the key before it could lose the race for the order, and the CVV with it; one that dies between
 * the two leaves a claimed order, which is not sent again, beside a key, which the sweeper destroys.
 */
export function createSingleUseCode(
  { openCode }: Pick<CardDecrypter, 'openCode'>,
  { take }: Pick<ClaimedCardKeys, 'take'>,
): SingleUseCode {
  return {
    async open(job) {
      const { sealedCode } = job;
      if (!sealedCode) return undefined;
      const { keyId, sealed } = sealedCode;
      // Without an answer the key may be gone, and no other worker has it: the order asks for new card data.
      const key = await take(orderKey(job), keyId).catch(() => undefined);
      const code = key && (await openCode(sealed, key));
      return code === undefined ? undefined : withCode(job, code);
    },
  };
}

/** The outcome of opening a seal. The content is card data: its holder must not pass it on. */
type OpenedSeal =
  | { readonly kind: 'content'; readonly text: string }
  /** The seal can't be opened, now or later; the reason never holds a part of it. */
  | { readonly kind: 'unopenable'; readonly reason: string }
  /** Whether it can be opened is not known now. */
  | { readonly kind: 'unavailable'; readonly failure: Failure };

/** Opens seals that were made for the worker. Never rejects. */
export interface CardDecrypter {
  /** Opens a compact JWE under the worker's private key of this id. */
  open(sealed: string, key: SealKey): Promise<OpenedSeal>;
  /** Opens a single-use field under the key of its order; undefined when it is not sealed under this one. */
  openCode(sealed: string, key: CardKey): Promise<string | undefined>;
}
