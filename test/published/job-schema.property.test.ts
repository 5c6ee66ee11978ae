// What the published schema of a job takes and what the worker takes agree: nothing that the worker takes is refused by
// the schema, and what the schema can't say is a short list, in its own comments.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJob } from '../../lib/payout/message/job.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { lengthOf } from '../support/long-proof.ts';
import { jobMessages } from './job-messages.ts';
import { contractText, schemaCheck } from './schemas.ts';

const schemaTakes = schemaCheck('job');

/** The faults that only the worker can see, each with the words by which the schema tells of it. */
const beyondSchema = [
  { fault: /^is longer than \d+ bytes$/, told: 'refused when it is longer than 65536 bytes' },
  { fault: /^is longer than \d+ bytes as JSON$/, told: 'refused when it is longer than 192 bytes as JSON' },
  { fault: /^is not well-formed Unicode$/, told: 'refused when it has a param that is not well-formed Unicode' },
  { fault: /^is not a time such as /, told: 'refused when it is not a time such as' },
  {
    fault: /^is not before expiresAt, so the job would never be sent/,
    told: 'refused when it has a notBefore that is not before its expiresAt',
  },
  {
    fault:
      /^(is the spreadsheet's|is a placeholder|is in exponent|was turned into|ends in the zeros|is "true"|has letters, digits or signs of|has characters that|has an invisible character)/,
    told: 'refused when a text was damaged by a spreadsheet or a program',
  },
  { fault: /^is \d+ characters long; the limit is \d+$/, told: 'Lengths are counted here in code points' },
];

/** How the two judge a message; a sentence where they differ without leave. */
function judgement(message: object): string {
  const body = JSON.stringify(message);
  const read = parseJob(body);
  const taken = schemaTakes(JSON.parse(body));
  if (read.kind === 'job')
    return taken ? 'taken' : `refused by the schema alone: ${JSON.stringify(schemaTakes.errors)}`;
  if (!taken) return 'refused';
  const unexplained = read.faults.filter((it) => !beyondSchema.some(({ fault }) => fault.test(it.fault)));
  return unexplained.length === 0 ? 'beyond the schema' : `refused by the worker alone: ${JSON.stringify(unexplained)}`;
}

it('a message is taken by both or by none, but for what the schema says that it can not say', () => {
  const runs = lengthOf({ short: 300, long: 1500 });
  const seen = new Map<string, number>();
  const judged = fc.property(jobMessages, (message) => {
    const it = judgement(message);
    seen.set(it, (seen.get(it) ?? 0) + 1);
    expect(['taken', 'refused', 'beyond the schema']).toContain(it);
  });
  fc.assert(judged, { numRuns: runs });
  // Neither side of the rule was left untried.
  expect(seen.get('taken')).toBeGreaterThan(runs / 15);
  expect(seen.get('refused')).toBeGreaterThan(runs / 10);
  expect(seen.get('beyond the schema')).toBeGreaterThan(0);
});

it('the schema tells what it can not say', () => {
  const words = contractText('job.schema.json');
  expect(beyondSchema.filter(({ told }) => !words.includes(told))).toEqual([]);
});

it.each([
  ['an unknown field', { ...aPayoutJob(), amount: '10.42' }],
  ['a number for an amount', aPayoutJob({ params: { amount: 10.42, currency: 'EUR' } })],
  ['cents of a yen', aPayoutJob({ params: { amount: '10.42', currency: 'JPY' } })],
  ['a third decimal of a euro', aPayoutJob({ params: { amount: '10.421', currency: 'EUR' } })],
  ['a payout of nothing', aPayoutJob({ params: { amount: '0.00', currency: 'EUR' } })],
  ['the field of another operation', aPayoutJob({ params: { amount: '1', currency: 'EUR', cvv2: '737' } })],
  ['no currency', { ...aPayoutJob(), params: { amount: '10.42' } }],
  ['a blank order id', aPayoutJob({ orderId: '  ' })],
  [
    'an account number of 65 characters',
    aPayoutJob({ params: { amount: '1', currency: 'EUR', account_number: 'x'.repeat(65) } }),
  ],
])('the schema refuses %s, as the worker does', (_what, message) => {
  expect(schemaTakes(message)).toBe(false);
  expect(parseJob(JSON.stringify(message)).kind).toBe('rejected');
});

it('three decimals of a dinar, and blanks around a value, are taken by both', () => {
  const message = aPayoutJob({ params: { amount: ' 10.421', currency: 'KWD ' } });
  expect(schemaTakes(message)).toBe(true);
  expect(parseJob(JSON.stringify(message)).kind).toBe('job');
});
