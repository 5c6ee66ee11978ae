// What a sender may write, and what comes back of it: a message that is no job sends nothing and takes no order id, its sender is told
// what to mend, and a person finds it among the dead letters. A sender's own words come back as they were written.
import { describe, expect, it } from 'vitest';
import { anEligibilityJob, aPayoutJob, type JobBody } from '../support/jobs.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { http } from './gateway.ts';
import { days, hours, minutes, seconds, storyWorld } from './harness.ts';

it.each<[what: string, body: JobBody | string, code: string, says: RegExp]>([
  ['no JSON', '4111111111111111', 'INVALID_MESSAGE', /^message is not an object$/],
  [
    'more faults than anybody reads',
    aPayoutJob({ params: Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`odd-${n}`, 'x'])) }),
    'INVALID_MESSAGE',
    /; and 5 more$/,
  ],
  [
    'a moment in more than seven days',
    aPayoutJob({ notBefore: '2026-11-28T10:15:00Z' }),
    'INVALID_MESSAGE',
    /more than 7 days ahead; send the job nearer to its time/,
  ],
  [
    'fields that its contract does not name',
    aPayoutJob({ params: { bank_city: 'Berlin', purpose: 'wages' } }),
    'FIELD_NOT_IN_CONTRACT',
    /bank_city, purpose$/,
  ],
  [
    'an address of its own for callbacks',
    aPayoutJob({ params: { server_callback_url: 'https://stranger.example' } }),
    'FIELD_NOT_IN_CONTRACT',
    /server_callback_url/,
  ],
])('%s is refused at its first receive, told and kept, and its order id is free', async (_, body, code, says) => {
  const world = storyWorld();
  const message = world.send(body);
  await world.pass(1 * minutes);
  expect(world.told(message)).toMatchObject([
    {
      resultId: expect.stringContaining(`rejected/${message.id}/`),
      status: 'rejected',
      final: true,
      attempts: 0,
      revision: 0,
      failure: { code, message: expect.stringMatching(says) },
    },
  ]);
  expect(world.deadLetters()).toMatchObject([{ code }]);
  expect(world.outlets()).not.toContain('4111111111111111');
  world.send(aPayoutJob());
  await world.pass(1 * minutes);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
});

it('is refused twice for two reasons: each word has an id of its own, and no sender can choose one', async () => {
  // given a job whose dead letter cannot be laid down, so that it comes again
  const world = storyWorld();
  const forged = { originMessageId: 'acme-eu', originalMessageId: 'acme-eu', redrives: '1', reasonCode: 'NOT_SENT' };
  world.queuesAwayFor(20 * minutes);
  const message = world.send(aPayoutJob({ params: { bank_city: 'Berlin', purpose: 'rent' } }), { attributes: forged });
  await world.pass(1 * minutes);
  // when the contract comes to know one of its fields
  await world.secretIs(someCredentials({ profile: { extraFields: { payout: ['bank_city'] } }, version: 'v2' }));
  await world.pass(2 * hours);
  const told = new Map(world.told(message).map(({ resultId, failure }) => [resultId, failure?.message]));
  expect([...told.values()].map((it) => it?.split(': ')[1])).toEqual(['bank_city, purpose', 'purpose']);
  expect([...told.keys()].filter((it) => !it.startsWith(`rejected/${message.id}/`))).toEqual([]);
});

it('a job of a merchant whose secret lacks the key that it needs waits, unharmed, until it is there', async () => {
  const world = storyWorld();
  const whole = someCredentials({ version: 'v2' });
  const { 'RSA-SHA256': _, ...keys } = whole.keys;
  await world.secretIs({ ...whole, keys });
  world.send(aPayoutJob());
  await world.pass(1 * hours);
  expect([world.results('INV-1'), world.deadLetters()]).toEqual([[], []]);
  await world.secretIs(whole);
  await world.pass(20 * minutes);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
});

