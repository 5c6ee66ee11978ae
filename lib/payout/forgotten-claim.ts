// An answer that rides on its message although the ledger does not know its claim: the table is empty, older, or says that
// it was restored. The claim is written as it was, and the answer over it, so that the gateway's id is kept and the order
// is not sent again. Only answers of attempts that may have been processed, or that the gateway refused, are worth it.
import { operations } from '../gateway/operations.ts';
import { type ClaimRequest, newEntry, takenOver, wasClaimedBy } from './claim.ts';
import {
  type Disposition,
  type DispositionPorts,
  type JobDelivery,
  resultOnly,
  waitUntil,
  waitWith,
} from './disposition.ts';
import { fingerprints, namedByPayment } from './fingerprint.ts';
import type { Job } from './job.ts';
import { afterForgotten } from './due-work.ts';
import { type LedgerEntry, moved, isNeverSent } from './ledger.ts';
import { oneOfForgotten, withForgottenAttempt, withWord } from './order-history.ts';
import type { PendingOutcome } from './outcome.ts';
import type { Fingerprinting, Ledger, Log } from './ports.ts';
import { type LateIds, settled, withLateIds } from './settlement.ts';

/** What becomes of it. */
export type Forgotten =
  /** The answer proves that its attempt was not processed: the order goes on as if there were none. */
  | { readonly kind: 'nothing' }
  /** To be written over what stands there; put where nothing does. */
  | { readonly kind: 'write'; readonly next: LedgerEntry }
  /** Another claim is at the order: the answer waits for its end. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** It stands, and this answer of another attempt is only noted: for a person. */
  | { readonly kind: 'noted'; readonly next: LedgerEntry };

/** Decides it; `request` is the claim as it was, with its owner. */
export function afterForgottenClaim(
  entry: LedgerEntry | undefined,
  request: ClaimRequest,
  answer: PendingOutcome,
): Forgotten {
  const { outcome } = answer;
  if (outcome.kind !== 'accepted' && outcome.kind !== 'in-doubt' && outcome.kind !== 'declined')
    return { kind: 'nothing' };
  // A check may simply be asked again.
  if (!operations[request.job.operation].movesMoney) return { kind: 'nothing' };
  const isKnown = entry !== undefined && knowsAttempt(entry, request, answer);
  // That it came to nothing, or to doubt, was written already; what was made of it since stands. But for its ids.
  if (isKnown && (outcome.kind !== 'accepted' || entry.owner === answer.owner)) {
    const next = withLateIds(entry, attemptOf(entry, answer), request.nowMs);
    if (next === entry) return { kind: 'nothing' };
    return entry.state === 'submitting' ? { kind: 'wait', untilMs: entry.leaseUntilMs } : { kind: 'noted', next };
  }
  const claimed = forgottenClaim(entry, request, isKnown);
  if (claimed) {
    const next = withForgottenAttempt(underNewId(claimed, request.nowMs));
    return { kind: 'write', next: answeredAs(next, ofOneAttempt(answer), request.nowMs) };
  }
  return entry ? overtaken(entry, request, answer) : { kind: 'nothing' };
}

/** True where the entry has come as far: it may know an attempt of this very message, and be older than the one that answered. */
const knowsAttempt = (entry: LedgerEntry, { messageId }: ClaimRequest, { owner, attempts }: PendingOutcome): boolean =>
  wasClaimedBy(entry, messageId) && (entry.owner === owner || entry.attempts >= attempts);

/** No result that was told in the time that is forgotten may be told again with another content. */
const underNewId = (entry: LedgerEntry, nowMs: number): LedgerEntry => ({
  ...entry,
  revision: afterForgotten(entry.revision, nowMs),
});

/** The claim as it was, over an order that is not there, or of which nothing had been sent before; undefined elsewhere. */
function forgottenClaim(entry: LedgerEntry | undefined, request: ClaimRequest, isKnown: boolean) {
  if (!entry) return newEntry(request);
  if (isNeverSent(entry) && !isKnown) return takenOver(entry, request);
  // The check of a payout in two steps, which moves no money: its payment was claimed once it had come to rest.
  const isPaid = operations[request.job.operation].step === 'pay' && operations[entry.operation].step === 'check';
  if (!isPaid || !isUnderWay.has(entry.state)) return undefined;
  const { owner, messageId, nowMs: leaseUntilMs, account } = request;
  const named = { ...namedByPayment(entry, request.job), ...(account !== undefined && { account }) };
  const { inquiries: _i, dueAtMs: _d, overdue: _o, failure: _f, unpublished: _u, ...rest } = entry;
  return { ...rest, ...named, state: 'submitting', final: false, owner, messageId, leaseUntilMs } as LedgerEntry;
}

const isUnderWay: ReadonlySet<LedgerEntry['state']> = new Set(['accepted', 'in-doubt', 'held']);

