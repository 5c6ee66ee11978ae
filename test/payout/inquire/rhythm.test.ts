// When the gateway is asked, in plain numbers.
import { describe, expect, it } from 'vitest';
import { nextInquirySeconds } from '../../../lib/payout/inquire/rhythm.ts';
import type { Attempt } from '../../../lib/payout/order/facts.ts';
import { type Contract, contractOf } from '../../../lib/payout/order/time.ts';
import { defaultProfile } from '../../../lib/gateway/profile.ts';
import { anOrder } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

const minute = 60;
const hour = 3_600;
const leaseSeconds = 100;
const skewSeconds = 60;

const at = (seconds: number) => startMs + seconds * 1000;
const after = (attempt: Partial<Attempt>) => anOrder({ attempt });
const accepted = after({ answer: { kind: 'taken', atMs: startMs }, ids: ['9'] });
const doubtful = after({ lapsed: { code: 'NO_ANSWER', message: 'reset' } });
const contract: Contract = contractOf(defaultProfile);
const gapAt = (order: typeof accepted, ageSeconds: number, of: Contract = contract) =>
  nextInquirySeconds(order, at(ageSeconds), of) ?? Infinity;

/** The ages at which an order is looked at, until it has this age. */
function looksUntil(endSeconds: number, order = accepted, of: Contract = contract): number[] {
  const ages: number[] = [];
  for (let age = 0; age < endSeconds; ages.push(age)) age += gapAt(order, age, of);
  return ages;
}

describe('an accepted order', () => {
  it.each([
    [-30, 5],
    [0, 5],
    [4, 5],
    [5, 10],
    [20, 10],
    [25, 12],
    [100, 48],
    [10 * minute, 298],
    [32 * minute, 958],
    [hour, 1_798],
    [24 * hour, 6 * hour],
  ])('of %i s is asked about in %i s', (ageSeconds, seconds) => {
    expect(gapAt(accepted, ageSeconds)).toBe(seconds);
  });

  it('is known never more than 10 s or half its age after its end, whatever its age', () => {
    for (let endSeconds = 5; endSeconds < 3 * 24 * hour; endSeconds = Math.ceil(endSeconds * 1.01)) {
      const known = looksUntil(endSeconds).at(-1) ?? 0;
      expect(known - endSeconds).toBeLessThanOrEqual(Math.max(10, endSeconds / 2));
    }
  });
});

describe('a doubtful order', () => {
  it('is asked about after a minute, ever later, and hourly at last', () => {
    const ages = looksUntil(4 * hour, doubtful);
    expect(ages.slice(0, 4)).toEqual([60, 120, 161, 240]);
    expect(gapAt(doubtful, 10 * hour)).toBe(hour);
  });

  it('at the first moment that counts: its lease is over by any clock', () => {
    const countsFrom = leaseSeconds + skewSeconds;
    expect(gapAt(doubtful, countsFrom - 10)).toBe(11);
  });

  it('at the end of the quiet period, once the gateway has said that it knows nothing', () => {
    const absence = { firstMs: at(1_000), lastMs: at(1_000) };
    const denied = after({ lapsed: { code: 'X', message: 'x' }, absent: { 'account-1': absence } });
    const quietSeconds = contract.quietPeriodMs / 1000;
    expect(gapAt(denied, 1_000 + quietSeconds - 20)).toBe(21);
  });

  it('at its horizon', () => {
    const horizonSeconds = leaseSeconds + contract.horizonMs / 1000;
    expect(gapAt(doubtful, horizonSeconds - 30)).toBe(31);
  });
});

it.each<[string, Partial<Attempt>]>([
  ['has ended', { answer: { kind: 'taken', atMs: startMs }, ids: ['9'], reports: ['approved'] }],
  ['cannot be asked about', { answer: { kind: 'taken', atMs: startMs }, ids: ['9'], askable: false }],
  ['is under its lease', {}],
  ['a person is to decide about', { lapsed: { code: 'X', message: 'x' }, overdue: true }],
])('an order that %s is not looked at', (_, attempt) => {
  expect(nextInquirySeconds(after(attempt), at(hour), contract)).toBeUndefined();
});

it('a refusal that may be none is looked at once the account shows what it took', () => {
  const refusal = {
    kind: 'refused',
    about: 'account',
    connected: true,
    atMs: startMs,
    code: 'X',
    message: 'x',
  } as const;
  expect(nextInquirySeconds(after({ answer: refusal }), at(0), contract)).toBe(61);
});
