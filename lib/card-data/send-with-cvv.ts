// Sending an order whose CVV was sealed under a key of its own: the claim was handed that key and destroyed it, so this
// attempt is the only one there can be. What is proven not sent then waits for new card data; it is never sent again as
// it is, and never without the CVV.
import type { Job } from '../payout/job.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import { withCode } from './sealed-params.ts';
import { type CardKey } from '../payout/ports.ts';
import { afterSingleUse, newCardDataNeeded } from '../payout/cvv.ts';
import type { CardDecrypter } from './card-ports.ts';
import type { Attempt } from '../payout/send-order.ts';
import { type CappedSendPorts, sendWithinCaps } from '../payout/send-within-caps.ts';

/** What sending card data needs. */
export interface SingleUsePorts extends CappedSendPorts {
  readonly cardDecrypter: CardDecrypter;
}

/** What was claimed. */
interface Claimed {
  readonly entry: LedgerEntry;
  readonly cardKey?: CardKey;
}

/** Sends the claimed order, with its CVV where it has one. Never rejects once a POST may have left. */
export async function sendClaimed(
  job: Job,
  { entry, cardKey }: Claimed,
  notAfterMs: number,
  ports: SingleUsePorts,
): Promise<Attempt> {
  if (!job.sealedCode) return sendWithinCaps(job, entry, notAfterMs, ports);
  const whole = await opened(job, cardKey, ports);
  if (!whole) return withoutCode(entry);
  const attempt = await sendWithinCaps(whole, entry, notAfterMs, ports);
  return { ...attempt, outcome: afterSingleUse(attempt.outcome) };
}

async function opened(job: Job, key: CardKey | undefined, { cardDecrypter }: SingleUsePorts): Promise<Job | undefined> {
  const { sealedCode } = job;
  if (!sealedCode || key?.id !== sealedCode.keyId) return undefined;
  const code = await cardDecrypter.openCode(sealedCode.sealed, key);
  return code === undefined ? undefined : withCode(job, code);
}

function withoutCode({ attempts }: LedgerEntry): Attempt {
  const failure = newCardDataNeeded('the CVV can not be read any more');
  return { outcome: { kind: 'spent', failure }, attempts, statusInquiry: false };
}
