// What an order waits for, and until when: every wait that is not over by itself names its end.
import { expect, it } from 'vitest';
import type { Attempt } from '../../../lib/payout/order/facts.ts';
import type { Contract } from '../../../lib/payout/order/time.ts';
import { waitOf } from '../../../lib/payout/order/waits.ts';
import { anOrder } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

const contract: Contract = {
  quietPeriodMs: 2_000_000,
  horizonMs: 3_000_000,
  acceptedHorizonMs: 4_000_000,
  endsDenied: false,
  visibleAfterMs: 60_000,
  namesNewest: false,
};
const lapsed = { code: 'NO_ANSWER', message: 'reset' };
const taken = { kind: 'taken', atMs: startMs } as const;
const refused = { kind: 'refused', connected: true, atMs: startMs, code: 'X', message: 'no' } as const;

it.each<[what: string, attempt: Partial<Attempt>, wait: ReturnType<typeof waitOf>]>([
  ['being sent', {}, { for: 'its sender', untilMs: startMs + 160_000 }],
  ['in doubt', { lapsed }, { for: 'the gateway', nextAtMs: startMs + 5_000, untilMs: startMs + 3_100_000 }],
  [
    'accepted, and asked about',
    { answer: taken, ids: ['1'] },
    { for: 'the gateway', nextAtMs: startMs + 5_000, untilMs: startMs + 4_000_000 },
  ],
  ['accepted for good', { answer: taken, ids: ['1'], askable: false }, undefined],
  ['held', { lapsed, overdue: true }, { for: 'a person', decidableAtMs: startMs + 2_160_000 }],
  ['declined', { answer: { ...refused, about: 'order' } }, undefined],
])('%s', (_what, attempt, wait) => {
  expect(waitOf(anOrder({ attempt }), contract)).toEqual(wait);
});

it('a profile that cannot be read leaves the end of the wait out', () => {
  expect(waitOf(anOrder({ attempt: { lapsed } }))).toEqual({ for: 'the gateway', nextAtMs: startMs + 5_000 });
});
