import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToBytes, outsideTextLimitBytes, redact, sensitiveValues } from '../../lib/gateway/redact.ts';
import { aPayoutJob, aTransferJob, jobOf } from '../support/jobs.ts';
import { anyText } from '../support/any-text.ts';

describe('text from outside loses', () => {
  it.each([
    ['a given value', 'no account DE89370400440532013000', ['DE89370400440532013000'], 'no account [redacted]'],
    ['every occurrence of it', 'x737 737', ['737'], 'x[redacted] [redacted]'],
    ['the longer value first', '12345 123', ['123', '12345'], '[redacted] [redacted]'],
    ['a card number without a name', 'card 4111111111111111 refused', [], 'card [redacted] refused'],
    ['control characters', 'a\u0000b\r\nc\u007f', [], 'a b c'],
    ['half a character', 'a\ud83d', [], 'a\ufffd'],
  ])('%s', (_, text, values, expected) => {
    expect(redact(text, values)).toBe(expected);
  });
});

it('is cut to its limit in bytes, between characters', () => {
  const cut = redact('Ж'.repeat(200), []);
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(outsideTextLimitBytes);
  expect(cut).toMatch(/^Ж+…$/);
  expect(cutToBytes('💶💶', 7)).toBe('💶…');
  expect(cutToBytes('short', 80)).toBe('short');
});

it('the sensitive values of a job are its card and account data', () => {
  expect(sensitiveValues(jobOf(aPayoutJob()))).toEqual(['DE89370400440532013000']);
  expect(sensitiveValues(jobOf(aTransferJob())).toSorted()).toEqual([
    '2030',
    '4111111111111111',
    '5555555555554444',
    '737',
    'JANE DOE',
  ]);
});

it('whatever surrounds it, no value given comes out, and the text keeps its limit', () => {
  const value = fc.constantFrom('4111111111111111', '737', 'DE89 3704 0044', 'JANE DOE');
  fc.assert(
    fc.property(anyText(), value, anyText(), (before, secret, after) => {
      const clean = redact(before + secret + after, [secret]);
      expect(clean).not.toContain(secret);
      expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(outsideTextLimitBytes);
      expect(clean.isWellFormed()).toBe(true);
    }),
  );
});
