// The stops of new submissions of a merchant, which lose no job: an operator's pause, a batch called off, and more money in doubt
// than the merchant allows. The jobs wait; orders that were sent already are still asked about.
import { minorUnitsOf, type Money } from '../../gateway/money.ts';
import { dayCapKinds, dayCapRows, type DayCapKind } from '../../gateway/profile-limits.ts';
import type { Attempt } from '../order/facts.ts';
import { operations } from '../../gateway/operations.ts';
import type { Failure } from '../message/failures.ts';
import { clockSkewMs } from '../order/next.ts';
import { notBeforeLimitDays } from '../message/job-fields.ts';
import type { Job } from '../message/job.ts';
import { type OrderView, wasNeverSent } from '../order/view.ts';
import type { Clock } from '../ports.ts';

/**
 * The sweeper measures doubt every minute; sums that are three minutes old are no longer true, as it names only who has any. Its
 * clock wrote their time, and another one reads it: a worker that is minutes ahead must stop as well.
 */
export const doubtServesMs = 180_000 + clockSkewMs;

/** The parts of a merchant's profile that stop it: amounts as decimal texts, per currency. */
interface StoppingAmounts {
  readonly doubtLimits: Readonly<Record<string, string>>;
  readonly caps: Readonly<Record<string, { readonly single?: string } & { readonly [Kind in DayCapKind]?: string }>>;
}

/** The parts of a merchant's credentials that are needed here. */
interface Profiles {
  of(
    merchant: string,
  ): Promise<
    | { readonly kind: 'credentials'; readonly credentials: { readonly profile: StoppingAmounts } }
    | { readonly kind: 'unavailable' }
  >;
}

/** The controls of a merchant, set by operators and the sweeper. */
export interface Control {
  readonly paused: boolean;
  /** The job's batch was called off: its jobs that are not claimed yet never will be. */
  readonly batchCancelled: boolean;
  /** Money in doubt at the last sweep, in minor units per currency; empty where there is none. */
  readonly doubt: Readonly<Record<string, bigint>>;
}

/** Why new submissions must wait now; undefined when they need not. */
export function reasonToWait(
  job: Job,
  control: Control,
  profile: StoppingAmounts | undefined,
): 'paused' | 'doubt' | undefined {
  if (control.paused) return 'paused';
  return job.money && profile && isAboveDoubtLimit(control, profile) ? 'doubt' : undefined;
}

/** Two weeks after its sending a job is waited for no more, so it may not begin them by waiting for its own moment. */
export function whyTooFarAhead({ notBeforeMs }: Job, nowMs: number): Failure | undefined {
  if (notBeforeMs === undefined || notBeforeMs - nowMs <= notBeforeLimitDays * 86_400_000) return undefined;
  const message = `notBefore is more than ${notBeforeLimitDays} days ahead; send the job nearer to its time`;
  return { code: 'INVALID_MESSAGE', message };
}

