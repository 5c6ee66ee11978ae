// THE REFEREE OF THE LANE: what infra/docs/lanes.md and promise 6 say, written down once more over what came to the gateway and what
// was delivered. It knows nothing of how a lane keeps its pace.
import type { Spell } from './lane-spells.ts';

/** One request as the gateway saw it. */
export interface LaneRequest {
  readonly order: string;
  readonly atMs: number;
  /** When its sender heard of it; none while it has not. */
  readonly heardAtMs: number | undefined;
  /** It was told to slow down. */
  readonly isSlowed?: boolean;
}

/** One world's requests, deliveries and rules. */
export interface LaneBook {
  readonly spells: readonly Spell[];
  /** The first first. */
  readonly requests: readonly LaneRequest[];
  /** Of each message: when it was delivered. */
  readonly deliveries: ReadonlyMap<string, readonly number[]>;
  /** No process froze, no call failed: then pace and brake hold to the letter, however far apart clocks are. */
  readonly isStill: boolean;
  /** What the profile allows all workers together. */
  readonly caps: { readonly ratePerSecond?: number; readonly concurrency?: number };
}

const secondMs = 1_000;
const hourMs = 3_600_000;
/** Of two orders at least, and none twice running: from then on the lane can know. */
const streak = 6;
/** What it gave out before may still leave for so long. */
const sliceMs = 10 * secondMs;
/** Workers hear late of what was accepted before, which breaks a streak: with few jobs left one takes so long to be seen. */
const knownAfterMs = 45 * secondMs;
/** After its first "slow down" a lane has so long to find the limit; silence that was asked for teaches nothing. */
const learnsInMs = 30 * secondMs;
/** Two probes are at least so far apart. */
const probeGapMs = 10 * secondMs;
/** In ten minutes; later one in two minutes. */
const probesAtMost = 12;
const deliveriesAnHour = 4;
/** Those who waited first are told to come for the first probes, and each job once soon after one. */
const earlyDeliveries = 3;

/** The first rule that does not hold. */
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

/** The profile's own words hold from the first request on. */
function faultOfCaps({ requests, caps: { ratePerSecond = Infinity, concurrency = Infinity } }: LaneBook) {
  const full = requests.find(({ atMs }) => {
    const underWay = requests.filter((it) => it.atMs <= atMs && atMs < (it.heardAtMs ?? Infinity));
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

/** One that left between a "slow down" that was heard and the end of its Retry-After. */
function askedToSlow(its: readonly LaneRequest[], refused: readonly LaneRequest[], retryMs: number) {
  return its.find(({ atMs }) =>
    refused.some(({ heardAtMs = Infinity }) => atMs > heardAtMs + sliceMs && atMs < heardAtMs + retryMs - secondMs),
  );
}

function faultOfClosing(spell: Spell, its: readonly LaneRequest[], book: LaneBook): string | undefined {
  const knownMs = whenKnown(its) + knownAfterMs;
  const late = its.filter(({ atMs }) => atMs > knownMs);
  // Frozen, or unheard, each process may have to find out by itself.
  const most = book.isStill ? probesAtMost : 4 * probesAtMost;
  if (late.length > most) return `${late.length} requests once it was closed`;
  if (!book.isStill) return undefined;
  const probes = late.filter(({ atMs }) => atMs > knownMs + sliceMs);
  for (const [at, probe] of probes.entries()) {
    const before = probes[at - 1];
    if (!before) continue;
    if ((before.heardAtMs ?? Infinity) > probe.atMs) return `two probes at a time, at ${probe.atMs}`;
    if (probe.atMs - before.atMs < probeGapMs) return `probes at ${before.atMs} and ${probe.atMs}`;
    if (probe.order === before.order) return `${probe.order} was the probe twice running`;
  }
  return faultOfDeliveries(spell, knownMs, book);
}

/** When so many bad answers running were heard, each of another order than the one before. */
function whenKnown(its: readonly LaneRequest[]): number {
  const heard = its.flatMap(({ order, heardAtMs }) => (heardAtMs === undefined ? [] : [{ order, heardAtMs }]));
  const inOrder = heard.toSorted((a, b) => a.heardAtMs - b.heardAtMs);
  const counted = inOrder.filter(({ order }, at) => order !== inOrder[at - 1]?.order);
  return counted[streak - 1]?.heardAtMs ?? Infinity;
}

/** Of those that waited all the while. */
function faultOfDeliveries(spell: Spell, knownMs: number, { deliveries }: LaneBook): string | undefined {
  const hours = Math.max(spell.toMs - knownMs, 0) / hourMs;
  const counts = [...deliveries.values()].map((at) => at.filter((it) => it > knownMs && it < spell.toMs).length);
  const sum = counts.reduce((a, b) => a + b, 0);
  const most = Math.ceil((deliveriesAnHour * hours + earlyDeliveries) * deliveries.size);
  return sum > most ? `${sum} deliveries of ${deliveries.size} jobs in ${hours.toFixed(2)} hours` : undefined;
}

/** Of one request at the moment when it comes. */
export function faultOfMoment(order: string, atMs: number, notBeforeMs: number | undefined, skewMs: number) {
  if (notBeforeMs === undefined || atMs >= notBeforeMs - skewMs) return undefined;
  return `${order} was sent ${notBeforeMs - atMs} ms before its moment`;
}

/** A slice and a probe end after ten seconds: whoever froze with one sends nothing with it. */
export function faultOfSlot(order: string, heldMs: number): string | undefined {
  return heldMs > sliceMs ? `a POST left for ${order} ${heldMs} ms after its slot was given` : undefined;
}