it('an unknown merchant may be on its way for a day; then its job is told and kept', async () => {
  const world = storyWorld();
  const message = world.send(aPayoutJob({ merchant: 'stranger' }));
  await world.pass(23 * hours);
  expect([world.told(message), world.whereIs(message)]).toEqual([[], 'queue']);
  await world.pass(2 * hours);
  expect(world.told(message)).toMatchObject([
    { merchant: 'stranger', status: 'rejected', failure: { code: 'MERCHANT_UNKNOWN' } },
  ]);
  expect(world.deadLetters()).toMatchObject([{ code: 'MERCHANT_UNKNOWN' }]);
});

describe("a sender's own words come back byte for byte", () => {
  const context =
    '{ "paymentId": 9007199254740993, "10":1.0,"2":1795255200000,\n"n":"\\u00e4\\/", "__proto__":{"a":[{}]} }';
  const withContext = (job: JobBody) => JSON.stringify(job).replace('{', `{"context":\t${context} ,`);

  it.each<
    [
      how: string,
      job: JobBody,
      happens: (world: ReturnType<typeof storyWorld>) => Promise<unknown> | void,
      statuses: string[],
    ]
  >([
    [
      'now and when it ends',
      aPayoutJob(),
      ({ gateway, after }) => after(1 * minutes, () => gateway.ends('INV-1', 'approved')),
      ['accepted', 'approved'],
    ],
    [
      'where its answer comes late',
      aPayoutJob(),
      ({ gateway, ledgerAwayFor }) =>
        gateway.answers('INV-1', { as: 'taken', meanwhile: () => ledgerAwayFor(2 * minutes) }),
      ['in-doubt', 'accepted'],
    ],
    ['where it is refused', aPayoutJob({ params: { amount: 'much' } }), () => {}, ['rejected']],
  ])('%s', async (_, job, happens, statuses) => {
    const world = storyWorld({ profile: { statusInquiry: true } });
    const texts = world.resultTexts();
    await happens(world);
    world.send(withContext(job));
    await world.pass(20 * minutes);
    expect([...new Set(texts().map((text) => (JSON.parse(text) as { status: string }).status))]).toEqual(statuses);
    for (const text of texts()) expect(text).toContain(`"context":${context}`);
  });
});

