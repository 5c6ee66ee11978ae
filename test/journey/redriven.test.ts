// From the dead-letter queue back to the jobs queue: a redrive is a new message, so what was never sent is sent, once.
import { describe, expect, it } from 'vitest';
import { planRedrive, redriveDeadLetters } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { aDeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, longAgoMs } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const every = () => true;

/** A gateway that was away for fourteen days. */
async function afterAnOutage(orderIds: readonly string[] = ['INV-1']) {
  const it = aDeadLetterWorld();
  const { world } = it;
  world.gateway.stays('refuses the connection');
  const delivery = { groupId: 'acme-eu', sentAtMs: longAgoMs };
  await world.deliver(orderIds.map((orderId) => aRecord(aPayoutJob({ orderId }), delivery)));
  world.clock.advance(300_000);
  it.lay();
  world.gateway.stays('accepts');
  return it;
}

it('what the worker laid aside is planned, sent, and paid once', async () => {
  // given two orders that failed while the gateway was away
  const { world, ports, deadLetters, deliverRedriven } = await afterAnOutage(['INV-1', 'INV-2']);

  // when they are planned and redriven
  const { plan } = await planRedrive(every, ports);
  expect(plan.totals).toEqual({ submit: { count: 2, money: { EUR: 2084n } } });
  // In any order: both were signed at once, and whichever was first lies first.
  const planned = { class: 'submit', because: 'WAITED_TOO_LONG' };
  expect(plan.deadLetters.toSorted((one, other) => (one.order ?? '').localeCompare(other.order ?? ''))).toMatchObject([
    { ...planned, order: 'acme-eu/INV-1' },
    { ...planned, order: 'acme-eu/INV-2' },
  ]);
  const { moved } = await redriveDeadLetters(plan, ports);

  // then
  expect([...moved.values()]).toEqual(['redriven', 'redriven']);
  expect(deadLetters.letters).toEqual([]);
  expect(deadLetters.sent[0]?.groupId).toBe('acme-eu');
  expect(await deliverRedriven()).toEqual([]);
  expect([world.gateway.postsOf('INV-1'), world.gateway.postsOf('INV-2')]).toEqual([1, 1]);
  expect(world.results.taken.slice(-2)).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }]);
});

it('a copy that SQS itself moved is sent at its first redrive, and bears the name of the end that was seen', async () => {
  // given an order that failed, and a copy of its message that SQS moved aside
  const { world, ports, deadLetters, deliverRedriven } = await afterAnOutage();
  await deadLetters.remove(deadLetters.letters);
  const attributes = { waits: '4', redrives: '1' };
  deadLetters.move(aRecord(aPayoutJob(), { attributes }));

  // when it is redriven
  const { plan } = await planRedrive(every, ports);
  await redriveDeadLetters(plan, ports);

  // then it is a new message, and counted
  expect(Object.fromEntries(deadLetters.sent[0]?.attributes ?? [])).toEqual({
    redrives: { dataType: 'String', text: '2' },
  });
  expect(JSON.parse(deadLetters.sent[0]?.body ?? '{}')).toMatchObject({ resends: world.results.taken[0]?.endId });
  await deliverRedriven();
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted' });
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('a crash between sending and deleting leaves a duplicate, which only repeats the result', async () => {
  const { world, ports, deadLetters, deliverRedriven } = await afterAnOutage();
  const { plan } = await planRedrive(every, ports);
  deadLetters.fails('remove', 'all');
  expect([...(await redriveDeadLetters(plan, ports)).moved.values()]).toEqual(['redriven-not-deleted']);
  await deliverRedriven();
  expect(deadLetters.visible()).toHaveLength(1);

  const again = await planRedrive(every, ports);
  expect(again.plan.deadLetters).toMatchObject([{ class: 'nothing', because: 'accepted' }]);
  await redriveDeadLetters(again.plan, ports);
  await deliverRedriven();
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken.at(-1)).toEqual(world.results.taken.at(-2));
  expect(deadLetters.letters).toEqual([]);
});

it('what the jobs queue does not take stays where it is', async () => {
  const { ports, deadLetters } = await afterAnOutage(['INV-1', 'INV-2', 'INV-3']);
  const { plan } = await planRedrive(every, ports);
  deadLetters.fails('send', [1]);
  const { moved } = await redriveDeadLetters(plan, ports);
  expect([...moved.values()].toSorted()).toEqual(['not-taken', 'redriven', 'redriven']);
  expect(deadLetters.visible()).toHaveLength(1);

  deadLetters.fails('send', 'all');
  const left = await redriveDeadLetters(plan, ports);
  expect([...left.moved.values()]).toEqual(['not-taken']);
  expect(deadLetters.visible()).toHaveLength(1);
});

describe('a plan that holds no more', () => {
  it('is not followed: the order was paid by another message meanwhile', async () => {
    const { world, ports, deadLetters } = await afterAnOutage();
    const { plan } = await planRedrive(every, ports);
    const { endId = '' } = world.entries.get('acme-eu/INV-1') ?? {};
    await world.deliver(aRecord(aPayoutJob({ resends: endId })));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
    const { moved } = await redriveDeadLetters(plan, ports);
    expect([...moved.values()]).toEqual(['changed']);
    expect(deadLetters.visible()).toHaveLength(1);
    expect(deadLetters.sent).toEqual([]);
  });

  it('nor is one whose merchant was paused', async () => {
    const { world, ports, deadLetters } = await afterAnOutage();
    const { plan } = await planRedrive(every, ports);
    await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'x', atMs: 0 });
    expect([...(await redriveDeadLetters(plan, ports)).moved.values()]).toEqual(['changed']);
    expect(deadLetters.visible()).toHaveLength(1);
  });

  it('names only what is still on the queue', async () => {
    const { ports, deadLetters } = await afterAnOutage(['INV-1', 'INV-2']);
    const { plan } = await planRedrive(every, ports);
    const [first] = deadLetters.letters;
    await deadLetters.remove(first ? [first] : []);
    expect([...(await redriveDeadLetters(plan, ports)).moved.values()]).toEqual(['redriven']);
  });
});

