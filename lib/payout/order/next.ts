// The next step of an order now. Time and the merchant's contract act here, and nowhere else: their effect is first written as a
// fact, and then concluded from by fold.ts.
import {
  type Attempt,
  attemptsOf,
  awaitsLook,
  isConfirmed,
  type Decision,
  type End,
  type EndReason,
  type Facts,
  isDenied,
  noFacts,
  reportsPaid,
  type Said,
  signOfLife,
  unattributedSign,
} from './facts.ts';
import { fold, livingAttempts, type Status } from './fold.ts';

/** The merchant's contract about time, and about the meaning of the gateway's silence. */
export interface Contract {
  /** How long an account is to have known no such order before that counts as a denial; begins after the lease. */
  readonly quietPeriodMs: number;
  /** How long after its lease an unproven attempt is asked about; then a person decides. */
  readonly horizonMs: number;
  /** How long after its claim an attempt that the gateway took may be without an end; then a person must know. */
  readonly acceptedHorizonMs: number;
  /** Age at which accepted orders usually end, where the merchant has set it. */
  readonly usualEndMs?: number;
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
  } & Said,
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
  if (!attempt.overdue && isOverdue(attempt, now, facts, nowMs, contract)) now = { ...now, overdue: true };
  return now;
}

/**
 * True where nobody can be asked about the attempt, or everybody was for long enough; or it was taken long ago, and nothing shows
 * how it ended.
 */
function isOverdue(before: Attempt, now: Attempt, facts: Facts, nowMs: number, contract: Contract): boolean {
  const { leaseUntilMs, atMs, askable, lost, reports } = now;
  if (isConfirmed(before)) {
    const isOpen = !reports.some((level) => level === 'declined' || level === 'approved' || level === 'reversed');
    return askable && isOpen && nowMs > atMs + contract.acceptedHorizonMs;
  }
  if (!livingAttempts(facts).includes(before) || isDenied(now)) return false;
  // Nobody can be asked: an attempt that its sender could not prove, or that a restore lost, is for a person at once.
  if (!askable && (now.lapsed ?? lost)) return true;
  const isLeaseOver = nowMs > leaseUntilMs + clockSkewMs;
  return (lost === true || isLeaseOver) && nowMs > leaseUntilMs + contract.horizonMs;
}

/** Two looks over the quiet period, of which the first came after the lease by any clock. */
function denies(
  { firstMs, lastMs }: Attempt['negatives'][string],
  { leaseUntilMs }: Attempt,
  { quietPeriodMs }: Contract,
): boolean {
  if (firstMs === undefined || lastMs === undefined) return false;
  return firstMs > leaseUntilMs + clockSkewMs && lastMs - firstMs >= quietPeriodMs;
}

/** The end that is to be written now; undefined where none is. */
export function endDue(facts: Facts, contract: Pick<Contract, 'endsDenied'>): EndDue | undefined {
  const status = fold(facts);
  if (status.kind === 'ending') return endOfStatus(status);
  const isDeniedNow = status.kind === 'held' && status.reason === 'not-at-gateway';
  return isDeniedNow && contract.endsDenied
    ? { reason: 'denied', code: 'NOT_AT_GATEWAY', message: 'the gateway knows no such order' }
    : undefined;
}

const saidBy = (it: Decision | undefined): string => (it ? `${it.by}: ${it.reason}` : '');

/** An end that is to be written. */
export type EndDue = { readonly reason: EndReason } & Said;

/** The reason alone, of whatever bears it. */
export const saidOf = ({ code, message, gatewayCode, httpStatus }: Said): Said => ({
  code,
  message,
  ...(gatewayCode !== undefined && { gatewayCode }),
  ...(httpStatus !== undefined && { httpStatus }),
});

function endOfStatus({ reason, last, decision }: Extract<Status, { kind: 'ending' }>): EndDue {
  const answer = last?.answer;
  const refusal: Said | undefined = answer?.kind === 'refused' ? saidOf(answer) : last?.declined;
  switch (reason) {
    case 'cancelled':
      return { reason, code: 'CANCELLED', message: saidBy(decision) };
    case 'decided':
      return { reason, code: 'RELEASED_NOT_PAID', message: saidBy(decision) };
    case 'declined':
      return { reason, ...(refusal ?? { code: 'GATEWAY_DECLINED', message: 'the gateway declined it' }) };
    case 'refused':
      return { reason, ...(refusal ?? { code: 'NOT_SENT', message: 'refused before it was processed' }) };
    default:
      return reason satisfies never;
  }
}

/** The attempts about which the gateway is to be asked, in the order of their claims. */
export function attemptsToAsk(facts: Facts): readonly Attempt[] {
  const status = fold(facts);
  if (status.kind === 'accepted') return status.attempt.askable ? [status.attempt] : [];
  const living = livingAttempts(facts);
  return attemptsOf(facts).filter(
    (it) => it.askable && !it.overdue && (awaitsLook(it) || (isInDoubt(it) && living.includes(it) && !reportsPaid(it))),
  );
}

/** True where its sender could not prove it, or where no more was heard of it than a sign that proves nothing. */
const isInDoubt = (it: Attempt): boolean =>
  it.lapsed !== undefined || it.lost === true || (signOfLife(it) !== '' && !isConfirmed(it));
