import { noInquiries } from '../../lib/payout/due-work.ts';
import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { type Inquiries, type LedgerEntry, moved } from '../../lib/payout/ledger.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import {
  growingDelaySeconds,
  inquiredOnce,
  isLastReceive,
  isUnknownToGateway,
  nextInquiryInTimeSeconds,
  nextInquirySeconds,
  nextTellingSeconds,
  retryDelaySeconds,
} from '../../lib/payout/retry-policy.ts';
import { waitOutOfTurnMs } from '../../lib/payout/inquiry-turn.ts';
import { isPastHorizon, stateSinceMs } from '../../lib/payout/accepted-rhythm.ts';
import { anEntry } from '../support/ledger-entries.ts';

const delay = (receiveCount: number, chance: number) => retryDelaySeconds({ receiveCount, chance }, defaultLimits);

describe('the schedule, shortest and longest wait in seconds', () => {
  it.each([
    [1, 12, 15],
    [2, 34, 45],
    [3, 102, 135],
    [4, 304, 405],
    [5, 675, 900],
    [6, 675, 900],
    [1000, 675, 900],
    [0, 12, 15],
  ])('after receive %i: %i to %i s', (receiveCount, shortest, longest) => {
    expect(delay(receiveCount, 0)).toBe(shortest);
    expect(delay(receiveCount, 0.999_999)).toBe(longest);
  });
});

describe("the gateway's own word", () => {
  it.each([
    [40, 40],
    [5, 12],
    [0, 12],
    [100_000, 900],
  ])('Retry-After %i waits %i s', (retryAfterSeconds, seconds) => {
    expect(growingDelaySeconds({ ageSeconds: 0, chance: 0, retryAfterSeconds }, defaultLimits)).toBe(seconds);
  });
});

describe('the wait for the world grows with the age of the job', () => {
  it.each([
    [0, 12, 15],
    [15, 23, 30],
    [100, 150, 200],
    [450, 675, 900],
    [1_000_000, 675, 900],
  ])('after %i s: %i to %i s', (ageSeconds, shortest, longest) => {
    expect(growingDelaySeconds({ ageSeconds, chance: 0 }, defaultLimits)).toBe(shortest);
    expect(growingDelaySeconds({ ageSeconds, chance: 0.999_999 }, defaultLimits)).toBe(longest);
  });
});

