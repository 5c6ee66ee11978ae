// A card number or its code in whatever disguise, wherever a sender may write: refused, and then nowhere to be read. What
// only looks like one passes.
import { describe, expect, it } from 'vitest';
import { aCardNumber, disguises, gluedForms, references } from '../support/disguised-cards.ts';
import { aPayoutJob, aTransferByRefJob, withoutParams } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const { chance } = createSeededRandom(17);
const pan = '4111111111111111';

/** Everything that anybody can read afterwards. */
const outlets = ({ results, entries, log, jobsQueue, waitingRows, figures }: World) =>
  // Numbers of the tests' own messages, which count on through the process.
  JSON.stringify(
    [results.taken, [...entries], log, jobsQueue.deadLetters.taken, [...waitingRows.values()], figures],
    (_, it) => (typeof it === 'bigint' ? String(it) : (it as unknown)),
  ).replaceAll(/message-\d+/g, 'message');

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

describe.each(Object.entries(disguises))('%s', (_, disguise) => {
  it.each<[where: string, job: (text: string) => object]>([
    ['the description', (order_desc) => aPayoutJob({ params: { order_desc } })],
    ['the name of the bank', (bank_name) => aPayoutJob({ params: { bank_name } })],
    ['the context', (note) => aPayoutJob({ context: { note } })],
    ['a message that is no job', (note) => ({ note })],
  ])('in %s', async (_where, job) => {
    for (let n = 0; n < 4; n += 1) {
      const text = disguise(aCardNumber(chance), chance);
      // Some are refused before anybody looks for card data: control characters, a context that is too long.
      const world = aWorld();
      await world.deliver(aRecord(JSON.stringify(job(text))));
      const told = world.results.taken.map(({ status }) => status);
      expect({ text, told, posts: world.gateway.posts }).toEqual({ text, told: ['rejected'], posts: [] });
      expect(outlets(world)).not.toContain(inJson(text));
    }
  });
});

it.each<[where: string, job: object]>([
  ['an account number', aPayoutJob({ params: { account_number: '4111 1111 1111 1111' } })],
  ['a URL', aPayoutJob({ params: { redirect_url: `https://a.example/?c=${pan}` } })],
  ['an order id', aPayoutJob({ orderId: `ORD-${pan}` })],
  ['an order id of a batch', aPayoutJob({ orderId: pan, batchId: 'nov' })],
  ['a batch id', aPayoutJob({ batchId: pan })],
  ['an endpoint', aPayoutJob({ endpointId: pan })],
  ['a merchant', aPayoutJob({ merchant: pan })],
  ['a name that no job has', { ...aPayoutJob(), [pan]: 1 }],
  ['a reference', withoutParams(aTransferByRefJob({ params: { 'source-card-ref-id': pan } }), 'destination-card-no')],
])('a card number in %s is refused and told nowhere', async (_, job) => {
  const world = aWorld({
    profile: { extraFields: { payout: ['redirect_url'], 'transfer-by-ref': ['source-card-ref-id'] } },
  });
  await world.deliver(aRecord(JSON.stringify(job)));
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'rejected' }]);
  expect(outlets(world)).not.toMatch(/4111/);
});

it.each([
  'cvv 737',
  'CVV2: 737',
  'c.v.v. 737',
  'ＣＶＣ：７３７',
  'Prüfziffer 737',
  'код безопасности 737',
  '737 is the cvv',
])('a code that is named as one is refused: %s', async (text) => {
  const world = aWorld();
  await world.deliver([
    aRecord(aPayoutJob({ params: { order_desc: text } })),
    aRecord(aPayoutJob({ orderId: 'INV-2', context: { Cvv: '737' } })),
  ]);
  expect(world.gateway.posts).toEqual([]);
  expect(outlets(world)).not.toMatch(/737|７３７/);
});

it('card data in the attributes of a message goes nowhere either', async () => {
  const world = aWorld();
  const record = aRecord('no job', { messageId: 'm-1' });
  const stringValue = `${pan}\nINFO forged`;
  await world.deliver({
    ...record,
    attributes: { ...record.attributes, MessageGroupId: pan },
    messageAttributes: { redrives: { stringValue, dataType: 'String' } },
  });
  expect(world.results.taken).toMatchObject([{ resultId: 'rejected/m-1' }]);
  expect(outlets(world)).not.toMatch(/4111|forged/);
});

it('what only looks like card data passes, and comes back as it was', async () => {
  for (const [kind, reference] of Object.entries(references)) {
    const world = aWorld();
    const text = reference(chance);
    await world.deliver(aRecord(aPayoutJob({ params: { order_desc: text }, context: { ref: text } })));
    const [{ status, context } = {}] = world.results.taken;
    expect({ kind, status, context }).toEqual({
      kind,
      status: 'accepted',
      context: { ref: text },
    });
  }
});

it('an account of more digits than a card number has is paid, whatever is in it', async () => {
  for (const glued of Object.values(gluedForms)) {
    const world = aWorld();
    const account_number = `9999${glued(pan, chance)}`;
    await world.deliver(aRecord(aPayoutJob({ params: { account_number } })));
    expect([account_number, ...world.results.taken]).toMatchObject([account_number, { status: 'accepted' }]);
  }
});

describe('a message as long as SQS takes it', () => {
  const long = (more: object) =>
    JSON.stringify({ ...aPayoutJob(), ...more, note: '4111 1111 1111 1111 '.repeat(50_000) });

  it('is a dead letter of its identity alone, at its first receive', async () => {
    const world = aWorld();
    expect(await world.deliver(aRecord(long({}), { messageId: 'm-1' }))).toEqual([]);
    const [letter] = world.jobsQueue.deadLetters.taken;
    expect(JSON.parse(letter?.body ?? '')).toMatchObject({ merchant: 'acme-eu', orderId: 'INV-1' });
    expect(outlets(world)).not.toMatch(/4111/);
    expect(world.figures[0]?.values).not.toHaveProperty('plainCardDataRefused');
  });

  it('tells its sender by the name of its order', async () => {
    const world = aWorld();
    await world.deliver(aRecord(long({})));
    expect(world.results.taken).toMatchObject([{ orderId: 'INV-1', failure: { code: 'INVALID_MESSAGE' } }]);
  });
});

it('while the dead-letter queue takes nothing, what is left without card data goes round, and nothing else', async () => {
  // given
  const world = aWorld();
  world.jobsQueue.deadLetters.stays('down');
  const record = aRecord(aPayoutJob({ params: { order_desc: pan } }), { messageId: 'm-1' });

  // when
  const returned = await world.deliver(record);

  // then
  expect(returned).toEqual(['m-1']);
  expect(world.waitingRows.size).toBe(0);
  expect(outlets(world)).not.toMatch(/4111/);

  // and when that takes it, it lies there without card data, and nothing was sent
  world.jobsQueue.deadLetters.stays('up');
  await world.again();
  expect(world.gateway.posts).toEqual([]);
  expect(world.jobsQueue.deadLetters.taken).toHaveLength(1);
});
