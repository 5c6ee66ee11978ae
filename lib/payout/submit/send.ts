// THE SEND under a claim, from top to bottom: open the CVV, sign, POST once, judge. Every outcome is
// recorded as the attempt's own answer.
import { type GatewayOutcome, gatewayIdentityOf, type GatewayIds } from '../../gateway/gateway-outcome.ts';
import type { ConnectionAhead, Credentials, Evidence, Gateway, MerchantAccess } from '../../gateway/ports.ts';
import type { Failure } from '../message/failures.ts';
import { whyUnsendable } from '../gates.ts';
import type { Job } from '../message/job.ts';
import type { Turn } from '../pace/lane-state.ts';
import { type EndDue, reasonOf } from '../order/ends.ts';
import { type Attempt, attemptsOf } from '../order/facts.ts';
import { isNowhere } from '../order/living.ts';
import type { Order } from '../order/order.ts';
import type { Pacing, AnswerSign } from '../pace/pacing.ts';
import type { Clock, Random, SingleUseCode } from '../ports.ts';

/** The ports of sending. */
export interface SendPorts {
  readonly singleUse: SingleUseCode;
  readonly credentials: Pick<Credentials, 'refresh'>;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
  readonly pacing: Pick<Pacing, 'sends'>;
}

/** The claimed order, and the means to send it. */
interface Claimed {
  readonly order: Order;
  readonly attempt: Attempt;
  readonly credentials: MerchantAccess;
  /** The turn of its lane. */
  readonly turn: Turn;
  /** The connection that was opened during the claim. */
  readonly ahead?: ConnectionAhead;
}

/** The latest start of a POST, by the machine's clock and by the monotonic one. A clock that is set back must not lengthen the lease. */
export interface NotAfter {
  readonly notAfterMs: number;
  readonly notAfterUptimeMs: number;
}

/** The outcome of a send. */
export interface Sent {
  /** The attempt with its own answer. */
  readonly attempt: Attempt;
  /** The end of the order, if a check right before the bytes would have left demands one. */
  readonly verdict?: EndDue;
  /** The gateway's Retry-After, in seconds. */
  readonly retryAfterSeconds?: number;
  /** True if the request was too fast for its gateway: the lane says when to come again. */
  readonly isPaced?: boolean;
}

/** Sends the claimed order; no POST starts after `notAfter`. Never rejects once a POST may have left. */
export async function sendOrder(job: Job, claimed: Claimed, notAfter: NotAfter, ports: SendPorts): Promise<Sent> {
  const { attempt, credentials } = claimed;
  const opened = job.sealedCode ? await ports.singleUse.open(job) : job;
  if (!opened) {
    const failure = { code: 'NOT_SENT', message: 'the CVV can not be read any more' } as const;
    return { attempt: refused(attempt, { about: 'pace', connected: false }, failure, ports.clock.nowMs()) };
  }
  const sent = await sendOnce(opened, claimed, notAfter, ports);
  const { answer } = sent.attempt;
  // The same credentials would be refused again: the next attempt needs those that are stored by then.
  if (answer?.kind === 'refused' && answer.code === 'AUTHENTICATION')
    await ports.credentials.refresh(job.merchant, credentials);
  return sent;
}

type About = Extract<NonNullable<Attempt['answer']>, { kind: 'refused' }>['about'];

async function sendOnce(
  job: Job,
  { order, attempt, credentials, turn, ahead }: Claimed,
  notAfter: NotAfter,
  ports: SendPorts,
): Promise<Sent> {
  const { dialect, profile } = credentials;
  const unsendable = whyUnsendable(job, credentials, ports.clock.nowMs());
  if (unsendable) return tooLate(attempt, unsendable, ports.clock.nowMs());
  const signed = await dialect.start(job, credentials, ports);
  if (signed.kind === 'unsignable') {
    const failure = { about: 'account', connected: false } as const;
    return { attempt: refused(attempt, failure, signed.failure, ports.clock.nowMs()) };
  }
  const heard = ports.pacing.sends(job, turn, order.key);
  const evidence = await ports.gateway.post({ ...signed.request, ...notAfter, ahead });
  // A refusal of this attempt may be about an earlier one that lives.
  const earlierAttemptMayLive = attemptsOf(order.facts).some(
    (it) => it.id !== attempt.id && !isNowhere(it, order.facts),
  );
  const outcome = dialect.judgeStart(evidence, { ...job, earlierAttemptMayLive }, profile);
  const nowMs = ports.clock.nowMs();
  const isLate = evidence.kind === 'not-sent' && evidence.isLate;
  heard(isLate ? undefined : { ...signOf(outcome), ...askedToWait(evidence) });
  return {
    attempt: answeredAs(attempt, outcome, nowMs),
    ...askedToWait(evidence),
    isPaced: outcome.kind === 'not-processed' && outcome.reason === 'rate-limited',
  };
}