it('the thousandth receive is the last', () => {
  expect([1, 999, 1_000, 1_001].map((count) => isLastReceive(count, defaultLimits))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

// When the gateway is asked, in plain numbers, and when doubt ends without an answer.

const rhythm = { doubtFirstInquirySeconds: 60 };
const startMs = 1_000_000;
const minute = 60;
const hour = 3_600;

/** Claimed at 0 with a lease of 100 s, in this state from the second given on. */
function standing(state: 'accepted' | 'in-doubt', sinceSeconds = 0): LedgerEntry {
  const claimed = anEntry({
    createdAtMs: startMs,
    leaseUntilMs: startMs + 100_000,
    history: [{ state: 'submitting', atMs: startMs, attempts: 1, reason: 'claimed' }],
  });
  return moved(claimed, { state, final: false, reason: 'x', nowMs: startMs + sinceSeconds * 1000 });
}

const at = (seconds: number) => startMs + seconds * 1000;

describe('an accepted order is asked about', () => {
  const accepted = standing('accepted');

  it.each([
    [0, 5],
    [4, 5],
    [5, 10],
    [20, 10],
    [25, 12],
    [100, 48],
    [10 * minute, 298],
    [30 * minute, 898],
    [32 * minute, 900],
    [hour, 1_738],
    [2 * hour, 3_538],
    [24 * hour, 6 * hour - minute],
  ])('%i seconds after its acceptance, in %i seconds', (ageSeconds, seconds) => {
    expect(nextInquirySeconds(accepted, noInquiries, at(ageSeconds), rhythm)).toBe(seconds);
  });

  /** The ages at which it is asked about, until it has this age. */
  function inquiriesUntil(endSeconds: number): number[] {
    const ages: number[] = [];
    for (let age = 0; age < endSeconds;) {
      age += nextInquirySeconds(accepted, noInquiries, at(age), rhythm);
      ages.push(age);
    }
    return ages;
  }

  it('never more than 10 s or half its age after its end, a minute of the sweeper included', () => {
    for (let endSeconds = 5; endSeconds < 3 * 24 * hour; endSeconds = Math.ceil(endSeconds * 1.01)) {
      const known = inquiriesUntil(endSeconds).at(-1) ?? 0;
      const late = known - endSeconds + (known > 2_700 ? minute : 0);
      expect(late).toBeLessThanOrEqual(Math.max(10, endSeconds / 2, 0));
    }
  });

  it('13 times at most until it is 19 minutes old, half way from 5 s to 3 days, and never twice within 5 s', () => {
    const ages = inquiriesUntil(Math.sqrt(5 * 3 * 24 * hour));
    expect(ages.slice(0, 5)).toEqual([5, 15, 25, 37, 54]);
    expect(ages.length).toBeLessThanOrEqual(13);
    const apart = ages.map((age, place) => age - (ages[place - 1] ?? 0));
    expect(Math.min(...apart)).toBe(5);
  });

  it('seven times in the hour that follows its first five minutes', () => {
    expect(inquiriesUntil(5 * minute + hour).filter((age) => age > 5 * minute)).toHaveLength(7);
  });

  it('counted from its acceptance and not from its claim', () => {
    expect(nextInquirySeconds(standing('accepted', 90), noInquiries, at(190), rhythm)).toBe(48);
  });

  it('in 5 seconds even if the clocks of two workers disagree', () => {
    expect(nextInquirySeconds(accepted, noInquiries, at(-30), rhythm)).toBe(5);
  });
});

it('an untold result is told again after 1, 2, 4 and 8 minutes, then every 15', () => {
  const waits = [0, 1, 2, 3, 4, 5, 100].map((count) => nextTellingSeconds({ count, negatives: 0 }) / 60);
  expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15]);
});

describe('a look out of turn waits', () => {
  const waitSeconds = (entry: LedgerEntry, atSeconds: number) => waitOutOfTurnMs(entry, at(atSeconds)) / 1000;
  const asked = (entry: LedgerEntry, atSeconds: number) => ({
    ...entry,
    inquiries: { count: 1, negatives: 0, askedAtMs: at(atSeconds) },
  });

  it('10 s after the last while its order is young, then 6 minutes', () => {
    const accepted = standing('accepted');
    expect(waitSeconds(asked(accepted, 20), 21)).toBe(9);
    expect(waitSeconds(asked(accepted, 20), 30)).toBe(0);
    expect(waitSeconds(asked(accepted, 20), 299)).toBe(0);
    expect(waitSeconds(asked(accepted, 300), 301)).toBe(359);
    expect(waitSeconds(asked(accepted, 300), 660)).toBe(0);
  });

  it('for nothing where nobody has asked yet', () => {
    expect(waitSeconds(standing('accepted'), 0)).toBe(0);
    expect(waitSeconds(standing('in-doubt'), 400)).toBe(0);
    expect(
      waitSeconds(moved(standing('in-doubt'), { state: 'held', final: false, reason: 'x', nowMs: at(0) }), 1),
    ).toBe(0);
  });

  it.each(['approved', 'declined'] as const)('6 minutes after the look that has %s it', (state) => {
    const ended = moved(standing('accepted'), { state, final: true, reason: 'x', nowMs: at(100) });
    expect(waitSeconds(ended, 101)).toBe(359);
    expect(waitSeconds(asked(ended, 500), 501)).toBe(359);
  });
});

describe('a doubtful order is asked about', () => {
  it('after 1, 2, 4, 8 and 15 minutes, then hourly', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 100].map((count) =>
      nextInquirySeconds(standing('in-doubt'), { count, negatives: 0 }, at(0), rhythm),
    );
    expect(waits).toEqual([60, 120, 240, 480, 900, 3_600, 3_600, 3_600]);
  });

  it('in the rhythm that the limits set', () => {
    const waits = [0, 1, 4, 5].map((count) =>
      nextInquirySeconds(standing('in-doubt'), { count, negatives: 0 }, at(0), { doubtFirstInquirySeconds: 2 }),
    );
    expect(waits).toEqual([2, 4, 30, 120]);
  });

  const asking = (nowSeconds: number) => ({ nowMs: at(nowSeconds), profile: defaultProfile, rhythm });

  it('at the end of the quiet period, if the gateway has said that it knows nothing', () => {
    const inquiries = { count: 5, negatives: 5, firstNegativeAtMs: at(100) };
    expect(nextInquiryInTimeSeconds(standing('in-doubt'), inquiries, asking(1_800))).toBe(100);
    expect(nextInquiryInTimeSeconds(standing('in-doubt'), inquiries, asking(1_899.5))).toBe(1);
    expect(nextInquiryInTimeSeconds(standing('in-doubt'), inquiries, asking(1_900))).toBe(3_600);
    expect(nextInquiryInTimeSeconds(standing('in-doubt'), { count: 5, negatives: 0 }, asking(1_800))).toBe(3_600);
  });

  it('at its horizon', () => {
    const inquiries = { count: 30, negatives: 0 };
    expect(nextInquiryInTimeSeconds(standing('in-doubt', 10), inquiries, asking(86_400))).toBe(10);
    expect(nextInquiryInTimeSeconds(standing('in-doubt', 10), inquiries, asking(86_410))).toBe(3_600);
  });

  it('but acceptance has no quiet period, and a horizon of its own, from which on it is told of', () => {
    const inquiries = { count: 5, negatives: 5, firstNegativeAtMs: at(100) };
    expect(nextInquiryInTimeSeconds(standing('accepted'), inquiries, asking(hour))).toBe(1_738);
    expect(nextInquiryInTimeSeconds(standing('accepted'), inquiries, asking(86_000))).toBe(21_540);
    expect(nextInquiryInTimeSeconds(standing('accepted'), inquiries, asking(259_100))).toBe(100);
    expect(nextInquiryInTimeSeconds(standing('accepted'), inquiries, asking(259_200))).toBe(21_540);
  });
});

