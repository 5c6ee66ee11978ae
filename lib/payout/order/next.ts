// What is to be done with an order now. Time and the merchant's contract act here, and nowhere else: what they bring is written as
// a fact first, and concluded from by fold.ts then.
import {
  type Attempt,
  attemptsOf,
  awaitsLook,
  type End,
  type EndReason,
  type Facts,
  isDenied,
  noFacts,
  signOfLife,
  unattributedSign,
} from './facts.ts';
import { fold, livingAttempts, type Status } from './fold.ts';

/** What a merchant's contract says about time, and about what the gateway's silence means. */
export interface Contract {
  /** How long an account is to have known no such order before that counts as a denial; begins after the lease. */
  readonly quietPeriodMs: number;
  /** How long after its lease an unproven attempt is asked about; then a person decides. */
  readonly horizonMs: number;
  /** True where a denial ends the order; false where a person decides. */
  readonly endsDenied: boolean;
}

/** Two machines' clocks are compared with so much skew, to the careful side. */
export const clockSkewMs = 600_000;

/** An end as the facts have it now. */
export function endOf(
  facts: Facts,
  it: {
    readonly id: string;
    readonly number: number;
    readonly reason: EndReason;
    readonly code: string;
    readonly message: string;
  },
  nowMs: number,
): End {
  const saw = Object.fromEntries(attemptsOf(facts).map((attempt) => [attempt.id, signOfLife(attempt)]));
  return { ...it, atMs: nowMs, saw, sawUnattributed: unattributedSign(facts) };
}

/** The facts that time has brought since the last write: leases over, denials, horizons passed. Empty attempts where none. */
export function factsOfTime(facts: Facts, nowMs: number, contract: Contract): Facts {
  const brought = attemptsOf(facts).flatMap((attempt) => {
    const now = withTime(attempt, facts, nowMs, contract);
    return now === attempt ? [] : [[attempt.id, now] as const];
  });
  return { ...noFacts, attempts: Object.fromEntries(brought) };
}

function withTime(attempt: Attempt, facts: Facts, nowMs: number, contract: Contract): Attempt {
  let now = attempt;
  const isLeaseOver = nowMs > attempt.leaseUntilMs + clockSkewMs;
  if (!attempt.answer && !attempt.lapsed && !attempt.lost && signOfLife(attempt) === '' && isLeaseOver)
    now = {
      ...now,
      lapsed: { code: 'WORKER_LOST', message: 'the worker that sent it was lost before it heard an answer' },
    };
  const negatives = Object.fromEntries(
    Object.entries(attempt.negatives).map(([account, it]) => [
      account,
      { ...it, denies: it.denies || denies(it, attempt, contract) },
    ]),
  );
  if (Object.entries(negatives).some(([account, it]) => it.denies !== attempt.negatives[account]?.denies))
    now = { ...now, negatives };
  const isUnproven = livingAttempts(facts).includes(attempt) && signOfLife(attempt) === '' && !isDenied(now);
  if (isUnproven && !attempt.overdue && isLeaseOver && nowMs > attempt.leaseUntilMs + contract.horizonMs)
    now = { ...now, overdue: true };
  return now;
}

/** Two looks over the quiet period, of which the first came after the lease by any clock. */
function denies(
  { firstMs, lastMs }: Attempt['negatives'][string],
  { leaseUntilMs }: Attempt,
  { quietPeriodMs }: Contract,
): boolean {
  return firstMs > leaseUntilMs + clockSkewMs && lastMs - firstMs >= quietPeriodMs;
}

/** The end that is to be written now; undefined where none is. Never over a callback that nobody has read yet. */
export function endDue(
  facts: Facts,
  contract: Pick<Contract, 'endsDenied'>,
): Pick<End, 'reason' | 'code' | 'message'> | undefined {
  const status = fold(facts);
  if (status.kind === 'ending') return endOfStatus(status);
  const isDeniedNow = status.kind === 'held' && status.reason === 'not-at-gateway';
  return isDeniedNow && contract.endsDenied
    ? { reason: 'denied', code: 'NOT_AT_GATEWAY', message: 'the gateway knows no such order' }
    : undefined;
}

function endOfStatus({
  reason,
  last,
  decision,
}: Extract<Status, { kind: 'ending' }>): Pick<End, 'reason' | 'code' | 'message'> {
  const answer = last?.answer;
  switch (reason) {
    case 'cancelled':
      return { reason, code: 'CANCELLED', message: decision?.reason ?? '' };
    case 'decided':
      return { reason, code: 'RELEASED_NOT_PAID', message: decision?.reason ?? '' };
    case 'declined':
      return answer?.kind === 'refused'
        ? { reason, code: answer.code, message: answer.message }
        : { reason, code: 'DECLINED', message: 'declined by the gateway' };
    case 'refused':
      return answer?.kind === 'refused'
        ? { reason, code: answer.code, message: answer.message }
        : { reason, code: 'NOT_SENT', message: 'refused before it was processed' };
    default:
      return reason satisfies never;
  }
}

/** True while the gateway is to be asked about the order: an attempt of it may live, or a refusal waits for its look. */
export const isToBeAsked = (facts: Facts): boolean =>
  attemptsOf(facts).some(
    (it) => it.askable && (awaitsLook(it) || (it.lapsed && !it.overdue && livingAttempts(facts).includes(it))),
  ) || fold(facts).kind === 'accepted';
