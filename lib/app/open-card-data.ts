// Card data on the queue: what stands in the clear is refused unless the merchant's profile accepts it. Judged before
// anything waits or is claimed, so that no copy of it goes round.
import { plainCardFields } from '../domain/card-data.ts';
import type { Job } from '../domain/job.ts';
import type { Failure } from '../domain/ledger.ts';
import type { Credentials } from './ports.ts';

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
}

/** Holds the job's card data against the merchant's profile. Asks for the profile only where there is some. */
export async function openCardData(job: Job, { credentials }: OpenCardDataPorts): Promise<OpenedJob> {
  const plain = plainCardFields(job);
  if (plain.length === 0) return { kind: 'opened', job };
  const answer = await credentials.of(job.merchant);
  if (answer.kind === 'unavailable') return { kind: 'unavailable', failure: answer.failure };
  if (answer.credentials.profile.plainCardData === 'accepted') return { kind: 'opened', job };
  const message = `params ${plain.join(', ')} stand in the clear; put them into sealedParams, or send references`;
  return { kind: 'refused', failure: { code: 'PLAIN_CARD_DATA', message } };
}
