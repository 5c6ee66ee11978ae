// The claim: the only door to the network. It ends in a claim that is surely ours, or in what stands instead.
import type { MerchantCredentials } from '../gateway/ports.ts';
import { accountOf, matchAccount } from '../gateway/signed-request.ts';
import { type ClaimRequest, decideClaim, newEntry, takenOver, wasClaimedBy } from './claim.ts';
import {
  type Disposition,
  type DispositionPorts,
  type JobDelivery,
  resultOnly,
  waitSteadily,
  wordAbout,
} from './disposition.ts';
import { restsUntilMs } from './due-work.ts';
import { fingerprints, isCancelledBeforehand } from './fingerprint.ts';
import type { Job } from './job.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Limits } from './limits.ts';
import { operations } from '../gateway/operations.ts';
import type { Clock, Fingerprinting, FoundEntry, Ledger } from './ports.ts';
import { calledOffBeforehand, identityOf, rejection, sentElsewhere } from './result.ts';
import { abandoned } from './settlement.ts';

/** How a claim ended. */
export type Claim =
  /** The order is ours to send, once. */
  | { readonly kind: 'claimed'; readonly entry: LedgerEntry }
  | { readonly kind: 'busy'; readonly untilMs: number }
  /** It has had its POSTs of this hour. */
  | { readonly kind: 'rests'; readonly untilMs: number }
  | { readonly kind: 'stands'; readonly entry: LedgerEntry }
  | { readonly kind: 'reused' }
  /** A payment names an order that the ledger has no check of. */
  | { readonly kind: 'unchecked' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The ledger did not answer: the claim may or may not stand, but nothing was or will be sent under it. */
  | { readonly kind: 'unavailable' };

/** Who claims, for how long. */
export interface Claimant {
  readonly owner: string;
  readonly messageId: string;
  readonly sentAtMs?: number;
  readonly leaseMs: number;
  /** By which an order rests that was refused twice; absent where nothing is sent. */
  readonly rest?: Pick<Limits, 'retryMaxDelaySeconds'>;
  /** With what the order is to be sent. */
  readonly credentials: MerchantCredentials;
}

/** What claiming needs. */
export interface ClaimPorts {
  readonly ledger: Ledger;
  readonly fingerprinting: Fingerprinting;
  readonly clock: Clock;
}

/** Races between workers settle in two or three rounds; whoever loses more often than this comes back later. */
const roundsAtMost = 5;

/** Claims the order for one send. Repeats itself under the same owner where the ledger's answer was lost. */
export async function claimOrder(job: Job, claimant: Claimant, ports: ClaimPorts): Promise<Claim> {
  const keys = await ports.fingerprinting.keys();
  const { credentials, ...who } = claimant;
  const { statusInquiry } = credentials.profile;
  const account = accountOf(credentials, job.endpointId);
  const request = { ...who, account, job, fingerprints: fingerprints(job, keys), nowMs: ports.clock.nowMs() };
  const entry = newEntry(request);
  for (let round = 0; round < roundsAtMost; round += 1) {
    try {
      const isPayment = operations[job.operation].step === 'pay';
      // It needs an order that is there: it never puts one.
      const first = isPayment ? await ports.ledger.read(entry.key) : await ports.ledger.claim(entry);
      if (!first) return { kind: 'unchecked' };
      if (first.kind !== 'claimed') return await claimOver(first, { ...request, statusInquiry }, ports);
      return { kind: 'claimed', entry };
    } catch {
      // The SDK has waited between its own attempts; a claim that was written shows our owner in the next round.
      await ports.clock.sleep(50 * 2 ** round);
    }
  }
  return { kind: 'unavailable' };
}

async function claimOver(
  found: FoundEntry,
  request: ClaimRequest & { readonly statusInquiry: boolean; readonly rest?: Claimant['rest'] },
  ports: ClaimPorts,
): Promise<Claim> {
  let stands: FoundEntry = found;
  for (let round = 0; ; round += 1) {
    if (stands.kind === 'unreadable') return stands;
    const { entry } = stands;
    const decision = decideClaim(entry, request);
    // Asked only before a further write: the last one may have won, and nobody else would ever know.
    const wantsWrite = decision.kind === 'take-over' || decision.kind === 'abandoned';
    if (wantsWrite && round === roundsAtMost) return { kind: 'busy', untilMs: request.nowMs };
    switch (decision.kind) {
      case 'ours':
        // Called lost while the ledger's answer was on its way to us: only we know that nothing was sent under it.
        if (entry.state === 'cancelled') return { kind: 'stands', entry };
        if (entry.state !== 'submitting') return { kind: 'unavailable' };
        return { kind: 'claimed', entry };
      case 'busy':
        return decision;
      case 'stands':
        return { kind: 'stands', entry };
      case 'reused':
        return decision;
      case 'unreadable':
        return { kind: 'unreadable', reason: 'its fingerprint was made under a key that this worker does not have' };
      case 'take-over': {
        const untilMs = request.rest ? restsUntilMs(entry, request.rest) : 0;
        if (untilMs > request.nowMs) return { kind: 'rests', untilMs };
        stands = await advanced(entry, takenOver(entry, request), ports.ledger);
        break;
      }
      case 'abandoned':
        stands = await advanced(entry, abandoned(entry, request), ports.ledger);
        break;
    }
  }
}

async function advanced(expected: LedgerEntry, next: LedgerEntry, ledger: Ledger): Promise<FoundEntry> {
  const write = await ledger.advance(expected, next);
  return write.kind === 'advanced' ? { kind: 'found', entry: next } : write;
}

// What a message is told of an order that stands where it can't change it.

/**
 * The order stands. To a new message its result is told only where both are about the same thing: an order that was
 * cancelled before any job of it came knows nothing of this one, and one that was sent to another account (the sandbox,
 * say) is no payment of the account that the message is for. Then the message is told so, and the order left alone.
 */
export function stands(
  entry: LedgerEntry,
  job: Job,
  message: JobDelivery,
  credentials: MerchantCredentials | undefined,
  ports: DispositionPorts,
): Disposition {
  const it = wordAbout(message, ports.clock);
  if (isCancelledBeforehand(entry)) return { kind: 'done', entry, result: calledOffBeforehand({ ...it, job }) };
  const { account } = entry;
  const wasSent = entry.unproven ?? entry.state === 'declined';
  const isElsewhere = credentials && wasSent && matchAccount(entry, credentials).kind === 'unknown';
  if (!isElsewhere || account === undefined || wasClaimedBy(entry, message.originMessageId)) {
    const told = resultOnly(entry);
    // Where there is nothing to tell as yet, nobody may end it in silence.
    return told.result ? told : waitSteadily(undefined, message, ports);
  }
  return { kind: 'done', result: rejection({ ...it, identity: identityOf(job), failure: sentElsewhere(account) }) };
}
