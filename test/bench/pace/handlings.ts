// Ours, by the worker's own code; and what others do in its place: let SQS retry, give each process a bucket of tokens, or
// wait ever longer and give up after the receives, as the first version did.
import { createPacing } from '../../../lib/payout/pacing.ts';
import type { Delivered, Handling, Place, Waiting } from './workers.ts';
import type { Reply } from './gateways.ts';
import type { Slot } from '../../../lib/payout/lane-line.ts';

const claimMs = 8;
const longestMs = 900_000;

/** Our lanes. */
export function ours({ timeline, lanes, sleep }: Place): Handling {
  let ids = 0;
  const mine = (workers += 1);
  const clock = { nowMs: timeline.nowMs, uptimeMs: timeline.nowMs, sleep };
  const pacing = createPacing({ lanes, clock, random: { id: () => `w${mine}.${(ids += 1)}` } });
  return async (job, post) => {
    const lane = { merchant: job.merchant, endpointId: '1' };
    const ask = { class: job.isUrgent ? 'urgent' : 'row', order: job.order } as const;
    const grant = await pacing.ask(lane, { ...ask, ...(job.receives > 1 && { fromLine: true as const }) }, {});
    if (grant.kind === 'wait') {
      const untilMs = 'untilMs' in grant && grant.untilMs !== undefined ? grant.untilMs : timeline.nowMs() + 2_000;
      return { afterMs: Math.ceil((untilMs - timeline.nowMs()) / 1000) * 1000 };
    }
    await sleep(claimMs);
    const { reply, retryAfterSeconds, isBusy } = await post();
    const more = {
      ...(reply === 'account' && { code: '28' }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(isBusy && { isBusy }),
    };
    pacing.report(lane, grant, { says: reply, order: job.order, ...more });
    return afterOurs(job, reply, grant, timeline.nowMs());
  };
}
let workers = 0;

function afterOurs(job: Waiting, reply: Reply, _slot: Slot, nowMs: number): Delivered {
  switch (reply) {
    case 'accepted':
      return reply;
    case 'no-answer':
    case 'server-error':
      return 'doubt';
    case 'slow-down':
      return { afterMs: 2_000 };
    case 'not-connected':
    case 'credentials':
    case 'account': {
      const ageMs = nowMs - job.sentAtMs;
      return { afterMs: Math.min(Math.max(ageMs % longestMs, 15_000), longestMs) };
    }
  }
}

const isDoubt = (reply: Reply) => reply === 'no-answer' || reply === 'server-error';

/** SQS's own: back after the visibility time-out, a dead letter after five receives; a refusal is believed. */
export function plainRetry(_place: Place): Handling {
  return async (job, post) => {
    const { reply } = await post();
    if (reply === 'accepted') return reply;
    if (reply === 'account' || reply === 'credentials') return 'declined';
    if (isDoubt(reply)) return 'doubt';
    return job.receives >= 5 ? 'dead letter' : { afterMs: 30_000 };
  };
}

/** Five a second in all, a bucket in each process; else as plain retry. */
export function tokenBucket(place: Place): Handling {
  const gapMs = 800;
  let freeMs = 0;
  const retry = plainRetry(place);
  const { timeline, sleep } = place;
  return async (job, post) => {
    const atMs = Math.max(freeMs, timeline.nowMs());
    freeMs = atMs + gapMs;
    await sleep(atMs - timeline.nowMs());
    return retry(job, post);
  };
}

/**
 * Additive increase and a plain halving in each process, as textbooks have it: one more a second for each second without
 * "slow down", half as many after one. It knows no brake, and whoever finds no slot comes back without a receive burnt.
 */
export function plainHalving({ timeline, sleep }: Place): Handling {
  let perSecond = 5;
  let freeMs = 0;
  let halvedAtMs = 0;
  return async (job, post) => {
    const nowMs = timeline.nowMs();
    const atMs = Math.max(freeMs, nowMs);
    if (atMs > nowMs + 5_000) return { afterMs: Math.min(atMs - nowMs, longestMs) };
    freeMs = atMs + 1000 / perSecond;
    await sleep(atMs - nowMs);
    const { reply } = await post();
    if (reply === 'accepted') {
      perSecond += 1 / perSecond;
      return reply;
    }
    if (reply === 'slow-down') {
      if (timeline.nowMs() > halvedAtMs + 1_000) {
        halvedAtMs = timeline.nowMs();
        perSecond = Math.max(perSecond / 2, 0.05);
      }
      return { afterMs: 3_000 };
    }
    if (reply === 'account' || reply === 'credentials') return 'declined';
    if (isDoubt(reply)) return 'doubt';
    return job.receives >= 50 ? 'dead letter' : { afterMs: 30_000 };
  };
}

/** 15 s, 30 s, 1 min, 2 min, then failed; a refused key or account ends the order. */
export function firstVersion(_place: Place): Handling {
  return async (job, post) => {
    await _place.sleep(claimMs);
    const { reply } = await post();
    if (reply === 'accepted') return reply;
    if (reply === 'account' || reply === 'credentials') return 'declined';
    if (isDoubt(reply)) return 'doubt';
    return job.receives >= 5 ? 'failed' : { afterMs: 15_000 * 2 ** (job.receives - 1) };
  };
}
