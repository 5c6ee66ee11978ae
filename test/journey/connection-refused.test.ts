// No connection was made, so nothing was sent: the one failure that is surely safe to repeat.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('a job whose connection was refused is sent again later, and paid once', async () => {
  // given a gateway that is down at the first attempt
  const world = aWorld();
  world.gateway.moods('refuses the connection', 'accepts');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });

  // when it is delivered the first time
  const first = await world.deliver(record);

  // then it waits on its queue for 8 to 15 s, and nobody is told anything yet
  expect(first).toEqual(['m-1']);
  expect(world.results.taken).toEqual([]);
  const [{ inSeconds = 0 } = {}] = world.waits();
  expect(inSeconds).toBeGreaterThanOrEqual(8);
  expect(inSeconds).toBeLessThanOrEqual(15);

  // and when that is delivered, it is paid
  world.clock.advance(15_000);
  await world.again();
  expect(world.waits()).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([
    { resultId: 'acme-eu/INV-1/1', status: 'accepted', payoutId: '9000001', attempts: 2 },
  ]);
  expect(world.results.taken[0]).not.toHaveProperty('failure');
});

it('a gateway that asks to slow down is obeyed', async () => {
  const world = aWorld();
  world.gateway.moods('asks to slow down');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual([]);
  expect(world.waits()).toMatchObject([{ where: 'table', because: 'unsent', inSeconds: 40 }]);
});

it('each attempt has its own nonce and timestamp, and the same order id and content', async () => {
  const world = aWorld();
  world.gateway.moods('asks to slow down', 'accepts');
  const record = aRecord(aPayoutJob());
  await world.deliver(record);
  world.clock.advance(40_000);
  await world.deliver(redelivered(record));
  const [first, second] = world.gateway.posts;
  expect(second?.fields).toEqual(first?.fields);
  expect(second?.oauth['oauth_nonce']).not.toBe(first?.oauth['oauth_nonce']);
  expect(Number(second?.oauth['oauth_timestamp'])).toBe(Number(first?.oauth['oauth_timestamp']) + 40);
});
