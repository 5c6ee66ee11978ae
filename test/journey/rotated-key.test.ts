// A key that was rotated while the old one was still cached: the refusal proves that nothing was processed.
import { expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it('a 401 is answered by one more send with the fresh key', async () => {
  // given a key that was rotated after the worker fetched it
  const world = aWorld();
  world.credentials.rotate('acme-eu', someCredentials({ login: 'acme-new-login', version: 'v2' }));
  world.gateway.moods('refuses the signature', 'accepts');

  // when
  const returned = await world.deliver(aRecord(aPayoutJob()));

  // then
  expect(returned).toEqual([]);
  expect(world.gateway.posts.map((post) => post.oauth['oauth_consumer_key'])).toEqual(['acme-login', 'acme-new-login']);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', attempts: 2 }]);
});

it('a login that is refused is not tried again with the same credentials: the order waits, and can be paid later', async () => {
  const world = aWorld();
  world.gateway.stays('forbids the login');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.results.taken).toEqual([]);
  expect([...world.entries.values()]).toMatchObject([{ state: 'retryable', failure: { code: 'AUTHENTICATION' } }]);

  // given up, it has failed and can be redriven; no money moved
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1', receiveCount: 5 }));
  expect(world.results.taken).toMatchObject([
    { status: 'failed', final: true, failure: { code: 'AUTHENTICATION', httpStatus: 403 } },
  ]);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'AUTHENTICATION' } }]);
});

it('a filter in front of the gateway that answers 403 after the order was taken does not make two of it', async () => {
  const world = aWorld();
  world.gateway.moods('forbids the login', 'accepts');
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.gateway.posts).toHaveLength(1);
});

it('a second send that goes unanswered is doubt', async () => {
  const world = aWorld();
  world.credentials.rotate('acme-eu', someCredentials({ login: 'acme-new-login', version: 'v2' }));
  world.gateway.moods('refuses the signature', 'stalls');
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.results.taken).toMatchObject([{ status: 'held', attempts: 2, failure: { code: 'NO_ANSWER' } }]);
});

it('where the fresh key cannot be fetched now, the job comes back', async () => {
  const world = aWorld();
  world.gateway.moods('refuses the signature', 'accepts');
  world.gateway.meanwhile(() => world.credentials.outage('down'));
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  expect(world.gateway.posts).toHaveLength(1);

  world.credentials.outage('up');
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('without time for a second send, the job comes back instead', async () => {
  const world = aWorld();
  world.gateway.moods('refuses the signature');
  world.gateway.meanwhile(() => world.clock.advance(70_000));
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  expect(await world.deliver(record)).toEqual(['m-1']);
  expect(world.gateway.posts).toHaveLength(1);
});
