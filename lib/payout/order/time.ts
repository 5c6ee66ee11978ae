// What time brings to an order. Time and the merchant's contract act here and nowhere else: their effect is first written as a fact, and then
// concluded from by fold.ts.
import type { Profile } from '../../gateway/profile.ts';
import { longestWaitDays } from '../limits.ts';
import {
  type Absence,
  type Attempt,
  attemptsOf,
  type Facts,
  isPaid,
  noFacts,
  ofAttempt,
  type Inquiry,
} from './facts.ts';
import { fold } from './fold.ts';
import { join } from './join.ts';
import { awaitsInquiry, livingAttempts } from './living.ts';
import { heardOf, isConfirmed, signOf } from './signs.ts';
import { whereSet } from '../where-set.ts';

/** The merchant's contract about time, and about the meaning of the gateway's silence. */
export interface Contract {
  /** How long an account must have denied the order before that counts; begins after the lease. */
  readonly quietPeriodMs: number;
  /** How long after its lease an unproven attempt is asked about; then a person decides. */
  readonly horizonMs: number;
  /** How long after its claim an attempt that the gateway took may be without an end; then a person must know. */
  readonly acceptedHorizonMs: number;
  /** Age at which accepted orders usually end, where the merchant has set it. */
  readonly usualEndMs?: number;
  /** True where a denial ends the order; false where a person decides. */
  readonly endsDenied: boolean;
  /** So long after a refusal the account shows what it took all the same, our clocks' skew included. */
  readonly visibleAfterMs: number;
  /** True where the account, asked by the order's id, names the newest transaction. */
  readonly namesNewest: boolean;
}

/** The profile's contract about time. */
export const contractOf = (profile: Profile): Contract => ({
  quietPeriodMs: profile.quietPeriodSeconds * 1000,
  horizonMs: profile.doubtHorizonSeconds * 1000,
  acceptedHorizonMs: profile.acceptedHorizonSeconds * 1000,
  usualEndMs: profile.usualEndSeconds && profile.usualEndSeconds * 1000,
  endsDenied: profile.resubmitUnknownOrders,
  visibleAfterMs: profile.visibleAfterSeconds * 1000,
  namesNewest: profile.namesNewest,
});

/** Two machines' clocks are compared with so much skew, to the careful side. */
export const clockSkewMs = 60_000;

/** Longer than any message waits: an order that may be sent again, and has no message left, is over then. */
export const waitHorizonMs = (longestWaitDays + 1) * 86_400_000;

/** True once no byte of the attempt leaves any more, by any clock. */
export const isLeaseOver = ({ leaseUntilMs }: Pick<Attempt, 'leaseUntilMs'>, nowMs: number): boolean =>
  nowMs > leaseUntilMs + clockSkewMs;

/** When the quiet period of a living attempt is over: until then what was sent may still come to light. */
export const quietAtMs = ({ leaseUntilMs }: Attempt, { quietPeriodMs }: Pick<Contract, 'quietPeriodMs'>): number =>
  leaseUntilMs + clockSkewMs + quietPeriodMs;

/** The facts that time has brought to the attempts that live: leases over, denials, horizons passed. */
export const factsOfTime = (facts: Facts, nowMs: number, contract: Contract): Facts =>
  livingAttempts(facts)
    .map((it) => ofAttempt(withTime(it, facts, nowMs, contract)))
    .reduce(join, noFacts);

const workerLost = { code: 'WORKER_LOST', message: 'the worker that sent it was lost before it heard an answer' };

function withTime(it: Attempt, facts: Facts, nowMs: number, contract: Contract): Attempt {
  const isOpen = !it.answer && !it.lapsed && !it.lost && signOf(it, facts) === '';
  const lost = isOpen && isLeaseOver(it, nowMs) && { lapsed: workerLost, lapsedAtMs: it.leaseUntilMs };
  const absent = Object.fromEntries(
    Object.entries(it.absent).map(([account, absence]) => [account, withDenial(absence, it, contract)]),
  );
  const now: Attempt = { ...it, absent, ...lost };
  const isOver = isHopeless(now, facts, nowMs, contract) || isEndless(it, facts, nowMs, contract);
  return isOver && !it.overdue ? { ...now, overdue: true, overdueAtMs: nowMs } : now;
}

