// The promises of settlement, written a second time from infra/docs/gateway.md: when the gateway's silence is proof, how
// long doubt may last, the effect of a pause, and how much of a capped merchant's money may leave in a day.
import type { SeenOrder } from './seen.ts';
import { parseAmount } from '../../lib/gateway/money.ts';
import type { Contract } from './merchants.ts';
import type { SentPost } from './truth.ts';

/** The times of a contract, with the defaults of the profile. */
const secondsOf = ({ quietPeriodSeconds = 1_800, doubtHorizonSeconds = 86_400 }: Contract) => ({
  quietPeriodSeconds,
  doubtHorizonSeconds,
});

/** The skew with which two clocks are compared. */
const clockSkewMs = 60_000;

/**
 * The gateway's answer that it knows no such order is proof only after two denials, the quiet period between them, and as
 * long since the lease of the last send. Clocks of two processes may differ by `skewMs`.
 */
export function faultOfDenial(
  { key, leaseUntilMs }: SeenOrder,
  denials: readonly number[],
  contract: Contract,
  skewMs: number,
): string | undefined {
  const quietMs = secondsOf(contract).quietPeriodSeconds * 1000 - skewMs;
  const last = denials.at(-1) ?? 0;
  const since = denials.filter((atMs) => atMs < last && atMs > leaseUntilMs + clockSkewMs - skewMs);
  if (!contract.resubmitUnknownOrders) return `${key} ended as denied, which its contract leaves to a person`;
  if (since.length === 0) return `${key} counts as unknown to the gateway after ${denials.length} denials`;
  if (!since.some((atMs) => last - atMs >= quietMs))
    return `${key} counts as unknown to the gateway inside the quiet period`;
  if (last < leaseUntilMs + quietMs) return `${key} counts as unknown to the gateway too soon after it was sent`;
  return undefined;
}

/** Doubt that is held at its horizon, though the gateway's denials have ended it where the contract lets it go. */
export function faultOfHolding(
  before: SeenOrder | undefined,
  { key, state, failure, leaseUntilMs, earlierAttempts, gatewayOrderId }: SeenOrder,
  it: {
    readonly denials: readonly number[];
    readonly fairSinceMs: number;
    readonly contract: Contract;
    readonly skewMs: number;
  },
): string | undefined {
  if (before?.state !== 'in-doubt' || state !== 'held' || heardCodes.has(failure?.code)) return undefined;
  if (!it.contract.resubmitUnknownOrders || earlierAttempts || gatewayOrderId !== undefined) return undefined;
  const sinceMs = Math.max(it.fairSinceMs, leaseUntilMs + clockSkewMs + it.skewMs);
  const [first, ...later] = it.denials.filter((atMs) => atMs > sinceMs);
  const quietMs = secondsOf(it.contract).quietPeriodSeconds * 1000 + it.skewMs;
  if (first === undefined || !later.some((atMs) => atMs - first > quietMs)) return undefined;
  return `${key} is held for a person, though the gateway has denied it over the quiet period`;
}

/** Codes of orders that are held for an answer of the gateway. */
const heardCodes: ReadonlySet<string | undefined> = new Set([
  'NOT_AT_GATEWAY',
  'HELD_SEVERAL',
  'HELD_AMOUNT_DIFFERS',
  'STATUS_UNPROVEN',
]);

/** Time that the way from a due look to its write may take in fair weather: sweep, slack, queue and redelivery. */
const doubtSlackMs = 900_000;

/** A freeze that began in the last of the storm; the only inquirer of a world may be the one that sleeps. */
const longestFreezeMs = 1_000_000;

/** Doubt that has outlasted its horizon, once the weather is fair. */
export function faultOfDoubt(
  { key, state, leaseUntilMs }: SeenOrder,
  it: {
    readonly sinceMs: number;
    readonly fairSinceMs: number;
    readonly nowMs: number;
    readonly contract: Contract;
    readonly skewMs: number;
  },
): string | undefined {
  if (state !== 'in-doubt') return undefined;
  const horizonMs = secondsOf(it.contract).doubtHorizonSeconds * 1000;
  // The lease of an order that a restore may have lost ends when no worker of the old table can be at work any more.
  const endsMs =
    Math.max(Math.max(it.sinceMs, leaseUntilMs) + horizonMs, it.fairSinceMs + longestFreezeMs) +
    doubtSlackMs +
    it.skewMs;
  return it.nowMs > endsMs ? `${key} is still in doubt past its horizon, and not held` : undefined;
}

/** Money of a merchant that may have left on this day, above the cap of its contract. */
export function faultOfCaps(
  { post, sentAtMs }: SentPost,
  contract: Contract | undefined,
  sentPosts: ReadonlyMap<string, readonly SentPost[]>,
): string | undefined {
  const caps = contract?.caps?.[post.currency];
  if (!caps || !post.movesMoney) return undefined;
  const unitsOf = (amount: string) => {
    const parsed = parseAmount(amount, post.currency);
    return parsed.kind === 'amount' ? parsed.minorUnits : 0n;
  };
  if (caps.single !== undefined && unitsOf(post.amount) > unitsOf(caps.single))
    return `${post.order} was sent above the cap for one order`;
  if (caps.perDay === undefined) return undefined;
  const merchant = post.order.slice(0, post.order.indexOf('/') + 1);
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  let sum = 0n;
  for (const [order, posts] of sentPosts) {
    const counts = posts.some((it) => it.post.currency === post.currency && dayOf(it.sentAtMs) === dayOf(sentAtMs));
    if (order.startsWith(merchant) && counts) sum += unitsOf(posts[0]?.post.amount ?? '0');
  }
  return sum > unitsOf(caps.perDay) ? `${post.order} took its merchant's day above its cap` : undefined;
}