interface ControlGatePorts {
  readonly controls: Controls;
  readonly credentials: Profiles;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** The answer of the controls for a job; where they can't be read, it waits. */
export async function askControls(
  job: Job,
  { controls, credentials, clock }: ControlGatePorts,
): Promise<
  | { readonly kind: 'go' | 'cancel' }
  | { readonly kind: 'wait'; readonly because: 'paused' | 'doubt' | 'controls-unknown' }
  | { readonly kind: 'wait'; readonly because: 'not-before'; readonly untilMs: number }
> {
  const control = await controls.of(job.merchant, job.batchId).catch(() => 'no answer' as const);
  if (control === 'no answer') return { kind: 'wait', because: 'controls-unknown' };
  if (control.batchCancelled) return { kind: 'cancel' };
  const { notBeforeMs: untilMs = 0 } = job;
  if (clock.nowMs() < untilMs) return { kind: 'wait', because: 'not-before', untilMs };
  const because = reasonToWait(job, control, await profileFor(control, job, credentials));
  return because ? { kind: 'wait', because } : { kind: 'go' };
}

/** Asked for only where there is doubt to be measured by it. */
async function profileFor({ doubt }: Control, { merchant }: Job, credentials: Profiles) {
  if (Object.keys(doubt).length === 0) return undefined;
  const answer = await credentials.of(merchant);
  return answer.kind === 'credentials' ? answer.credentials.profile : undefined;
}

/** True when the merchant has more money in doubt, in any currency, than its profile allows. */
export function isAboveDoubtLimit({ doubt }: Control, { doubtLimits }: Pick<StoppingAmounts, 'doubtLimits'>): boolean {
  return Object.entries(doubtLimits).some(
    ([currency, limit]) => (doubt[currency] ?? 0n) > minorUnitsOf(limit, currency),
  );
}

/** True when money of this order may have moved and nobody knows. A check has none. */
export function hasMoneyInDoubt(entry: Pick<OrderView, 'operation' | 'state' | 'failure'>): boolean {
  if (!operations[entry.operation].movesMoney) return false;
  return entry.state === 'in-doubt' || (entry.state === 'held' && !wasNeverSent(entry));
}

// The operators' commands to the worker while it runs, and the counters behind caps. Kept in the ledger's table under keys that
// no order can have.

/** The controls of a merchant, of all merchants, and of a batch; at most a few seconds old. */
export interface Controls {
  of(merchant: string, batchId?: string): Promise<Control>;
}

/** The person behind a control, and the reason; kept beside it. */
export interface Saying {
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

/** The operator's and the sweeper's side of the controls. */
export interface ControlsAdmin {
  /** `undefined` means all merchants. */
  pause(merchant: string | undefined, paused: boolean, saying: Saying): Promise<void>;
  /** The person who paused it, and the reason; undefined where it is not paused. A pause of all merchants is nobody's own. */
  pauseOf(merchant: string | undefined): Promise<Saying | undefined>;
  cancelBatch(batchId: string, saying: Saying): Promise<void>;
  /** True where the batch was called off; that is for good. */
  isCalledOff(batchId: string): Promise<boolean>;
  /**
   * Money in doubt per merchant and currency, in minor units, as the sweep found it. Where it is not the whole (by default it is), what a
   * merchant had before counts on as well: so much doubt that it can't be counted must stop nobody from stopping.
   */
  recordDoubt(doubt: ReadonlyMap<string, Readonly<Record<string, bigint>>>, isWhole?: boolean): Promise<void>;
}

/** Totals of a day under a cap. */
export interface Spending {
  /** Counts so much, unless that takes the day above its limit. */
  count(cap: DayCap, amount: bigint): Promise<'counted' | 'above'>;
  giveBack(cap: DayCap, amount: bigint): Promise<void>;
}

/** Totals of a day, as a plan reads them. */
export interface DayTotals {
  /** Counted under the cap so far; at most a few seconds old. */
  totalOf(cap: DayCap): Promise<bigint>;
}

// Largest amounts that a merchant lets through: of one order, and of a day. An order above is held for a person, not lost.

/** The count of one merchant in one currency on one day (UTC), and its limit. */
export interface DayCap {
  readonly kind: DayCapKind;
  readonly merchant: string;
  readonly currency: string;
  /** As in "2026-11-21". */
  readonly day: string;
  readonly limit: bigint;
}

/** The failure of an order that is above the cap for one order; undefined when it is not. */
export function aboveSingleCap(money: Money, profile: StoppingAmounts): Failure | undefined {
  const uncapped = whyUncapped(money, profile);
  if (uncapped) return uncapped;
  const single = profile.caps[money.currency]?.single;
  if (single === undefined || money.minorUnits <= minorUnitsOf(single, money.currency)) return undefined;
  return { code: 'CAP_EXCEEDED', message: `more than ${single} ${money.currency}, the cap for one order; never sent` };
}

/**
 * The reason to hold a currency that the profile does not name. A cap on euros does not let dollars leave without end: where currencies
 * are named, every other one is held.
 */
function whyUncapped({ currency }: Money, { caps }: StoppingAmounts): Failure | undefined {
  const named = Object.keys(caps);
  if (named.length === 0 || Object.hasOwn(caps, currency)) return undefined;
  const message = `the caps name ${named.join(', ')} and not ${currency}; never sent`;
  return { code: 'CAP_EXCEEDED', message };
}

/** The caps of a day that an order counts towards, each with how much; `orders` where the money is that of several. */
export function dayCapsOf(
  merchant: string,
  money: Money & { readonly orders?: bigint },
  profile: StoppingAmounts,
  nowMs: number,
): readonly (DayCap & { readonly counts: bigint })[] {
  const { currency, minorUnits, orders = 1n } = money;
  const day = new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return dayCapKinds.flatMap((kind) => {
    const limit = profile.caps[currency]?.[kind];
    if (limit === undefined) return [];
    const { limitOf, countOf } = dayCapRows[kind];
    return [
      { kind, merchant, currency, day, limit: limitOf(limit, currency), counts: countOf({ minorUnits, orders }) },
    ];
  });
}

/** The caps that count this attempt, as its claim has noted. */
export function countedCaps(
  merchant: string,
  money: Money,
  { counted }: Pick<Attempt, 'counted'>,
  profile: StoppingAmounts,
): ReturnType<typeof dayCapsOf> {
  if (!counted) return [];
  return dayCapsOf(merchant, money, profile, Date.parse(counted.day)).filter(({ kind }) => counted.caps.includes(kind));
}

/** The failure of an order that would take the day over its cap. */
export function aboveDayCap({ kind, currency, day, limit }: DayCap): Failure {
  const most = dayCapRows[kind].text(limit, currency);
  return { code: 'CAP_EXCEEDED', message: `above the cap of ${day}, ${most}; never sent` };
}
