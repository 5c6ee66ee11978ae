// THE REFEREE OF THE LANE: the rules of infra/docs/lanes.md and promise 6, written a second time over the gateway's requests and the
// deliveries. It knows nothing of how a lane keeps its pace.
import type { Spell } from './lane-spells.ts';

/** One request as the gateway saw it. */
export interface LaneRequest {
  readonly order: string;
  readonly atMs: number;
  /** The time when its sender got the answer; none while it has not. */
  readonly heardAtMs: number | undefined;
  /** The answer asked to slow down. */
  readonly isSlowed?: boolean;
}

/** One world's requests, deliveries and rules. */
export interface LaneBook {
  readonly spells: readonly Spell[];
  /** The requests, the earliest first. */
  readonly requests: readonly LaneRequest[];
  /** The times of each message's deliveries. */
  readonly deliveries: ReadonlyMap<string, readonly number[]>;
  /** No process froze, no call failed: then pace and brake hold to the letter, however far apart clocks are. */
  readonly isStill: boolean;
  /** The limits of the profile for all workers together. */
  readonly caps: { readonly ratePerSecond?: number; readonly concurrency?: number };
}

const secondMs = 1_000;
/** The store's clock shows whole seconds, and a worker knows its time to within one call. */
const knownToMs = 2 * secondMs;
const hourMs = 3_600_000;
/** A streak of this length, of two orders at least, and none twice running: from then on the lane can know. */
const streak = 6;
/** Slots that it gave out before may still be used for so long. */
const sliceMs = 10 * secondMs;
/** Workers hear late of orders that were accepted before, which breaks a streak: with few jobs left one takes so long to be seen. */
const knownAfterMs = 45 * secondMs;
/** After its first "slow down" a lane has so long to find the limit; a silence on request teaches nothing. */
const learnsInMs = 30 * secondMs;
/** Two probes are at least so far apart. */
const probeGapMs = 10 * secondMs;
/** The probes in the first ten minutes; later one in two minutes. */
const probesAtMost = 12;
/** A request is over by then, also one whose sender died and heard nothing. */
const exchangeMs = 30 * secondMs;
const deliveriesAnHour = 4;
/** Jobs that waited first come for the first probes, and each job once soon after one. */
const earlyDeliveries = 3;

/** The first broken rule. */
export function faultOfLane(book: LaneBook): string | undefined {
  const beyond = book.isStill && faultOfCaps(book);
  if (beyond) return beyond;
  for (const spell of book.spells) {
    const its = book.requests.filter(({ atMs }) => spell.fromMs <= atMs && atMs < spell.toMs);
    const fault = spell.kind === 'limit' ? faultOfLimit(spell, its, book) : faultOfClosing(spell, its, book);
    if (fault) return `${spell.kind} from ${spell.fromMs} to ${spell.toMs}: ${fault}`;
  }
  return undefined;
}

/** The profile's own limits hold from the first request on. */
function faultOfCaps({ requests, caps: { ratePerSecond = Infinity, concurrency = Infinity } }: LaneBook) {
  const full = requests.find(({ atMs }) => {
    const underWay = requests.filter((it) => it.atMs <= atMs && atMs < (it.heardAtMs ?? it.atMs + exchangeMs));
    return underWay.length > concurrency;
  });
  if (full) return `more than ${concurrency} requests under way at ${full.atMs}, which the profile does not allow`;
  const atMost = Math.ceil(ratePerSecond * 10 * 1.1) + 1;
  const fast = requests.find(({ atMs }, at) => (requests[at + atMost]?.atMs ?? Infinity) < atMs + 10 * secondMs);
  return fast && `more than ${atMost} requests in the ten seconds from ${fast.atMs}, which the profile does not allow`;
}

