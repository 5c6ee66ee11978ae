// A key that was rotated while the old one was still cached: the refusal proves that nothing was processed.
import { expect, it } from 'vitest';
import { planRedrive, redriveDeadLetters } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { aDeadLetterWorld } from '../support/dead-letter-world.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';
import { longIt } from '../support/long-proof.ts';

it('a 401 is answered by one more send with the fresh key, some seconds later', async () => {
  // given a key that was rotated after the worker fetched it
  const world = aWorld();
  world.credentials.rotate('acme-eu', someCredentials({ login: 'acme-new-login', version: 'v2' }));
  world.gateway.moods('refuses the signature', 'accepts');

  // when
  await world.deliver(aRecord(aPayoutJob()));
  await world.waitIsOver();

  // then
  expect(world.clock.nowMs() - startMs).toBeLessThanOrEqual(30_000);
  expect(world.gateway.posts.map((post) => post.oauth['oauth_consumer_key'])).toEqual(['acme-login', 'acme-new-login']);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', attempts: 2 }]);
});

it('a login that is refused is not tried again with the same credentials: the order waits, and can be paid later', async () => {
  const world = aWorld();
  world.gateway.stays('forbids the login');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(record);
  expect(world.waits()).toHaveLength(1);
  expect(world.gateway.posts).toHaveLength(1);
  expect(world.results.taken).toEqual([]);
  expect([...world.entries.values()]).toMatchObject([{ state: 'retryable', failure: { code: 'AUTHENTICATION' } }]);

  // and when the login is let in again, it is paid
  world.gateway.stays('accepts');
  await world.again();
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

longIt('a login that is refused for fourteen days is for a person: the order fails, and can be redriven', async () => {
  // given a login that is refused, and a message that waits
  const { world, ...desk } = aDeadLetterWorld();
  world.gateway.stays('refuses the signature');
  await world.deliver(aRecord(aPayoutJob()));
  while (await world.waitIsOver());

  // then it was tried for as long as a job waits, twice in each hour and no more
  const hours = (world.clock.nowMs() - startMs) / 3_600_000;
  expect(hours).toBeGreaterThanOrEqual(14 * 24);
  expect(world.gateway.posts.length).toBeLessThanOrEqual(2 * hours + 2);
  expect(world.results.taken).toMatchObject([
    { status: 'failed', failure: { code: 'WAITED_TOO_LONG', message: expect.stringContaining('signature') } },
  ]);

  // and redriven, it is tried again
  world.gateway.stays('accepts');
  desk.lay();
  const { plan } = await planRedrive(() => true, desk.ports);
  await redriveDeadLetters(plan, desk.ports);
  await desk.deliverRedriven();
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted' });
});

it('an outage of hours is no refusal of the login', async () => {
  const world = aWorld();
  world.gateway.moods(...Array.from({ length: 30 }, () => 'refuses the connection' as const), 'forbids the login');
  await world.deliver(aRecord(aPayoutJob()));
  for (let tries = 0; tries < 31; tries += 1) {
    await world.again();
  }
  expect(world.results.taken).toMatchObject([{ status: 'accepted', attempts: 32 }]);
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
  await world.waitIsOver();
  expect(world.results.taken).toMatchObject([{ status: 'held', attempts: 2, failure: { code: 'NO_ANSWER' } }]);
});

it('where the fresh key cannot be fetched now, the job waits', async () => {
  const world = aWorld();
  world.gateway.moods('refuses the signature', 'accepts');
  world.gateway.meanwhile(() => world.credentials.outage('down'));
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(record);
  expect(world.waits()).toHaveLength(1);
  expect(world.gateway.posts).toHaveLength(1);

  world.credentials.outage('up');
  expect(await world.deliver(redelivered(record))).toEqual([]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});