/** The Retry-After of an answer, whatever its status. */
function askedToWait(evidence: Evidence) {
  const seconds = evidence.kind === 'answer' ? evidence.retryAfterSeconds : undefined;
  return seconds === undefined ? {} : { retryAfterSeconds: seconds };
}

/** Since the gates were asked, the job's time was over or its contract changed: no byte left. */
function tooLate(attempt: Attempt, failure: Failure, nowMs: number): Sent {
  const unsent = refused(attempt, { about: 'pace', connected: false }, failure, nowMs);
  const reason = failure.code === 'EXPIRED' ? 'expired' : 'refused';
  return { attempt: unsent, verdict: { reason, ...reasonOf(failure) } };
}

function refused(
  attempt: Attempt,
  how: { readonly about: About; readonly connected: boolean },
  failure: Failure,
  atMs: number,
): Attempt {
  return { ...attempt, answer: { kind: 'refused', ...how, ...reasonOf(failure), atMs } };
}

/** The attempt as its own answer judges it. */
function answeredAs(attempt: Attempt, outcome: GatewayOutcome, nowMs: number): Attempt {
  switch (outcome.kind) {
    case 'accepted':
      return { ...attempt, answer: { kind: 'taken', atMs: nowMs }, ...idsIn(outcome) };
    case 'declined':
      return refused(attempt, { about: 'order', connected: true }, outcome.failure, nowMs);
    case 'not-processed': {
      const about = outcome.reason === 'not-sent' || outcome.reason === 'rate-limited' ? 'pace' : 'account';
      return refused(attempt, { about, connected: outcome.reason !== 'not-sent' }, outcome.failure, nowMs);
    }
    case 'in-doubt':
      return { ...attempt, lapsed: reasonOf(outcome.failure), lapsedAtMs: nowMs, ...idsIn(outcome) };
    default:
      return outcome satisfies never;
  }
}

/** The identity, and the alias; an alias alone is no identity. */
function idsIn(given: GatewayIds): Pick<Attempt, 'ids' | 'aliases'> {
  const id = gatewayIdentityOf(given);
  return { ids: id === undefined ? [] : [id], aliases: given.gatewayAlias === undefined ? [] : [given.gatewayAlias] };
}

/** The sign that the outcome gives of the gateway, and of the account there, for the pace and the brake of the lane. */
function signOf(outcome: GatewayOutcome): AnswerSign {
  switch (outcome.kind) {
    case 'accepted':
      return { says: 'accepted' };
    case 'declined':
      return { says: 'refused', code: outcome.failure.gatewayCode ?? outcome.failure.code };
    case 'not-processed':
      return notProcessed(outcome);
    case 'in-doubt': {
      const { httpStatus, code } = outcome.failure;
      // The gateway has the order, whatever else it reports of it.
      if ('gatewayOrderId' in outcome || 'gatewayAlias' in outcome) return { says: 'answered' };
      if (httpStatus === undefined || code === 'NO_ANSWER') return { says: 'no-answer' };
      return { says: httpStatus >= 500 ? 'server-error' : 'unclear', isBusy: httpStatus === 503 };
    }
    default:
      return outcome satisfies never;
  }
}

function notProcessed({ reason, failure }: Extract<GatewayOutcome, { kind: 'not-processed' }>) {
  switch (reason) {
    case 'rate-limited':
      return { says: 'slow-down' } as const;
    case 'not-sent':
      return { says: 'not-connected' } as const;
    case 'credentials-refused':
      return { says: 'credentials' } as const;
    case 'account':
      return { says: 'account', code: failure.gatewayCode } as const;
    case 'address':
      return { says: 'address' } as const;
  }
}