function faultOfLimit(spell: Spell, its: readonly LaneRequest[], { isStill }: LaneBook): string | undefined {
  const refused = its.filter(({ isSlowed }) => isSlowed);
  const [first] = refused;
  if (!isStill || first?.heardAtMs === undefined) return undefined;
  const early = spell.retryAfterSeconds && askedToSlow(its, refused, spell.retryAfterSeconds * secondMs);
  if (early) return `${early.order} was sent at ${early.atMs}, before the gateway's own word was over`;
  const known = its.filter(
    ({ atMs }) => atMs > (first.heardAtMs ?? 0) + learnsInMs + 8 * (spell.retryAfterSeconds ?? 0) * secondMs,
  );
  const atMost = Math.ceil(spell.perSecond * 10 * 1.1) + 1;
  const full = known.find((_, at) => {
    const last = known[at + atMost];
    return last !== undefined && last.atMs < (known[at]?.atMs ?? 0) + 10 * secondMs;
  });
  return full && `more than ${atMost} requests in the ten seconds from ${full.atMs}, at ${spell.perSecond} a second`;
}

/** A request that left between a "slow down" that was heard and the end of its Retry-After. */
function askedToSlow(its: readonly LaneRequest[], refused: readonly LaneRequest[], retryMs: number) {
  return its.find(({ atMs }) =>
    refused.some(({ heardAtMs = Infinity }) => atMs > heardAtMs + sliceMs && atMs < heardAtMs + retryMs - knownToMs),
  );
}

function faultOfClosing(spell: Spell, its: readonly LaneRequest[], book: LaneBook): string | undefined {
  const knownMs = whenKnown(its) + knownAfterMs;
  const late = its.filter(({ atMs }) => atMs > knownMs);
  // After a freeze, or without an answer, each process may have to find out by itself.
  const most = book.isStill ? probesAtMost : 4 * probesAtMost;
  if (late.length > most) return `${late.length} requests once it was closed`;
  if (!book.isStill) return undefined;
  const probes = late.filter(({ atMs }) => atMs > knownMs + sliceMs);
  for (const [at, probe] of probes.entries()) {
    const before = probes[at - 1];
    if (!before) continue;
    if ((before.heardAtMs ?? Infinity) > probe.atMs) return `two probes at a time, at ${probe.atMs}`;
    if (probe.atMs - before.atMs < probeGapMs) return `probes at ${before.atMs} and ${probe.atMs}`;
  }
  return faultOfDeliveries(spell, knownMs, book);
}

/** The time when so many bad answers running were heard, each of another order than the one before. */
function whenKnown(its: readonly LaneRequest[]): number {
  const heard = its.flatMap(({ order, heardAtMs }) => (heardAtMs === undefined ? [] : [{ order, heardAtMs }]));
  const inOrder = heard.toSorted((a, b) => a.heardAtMs - b.heardAtMs);
  const counted = inOrder.filter(({ order }, at) => order !== inOrder[at - 1]?.order);
  return counted[streak - 1]?.heardAtMs ?? Infinity;
}

/** The fault of the deliveries of messages that waited all the while. */
function faultOfDeliveries(spell: Spell, knownMs: number, { deliveries }: LaneBook): string | undefined {
  const hours = Math.max(spell.toMs - knownMs, 0) / hourMs;
  const counts = [...deliveries.values()].map((at) => at.filter((it) => it > knownMs && it < spell.toMs).length);
  const sum = counts.reduce((a, b) => a + b, 0);
  const most = Math.ceil((deliveriesAnHour * hours + earlyDeliveries) * deliveries.size);
  return sum > most ? `${sum} deliveries of ${deliveries.size} jobs in ${hours.toFixed(2)} hours` : undefined;
}

/** The fault of one request at the moment when it comes. */
export function faultOfMoment(order: string, atMs: number, notBeforeMs: number | undefined, skewMs: number) {
  if (notBeforeMs === undefined || atMs >= notBeforeMs - skewMs) return undefined;
  return `${order} was sent ${notBeforeMs - atMs} ms before its moment`;
}
