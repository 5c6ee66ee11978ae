// THE SEND under a claim, from top to bottom: open the CVV, count towards the caps, sign, POST once, judge; and once more
// where the gateway refused credentials that have been replaced since. Whatever comes of it is an outcome.
import { aboveDayCap, aboveSingleCap, type DayCap, dayCapOf, type Spending } from './control.ts';
import { afterSingleUse, type PostedAttempt, newCardDataNeeded, type Outcome, signOf } from './outcome.ts';
import type { Failure } from './failures.ts';
import type { Job } from './job.ts';
import type { Money } from '../gateway/money.ts';
import { signatureMethodOf, whyUnsendable } from './gates.ts';
import type { LedgerEntry } from './ledger.ts';
import { earlierAttemptMayLive } from './order-history.ts';
import { operations } from '../gateway/operations.ts';
import { gatewayIdentityOf } from '../gateway/reply-words.ts';
import { judge } from '../gateway/outcome.ts';
import { accountOf, sendingTime, signedRequest, signsAlike } from '../gateway/signed-request.ts';
import type { ConnectionAhead, Evidence, Gateway, MerchantCredentials, Credentials } from '../gateway/ports.ts';
import type { Pacing } from './pacing.ts';
import type { Clock, Ledger, Random, SingleUseCode } from './ports.ts';
import type { Slot } from './lane-line.ts';
import { formParameters } from '../gateway/fields.ts';

/** What sending needs. */
export interface SendPorts {
  readonly ledger: Pick<Ledger, 'advance'>;
  readonly singleUse: SingleUseCode;
  readonly spending: Spending;
  readonly credentials: Pick<Credentials, 'refresh'>;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
  readonly pacing: Pick<Pacing, 'report' | 'giveBack'>;
}

/** What was claimed, and with what it is sent. */
export interface Claimed {
  readonly entry: LedgerEntry;
  readonly credentials: MerchantCredentials;
  /** Leave of its lane to send one request. */
  readonly slot: Slot;
  /** The connection that was begun beside the claim. */
  readonly ahead?: ConnectionAhead;
}

/** Sends the claimed order; no POST starts after `notAfterMs`. Never rejects once a POST may have left. */
export async function sendOrder(
  job: Job,
  claimed: Claimed,
  notAfterMs: number,
  ports: SendPorts,
): Promise<PostedAttempt> {
  return sendOpened(job, claimed, Math.min(notAfterMs, claimed.slot.untilMs), ports);
}

async function sendOpened(job: Job, claimed: Claimed, notAfterMs: number, ports: SendPorts): Promise<PostedAttempt> {
  if (!job.sealedCode) return sendWithinCaps(job, claimed, notAfterMs, ports);
  const whole = await ports.singleUse.open(job);
  const attempt = whole
    ? await sendWithinCaps(whole, claimed, notAfterMs, ports)
    : unsent({ kind: 'spent', failure: newCardDataNeeded('the CVV can not be read any more') }, claimed);
  // The CVV is spent by its claim: what could be sent again without it no longer can.
  return { ...attempt, outcome: afterSingleUse(attempt.outcome) };
}

/**
 * An order above a cap is held before anything is sent. The day's total counts it before its POST and gives it back when
 * it is proven that no money moved, so that it can only ever be too careful.
 */
async function sendWithinCaps(
  job: Job,
  claimed: Claimed,
  notAfterMs: number,
  ports: SendPorts,
): Promise<PostedAttempt> {
  const { merchant } = job;
  // A check moves nothing: its payment is what counts.
  const money = operations[job.operation].step === 'check' ? undefined : job.money;
  const { profile } = claimed.credentials;
  const tooMuch = money && aboveSingleCap(money, profile);
  if (tooMuch) return unsent({ kind: 'capped', failure: tooMuch }, claimed);
  const cap = money && dayCapOf(merchant, money, profile, ports.clock.nowMs());
  if (!cap) return sendAtMostTwice(job, claimed, notAfterMs, ports);

  const counted = await ports.spending.count(cap, money.minorUnits).catch(() => 'no answer' as const);
  if (counted === 'no answer') return unsent({ kind: 'retryable', failure: totalUnknown }, claimed);
  if (counted === 'above') return unsent({ kind: 'capped', failure: aboveDayCap(cap) }, claimed);
  const attempt = await sendAtMostTwice(job, claimed, notAfterMs, ports);
  if (movedNoMoney(attempt.outcome)) await giveBack(cap, money, ports);
  return attempt;
}

const totalUnknown: Failure = { code: 'NOT_SENT', message: "the day's total could not be counted" };

function movedNoMoney({ kind }: Outcome): boolean {
  return kind !== 'accepted' && kind !== 'in-doubt';
}

/** Should this fail, the day's total stays too high: orders are held that need not be, none is let through wrongly. */
async function giveBack(cap: DayCap, { minorUnits }: Money, { spending }: SendPorts): Promise<void> {
  await spending.giveBack(cap, minorUnits).catch(() => {});
}

/**
 * A refused signature or login proves that nothing was processed. Sent again at once it is only where the store holds
 * other credentials by now: the same ones would be refused the same way, and a filter in front of the gateway that
 * answers 403 after the order was taken would make two of it.
 */
