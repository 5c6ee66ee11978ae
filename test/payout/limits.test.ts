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
      'GATEWAY_TOTAL_TIMEOUT_MS must cover connect, headers and body, or a slow answer is thrown away',
    ],
    [
      'when a job at work would be called lost',
      { leaseMs: 79_999 },
      'LEASE_MS must cover two sends and settling, or a job at work is called lost and its order held',
    ],
    [
      'when Lambda would kill sends',
      { functionTimeoutMs: 119_999 },
      'FUNCTION_TIMEOUT_MS must exceed LEASE_MS and settling, or Lambda kills sends whose answer is then lost',
    ],
    [
      'when one lost packet would fail a call to AWS',
      { awsRequestTimeoutMs: 3_000 },
      'AWS_CALL_TIMEOUT_MS must exceed AWS_REQUEST_TIMEOUT_MS, which must not be below AWS_CONNECT_TIMEOUT_MS, or one lost packet fails a call',
    ],
    [
      'when a call to AWS that hangs would take an answer with it',
      { settleReserveMs: 18_000 },
      'SETTLE_RESERVE_MS must exceed six times AWS_CALL_TIMEOUT_MS, or a call that hangs takes the answer of a POST with it',
    ],
    [
      'when the retry delays shrink',
      { retryFirstDelaySeconds: 901 },
      'retry delays must grow from RETRY_FIRST_DELAY_SECONDS to RETRY_MAX_DELAY_SECONDS, at most 900',
    ],
    [
      'when SQS could not wait that long',
      { retryMaxDelaySeconds: 901 },
      'retry delays must grow from RETRY_FIRST_DELAY_SECONDS to RETRY_MAX_DELAY_SECONDS, at most 900',
    ],
  ])('%s', (_, change, danger) => {
    expect(() => checkedLimits({ ...defaultLimits, ...change })).toThrow(`unsafe limits: ${danger}`);
  });

  it('and names every danger at once', () => {
    const unsafe = { ...defaultLimits, leaseMs: 1, retryMaxDelaySeconds: 901 };
    expect(() => checkedLimits(unsafe)).toThrow(/LEASE_MS must .*; retry delays must /);
  });
});
