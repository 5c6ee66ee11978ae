// Which dead letters are meant: a choice that is too wide would move or throw away what nobody asked for, one that is too
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

describe('a letter is meant', () => {
  it('by a choice that asks for nothing', () => {
    expect(fits(view, {})).toBe(true);
  });

  it.each<[keyof DeadLetterFilter, string, string]>([
    ['merchant', 'acme-eu', 'acme'],
    ['batch', 'b-7', 'b-70'],
    ['order', 'acme-eu/INV-1', 'INV-1'],
    ['code', 'NOT_SENT', 'not_sent'],
    ['message', 'l-1', 'l-10'],
    ['message', 'm-1', 'm-10'],
    ['search', 'econnrefused', 'ECONNRESET'],
  ])('by its %s %s, and by no other such as %s', (part, its, another) => {
    expect(fits(view, { [part]: its })).toBe(true);
    expect(fits(view, { [part]: another })).toBe(false);
  });

  it('where every part that is given fits, and not where one does not', () => {
    const all = {
      merchant: 'acme-eu',
      batch: 'b-7',
      order: 'acme-eu/INV-1',
      code: 'NOT_SENT',
      message: 'm-1',
      search: 'INV',
    };
    expect(fits(view, all)).toBe(true);
    const parts = Object.keys(all) as (keyof DeadLetterFilter)[];
    expect(parts.filter((part) => fits(view, { ...all, [part]: 'other' }))).toEqual([]);
  });
});

describe('a search', () => {
  it.each(['l-1', 'M-1', 'inv-1', 'PayOut', 'b-7', 'not_sent', 'Connect E'])(
    'finds %s, in capitals or not',
    (search) => {
      expect(fits(view, { search })).toBe(true);
    },
  );

  it('looks into one part at a time, never across two', () => {
    expect(fits(view, { search: 'l-1m-1' })).toBe(false);
    expect(fits(view, { search: 'l-1,m-1' })).toBe(false);
  });

  it('of what a letter lacks finds nothing', () => {
    const { order: _order, batchId: _batch, ...unread } = view;
    expect(fits(unread, { search: 'undefined' })).toBe(false);
    expect(fits(unread, { batch: 'b-7' })).toBe(false);
  });
});

describe('why a letter is here', () => {
  it.each<[string, Partial<DeadLetterView>, string]>([
    ['by the worker: its code', {}, 'NOT_SENT'],
    ['by SQS: sqs', { from: 'sqs' }, 'sqs'],
  ])('%s', (_, changes, code) => {
    expect(codeOf({ ...view, ...changes })).toBe(code);
    expect(fits({ ...view, ...changes }, { code })).toBe(true);
  });

  it('without a code: sqs', () => {
    const { code: _, ...bare } = view;
    expect(codeOf(bare)).toBe('sqs');
  });
});

describe('a message as it lies on the queue', () => {
  it('is meant by what can be seen of it', () => {
    const letter = createFakeDeadLetters(createManualClock()).move(aRecord(aPayoutJob({ batchId: 'b-7' })), 'm-9');
    expect(chosenBy({ batch: 'b-7', message: 'm-9', code: 'sqs' })(letter)).toBe(true);
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