async function sendAtMostTwice(
  job: Job,
  claimed: Claimed,
  notAfterMs: number,
  ports: SendPorts,
): Promise<PostedAttempt> {
  const { entry, credentials } = claimed;
  const first = await sendOnce(job, claimed, notAfterMs, ports);
  if (first.kind !== 'not-processed' || first.reason !== 'credentials-refused')
    return attemptOf(job, first, entry.attempts, credentials);

  const fresh = await ports.credentials.refresh(job.merchant, credentials);
  if (fresh.kind === 'unavailable') return unsent({ kind: 'retryable', failure: fresh.failure }, claimed);
  const method = signatureMethodOf(job, fresh.credentials.profile);
  if (method === signatureMethodOf(job, credentials.profile) && signsAlike(credentials, fresh.credentials, method))
    return attemptOf(job, first, entry.attempts, credentials);
  const own = await atItsAccount(entry, fresh.credentials, ports);
  if (!own) return attemptOf(job, first, entry.attempts, credentials);
  const second = await sendOnce(job, { ...claimed, entry: own, credentials: fresh.credentials }, notAfterMs, ports);
  return { ...attemptOf(job, second, entry.attempts + 1, fresh.credentials), entry: own };
}

/**
 * The claim with the account that the second send goes to: another one than the claim's is written before a byte leaves,
 * or nobody could say later whom to ask. Undefined where that could not be written: nothing is sent there then.
 */
async function atItsAccount(
  entry: LedgerEntry,
  credentials: MerchantCredentials,
  { ledger, clock }: SendPorts,
): Promise<LedgerEntry | undefined> {
  const account = accountOf(credentials, entry.endpointId);
  if (account === entry.account) return entry;
  // Another account does not know the order that a payment names.
  if (operations[entry.operation].step === 'pay') return undefined;
  const { gatewayOrderId: _1, gatewayAlias: _2, ...rest } = entry;
  const attempts = entry.attempts + 1;
  const next = { ...rest, account, attempts, revision: entry.revision + 1, updatedAtMs: clock.nowMs() };
  const write = await ledger.advance(entry, next).catch(() => undefined);
  return write?.kind === 'advanced' ? next : undefined;
}

async function sendOnce(
  job: Job,
  { entry, credentials, slot, ahead }: Claimed,
  notAfterMs: number,
  ports: SendPorts,
): Promise<Outcome> {
  const failure = whyUnsendable(job, credentials, ports.clock.nowMs());
  if (failure) return tooLate(failure, entry);
  const { profile } = credentials;
  const operation = operations[job.operation];
  const orderIdField = profile.orderIdField[job.operation] ?? operation.orderIdField;
  const unsigned = {
    operation,
    endpointId: job.endpointId,
    signatureMethod: signatureMethodOf(job, profile),
    parameters:
      operation.step === 'pay'
        ? paymentOf(entry, orderIdField, credentials)
        : formParameters(operation, { orderIdField, orderId: job.orderId, params: job.params }),
  };
  const signed = await signedRequest(unsigned, credentials, sendingTime(ports));
  if (signed.kind === 'unsignable') return { kind: 'retryable', failure: signed.failure };
  const evidence = await ports.gateway.post({ ...signed.request, notAfterMs, ...(ahead && { ahead }) });
  // A refusal of this attempt may be about an earlier one that lives.
  const outcome = judge(evidence, { ...job, earlierAttemptMayLive: earlierAttemptMayLive(entry) }, profile);
  // What came too late to be sent says nothing of the gateway.
  if (evidence.kind !== 'not-sent' || ports.clock.nowMs() <= notAfterMs)
    ports.pacing.report(job, slot, { ...signOf(outcome), ...askedToWait(evidence), order: entry.key });
  return outcome;
}

/** Retry-After, with a 503 too. */
function askedToWait(evidence: Evidence) {
  const seconds = evidence.kind === 'answer' ? evidence.retryAfterSeconds : undefined;
  return seconds === undefined ? {} : { retryAfterSeconds: seconds };
}

/** What pays a checked payout: its order by both ids, and nothing of its content. Without the identity nothing is claimed. */
function paymentOf(entry: LedgerEntry, orderIdField: string, { login }: MerchantCredentials) {
  const pairs = [['login', login] as const, [orderIdField, entry.orderId] as const];
  return [...pairs, ['orderid', gatewayIdentityOf(entry) ?? ''] as const];
}

/** An order of which an earlier attempt may have been processed is not ended here: its next delivery asks the gates. */
function tooLate(failure: Failure, entry: LedgerEntry): Outcome {
  if (!earlierAttemptMayLive(entry)) return { kind: 'unsendable', failure };
  return { kind: 'retryable', failure: { code: 'NOT_SENT', message: failure.message } };
}

/** Only money is asked about later: a check that was answered is over. */
function attemptOf(job: Job, outcome: Outcome, attempts: number, { profile }: MerchantCredentials): PostedAttempt {
  return { outcome, attempts, statusInquiry: profile.statusInquiry && operations[job.operation].movesMoney };
}

function unsent(outcome: Outcome, { entry }: Claimed): PostedAttempt {
  return { outcome, attempts: entry.attempts, statusInquiry: false };
}
