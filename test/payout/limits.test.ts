import { describe, expect, it } from 'vitest';
import { checkedLimits, defaultLimits, type Limits } from '../../lib/payout/limits.ts';

it('the shipped numbers are safe', () => {
  expect(checkedLimits(defaultLimits)).toBe(defaultLimits);
});

describe('a worker does not start', () => {
  it.each<[string, Partial<Limits>, string]>([
    ['with a zero', { concurrency: 0 }, 'every limit must be a whole number above zero'],
    ['with a fraction', { maxReceiveCount: 1.5 }, 'every limit must be a whole number above zero'],
    ['with what is no number', { gatewayReplyLimitBytes: Number.NaN }, 'every limit must be a whole number above zero'],
    [
      'when a slow answer would be thrown away',
      { gatewayTotalTimeoutMs: 29_999 },
      'gatewayTotalTimeoutMs must cover connect, headers and body, or a slow answer is thrown away',
    ],
    [
      'when a job at work would be called lost',
      { leaseMs: 79_999 },
      'leaseMs must cover two sends and settling, or a job at work is called lost and its order held',
    ],
    [
      'when Lambda would kill sends',
      { functionTimeoutMs: 119_999 },
      'functionTimeoutMs must exceed leaseMs and settling, or Lambda kills sends whose answer is then lost',
    ],
    [
      'when one lost packet would fail a call to AWS',
      { awsRequestTimeoutMs: 3_000 },
      'awsCallTimeoutMs must exceed awsRequestTimeoutMs, which must not be below awsConnectTimeoutMs, or one lost packet fails a call',
    ],
    [
      'when a call to AWS that hangs would take an answer with it',
      { settleReserveMs: 18_000 },
      'settleReserveMs must exceed six times awsCallTimeoutMs, or a call that hangs takes the answer of a POST with it',
    ],
    [
      'when the retry delays shrink',
      { retryFirstDelaySeconds: 901 },
      'retry delays must grow from retryFirstDelaySeconds to retryMaxDelaySeconds, at most 900',
    ],
    [
      'when SQS could not wait that long',
      { retryMaxDelaySeconds: 901 },
      'retry delays must grow from retryFirstDelaySeconds to retryMaxDelaySeconds, at most 900',
    ],
  ])('%s', (_, change, danger) => {
    expect(() => checkedLimits({ ...defaultLimits, ...change })).toThrow(`unsafe limits: ${danger}`);
  });

  it('and names every danger at once', () => {
    const unsafe = { ...defaultLimits, leaseMs: 1, retryMaxDelaySeconds: 901 };
    expect(() => checkedLimits(unsafe)).toThrow(/leaseMs must .*; retry delays must /);
  });
});
