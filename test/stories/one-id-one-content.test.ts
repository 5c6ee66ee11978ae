// A consumer drops what comes again under a known id. So a refused message is told under one id as often as it comes, and what is told
// of it afterwards, of another content, has an id of its own.
import { expect, it } from 'vitest';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { minutes, storyWorld } from './harness.ts';

it.each<[what: string, body: JobBody | string]>([
  ['whatever it is', 'no job'],
  ['with a field that its contract does not name', aPayoutJob({ params: { bank_city: 'Berlin' } })],
  ['whose seal was made for another order', aPayoutJob({ sealedParams: 'eyJhbGciOiJkaXIifQ..iv.ciphertext.tag' })],
])('a refused message %s is told under one id at every receive', async (_, body) => {
  // given
  const world = storyWorld();
  const message = world.send(body);
  await world.pass(1 * minutes);
  // when
  world.redeliver(message);
  await world.pass(1 * minutes);
  world.redeliver(message);
  await world.pass(1 * minutes);
  // then
  const told = world.told(message);
  expect(told).toHaveLength(3);
  expect(new Set(told.map(({ resultId }) => resultId)).size).toBe(1);
  expect(world.retold()).toEqual([]);
});

it('a payout of a batch that its contract refuses has ended: the same message pays no more, though the contract knows its field by then', async () => {
  // given
  const world = storyWorld();
  const message = world.send(aPayoutJob({ batchId: 'nov', params: { bank_city: 'Berlin' } }));
  await world.pass(1 * minutes);
  // when
  await world.secretIs(someCredentials({ version: 'v2', profile: { extraFields: { payout: ['bank_city'] } } }));
  world.redeliver(message);
  await world.pass(10 * minutes);
  // then
  expect(world.last('INV-1')).toMatchObject({ status: 'failed', failure: { code: 'FIELD_NOT_IN_CONTRACT' } });
  expect(world.gateway.posts('INV-1')).toBe(0);
});

it('two messages of one content are two messages', async () => {
  // given
  const world = storyWorld();
  // when
  const twins = [world.send('no job'), world.send('no job')];
  await world.pass(1 * minutes);
  // then
  const ids = twins.flatMap((twin) => world.told(twin).map(({ resultId }) => resultId));
  expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
});