describe('looks are counted', () => {
  it('with the negative ones in a row, and when their row began', () => {
    const one = inquiredOnce(noInquiries, true, 10);
    expect(one).toEqual({ count: 1, negatives: 1, firstNegativeAtMs: 10, askedAtMs: 10 });
    expect(inquiredOnce(one, true, 20)).toEqual({
      count: 2,
      negatives: 2,
      firstNegativeAtMs: 10,
      askedAtMs: 20,
    });
  });

  it('anew after any other answer', () => {
    const two: Inquiries = { count: 2, negatives: 2, firstNegativeAtMs: 10 };
    const unclear = inquiredOnce(two, false, 30);
    expect(unclear).toEqual({ count: 3, negatives: 0, askedAtMs: 30 });
    expect(inquiredOnce(unclear, true, 40)).toMatchObject({ count: 4, negatives: 1, firstNegativeAtMs: 40 });
  });
});

describe("the gateway's word that it knows no such order is taken", () => {
  const entry = standing('in-doubt'); // its lease ran until second 100
  const negatives = (count: number, firstSeconds: number): Inquiries => ({
    count,
    negatives: count,
    firstNegativeAtMs: at(firstSeconds),
  });

  it.each([
    ['said twice over the quiet period', 2, 160, 160 + 1_800, true],
    ['said twice, a second short of it', 2, 160, 160 + 1_799, false],
    ['said often, a second short of it', 99, 160, 160 + 1_799, false],
    ['said once, however long ago', 1, 160, 160 + 99 * hour, false],
    ['said early: counted from the end of the lease', 2, 10, 100 + 1_800, true],
    ['said early: a second short of it', 2, 10, 100 + 1_799, false],
  ])('%s', (_, count, firstSeconds, nowSeconds, taken) => {
    expect(isUnknownToGateway(entry, negatives(count, firstSeconds), defaultProfile, at(nowSeconds))).toBe(taken);
  });

  it('by the quiet period of the profile', () => {
    const profile = { ...defaultProfile, quietPeriodSeconds: 60 };
    expect(isUnknownToGateway(entry, negatives(2, 160), profile, at(219))).toBe(false);
    expect(isUnknownToGateway(entry, negatives(2, 160), profile, at(220))).toBe(true);
  });

  it('never without a quiet period before the lease is over: its claimant might still send', () => {
    const profile = { ...defaultProfile, quietPeriodSeconds: 0 };
    expect(isUnknownToGateway(entry, negatives(2, 10), profile, at(99))).toBe(false);
    expect(isUnknownToGateway(entry, negatives(2, 10), profile, at(100))).toBe(true);
  });
});

describe('doubt', () => {
  it('is past its horizon a day after it began', () => {
    const entry = standing('in-doubt', 50);
    expect(isPastHorizon(entry, defaultProfile, at(50 + 86_399))).toBe(false);
    expect(isPastHorizon(entry, defaultProfile, at(50 + 86_400))).toBe(true);
  });

  it('began with its last state, whatever the history before', () => {
    const twice = moved(moved(standing('in-doubt', 10), { state: 'failed', final: true, reason: 'x', nowMs: at(20) }), {
      state: 'submitting',
      final: false,
      reason: 'claimed',
      nowMs: at(30),
    });
    expect(stateSinceMs(twice)).toBe(at(30));
    const doubt = moved(twice, { state: 'in-doubt', final: false, reason: 'x', nowMs: at(40) });
    expect(stateSinceMs(doubt)).toBe(at(40));
    expect(stateSinceMs({ ...doubt, history: [] })).toBe(startMs);
  });
});
