// Dead letters in the hands of people: back to the jobs queue, or thrown away with a result.
import { describe, expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, aTransferJob, withoutParams } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { days, hours, minutes, storyWorld } from './harness.ts';

/** A dead letter of an unclaimed job: its merchant has lost the field, or its secret, meanwhile. */
const bad = aPayoutJob({ params: { bank_city: 'Berlin' } });
const mended = someCredentials({ version: 'v2', profile: { extraFields: { payout: ['bank_city'] } } });

describe('a dead letter', () => {
  it('that is redriven once its profile is mended is paid once, as a new message', async () => {
    const world = storyWorld();
    const message = world.send(bad);
    await world.pass(1 * minutes);
    expect(await world.person.redrives('INV-1')).toBe(0);
    await world.secretIs(mended);
    expect(await world.person.redrives('INV-1')).toBe(1);
    await world.pass(1 * minutes);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status, world.whereIs(message)]).toEqual([
      1,
      'accepted',
      'gone',
    ]);
    world.redeliver(message);
    await world.pass(1 * hours);
    expect([world.gateway.posts('INV-1'), await world.person.redrives('INV-1')]).toEqual([1, 0]);
  });

  it.each([
    ['was paid by another message meanwhile', false],
    ['belongs to a merchant that is paused', true],
  ])('whose order %s is not sent', async (_, isPaused) => {
    const world = storyWorld();
    world.send(bad);
    await world.pass(1 * minutes);
    await world.secretIs(mended);
    if (isPaused) await world.person.pauses();
    else world.send(bad);
    await world.pass(1 * minutes);
    await world.person.redrives('INV-1');
    await world.pass(1 * hours);
    expect(world.gateway.payments('INV-1')).toHaveLength(isPaused ? 0 : 1);
  });

  it('that names another end than its order has is told the end of its order, and opens none', async () => {
    // given a job that names an end before there is any
    const world = storyWorld();
    world.send(aPayoutJob({ resends: 'another-end' }));
    await world.pass(1 * minutes);
    expect([await world.person.redrives('INV-1'), world.deadLetters().length]).toEqual([0, 1]);
    // and its order, which the gateway declines
    world.gateway.answers('INV-1', 'refuses the order');
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    const told = world.results('INV-1').length;
    // when it is redriven
    expect(await world.person.redrives('INV-1')).toBe(1);
    await world.pass(1 * hours);
    // then
    expect([world.gateway.posts('INV-1'), world.deadLetters(), world.last('INV-1')?.status]).toEqual([
      1,
      [],
      'declined',
    ]);
    expect(world.results('INV-1').length).toBe(told + 1);
  });

  it.each<[what: string, body: string, status: string, code: string]>([
    ['that is no job', 'no job', 'rejected', 'INVALID_MESSAGE'],
    ['that its contract refused', JSON.stringify(bad), 'failed', 'DISCARDED'],
    [
      'with card data in the clear',
      JSON.stringify(withoutParams(aTransferJob({ orderId: 'INV-1' }), 'cvv2')),
      'rejected',
      'PLAIN_CARD_DATA',
    ],
  ])('%s is thrown away with a result of its own, and is gone', async (_, body, status, code) => {
    const world = storyWorld();
    const message = world.send(body);
    await world.pass(1 * minutes);
    const thrown = body === 'no job' ? undefined : 'INV-1';
    expect(await world.person.discards(thrown)).toBe(1);
    await world.pass(1 * minutes);
    const results = status === 'failed' ? world.results('INV-1') : world.told(message);
    expect(results.at(-1)).toMatchObject({ status, final: true, failure: { code } });
    expect([world.deadLetters(), world.gateway.posts('INV-1')]).toEqual([[], 0]);
  });

  it('that is thrown away has ended its order: no copy is paid, a job that names the end is, once', async () => {
    const world = storyWorld();
    await world.secretIs(mended);
    await world.secretIs(someCredentials({ version: 'v3' }));
    const message = world.send(bad);
    await world.pass(1 * minutes);
    expect(await world.person.discards('INV-1')).toBe(1);
    await world.secretIs(mended);
    world.redeliver(message);
    await world.pass(1 * hours);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')]).toMatchObject([
      0,
      { status: 'failed', failure: { code: 'DISCARDED', message: 'ops: by hand' } },
    ]);
    const again = world.sendAgain(message);
    world.send(again.body);
    await world.pass(1 * hours);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')]).toMatchObject([1, { status: 'accepted' }]);
  });

  it('that ends in a line feed, as a file does, is redriven by the name of its end', async () => {
    const world = storyWorld();
    world.gateway.answers('INV-1', 'silent');
    world.send(`${JSON.stringify(aPayoutJob())}\n`);
    await world.pass(2 * hours);
    expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
    await world.pass(1 * minutes);
    expect(world.deadLetters()).toMatchObject([{ code: 'RELEASED_NOT_PAID' }]);
    expect(await world.person.redrives('INV-1')).toBe(1);
    await world.pass(1 * hours);
    expect([world.last('INV-1')?.status, world.deadLetters()]).toEqual(['accepted', []]);
  });

  it('stays while its result cannot be told, or its order is being sent', async () => {
    const world = storyWorld();
    world.send(bad);
    await world.pass(1 * minutes);
    world.resultsAwayFor(1 * minutes);
    expect([await world.person.discards('INV-1'), world.deadLetters().length]).toEqual([0, 1]);
    await world.pass(1 * hours);
    expect([await world.person.discards('INV-1'), world.deadLetters().length]).toEqual([1, 0]);

    const other = storyWorld();
    other.send(bad);
    await other.pass(1 * minutes);
    await other.secretIs(mended);
    const thrown: number[] = [];
    other.gateway.answers('INV-1', {
      as: 'taken',
      meanwhile: async () => void thrown.push(await other.person.discards('INV-1')),
    });
    other.send(bad);
    await other.pass(1 * minutes);
    expect([thrown, other.deadLetters().length, other.last('INV-1')?.status]).toEqual([[0], 1, 'accepted']);
  });

  it('with sealed card data is redriven as it is, and thrown away by people who cannot open it', async () => {
    for (const how of ['redriven', 'thrown away'] as const) {
      const world = storyWorld();
      const { cvv2: _, ...params } = aTransferJob().params;
      const sealed = await world.seals({
        ...aTransferJob(),
        params: { ...params, server_callback_url: 'https://a.example' },
      });
      const message = world.send(sealed);
      await world.pass(1 * minutes);
      expect(world.deadLetters()).toMatchObject([{ code: 'FIELD_NOT_IN_CONTRACT' }]);
      await world.secretIs(
        someCredentials({ version: 'v2', profile: { extraFields: { transfer: ['server_callback_url'] } } }),
      );
      const done = how === 'redriven' ? await world.person.redrives('TRF-1') : await world.person.discards('TRF-1');
      world.redeliver(message);
      await world.pass(1 * days);
      const end = how === 'redriven' ? [1, 'accepted'] : [0, 'failed'];
      expect([done, world.gateway.posts('TRF-1'), world.last('TRF-1')?.status]).toEqual([1, ...end]);
      expect(world.outlets()).not.toMatch(/4111111111111111/);
    }
  });
});

