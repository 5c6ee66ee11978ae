// What time brings to an order. Time and the merchant's contract act here and nowhere else: their effect is first written as a fact, from
// which fold.ts concludes.
import type { Profile } from '../../gateway/profile.ts';
import { longestWaitMs } from '../limits.ts';
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
  /** How long after its claim an attempt that the gateway took may be without an end; then the order is held. */
  readonly acceptedHorizonMs: number;
  /** Age at which accepted orders usually end, if the merchant has set it. */
  readonly usualEndMs?: number;
  /** True if a denial ends the order; false if a person decides. */
  readonly endsDenied: boolean;
  /** How long after a refusal the account shows an order that it took all the same; our clocks' skew is included. */
  readonly visibleAfterMs: number;
  /** True if the account, asked by the order's id, names the newest transaction. */
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

/** The skew assumed between two machines' clocks; each comparison errs on the careful side. */
export const clockSkewMs = 60_000;

/** Longer than any message waits: an order that may be sent again, but has no message left, is over then. */
export const waitHorizonMs = longestWaitMs + 86_400_000;

/** After this moment (epoch ms) no byte of the attempt leaves any more, by any clock. */
export const leaseOverAtMs = ({ leaseUntilMs }: Pick<Attempt, 'leaseUntilMs'>): number => leaseUntilMs + clockSkewMs;

/** True if no byte of the attempt leaves any more, by any clock. */
export const isLeaseOver = (attempt: Pick<Attempt, 'leaseUntilMs'>, nowMs: number): boolean =>
  nowMs > leaseOverAtMs(attempt);

/** When the quiet period of a living attempt is over (epoch ms): until then the gateway may still report it. */
export const quietAtMs = (attempt: Attempt, { quietPeriodMs }: Pick<Contract, 'quietPeriodMs'>): number =>
  leaseOverAtMs(attempt) + quietPeriodMs;

/** The facts that time has brought to the attempts that live: leases over, denials, horizons passed. */
export const factsOfTime = (facts: Facts, nowMs: number, contract: Contract): Facts =>
  livingAttempts(facts)
    .map((it) => ofAttempt(withTime(it, facts, nowMs, contract)))
    .reduce(join, noFacts);

const workerLost = { code: 'WORKER_LOST', message: 'the worker that sent it was lost before it heard an answer' };

function withTime(attempt: Attempt, facts: Facts, nowMs: number, contract: Contract): Attempt {
  const isOpen = !attempt.answer && !attempt.lapsed && !attempt.lost && signOf(attempt, facts) === '';
  const lost = isOpen && isLeaseOver(attempt, nowMs) && { lapsed: workerLost, lapsedAtMs: attempt.leaseUntilMs };
  const absent = Object.fromEntries(
    Object.entries(attempt.absent).map(([account, absence]) => [account, withDenial(absence, attempt, contract)]),
  );
  const now: Attempt = { ...attempt, absent, ...lost };
  const isOver = isHopeless(now, facts, nowMs, contract) || isEndless(attempt, facts, nowMs, contract);
  return isOver && !attempt.overdue ? { ...now, overdue: true, overdueAtMs: nowMs } : now;
}

/**
 * The absence, as a denial if the account did not know the attempt over the quiet period: from the first answer after the lease, by any
 * clock, to the last question.
 */
function withDenial(absence: Absence, attempt: Attempt, { quietPeriodMs }: Contract): Absence {
  const { firstMs, lastMs } = absence;
  if (firstMs === undefined || lastMs === undefined) return absence;
  return isLeaseOver(attempt, firstMs) && lastMs - firstMs >= quietPeriodMs ? { ...absence, denies: true } : absence;
}

/** True if asking cannot settle the attempt any more: it can't be asked about, or its horizon is over. */
function isHopeless(attempt: Attempt, facts: Facts, nowMs: number, { horizonMs }: Contract): boolean {
  if (isConfirmed(attempt, facts)) return false;
  if (!attempt.askable && (attempt.lapsed !== undefined || attempt.lost === true)) return true;
  return isLeaseOver(attempt, nowMs) && nowMs > attempt.leaseUntilMs + horizonMs;
}

/** True if the gateway took the attempt long ago and has reported no end. */
const isEndless = (attempt: Attempt, facts: Facts, nowMs: number, { acceptedHorizonMs }: Contract): boolean =>
  isConfirmed(attempt, facts) && attempt.askable && nowMs > attempt.atMs + acceptedHorizonMs;

/** From when an answer proves something about the order's refusals (epoch ms); 0 if none awaits an inquiry. */
export const visibleAtMs = (facts: Facts, { visibleAfterMs }: Pick<Contract, 'visibleAfterMs'>): number =>
  Math.max(
    0,
    ...attemptsOf(facts)
      .filter(awaitsInquiry)
      .map(({ answer, atMs }) => (answer?.atMs ?? atMs) + visibleAfterMs),
  );

/** An answer of an account that names no transaction, or only one older than the attempts in question. */
interface Silence {
  readonly account: string;
  /** Before the question left, and when the answer was there (epoch ms). The gateway looked at some moment between. */
  readonly askedMs: number;
  readonly answeredMs: number;
  /** The number of the older attempt that it names. */
  readonly names?: number;
}

/** The facts of a silence. They are about each attempt at the account of which nothing was heard. */
export function factsOfSilence(facts: Facts, silence: Silence, contract: Pick<Contract, 'visibleAfterMs'>): Facts {
  const { account, askedMs, answeredMs, names } = silence;
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

/** What the gateway is asked before a person decides, or after a callback about a reversal. */
export function questionsFirst(facts: Facts): readonly Inquiry[] {
  const askable = attemptsOf(facts).filter((it) => it.askable);
  const living = livingAttempts(facts);
  const meant = askable.filter((it) => living.includes(it) || signOf(it, facts) !== '');
  // What the gateway denies is asked about once more: a person may know better.
  return questionsAbout(meant.length > 0 ? meant : askable);
}

/** True if its sender could not tell what became of it, or if only a sign was heard that proves nothing. */
const isInDoubt = (attempt: Attempt, facts: Facts): boolean =>
  attempt.lapsed !== undefined ||
  attempt.lost === true ||
  (signOf(attempt, facts) !== '' && !isConfirmed(attempt, facts));
