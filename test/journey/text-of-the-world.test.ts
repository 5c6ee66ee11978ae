// Whatever characters a job, its context or the gateway's answer is made of: what the worker says of it is text that SQS
// takes. A message that SQS refuses is an answer that nobody hears.
import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { type Result, resultText } from '../../lib/payout/message/result.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const sendable = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

const texts = {
  'an emoji': '🙂',
  'several emoji joined to one': '👩\u200d👩\u200d👧\u200d👦',
  'combining marks': 'Z\u0351\u036b\u0343a\u0301',
  'right to left': '\u202eשלום مرحبا\u202c',
  'the last plane': '\u{10ffff}\u{1fffe}',
  'half of a pair': 'a\ud83db',
  'the other half': 'a\ude42b',
  NUL: 'a\u0000b',
  'control characters': '\u0001\u0008\u000b\u000c\u000e\u001b[2J\u001f\u007f\u0085',
  'no characters at all': '\ufffe\uffff',
} as const;

/** What the results queue is given, as text. */
function told(world: World): string[] {
  const said: string[] = [];
  const { send } = world.results;
  Object.assign(world.results, {
    send: (results: readonly Result[]) => {
      said.push(...results.map(resultText));
      return send(results);
    },
  });
  return said;
}

describe.each(Object.entries(texts))('%s', (_name, text) => {
  it('in a context comes back as it was written', async () => {
    const world = aWorld();
    const said = told(world);
    await world.deliver(aRecord(aPayoutJob({ context: { note: text } })));
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
    expect(said).toEqual([expect.stringMatching(sendable)]);
    expect(JSON.parse(said[0] ?? '')).toMatchObject({ context: { note: text } });
  });

  it('in what is paid is sent as it is, or refused by the name of its field', async () => {
    const world = aWorld();
    const said = told(world);
    await world.deliver(aRecord(aPayoutJob({ params: { order_desc: `for ${text}`, [text]: text } })));
    await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2', params: { order_desc: `for ${text}` } })));
    expect(said).toEqual([expect.stringMatching(sendable), expect.stringMatching(sendable)]);
    const letters = world.jobsQueue.deadLetters.taken.map(({ reason }) => reason.message);
    expect(letters.every((reason) => sendable.test(reason))).toBe(true);
    for (const { fields } of world.gateway.posts) expect(Object.fromEntries(fields)['order_desc']).toBe(`for ${text}`);
    // What has no form of its own on the wire, and a control character, is never sent.
    const isSent = text.isWellFormed() && !/\p{Cc}/u.test(text);
    expect(world.gateway.posts).toHaveLength(isSent ? 1 : 0);
  });

  it.each([
    ['a refusal', { type: 'validation-error', 'error-code': '8' }],
    ['an error', { type: 'error', 'error-code': text }],
    ['an acceptance', { type: 'async-response', 'payout-id': `${text}7` }],
    ['an acceptance of another', { type: 'async-response', 'payout-id': '7', 'merchant-order-id': text }],
  ])('in %s by the gateway leaves a result that its reader can be sent', async (_kind, answer) => {
    const world = aWorld();
    const said = told(world);
    const body = JSON.stringify({ 'error-message': `no ${text}`, [text]: text, ...answer });
    const evidence: Evidence = { kind: 'answer', httpStatus: 200, body, framing: 'delimited' };
    Object.assign(world.gateway, { post: async () => evidence });
    await world.deliver(aRecord(aPayoutJob()));
    expect(said).toEqual([expect.stringMatching(sendable)]);
  });
});
