// Fields that only some contracts know, and merchants that nobody knows: refused before anything is sent.
import { expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it("a field that the merchant's profile does not name stops the job", async () => {
  const world = aWorld();
  const returned = await world.deliver(aRecord(aPayoutJob({ params: { bank_city: 'Berlin', purpose: 'wages' } })));
  expect(returned).toEqual([]);
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([
    {
      status: 'rejected',
      failure: {
        code: 'FIELD_NOT_IN_CONTRACT',
        message: "name in the profile's extraFields, or leave out: bank_city, purpose",
      },
    },
  ]);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'FIELD_NOT_IN_CONTRACT' } }]);
});

it('one that the profile names is sent', async () => {
  const world = aWorld({ profile: { extraFields: { payout: ['bank_city'] } } });
  await world.deliver(aRecord(aPayoutJob({ params: { bank_city: 'Berlin' } })));
  expect(world.gateway.posts[0]?.fields).toContainEqual(['bank_city', 'Berlin']);
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

it('the profile chooses spelling, signature, path and realm', async () => {
  const world = aWorld({
    profile: {
      orderIdField: { payout: 'client_orderid' },
      signatureMethod: { payout: 'HMAC-SHA1' },
      apiPath: '/checkout/api',
      realm: 'payments',
    },
  });
  world.gateway.moods('accepts in form text');
  await world.deliver(aRecord(aPayoutJob()));
  const [post] = world.gateway.posts;
  expect(post?.url).toBe('https://gateway.test/checkout/api/v4/payout/39915');
  expect(post?.fields[0]).toEqual(['client_orderid', 'INV-1']);
  expect(post?.oauth).toMatchObject({ oauth_signature_method: 'HMAC-SHA1', realm: 'payments' });
  expect(world.results.taken).toMatchObject([{ status: 'accepted', payoutId: '9000001' }]);
});

it('a job of a merchant without a secret waits for it for a day, as it may be on its way, and is then told', async () => {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ merchant: 'nobody' }), { messageId: 'm-1' }));
  for (let hour = 0; hour < 24; hour += 1) {
    await world.again();
    expect(world.results.taken).toEqual([]);
    expect(world.waits()).toHaveLength(1);
    world.clock.advance(3_600_000);
  }
  await world.again();
  expect(world.waits()).toEqual([]);
  expect(world.gateway.posts).toEqual([]);
  expect(world.results.taken).toMatchObject([
    { merchant: 'nobody', status: 'rejected', failure: { code: 'MERCHANT_UNKNOWN' } },
  ]);
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'MERCHANT_UNKNOWN' } }]);
  // Not even an order id was used up.
  expect(world.entries.size).toBe(0);
});

it('a secret without the key that the operation needs keeps the job waiting, unharmed, until it is there', async () => {
  const world = aWorld();
  const whole = someCredentials({ version: 'v2' });
  const { 'RSA-SHA256': _, ...keys } = whole.keys;
  world.credentials.rotate('acme-eu', { ...whole, keys });
  await world.credentials.refresh('acme-eu', whole);
  await world.deliver(aRecord(aPayoutJob()));
  for (let wait = 1; wait <= 7; wait += 1) await world.again();
  expect(world.entries.size).toBe(0);
  expect(world.results.taken).toEqual([]);
  expect(world.log.at(-2)?.fields).toMatchObject({ disposition: 'wait', failureCode: 'SECRET_INVALID' });

  world.credentials.rotate('acme-eu', whole);
  await world.credentials.refresh('acme-eu', whole);
  await world.again();
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});
