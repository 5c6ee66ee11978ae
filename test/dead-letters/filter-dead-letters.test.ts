// Which dead letters are meant: a choice that is too wide would move or throw away what was not asked for, one that is too
// narrow would leave payouts behind, and a search must not find what may not be seen.
import { describe, expect, it } from 'vitest';
import { chosenBy, codeOf, fits, type DeadLetterFilter } from '../../lib/dead-letters/scan-dead-letters.ts';
import type { DeadLetterView } from '../../lib/dead-letters/dead-letter.ts';
import { createFakeDeadLetters } from '../support/fake-dead-letters.ts';
import { aPayoutJob, aTransferJob, testCards } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';

const view: DeadLetterView = {
  messageId: 'l-1',
  originMessageId: 'm-1',
  from: 'worker',
  code: 'NOT_SENT',
  reason: 'connect ECONNREFUSED',
  sentAtMs: startMs,
  redrives: 2,
  operation: 'payout',
  merchant: 'acme-eu',
  order: 'acme-eu/INV-1',
  batchId: 'b-7',
};

it.each<[keyof DeadLetterFilter, string, string]>([
  ['merchant', 'acme-eu', 'acme'],
  ['batch', 'b-7', 'b-70'],
  ['order', 'acme-eu/INV-1', 'INV-1'],
  ['code', 'NOT_SENT', 'not_sent'],
  ['messages', 'l-1', 'l-10'],
  ['messages', 'm-1', 'm-10'],
  // A search finds any part, in capitals or not, and never looks across two.
  ['search', 'econnrefused', 'ECONNRESET'],
  ['search', 'M-1', 'l-1m-1'],
  ['search', 'PayOut', 'l-1,m-1'],
  ['search', 'Connect E', 'undefined'],
])('a letter is meant by its %s %s, and by no other such as %s', (part, its, another) => {
  expect(fits(view, {})).toBe(true);
  const choice = (value: string) => ({ [part]: part === 'messages' ? [value] : value });
  expect(fits(view, choice(its))).toBe(true);
  expect(fits(view, choice(another))).toBe(false);
});

it('a letter is meant where every part that is given fits, and not where one does not, or is lacking', () => {
  const all = { merchant: 'acme-eu', batch: 'b-7', order: 'acme-eu/INV-1', code: 'NOT_SENT', messages: ['m-1'] };
  expect(fits(view, { ...all, search: 'INV' })).toBe(true);
  const parts = Object.keys(all) as (keyof DeadLetterFilter)[];
  expect(parts.filter((part) => fits(view, { ...all, [part]: 'other' }))).toEqual([]);
  const { order: _order, batchId: _batch, ...unread } = view;
  expect([fits(unread, { search: 'undefined' }), fits(unread, { batch: 'b-7' })]).toEqual([false, false]);
});

it('why a letter is here is the code of the worker, or sqs', () => {
  const { code: _, ...bare } = view;
  expect([view, { ...view, from: 'sqs' } as const, bare].map(codeOf)).toEqual(['NOT_SENT', 'sqs', 'sqs']);
  expect(fits({ ...view, from: 'sqs' }, { code: 'sqs' })).toBe(true);
});

describe('a message as it is on the queue', () => {
  it('is meant by what can be seen of it', () => {
    const letter = createFakeDeadLetters(createManualClock()).move(aRecord(aPayoutJob({ batchId: 'b-7' })), 'm-9');
    expect(chosenBy({ batch: 'b-7', messages: ['m-9'], code: 'sqs' })(letter)).toBe(true);
    expect(chosenBy({ batch: 'b-8' })(letter)).toBe(false);
  });

  it.each([testCards.sender, testCards.receiver, 'Jane Doe', 'Rent', '25.00'])(
    'is not found by what it carries: %s',
    (search) => {
      const letter = createFakeDeadLetters(createManualClock()).move(aRecord(aTransferJob()));
      expect(letter.body.toLowerCase()).toContain(search.toLowerCase());
      expect(chosenBy({ search })(letter)).toBe(false);
    },
  );
});