/** The account did not know the attempt from the first answer after its lease, by any clock, to the last question over the quiet period. */
function withDenial(absence: Absence, it: Attempt, { quietPeriodMs }: Contract): Absence {
  const { firstMs, lastMs } = absence;
  if (firstMs === undefined || lastMs === undefined) return absence;
  return isLeaseOver(it, firstMs) && lastMs - firstMs >= quietPeriodMs ? { ...absence, denies: true } : absence;
}

/** The attempt cannot be asked about, or was asked about for long enough. */
function isHopeless(it: Attempt, facts: Facts, nowMs: number, { horizonMs }: Contract): boolean {
  if (isConfirmed(it, facts)) return false;
  if (!it.askable && (it.lapsed !== undefined || it.lost === true)) return true;
  return isLeaseOver(it, nowMs) && nowMs > it.leaseUntilMs + horizonMs;
}

/** Taken long ago, and nothing shows how it ended. */
const isEndless = (it: Attempt, facts: Facts, nowMs: number, { acceptedHorizonMs }: Contract): boolean =>
  isConfirmed(it, facts) && it.askable && nowMs > it.atMs + acceptedHorizonMs;

/** From when an answer about the order's refusals proves something. */
export const visibleAtMs = (facts: Facts, { visibleAfterMs }: Pick<Contract, 'visibleAfterMs'>): number =>
  Math.max(
    0,
    ...attemptsOf(facts)
      .filter(awaitsInquiry)
      .map(({ answer, atMs }) => (answer?.atMs ?? atMs) + visibleAfterMs),
  );

/** An answer of an account that names no transaction, or only one that is older than the attempts that it is silent about. */
interface Silence {
  readonly account: string;
  /** Before the question left; and when the answer was there: the gateway looked at some moment between. */
  readonly askedMs: number;
  readonly answeredMs: number;
  /** The number of the older attempt that it names. */
  readonly names?: number;
}

/** The facts of a silence. It is about each attempt of the account of which nothing was heard. */
export function factsOfSilence(facts: Facts, it: Silence, contract: Pick<Contract, 'visibleAfterMs'>): Facts {
  const { account, askedMs, answeredMs, names } = it;
  const meant = attemptsOf(facts).filter(
    (attempt) =>
      attempt.accounts.includes(account) &&
      signOf(attempt, facts) === '' &&
      (names === undefined || (names < attempt.number && !attempt.lost)),
  );
  return meant
    .flatMap((attempt) => {
      const { answer } = attempt;
      const counts = isLeaseOver(attempt, askedMs) && { firstMs: answeredMs, lastMs: askedMs };
      const confirms = answer?.kind === 'refused' && askedMs >= answer.atMs + contract.visibleAfterMs;
      const absence = whereSet<Absence>({ ...counts, sinceRefusal: confirms || undefined });
      return counts || confirms ? [ofAttempt({ ...attempt, absent: { [account]: absence } })] : [];
    })
    .reduce(join, noFacts);
}

/** The attempts about which the gateway is to be asked, in the order of their claims. */
export function attemptsToAsk(facts: Facts): readonly Attempt[] {
  const status = fold(facts);
  if (status.kind === 'accepted') return status.attempt.askable ? [status.attempt] : [];
  if (status.kind === 'held' && status.reason === 'no-end') return status.attempts;
  return livingAttempts(facts).filter(
    (it) => it.askable && !it.overdue && !isPaid(heardOf(it, facts)) && (awaitsInquiry(it) || isInDoubt(it, facts)),
  );
}

/** The questions about these attempts, one for each account: attempts without an identity of their own share those of their accounts. */
export const questionsAbout = (attempts: readonly Attempt[]): readonly Inquiry[] => [
  ...new Map(
    attempts.flatMap(({ id, accounts, ids: [name], aliases: [alias] }) =>
      accounts.map((account) => [`${account} ${name ?? alias ?? ''}`, { attempt: id, account }] as const),
    ),
  ).values(),
];

/** What the gateway is asked before somebody decides, or after a callback has called the payment undone. */
export function questionsFirst(facts: Facts): readonly Inquiry[] {
  const askable = attemptsOf(facts).filter((it) => it.askable);
  const living = livingAttempts(facts);
  const meant = askable.filter((it) => living.includes(it) || signOf(it, facts) !== '');
  // What the gateway denies is asked about once more: a person may know better.
  return questionsAbout(meant.length > 0 ? meant : askable);
}

/** True where its sender could not prove it, or where no more was heard of it than a sign that proves nothing. */
const isInDoubt = (it: Attempt, facts: Facts): boolean =>
  it.lapsed !== undefined || it.lost === true || (signOf(it, facts) !== '' && !isConfirmed(it, facts));
