// When the gateway is asked next, by the age of the attempt: in whole seconds, without chance. An inquiry comes when about half of the age
// has passed since the last, so an end is known within half its age. If the profile says when orders usually end, nothing is asked between
// the first inquiry and half of that age.
import type { Attempt } from '../order/facts.ts';
import { awaitsInquiry } from '../order/living.ts';
import { firstQuestionSeconds } from '../order/open-work.ts';
import { isConfirmed } from '../order/signs.ts';
import { attemptsToAsk, type Contract, leaseOverAtMs } from '../order/time.ts';
import type { Order } from '../order/order.ts';

/** The least gap after the first inquiry. */
const leastSeconds = 10;
const longestSeconds = 6 * 3_600;
/** The least and the longest gap for doubt, after its first question. */
const [doubtLeastSeconds, doubtLongestSeconds] = [60, 3_600];
/** The first inquiry about an attempt that a restore may have lost. It was sent long ago, so it is not urgent. */
const lostFirstSeconds = 600;

/** Seconds from now to the next inquiry about an order; undefined if the gateway is not to be asked. */
export function nextInquirySeconds(order: Order, nowMs: number, contract?: Contract): number | undefined {
  const asked = attemptsToAsk(order.facts);
  if (asked.length === 0) return undefined;
  return Math.min(...asked.map((attempt) => gapSeconds(order, attempt, { nowMs, contract })));
}

interface Asking {
  readonly nowMs: number;
  readonly contract: Contract | undefined;
}

function gapSeconds(order: Order, attempt: Attempt, { nowMs, contract }: Asking): number {
  const sinceMs = attempt.answer?.atMs ?? attempt.atMs;
  const ageSeconds = Math.max(0, (nowMs - sinceMs) / 1000);
  if (isConfirmed(attempt, order.facts)) {
    const plain = plainGap(ageSeconds, firstQuestionSeconds, longestSeconds);
    const usualSeconds = (contract?.usualEndMs ?? 0) / 1000;
    return ageSeconds < firstQuestionSeconds ? plain : Math.max(plain, Math.ceil(usualSeconds / 2 - ageSeconds));
  }
  // An earlier answer about a refusal proves nothing, so the inquiry waits until it can.
  if (awaitsInquiry(attempt)) {
    const visibleSeconds = Math.ceil((contract?.visibleAfterMs ?? 0) / 1000 - ageSeconds) + 1;
    return Math.max(plainGap(ageSeconds, firstQuestionSeconds, longestSeconds), visibleSeconds);
  }
  const seconds = plainGap(ageSeconds, attempt.lost ? lostFirstSeconds : doubtLeastSeconds, doubtLongestSeconds);
  // Never past a moment at which an inquiry can end the doubt.
  const ahead = momentsOf(attempt, contract)
    .filter((ms) => ms > nowMs)
    .map((ms) => Math.ceil((ms - nowMs) / 1000) + 1);
  return Math.min(seconds, ...ahead);
}

function plainGap(ageSeconds: number, first: number, longest: number): number {
  if (ageSeconds < first) return first;
  // A little less than half, so that an inquiry that comes a moment late is still in time.
  const half = Math.floor(Math.max(ageSeconds * 0.48, ageSeconds / 2 - 1.5));
  return Math.min(Math.max(leastSeconds, half, first), longest);
}

/**
 * The moments at which an inquiry can end the doubt (epoch ms): the first that counts as a denial, the end of the quiet period, the
 * horizon.
 */
function momentsOf(attempt: Attempt, contract: Contract | undefined): number[] {
  const { leaseUntilMs, absent } = attempt;
  const countsFromMs = leaseOverAtMs(attempt);
  if (!contract) return [countsFromMs];
  const firsts = Object.values(absent).flatMap(({ firstMs }) => (firstMs === undefined ? [] : [firstMs]));
  return [countsFromMs, ...firsts.map((ms) => ms + contract.quietPeriodMs), leaseUntilMs + contract.horizonMs];
}
