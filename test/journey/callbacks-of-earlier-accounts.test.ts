// A merchant has moved to another account, and its secret keeps the one before for inquiries and callbacks: what the gateway
// of each account calls back counts for the attempts that were sent there, and for no others.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../lib/gateway/profile.ts';
import type { MerchantCredentials } from '../../lib/gateway/ports.ts';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import { createFakeCredentials, someControlKey, someCredentials } from '../support/fake-credentials.ts';
import { exportedOrder } from '../../lib/reconcile/ledger-export.ts';
import { judgeOrder } from '../../lib/reconcile/reconcile.ts';
import { reportDecisionOf } from '../../lib/reconcile/report-decisions.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const key = 'acme-eu/INV-1';
const newKey = 'another-control-key';
const word = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
const before = someCredentials();
const after = {
  ...someCredentials({ version: 'v2', login: 'acme-2', controlKey: newKey }),
  baseUrl: 'https://new-gateway.test',
};

const controlOf = ({ status, orderid, client_orderid: orderId }: typeof word, controlKey: string) =>
  createHash('sha1').update(`${status}${orderid}${orderId}${controlKey}`).digest('hex');

const callBack = (world: World, fields: typeof word, controlKey: string) =>
  world.callBack({ ...fields, control: controlOf(fields, controlKey) });

/** The secret names the new account from now on. */
async function moves(world: World, secret: MerchantCredentials): Promise<void> {
  world.credentials.rotate('acme-eu', secret);
  await world.credentials.refresh('acme-eu', secret);
}

async function movedWorld(secret: MerchantCredentials = { ...after, earlierAccounts: [before] }) {
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  expect(world.entries.get(key)).toMatchObject({ state: 'accepted', gatewayOrderId: '9000001' });
  await moves(world, secret);
  return world;
}

const withProfile = (secret: MerchantCredentials, profile: Partial<Profile>): MerchantCredentials => ({
  ...secret,
  profile: { ...secret.profile, ...profile },
});

/** The name of the end that was published last. */
const lastEndOf = ({ results }: World) => results.taken.findLast((it) => it.endId !== undefined)?.endId ?? '';

const alarms = (world: World) =>
  world.log.filter(({ event }) => event === 'callback-surprise').map(({ fields }) => fields.finding);

it.each(['approved', 'declined'])('the account of before ends its own order: %s', async (status) => {
  const world = await movedWorld();
  expect(await callBack(world, { ...word, status }, someControlKey)).toBe(200);
  expect(world.entries.get(key)).toMatchObject({ state: status });
  expect(alarms(world)).toEqual([]);
});

it.each([
  ['approved', 'contradicts'],
  ['declined', 'recorded'],
])('the new account, which may have an order of the same ids, does not: %s is %s', async (status, finding) => {
  const world = await movedWorld();
  expect(await callBack(world, { ...word, status }, newKey)).toBe(200);
  expect(world.entries.get(key)).toMatchObject({ state: 'accepted', surprises: [`${status} - 9000001 10.42 EUR`] });
  expect(alarms(world)).toEqual([finding]);
});

it('the account of before says nothing of an order that the new one took', async () => {
  const world = aWorld({ merchants: { 'acme-eu': { ...after, earlierAccounts: [before] } } });
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  expect(await callBack(world, word, someControlKey)).toBe(200);
  expect(world.entries.get(key)?.state).toBe('accepted');
  expect(alarms(world)).toEqual(['contradicts']);
  expect(await callBack(world, word, newKey)).toBe(200);
  expect(world.entries.get(key)?.state).toBe('approved');
});

