// A merchant's secret changes its account while orders are open: what the new account says proves nothing of them.
import { expect, it } from 'vitest';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const hour = 3_600_000;

/** In doubt at one host, and the secret names another since. */
async function movedInDoubt(resubmitUnknownOrders: boolean, more: object = {}): Promise<World> {
  const profile = { statusInquiry: true, resubmitUnknownOrders };
  const world = aWorld({ profile });
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  const moved = { ...someCredentials({ version: 'v2', profile }), baseUrl: 'https://new-gateway.test', ...more };
  world.credentials.rotate('acme-eu', moved);
  await world.credentials.refresh('acme-eu', moved);
  world.gateway.statusStays('unknown');
  return world;
}

it.each([true, false])(
  '"no such order" of a new host frees nothing (resubmitUnknownOrders: %s): held at the horizon, never sent again',
  async (resubmitUnknownOrders) => {
    const world = await movedInDoubt(resubmitUnknownOrders);
    await world.pass(2 * hour);
    expect(world.entries.get(key)).toMatchObject({ state: 'in-doubt' });
    expect(world.gateway.inquiries).toEqual([]);
    const told = world.log.filter(({ event }) => event === 'account-changed');
    expect(told[0]).toMatchObject({ level: 'error', fields: { orderId: 'INV-1', finding: 'unknown' } });
    expect(told.length).toBeLessThan(15);
    await world.pass(24 * hour);
    expect(world.entries.get(key)).toMatchObject({ state: 'held' });
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-2' }));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  },
);

it('a release as not paid is not backed by what the new host says: it must be meant', async () => {
  const world = await movedInDoubt(false);
  await world.pass(hour);
  const release = { as: 'not-paid', by: 'jane', reason: 'the gateway knows nothing' } as const;
  expect(await releaseOrder(key, release, world.ports)).toMatchObject({
    kind: 'unanswered',
    why: 'it was sent to an account that the secret no longer names',
  });
});

it('the account of before is asked, where the secret keeps it for inquiries', async () => {
  const before = someCredentials({ profile: { statusInquiry: true } });
  const world = await movedInDoubt(true, { earlierAccounts: [before] });
  world.gateway.statusStays('approved');
  await world.pass(hour);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'approved' });
  expect(new Set(world.gateway.inquiries.map(({ url }) => new URL(url).host))).toEqual(new Set(['gateway.test']));
});

it('the new host is asked, where the secret says that it is the same account', async () => {
  const world = await movedInDoubt(true, { sameAccountAs: [accountOf(someCredentials(), '39915')] });
  world.gateway.statusStays('approved');
  await world.pass(hour);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'approved' });
  expect(new Set(world.gateway.inquiries.map(({ url }) => new URL(url).host))).toEqual(new Set(['new-gateway.test']));
});

it('a sandbox order is never told as the live payment of the same id, and is not paid a second time either', async () => {
  const sandbox = { ...someCredentials({ profile: { statusInquiry: true } }), mode: 'test' as const };
  const world = aWorld({ merchants: { 'acme-eu': sandbox } });
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.gateway.statusStays('approved');
  await world.pass(60_000);
  const live = {
    ...someCredentials({ version: 'v2', profile: { statusInquiry: true } }),
    baseUrl: 'https://live.test',
  };
  world.credentials.rotate('acme-eu', live);
  await world.credentials.refresh('acme-eu', live);

  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-2' }));

  const account = accountOf(sandbox, '39915');
  expect(world.results.taken.at(-1)).toMatchObject({
    resultId: 'rejected/m-2',
    status: 'rejected',
    failure: {
      code: 'ORDER_ID_REUSED',
      message: `this order id was sent to another account of the gateway (${account}); give the new order a new id`,
    },
  });
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});

it('a second send to another account is written before its POST, and asked about there', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  const fresh = someCredentials({
    login: 'acme-2',
    controlKey: 'another-control-key',
    version: 'v2',
    profile: { statusInquiry: true },
  });
  const before = someCredentials({ profile: { statusInquiry: true } });
  world.credentials.rotate('acme-eu', { ...fresh, earlierAccounts: [before] });
  world.gateway.moods('refuses the signature', 'stalls');
  world.gateway.statusStays('never heard of it');
  const seen: (string | undefined)[] = [];
  world.gateway.meanwhile(() => void seen.push(world.entries.get(key)?.account));
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(record);
  await world.pass(60_000);
  await world.deliver(redelivered(record));
  const [first, second] = [accountOf(someCredentials(), '39915'), accountOf(fresh, '39915')];
  expect(world.entries.get(key)).toMatchObject({ state: 'in-doubt', account: second, attempts: 2 });
  expect([...new Set(seen)]).toEqual([first, second]);
  expect(world.gateway.postsOf('INV-1')).toBe(2);
});

it('a refusal by an account that nobody can ask any more is held under its own code, and never sent again by itself', async () => {
  const profile = { statusInquiry: true };
  const world = aWorld({ profile });
  world.credentials.rotate('acme-eu', someCredentials({ login: 'acme-2', version: 'v2', profile }));
  world.gateway.moods('refuses the signature');
  const record = aRecord(aPayoutJob(), { messageId: 'm-1' });
  await world.deliver(record);
  await world.pass(31 * hour);
  await world.deliver(redelivered(record));
  expect(world.gateway.inquiries).toEqual([]);
  expect(world.entries.get(key)).toMatchObject({ state: 'held', failure: { code: 'AUTHENTICATION', httpStatus: 401 } });
  expect(world.log.some(({ level, event }) => level === 'error' && event === 'account-changed')).toBe(true);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
});
