// A dead letter as a person sees it: enough to find it by, and nothing of what it carries.
import { describe, expect, it } from 'vitest';
import { redrivenOf, letterView, shownBody } from '../../lib/dead-letters/dead-letter.ts';
import { createFakeDeadLetters } from '../support/fake-dead-letters.ts';
import { aPayoutJob, testCards } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';

const queue = () => createFakeDeadLetters(createManualClock());
const failure = (message: string, code = 'NOT_SENT') => ({ code, message });

describe('a letter is shown', () => {
  it('that the worker laid aside: with its reason, its order and the message that was sent', () => {
    const body = JSON.stringify(aPayoutJob({ batchId: 'b-1' }));
    const reason = failure('connect ECONNREFUSED');
    const letter = queue().lay({ body, reason, originMessageId: 'm-1', redrives: 2 }, 'l-1');
    expect(letterView(letter)).toEqual({
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
      batchId: 'b-1',
    });
  });

  it('that SQS moved: without a reason', () => {
    const attributes = { waits: '4' };
    const view = letterView(queue().move(aRecord(aPayoutJob(), { attributes }), 'm-9'));
    expect(view).toMatchObject({ messageId: 'm-9', originMessageId: 'm-9', from: 'sqs' });
    expect(view).toMatchObject({ code: undefined });
    expect(JSON.stringify(view)).not.toContain('secret-owner');
  });

  it('that can’t be read, as far as it can be', () => {
    const body = JSON.stringify({ ...aPayoutJob({ orderId: `INV ${testCards.sender}` }), version: 7 });
    const view = letterView(
      queue().lay({ body, reason: failure('version is not 1', 'INVALID_MESSAGE'), originMessageId: 'm' }),
    );
    expect(view).toMatchObject({ merchant: 'acme-eu', order: 'acme-eu/INV [redacted]', code: 'INVALID_MESSAGE' });
  });

  const iban = 'DE89 3704 0044 0532 0130 00';
  it.each([
    ['as text', '{"params":{"account_number":"12345678"}}', '12345678'],
    ['as a number', '{"params":{"account_number":12345678}}', '12345678'],
    ['as a list', '{"params":{"account_number":["12345678"]}}', '12345678'],
    ['under a name in capitals', '{"params":{"Account_Number":"12345678"}}', '12345678'],
    ['where the JSON breaks off', `{"params":{"amount":"1","account_number":"${iban}","order_desc":"pay`, '3704'],
    ['where the JSON breaks off in the value', '{"params":{"account_number":"1234 5678', '5678'],
    ['where it is JSON in JSON', JSON.stringify({ Message: '{"params":{"account_number":"12345678"}}' }), '12345678'],
    ['as a form', 'amount=1&account_number=12345678&order_desc=pay', '12345678'],
  ])('without an account number, %s', (_, body, hidden) => {
    const shown = shownBody({ body });
    expect(shown).toContain('[hidden]');
    expect(shown).not.toContain(hidden);
  });

  it('of which nothing can be read, with nothing but what the queue says of it', () => {
    const letter = queue().move(aRecord('garbage', { attributes: { redrives: 'often' } }), 'm-9');
    expect(letterView(letter)).toEqual({
      messageId: 'm-9',
      originMessageId: 'm-9',
      from: 'sqs',
      sentAtMs: startMs,
      redrives: 0,
    });
  });

  it('over which anything is thrown, by its id', () => {
    const letter = { ...queue().move(aRecord('garbage'), 'm-9'), attributes: undefined as never };
    expect(letterView(letter)).toMatchObject({ messageId: 'm-9', reason: 'this version cannot read it' });
  });

  it('that names an order and no merchant, by what it names', () => {
    const { merchant: _, ...nobodys } = aPayoutJob();
    expect(letterView(queue().move(aRecord(JSON.stringify(nobodys))))).toMatchObject({ order: '?/INV-1' });
  });

  it.each([
    ['that bears a reason and was moved by SQS since: by SQS', { movedBySqs: true }, 'sqs'],
    ['that bears a reason: by the worker', { movedBySqs: false }, 'worker'],
    ['without a reason, whatever put it there: by SQS', { movedBySqs: false, attributes: new Map() }, 'sqs'],
  ])('%s', (_, changes, from) => {
    const letter = queue().lay({ body: JSON.stringify(aPayoutJob()), reason: failure('x'), originMessageId: 'm-1' });
    expect(letterView({ ...letter, ...changes }).from).toBe(from);
  });

  it('under the message that was sent first by the word of the worker, and of no sender', () => {
    const laid = queue().lay({ body: 'x', reason: failure('x'), originMessageId: 'm-2' });
    expect(letterView(laid).originMessageId).toBe('m-2');
    const attributes = { originMessageId: 'm-1', originalMessageId: 'm-2' };
    expect(letterView(queue().move(aRecord('x', { attributes }), 'm-9')).originMessageId).toBe('m-9');
  });

  it('without card data and accounts, whatever its reason quotes', () => {
    const echo = `refused ${testCards.sender} cvv2=737 5555-5555-5555-4444 DE89 3704 0044 0532 0130 00`;
    const reason = failure(echo, `X ${testCards.sender}`);
    const letter = queue().lay({ body: JSON.stringify(aPayoutJob()), reason, originMessageId: 'm-1' });
    const shown = JSON.stringify(letterView(letter));
    for (const secret of [testCards.sender, '737', '5555-5555', '3704 0044']) expect(shown).not.toContain(secret);
  });
});

describe('a letter goes back', () => {
  it('as a new message: without its reason and its origin, with its count and what is not known here', () => {
    const attributes = {
      reasonCode: 'NOT_SENT',
      reason: 'x',
      originalMessageId: 'm-1',
      waits: '4',
      redrives: '1',
      tracing: 'on',
    };
    const letter = queue().move(aRecord(aPayoutJob(), { attributes }));
    const bytes = new Uint8Array([1, 2]);
    const all = new Map([...letter.attributes, ['sealed', { dataType: 'Binary', bytes }]]);
    const message = redrivenOf({ ...letter, attributes: all, groupId: 'acme-eu' });
    expect(message.body).toBe(letter.body);
    expect(message.groupId).toBe('acme-eu');
    expect(Object.fromEntries(message.attributes)).toEqual({
      redrives: { dataType: 'String', text: '2' },
      tracing: { dataType: 'String', text: 'on' },
      sealed: { dataType: 'Binary', bytes },
      firstSentAtMs: { dataType: 'String', text: String(letter.sentAtMs) },
    });
  });

  it.each([
    ['an earlier time of its first sending, where the letter names one', -1, -1],
    ['its own time, where the letter names a later one', 1, 0],
  ])('with %s', (_, named, kept) => {
    const letter = queue().move(aRecord(aPayoutJob()));
    const text = (ms: number) => ({ dataType: 'String', text: String(letter.sentAtMs + ms) });
    const { attributes } = redrivenOf({ ...letter, attributes: new Map([['firstSentAtMs', text(named)]]) });
    expect(attributes.get('firstSentAtMs')).toEqual(text(kept));
  });

  it('for the first time counted as one', () => {
    const message = redrivenOf(queue().move(aRecord(aPayoutJob())));
    expect(message.attributes.get('redrives')).toEqual({ dataType: 'String', text: '1' });
    expect(message.groupId).toBeUndefined();
  });
});