describe('an account that no attempt was sent to calls back about an order that another one has taken, and declines', () => {
  const elsewhere = { ...word, orderid: '8000009' };

  /** The order was taken at the new account. */
  async function takenByTheNewOne() {
    const world = aWorld({ merchants: { 'acme-eu': { ...after, earlierAccounts: [before] } } });
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    return world;
  }

  async function calledBack(order: 'before' | 'after', status: string) {
    const world = await takenByTheNewOne();
    const decline = () => callBack(world, { ...word, status: 'declined' }, newKey);
    if (order === 'after') await decline();
    expect(await callBack(world, { ...elsewhere, status }, someControlKey)).toBe(200);
    if (order === 'before') await decline();
    return world;
  }

  it.each([
    ['approved', 'before'],
    ['processing', 'before'],
    ['approved', 'after'],
    ['processing', 'after'],
  ] as const)('%s, %s the decline: held, and nothing sends it again', async (status, order) => {
    const world = await calledBack(order, status);
    expect(world.entries.get(key)).toMatchObject({ state: 'held', failure: { code: 'UNCLEAR_ANSWER' } });
    const { endId } = world.results.taken.findLast((it) => it.status === 'declined') ?? {};
    const resends = endId === undefined ? {} : { resends: endId };
    await world.deliver(aRecord(aPayoutJob(resends), { messageId: 'm-2' }));
    expect(world.gateway.postsOf('INV-1')).toBe(1);
  });

  it('until a person who has seen it says that it is not paid', async () => {
    const world = await calledBack('before', 'approved');
    await releaseOrder(key, { as: 'not-paid', by: 'jane', reason: 'looked at both accounts' }, world.ports);
    expect(world.entries.get(key)).toMatchObject({ state: 'failed', endId: expect.any(String) });
  });

  it('and no report of the new account decides that, as it lists nothing of another one', async () => {
    const world = await calledBack('before', 'approved');
    const view = world.entries.get(key);
    if (!view) throw new Error('no order');
    const ledger = { ...exportedOrder(view), at: new Date(view.createdAtMs).toISOString() };
    const gateway = [
      { meaning: 'unpaid', status: 'declined', amount: '10.42', currency: 'EUR', gatewayOrderId: '9000001' },
    ] as const;
    const order = { ledger, results: [], gateway };
    expect(reportDecisionOf(key, order, judgeOrder(order))).toBeUndefined();
  });

  it('though not while the new one still has it: both may be, and the new one’s word is awaited', async () => {
    const world = await takenByTheNewOne();
    await callBack(world, elsewhere, someControlKey);
    expect(world.entries.get(key)?.state).toBe('accepted');
    await callBack(world, word, newKey);
    expect(world.entries.get(key)).toMatchObject({ state: 'approved', gatewayOrderId: '9000001' });
  });
});

it.each(['approved', 'processing'])(
  'an account whose refused attempt is not kept any more shows that it has the order, and nothing sends it again: %s',
  async (status) => {
    // given an order that the account of before refused, and the new one three times
    const world = aWorld();
    world.gateway.moods(...Array.from({ length: 4 }, () => 'asks to slow down' as const));
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    await moves(world, { ...after, earlierAccounts: [before] });
    for (let tries = 0; tries < 3; tries += 1) {
      world.clock.advance(7_200_000);
      await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    }
    expect(world.entries.get(key)).toMatchObject({ state: 'retryable', attempts: 4 });
    expect(Object.keys(world.items.get(key)?.facts.attempts ?? {})).toHaveLength(2);
    // when
    expect(await callBack(world, { ...word, status }, someControlKey)).toBe(200);
    world.clock.advance(7_200_000);
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    // then
    expect(world.gateway.postsOf('INV-1')).toBe(4);
    expect(world.entries.get(key)).toMatchObject({ state: 'held', attempts: 4 });
  },
);

it('what the new account calls back is nothing to an attempt of the one before, though their ids are alike', async () => {
  // given an order that the account of before has declined, and the new one has refused by its rate limit, though it took it
  const world = await movedWorld({ ...after, earlierAccounts: [before] });
  await callBack(world, { ...word, status: 'declined' }, someControlKey);
  const { endId = '' } = world.results.taken.at(-1) ?? {};
  world.gateway.moods('asks to slow down');
  await world.deliver(aRecord(aPayoutJob({ resends: endId }), { messageId: 'm-2' }));
  expect(world.entries.get(key)?.state).toBe('retryable');
  // when
  expect(await callBack(world, { ...word, status: 'processing' }, newKey)).toBe(200);
  // then
  expect(world.entries.get(key)).toMatchObject({ state: 'held', failure: { code: 'UNCLEAR_ANSWER' } });
  expect(await callBack(world, word, newKey)).toBe(200);
  expect(world.entries.get(key)).toMatchObject({ state: 'approved', gatewayOrderId: '9000001' });
});

it('that the new account has declined an order of its own says nothing of the one that the account of before names by the same id', async () => {
  // given an order of which neither account has heard, and that the new one has declined by a callback all the same
  const profile = { statusInquiry: true, resubmitUnknownOrders: true };
  const world = aWorld({ profile });
  world.gateway.moods('stalls', 'stalls');
  world.gateway.statusStays('never heard of it');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  await world.pass(7_200_000);
  await moves(world, { ...withProfile(after, profile), earlierAccounts: [withProfile(before, profile)] });
  await world.deliver(aRecord(aPayoutJob({ resends: lastEndOf(world) }), { messageId: 'm-2' }));
  expect(await callBack(world, { ...word, status: 'declined' }, newKey)).toBe(200);
  await world.pass(7_200_000);
  expect(world.entries.get(key)).toMatchObject({ state: 'failed', attempts: 2 });
  // when
  expect(await callBack(world, { ...word, status: 'processing' }, someControlKey)).toBe(200);
  // then
  expect(world.entries.get(key)).toMatchObject({ state: 'held' });
  await world.deliver(aRecord(aPayoutJob({ resends: lastEndOf(world) }), { messageId: 'm-3' }));
  expect(world.gateway.postsOf('INV-1')).toBe(2);
});