/** What stands there was made without the answer. */
function overtaken(stands: LedgerEntry, { job, nowMs }: ClaimRequest, answer: PendingOutcome): Forgotten {
  const { state } = stands;
  if (state === 'submitting') return { kind: 'wait', untilMs: stands.leaseUntilMs };
  if (answer.outcome.kind !== 'accepted' || state === 'accepted' || state === 'approved' || state === 'declined') {
    const next = noted(stands, answer, nowMs);
    return { kind: 'noted', next: next === stands ? stands : underNewId(next, nowMs) };
  }
  const entry = beside({ ...underNewId(stands, nowMs), ...namedByPayment(stands, job) }, answer);
  const isDoubt = state === 'in-doubt' || state === 'held';
  const next = isDoubt ? answeredAs(entry, answer, nowMs) : moved(entry, acceptance(answer, nowMs));
  return { kind: 'write', next: withIds(next, answer) };
}

function answeredAs(claimed: LedgerEntry, { outcome, statusInquiry, attempts: posts }: PendingOutcome, nowMs: number) {
  const attempts = Math.max(claimed.attempts, posts);
  return settled(claimed, outcome, { nowMs, attempts, statusInquiry });
}

/** Who has forgotten this claim may have forgotten others: that one attempt was refused denies none of them. */
function ofOneAttempt(answer: PendingOutcome): PendingOutcome {
  const { outcome } = answer;
  if (outcome.kind !== 'declined') return answer;
  return { ...answer, outcome: { kind: 'in-doubt', failure: oneOfForgotten(outcome.failure) } };
}

const acceptance = ({ statusInquiry }: PendingOutcome, nowMs: number) =>
  ({ state: 'accepted', final: !statusInquiry, reason: 'accepted', nowMs }) as const;

/** The attempt that the answer is of, as an order's present one. */
function withIds(entry: LedgerEntry, answer: PendingOutcome): LedgerEntry {
  const { account: _1, gatewayOrderId: _2, gatewayAlias: _3, ...rest } = entry;
  return { ...rest, ...idsOf(answer) };
}

/** The order as it takes the attempt of the answer for its present one: what stood there as such becomes one before. */
function beside(entry: LedgerEntry, answer: PendingOutcome): LedgerEntry {
  const { earlierAttempts = [], account, gatewayOrderId, gatewayAlias, unproven, owner } = entry;
  // Of a restored order, what may have been processed under no id is this very attempt.
  const isThis =
    gatewayOrderId === undefined ? !unproven || owner === '~restored' : gatewayOrderId === idsOf(answer).gatewayOrderId;
  if (isThis) return entry;
  return { ...entry, earlierAttempts: [...earlierAttempts, definedOf({ account, gatewayOrderId, gatewayAlias })] };
}

/** The order as it stands, with the attempt of the answer among those that may have been processed. */
function noted(entry: LedgerEntry, answer: PendingOutcome, nowMs: number): LedgerEntry {
  const attempt = attemptOf(entry, answer);
  const { ids } = attempt;
  if (answer.outcome.kind === 'declined') return entry;
  if (ids.gatewayOrderId !== undefined || attempt.isPresent) return withLateIds(entry, attempt, nowMs);
  const { earlierAttempts = [] } = entry;
  const isKnown = earlierAttempts.some((it) => it.gatewayOrderId === undefined && it.account === ids.account);
  return isKnown ? entry : { ...withWord(entry, {}, nowMs), earlierAttempts: [...earlierAttempts, ids] };
}

/** Whether it is the present attempt: of the same claim, or what a restored ledger has in doubt. */
function attemptOf({ owner, state }: LedgerEntry, answer: PendingOutcome): LateIds {
  const isDoubted = owner === '~restored' && (state === 'in-doubt' || state === 'held');
  return { ids: idsOf(answer), isPresent: owner === answer.owner || isDoubted };
}

function idsOf({ account, outcome }: PendingOutcome) {
  const { gatewayOrderId, gatewayAlias } = 'gatewayOrderId' in outcome || 'gatewayAlias' in outcome ? outcome : {};
  return definedOf({ account, gatewayOrderId, gatewayAlias });
}

type Ids = { readonly [name in 'account' | 'gatewayOrderId' | 'gatewayAlias']: string | undefined };

function definedOf({ account, gatewayOrderId, gatewayAlias }: Ids) {
  return {
    ...(account !== undefined && { account }),
    ...(gatewayOrderId !== undefined && { gatewayOrderId }),
    ...(gatewayAlias !== undefined && { gatewayAlias }),
  };
}

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
  message: JobDelivery,
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

const gatewayIdOf = ({ outcome: it }: PendingOutcome) =>
  'gatewayOrderId' in it && it.gatewayOrderId !== undefined ? { gatewayOrderId: it.gatewayOrderId } : {};
