// What a message is told of an order that stands where it can't change it.
import { isCancelledBeforehand, wasClaimedBy } from './claim.ts';
import { type Disposition, type DispositionPorts, type JobMessage, resultOnly, wordAbout } from './disposition.ts';
import type { Job } from './job.ts';
import type { LedgerEntry } from './ledger.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';
import { calledOffBeforehand, identityOf, rejection, sentElsewhere } from './result.ts';
import { matchAccount } from '../gateway/signed-request.ts';

/**
 * The order stands. To a new message its result is told only where both are about the same thing: an order that was
 * cancelled before any job of it came knows nothing of this one, and one that was sent to another account (the sandbox,
 * say) is no payment of the account that the message is for. Then the message is told so, and the order left alone.
 */
export function stands(
  entry: LedgerEntry,
  job: Job,
  message: JobMessage,
  credentials: MerchantCredentials | undefined,
  { clock }: DispositionPorts,
): Disposition {
  const it = wordAbout(message, clock);
  if (isCancelledBeforehand(entry)) return { kind: 'done', entry, result: calledOffBeforehand({ ...it, job }) };
  const { account } = entry;
  const wasSent = entry.unproven ?? entry.state === 'declined';
  const isElsewhere = credentials && wasSent && matchAccount(entry, credentials).kind === 'unknown';
  if (!isElsewhere || account === undefined || wasClaimedBy(entry, message.originMessageId)) return resultOnly(entry);
  return { kind: 'done', result: rejection({ ...it, identity: identityOf(job), failure: sentElsewhere(account) }) };
}