it('while the new account is being sent to, its word waits for the answer, and is judged then', async () => {
  const world = aWorld({ merchants: { 'acme-eu': { ...after, earlierAccounts: [before] } } });
  world.gateway.meanwhile(async () => {
    await callBack(world, word, someControlKey);
  });
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  expect(alarms(world)).toEqual([]);
  await world.look(key);
  expect(alarms(world)).toEqual(['contradicts']);
  expect(world.entries.get(key)?.state).toBe('accepted');
});

it('an account that the secret names no longer: its key is nobody’s', async () => {
  const world = await movedWorld(after);
  expect(await callBack(world, word, someControlKey)).toBe(403);
  expect(world.entries.get(key)?.state).toBe('accepted');
});

it('both accounts with one key: the word is about its order, wherever it was sent', async () => {
  const { controlKey } = before;
  const sameKey = { ...after, ...(controlKey && { controlKey }), earlierAccounts: [before] };
  const world = await movedWorld(sameKey);
  expect(await callBack(world, word, someControlKey)).toBe(200);
  expect(world.entries.get(key)?.state).toBe('approved');
});

it('one account, and its control key was changed: what it signed before the change still counts', async () => {
  const changed = someCredentials({ version: 'v2', controlKey: newKey });
  const world = await movedWorld({ ...changed, earlierAccounts: [before] });
  expect(await callBack(world, word, someControlKey)).toBe(200);
  expect(world.entries.get(key)?.state).toBe('approved');
});

it('a word that stays strange has the secret read anew once, and repeated it costs no further question', async () => {
  const world = await movedWorld();
  const before = world.credentials.refreshes.length;
  await callBack(world, word, newKey);
  await callBack(world, word, newKey);
  expect(world.credentials.refreshes.length - before).toBe(1);
});

it('a key of neither is forged', async () => {
  const world = await movedWorld();
  expect(await callBack(world, word, 'a stranger’s key')).toBe(403);
  expect(world.ownQueue.taken).toEqual([]);
});

describe('where the word comes to a process that read the secret before the account moved', () => {
  /** The order was taken at the account of `taken`; what weighs the word still holds the secret as it was before. */
  async function staleWorld(taken: MerchantCredentials, stale: MerchantCredentials) {
    const world = aWorld({ merchants: { 'acme-eu': taken } });
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    const secrets = createFakeCredentials({ 'acme-eu': stale });
    secrets.rotate('acme-eu', taken);
    Object.assign(world.ports, { credentials: secrets });
    return { world, secrets };
  }

  it.each([
    [
      'the account is another',
      { ...after, ...(before.controlKey && { controlKey: before.controlKey }) },
      someControlKey,
    ],
    ['the account and its control key are others', { ...after, earlierAccounts: [before] }, newKey],
    ['the control key is another', { ...someCredentials({ version: 'v2', controlKey: newKey }) }, newKey],
  ])('%s: the secret is read anew, and the word ends the order', async (_, taken, controlKey) => {
    const { world, secrets } = await staleWorld(taken, before);
    expect(await callBack(world, word, controlKey)).toBe(200);
    expect(world.entries.get(key)?.state).toBe('approved');
    expect(secrets.refreshes).toEqual(['acme-eu']);
    expect(alarms(world)).toEqual([]);
  });

  it('the secret can’t be read anew: the word waits, and ends the order then', async () => {
    const { world, secrets } = await staleWorld({ ...after, earlierAccounts: [before] }, before);
    const unavailable = { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' } as const;
    const refresh = async () => ({ kind: 'unavailable', failure: unavailable }) as const;
    Object.assign(world.ports, { credentials: { ...secrets, refresh } });
    expect(await callBack(world, word, newKey)).toBe(200);
    expect(world.entries.get(key)).toMatchObject({ state: 'accepted' });
    expect(alarms(world)).toEqual([]);
    Object.assign(world.ports, { credentials: secrets });
    await world.look(key);
    expect(world.entries.get(key)?.state).toBe('approved');
  });
});
