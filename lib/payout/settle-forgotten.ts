// An answer whose claim the ledger does not know is written all the same, or noted, and then told: it is never dropped, and
// its order is not sent again.
import {
  type Disposition,
  type DispositionPorts,
  type JobMessage,
  resultOnly,
  waitUntil,
  waitWith,
} from './disposition.ts';
import { fingerprints } from './fingerprint.ts';
import { afterForgottenClaim } from './forgotten-claim.ts';
import type { Job } from './job.ts';
import type { LedgerEntry } from './ledger.ts';
import type { PendingOutcome } from './pending-outcome.ts';
import type { Fingerprinting, Ledger, Log } from './ports.ts';

/** What it needs. */
export interface ForgottenPorts extends DispositionPorts {
  readonly ledger: Pick<Ledger, 'claim' | 'advance'>;
  readonly fingerprinting: Fingerprinting;
  readonly log: Log;
}

/** The ledger does not know the claim that the answer is of; undefined where nothing follows from it. */
export async function settleForgotten(
  job: Job,
  entry: LedgerEntry | undefined,
  answer: PendingOutcome,
  message: JobMessage,
  ports: ForgottenPorts,
): Promise<Disposition | undefined> {
  const { owner, account, messageId = message.originMessageId } = answer;
  try {
    const made = fingerprints(job, await ports.fingerprinting.keys());
    const claim = { job, fingerprints: made, owner, messageId, leaseMs: 0 };
    const request = { ...claim, nowMs: ports.clock.nowMs(), ...(account !== undefined && { account }) };
    const forgotten = afterForgottenClaim(entry, request, answer);
    if (forgotten.kind === 'nothing') return undefined;
    if (forgotten.kind === 'wait') return { ...waitUntil(forgotten.untilMs, message, ports), answer } as Disposition;
    const { next } = forgotten;
    if (forgotten.kind === 'noted') {
      const { orderId, merchant, state } = next;
      ports.log.write('error', 'answer-overtaken', { merchant, orderId, state, ...gatewayIdOf(answer) });
      if (next === entry) return resultOnly(next);
    }
    const write = entry ? await ports.ledger.advance(entry, next) : await ports.ledger.claim(next);
    if (write.kind === 'advanced' || write.kind === 'claimed') return resultOnly(next);
  } catch {
    // Whatever was written is found by the next delivery.
  }
  return waitWith(answer, message, ports);
}

function gatewayIdOf({ outcome }: PendingOutcome): { readonly gatewayOrderId?: string } {
  const id = 'gatewayOrderId' in outcome ? outcome.gatewayOrderId : undefined;
  return id === undefined ? {} : { gatewayOrderId: id };
}