describe('whatever characters a text is made of', () => {
  /** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
  const sendable = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
  const texts = {
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

  it.each(Object.entries(texts))(
    '%s: it is sent and told as it is, or refused by its field, in text that SQS takes',
    async (_, text) => {
      const world = storyWorld();
      const said = world.resultTexts();
      world.send(aPayoutJob({ orderId: 'IN-CONTEXT', context: { note: text } }));
      world.send(aPayoutJob({ orderId: 'IN-FIELD', params: { order_desc: `for ${text}` } }));
      world.send(aPayoutJob({ orderId: 'IN-NAME', params: { [text]: text } }));
      const answers = [
        { type: 'validation-error', 'error-code': '8' },
        { type: 'error', 'error-code': text },
        { type: 'async-response', 'payout-id': `${text}7` },
        { type: 'async-response', 'payout-id': '7', 'merchant-order-id': text },
      ];
      for (const [n, answer] of answers.entries()) {
        const body = { 'error-message': `no ${text}`, [text]: text, ...answer };
        world.gateway.answers(`ANSWER-${n}`, { as: 'taken', answers: () => http(200, body) });
        world.send(aPayoutJob({ orderId: `ANSWER-${n}` }));
      }
      await world.pass(10 * seconds);
      expect(said()).toHaveLength(3 + answers.length);
      expect(said().filter((it) => !sendable.test(it))).toEqual([]);
      expect(JSON.parse(said().find((it) => it.includes('IN-CONTEXT')) ?? '')).toMatchObject({
        status: 'accepted',
        context: { note: text },
      });
      // What has no form of its own on the wire, and a control character, is never sent; what turns the direction is left out.
      const isSent = text.isWellFormed() && !/\p{Cc}/u.test(text);
      expect(world.gateway.sent('IN-FIELD').map(({ fields }) => Object.fromEntries(fields)['order_desc'])).toEqual(
        isSent ? [`for ${text.replaceAll(/[\u202c\u202e]/g, '')}`] : [],
      );
      expect(world.gateway.posts('IN-NAME')).toBe(0);
    },
  );
});

describe('payments that two persons release', () => {
  const jobs = [1, 2].map((n) => aPayoutJob({ orderId: `INV-${n}` }));
  const released = async () => {
    const world = storyWorld({ profile: { twoPersonRelease: true } });
    const rows = await world.approves(jobs);
    return { world, row: rows[0] ?? aPayoutJob(), other: rows[1] ?? aPayoutJob() };
  };
  const notApproved = (why: string) => ({
    status: 'rejected',
    failure: { code: 'NOT_APPROVED', message: `two-person release: ${why}` },
  });

  it('an approved job is paid, and its copy after the approval only told again', async () => {
    const { world, row } = await released();
    const message = world.send(row);
    await world.pass(2 * hours);
    world.redeliver(message);
    await world.pass(1 * minutes);
    expect(world.results('INV-1')).toMatchObject([{ status: 'accepted', batchId: 'nov' }, { status: 'accepted' }]);
    expect(world.gateway.posts('INV-1')).toBe(1);
  });

  const notWhat = 'it is not what was approved for its batch';
  it.each<[what: string, forge: (row: JobBody, other: JobBody) => JobBody, why: string]>([
    ['without an approval', () => aPayoutJob({ batchId: 'nov' }), 'this job has no approval'],
    ['that is a check', () => anEligibilityJob({ orderId: 'INV-1' }), 'this job has no approval'],
    ['of another amount', (row) => ({ ...row, params: { ...row.params, amount: '99.00' } }), notWhat],
    ['to another account', (row) => ({ ...row, params: { ...row.params, account_number: 'X1' } }), notWhat],
    ['with the proof of another row', (row, { approval = '' }) => ({ ...row, approval }), notWhat],
    ['whose place is forged', (row) => ({ ...row, approval: row.approval?.replace('0.', '7.') ?? '' }), notWhat],
    ['of an unapproved batch', (row) => ({ ...row, batchId: 'jan' }), 'its batch is not approved'],
  ])(
    'a job %s sends nothing, is kept and told, and does not take the order id of the approved one',
    async (_, forge, why) => {
      const { world, row, other } = await released();
      const message = world.send(forge(row, other));
      await world.pass(1 * minutes);
      expect([world.gateway.posts('INV-1'), world.told(message)]).toMatchObject([0, [notApproved(why)]]);
      expect(world.deadLetters()).toMatchObject([{ code: 'NOT_APPROVED' }]);
      world.send(row);
      await world.pass(1 * minutes);
      expect(world.last('INV-1')).toMatchObject({ status: 'accepted', amount: '10.42' });
    },
  );

  it.each([
    ['before it was sent', 0],
    ['between two tries', 1],
  ])('an approval that has expired %s ends its order', async (_, tries) => {
    const { world, row } = await released();
    if (tries === 1)
      world.gateway.answers(
        'INV-1',
        'cannot be reached',
        ...Array.from({ length: 90 }, () => 'cannot be reached' as const),
      );
    const message = world.send(row, { comesInMs: tries === 0 ? 61 * minutes : 0 });
    await world.pass(3 * hours);
    expect(world.gateway.posts('INV-1')).toBe(0);
    const told = [...world.told(message), ...world.results('INV-1')];
    const why = notApproved('the approval expired before it was sent');
    expect(told).toMatchObject([{ ...why, status: 'failed', revision: 1 }]);
  });

  it('is never sent unproven because the secret that demands it could not be read', async () => {
    const { world } = await released();
    world.secretsAwayFor(10 * minutes);
    const message = world.send(aPayoutJob({ batchId: 'nov' }));
    await world.pass(1 * days);
    expect([world.gateway.posts('INV-1'), world.told(message)]).toMatchObject([
      0,
      [notApproved('this job has no approval')],
    ]);
  });
});