// C3: a dead letter was thrown away, and "no money moved" was told; a copy of its message pays the order.

longIt('a copy that waits behind the pause sends nothing after the discard', async () => {
  // given
  const world = storyWorld();
  await world.person.pauses();
  world.send(aPayoutJob());
  await world.pass(13 * days);
  // Another text of it: the very same one would be one row with the first.
  const copy = world.send(JSON.stringify(aPayoutJob(), undefined, 1));
  await world.pass(2 * days);
  // when, as the first has waited for its longest; the younger copy still waits
  expect(await world.person.discards('INV-1')).toBe(1);
  await world.person.resumes();
  await world.pass(2 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(0);
  expect(world.last('INV-1')).toMatchObject({ status: 'failed', failure: { code: 'DISCARDED' } });
  expect(world.whereIs(copy)).not.toBe('queue');
});

longIt('the message that had claimed the order, delivered once more, sends nothing after the discard', async () => {
  // given an order that was tried, never sent, and given up
  const world = storyWorld();
  world.gateway.answers('INV-1', 'cannot be reached', 'cannot be reached');
  const message = world.send(aPayoutJob());
  await world.pass(2_000);
  await world.person.pauses();
  await world.pass(15 * days);
  expect(world.whereIs(message)).toBe('dead letter');
  // when
  expect(await world.person.discards('INV-1')).toBe(1);
  await world.person.resumes();
  world.redeliver(message);
  await world.pass(30 * minutes);
  // then
  expect(world.gateway.posts('INV-1')).toBe(0);
  expect(world.last('INV-1')?.status).toBe('failed');
});

it('the dead letter of one copy is thrown away while another, which had claimed the order, waits: nothing is sent', async () => {
  // given
  const world = storyWorld();
  const first = world.send(JSON.stringify(aPayoutJob(), undefined, 1), { comesInMs: 1 * days });
  await world.pass(12 * hours);
  world.gateway.answers('INV-1', 'cannot be reached', 'cannot be reached');
  world.send(aPayoutJob());
  await world.pass(2_000);
  await world.person.pauses();
  await world.pass(13 * days + 18 * hours);
  expect(world.whereIs(first)).toBe('dead letter');
  // when
  expect(await world.person.discards('INV-1')).toBeGreaterThan(0);
  await world.person.resumes();
  await world.pass(1 * days);
  // then
  expect(world.gateway.posts('INV-1')).toBe(0);
  expect(world.last('INV-1')?.status).toBe('failed');
});

it('that no second person approved ends no order where it is thrown away, whatever gate had refused it', async () => {
  // given a forged job under the id of an approved one, with a field that the contract refuses
  const world = storyWorld({ profile: { twoPersonRelease: true } });
  const approved = await world.approves([aPayoutJob()]);
  const forged = world.send(bad);
  await world.pass(1 * minutes);
  // when
  expect(await world.person.discards('INV-1')).toBe(1);
  for (const job of approved) world.send(job);
  await world.pass(1 * hours);
  // then
  expect(world.told(forged).at(-1)).toMatchObject({
    status: 'rejected',
    failure: { code: 'FIELD_NOT_IN_CONTRACT' },
  });
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
});