describe('letters of one order', () => {
  it('go one after the other where the first changes it', async () => {
    const { ports, deadLetters, deliverRedriven, world } = await afterAnOutage();
    deadLetters.move(aRecord(aPayoutJob()));
    deadLetters.move(aRecord(aPayoutJob({ params: { amount: '99.00' } })));
    const { plan } = await planRedrive(every, ports);
    // The third asks for other money under the same id: it is refused whatever the others do.
    expect(plan.deadLetters.map((it) => [it.class, it.because])).toEqual([
      ['submit', 'WAITED_TOO_LONG'],
      ['after', 'same-order'],
      ['nothing', 'ORDER_ID_REUSED'],
    ]);
    await redriveDeadLetters(plan, ports);
    await deliverRedriven();
    const { plan: next } = await planRedrive(every, ports);
    expect(next.deadLetters).toMatchObject([{ class: 'nothing', because: 'accepted' }]);
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('that share the cap of a day go as far as it reaches', async () => {
    const { world, ports, deadLetters } = aDeadLetterWorld({ profile: { caps: { EUR: { perDay: '25.00' } } } });
    await world.deliver(aRecord(aPayoutJob({ orderId: 'PAID' })));
    for (const orderId of ['A', 'B', 'C']) deadLetters.move(aRecord(aPayoutJob({ orderId })));
    deadLetters.move(aRecord(aPayoutJob({ orderId: 'D', params: { amount: '20.00' } })));
    const { plan } = await planRedrive(every, ports);
    expect(plan.deadLetters.map((it) => [it.class, it.because])).toEqual([
      ['submit', 'new'],
      ['after', 'CAP_EXCEEDED'],
      ['after', 'CAP_EXCEEDED'],
      // By itself already more than the day has left.
      ['hold', 'CAP_EXCEEDED'],
    ]);
  });
});

it('a message that says of itself that it was redriven has its order tried no sooner: two POSTs an hour', async () => {
  const world = aWorld({ lanes: 'open' });
  world.gateway.stays('asks to slow down');
  for (let minute = 0; minute < 20; minute += 1) {
    await world.deliver(aRecord(aPayoutJob(), { messageId: `m-${minute}`, attributes: { redrives: '1' } }));
    world.clock.advance(60_000);
  }
  expect(world.gateway.postsOf('INV-1')).toBe(2);
});

it('what SQS itself moves back is a message of its own, with a result of its own', async () => {
  // given a row with a field that the profile does not name
  const world = aWorld();
  const row = aPayoutJob({ batchId: 'b-1', params: { bank_city: 'Berlin' } });
  await world.deliver(aRecord(row, { messageId: 'm-1' }));
  const [letter] = world.jobsQueue.deadLetters.taken;
  if (!letter) throw new Error('it was refused');
  // when its batch is called off, and somebody gains two weeks by SQS's own redrive, which keeps the letter's attributes
  await world.controls.cancelBatch('b-1', { by: 'ops', reason: 'wrong file', atMs: 0 });
  const attributes = { originalMessageId: letter.originMessageId, reasonCode: letter.reason.code };
  await world.deliver(aRecord(letter.body, { messageId: 'm-2', attributes }));
  // then
  expect(world.results.taken.map(({ resultId, failure }) => [resultId, failure?.code])).toEqual([
    [expect.stringMatching(/^rejected\/m-1\//), 'FIELD_NOT_IN_CONTRACT'],
    [expect.stringMatching(/^rejected\/m-2\//), 'CALLED_OFF'],
  ]);
});
