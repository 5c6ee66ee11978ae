// Card data on the queue: a seal is opened, and what stands in the clear is refused unless the merchant's profile accepts
// it. All of this comes before anything waits or is claimed: no copy of plain card data goes round, and what can't be
// opened takes nothing away from the order.
import { cardNumbersInText, plainCardFields, refusedCardFields } from './card-data.ts';
import type { Job } from '../payout/job.ts';
import type { Failure } from '../payout/failures.ts';
import { readSealKey, unsealed } from './sealed-params.ts';
import type { CardDecrypter } from './card-ports.ts';
import type { Credentials } from '../payout/ports.ts';

/** The job as it may be claimed, or why not. Nothing was sent. */
export type OpenedJob =
  | { readonly kind: 'opened'; readonly job: Job }
  /** It can't be taken as it is, now or later. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** Whether it can be taken is not known now. */
  | { readonly kind: 'unavailable'; readonly failure: Failure };

/** What it takes. */
export interface OpenCardDataPorts {
  readonly credentials: Credentials;
  readonly cardDecrypter: CardDecrypter;
}

/** Opens the job's card data. Asks for profile and keys only where there is some. */
export async function openCardData(job: Job, ports: OpenCardDataPorts): Promise<OpenedJob> {
  const judged = await judgeClosed(job, ports);
  if (judged.kind !== 'opened' || job.sealedParams === undefined) return judged;
  return openSeal(job, job.sealedParams, ports);
}

/** What can be said of the job's card data without opening it; `opened` is the job as it came. */
export async function judgeClosed(job: Job, ports: Pick<OpenCardDataPorts, 'credentials'>): Promise<OpenedJob> {
  const plain = await judgePlain(job, ports);
  if (plain.kind !== 'opened' || job.sealedParams === undefined) return plain;
  const key = readSealKey(job.sealedParams, job);
  return key.kind === 'fault' ? invalid(key.fault) : plain;
}

async function judgePlain(job: Job, { credentials }: Pick<OpenCardDataPorts, 'credentials'>): Promise<OpenedJob> {
  const plain = plainCardFields(job);
  const written = cardNumbersInText(job);
  if (plain.length + written.length === 0) return { kind: 'opened', job };
  const answer = await credentials.of(job.merchant);
  if (answer.kind === 'unavailable') return answer;
  if (refusedCardFields(job, answer.credentials.profile).length === 0) return { kind: 'opened', job };
  const message = [
    ...(plain.length > 0
      ? [`params ${plain.join(', ')} stand in the clear; put them into sealedParams, or send references`]
      : []),
    ...(written.length > 0 ? [`${written.join(', ')}: digits that pass for a card number; leave them out`] : []),
  ].join('; ');
  return { kind: 'refused', failure: { code: 'PLAIN_CARD_DATA', message } };
}

async function openSeal(job: Job, sealed: string, ports: OpenCardDataPorts): Promise<OpenedJob> {
  const key = readSealKey(sealed, job);
  if (key.kind === 'fault') return invalid(key.fault);
  const opened = await ports.cardDecrypter.open(sealed, key.value);
  if (opened.kind === 'unavailable') return opened;
  if (opened.kind === 'unopenable') return invalid(`sealedParams ${opened.reason}`);
  const whole = unsealed(job, opened.text);
  if (whole.kind === 'fault') return invalid(whole.fault);
  return whole.value.sealedCode ? withSecretAtHand(whole.value, ports) : { kind: 'opened', job: whole.value };
}

/** The claim spends the CVV: an order that could not be signed then must not come so far. */
async function withSecretAtHand(job: Job, { credentials }: OpenCardDataPorts): Promise<OpenedJob> {
  const answer = await credentials.of(job.merchant);
  return answer.kind === 'unavailable' ? answer : { kind: 'opened', job };
}

function invalid(message: string): OpenedJob {
  return { kind: 'refused', failure: { code: 'SEALED_PARAMS_INVALID', message } };
}
