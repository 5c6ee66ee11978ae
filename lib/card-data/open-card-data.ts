// The gate of card data: a seal is opened, and card data in the clear is refused unless the merchant's profile accepts
// it. It is asked before all others: no copy of plain card data goes round, and a seal that can't be opened takes nothing away
// from the order.
import { cardNumbersInText, plainCardFields, refusedCardFields } from '../payout/message/card-fields.ts';
import type { Failure } from '../payout/message/failures.ts';
import type { Gate, Verdict } from '../payout/gates.ts';
import { passesForCard } from '../payout/message/job-fields.ts';
import type { Job } from '../payout/message/job.ts';
import { orderKey } from '../payout/order/order.ts';
import type { CardKey, SingleUseCode } from '../payout/ports.ts';
import { type ClaimedCardKeys, readSealKey, type SealKey, unsealed, whyNotBound, withCode } from './sealed-params.ts';
import type { Credentials } from '../gateway/ports.ts';

/** The ports of the gate. */
export interface CardDataPorts {
  readonly credentials: Credentials;
  readonly cardDecrypter: Pick<CardDecrypter, 'open'>;
}

type ClosedPorts = Pick<CardDataPorts, 'credentials'>;

/** The worker's gate. Asks for profile and keys only where there is card data; the job goes on opened. */
export function cardDataGate(ports: CardDataPorts): Gate['ask'] {
  return async ({ job }) => {
    const verdict = await judgePlain(job, ports.credentials);
    if (verdict.kind !== 'go' || job.sealedParams === undefined) return verdict;
    return openSeal(job, job.sealedParams, ports);
  };
}

/** The same without card keys: the checks of card data that need no opening. */
export function closedCardDataGate(ports: ClosedPorts): Gate['ask'] {
  return ({ job }) => judgeClosed(job, ports);
}

async function judgeClosed(job: Job, { credentials }: ClosedPorts): Promise<Verdict> {
  const plain = await judgePlain(job, credentials);
  if (plain.kind !== 'go' || job.sealedParams === undefined) return plain;
  const key = readSealKey(job.sealedParams, job);
  if (key.kind === 'fault') return invalid(key.fault);
  // A person who reads and writes the queue must not charge the sealed card another amount, or pay another receiver.
  const why = whyNotBound(key.value, job);
  return why === undefined ? plain : invalid(why);
}

async function judgePlain(job: Job, credentials: Credentials): Promise<Verdict> {
  const plain = plainCardFields(job);
  const written = cardNumbersInText(job);
  if (plain.length + written.length === 0) return { kind: 'go' };
  const texts = written.filter((name) => name !== 'orderId');
  const answer = await credentials.of(job.merchant);
  if (answer.kind === 'unavailable') return unknown(answer.failure);
  if (refusedCardFields(job, answer.credentials.profile).length === 0) return { kind: 'go' };
  const message = [
    ...(plain.length > 0
      ? [`params ${plain.join(', ')} stand in the clear; put them into sealedParams, or send references`]
      : []),
    ...written.filter((name) => name === 'orderId').map((name) => `${name} ${passesForCard(job.orderId)}`),
    ...(texts.length > 0 ? [`${texts.join(', ')}: digits that pass for a card number; leave them out`] : []),
  ].join('; ');
  return { kind: 'refuse', failure: { code: 'PLAIN_CARD_DATA', message } };
}

async function openSeal(job: Job, sealed: string, { cardDecrypter }: CardDataPorts): Promise<Verdict> {
  const key = readSealKey(sealed, job);
  if (key.kind === 'fault') return invalid(key.fault);
  const opened = await cardDecrypter.open(sealed, key.value);
  if (opened.kind === 'unavailable') return unknown(opened.failure);
  if (opened.kind === 'unopenable') return invalid(`sealedParams ${opened.reason}`);
  // Its header is proven now: it holds the digest of the clear fields beside it.
  const why = whyNotBound(key.value, job);
  if (why !== undefined) return invalid(why);
  const whole = unsealed(job, opened.text);
  return whole.kind === 'fault' ? invalid(whole.fault) : { kind: 'go', job: whole.value };
}

/** The job may hold card data in the clear, so it is not copied. */
function unknown(failure: Failure): Verdict {
  return { kind: 'wait', because: failure, isNotKept: true };
}

function invalid(message: string): Verdict {
  return { kind: 'refuse', failure: { code: 'SEALED_PARAMS_INVALID', message } };
}

/**
 * Opens the CVV of a claimed order by its key, which is taken for that: this attempt is the only one there can be. The claim
 * comes first. A worker that took the key before it could lose the race for the order, and the CVV with it; one that dies between
 * the two leaves a claimed order, which nobody sends again, beside a key, which the sweeper destroys.
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
