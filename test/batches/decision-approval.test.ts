// "Not paid" of a merchant whose money two persons release: one decides, another approves, and the approval is good for this order as
// both saw it, for these two, and for a day.
import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  approveDecision,
  createSecondPerson,
  decisionText,
  isApprovedBy,
} from '../../lib/batches/decision-approval.ts';
import { safeguardsText, type StoredRecords } from '../../lib/batches/safeguards.ts';
import { seenByApprover, type SecondPerson } from '../../lib/payout/operate/decide.ts';
import { eraseOrder, namelessOf } from '../../lib/payout/operate/erase.ts';
import { atMost, type Decision, unknownAt } from '../../lib/payout/order/facts.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';
import { lookAndRelease } from '../support/look-and-release.ts';

const key = 'acme-eu/INV-1';
const ada = 'arn:aws:sts::111122223333:assumed-role/Decider/ada';
const grace = 'arn:aws:sts::111122223333:assumed-role/Approver/grace';
const notPaid = { as: 'not-paid', by: 'ada', reason: 'the bank knows nothing' } as const;

const macOf = async (text: string) => createHmac('sha256', 'approvers').update(text).digest('base64url');
const macs = { isMacOf: async (text: string, mac: string) => mac === (await macOf(text)) };
const identity = (arn: string) => ({ whoAmI: async () => arn });

/** What approvers have said of the merchant; by whom they were not made, where `mac` says so. */
async function storeOf(twoPersonRelease: boolean | undefined, mac?: string): Promise<StoredRecords> {
  const its = { serial: 1, by: grace, atMs: 1, twoPersonRelease: twoPersonRelease ?? false, caps: {}, logins: [] };
  const text = safeguardsText('batches', 'acme-eu', its);
  const stored = twoPersonRelease === undefined ? undefined : { text, mac: mac ?? (await macOf(text)), earlier: [] };
  return { place: 'batches', read: async () => stored };
}

async function inDoubt(): Promise<World> {
  const world = aWorld();
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob()));
  expect(world.entries.get(key)).toMatchObject({ standing: 'held' });
  world.clock.advance(3_600_000);
  return world;
}

async function second(world: World, decider = ada, twoPersons: boolean | undefined = true): Promise<SecondPerson> {
  return createSecondPerson({
    store: await storeOf(twoPersons),
    macs,
    identity: identity(decider),
    clock: world.clock,
  });
}

async function approvalOf(world: World, { decider = ada, approver = grace, of = key } = {}): Promise<string> {
  const order = world.items.get(of);
  const seen = order && seenByApprover(order, undefined);
  if (!seen || 'why' in seen) throw new Error('it is there');
  const approved = await approveDecision(order, seen, decider, {
    maker: { macOf },
    identity: identity(approver),
    clock: world.clock,
  });
  if (approved.kind !== 'approved') throw new Error(approved.kind);
  return approved.token;
}

const release = async (world: World, more: { readonly approval?: string } = {}, decider?: string) =>
  lookAndRelease(key, { ...notPaid, ...more }, { ...world.ports, secondPerson: await second(world, decider) });

const decisionsOf = (world: World): readonly Decision[] => Object.values(world.items.get(key)?.facts.decisions ?? {});

it('KMS takes the text of every order, however much the gateway has said of each of its attempts', () => {
  const ids = Array.from({ length: 4 }, (_, at) => `${at}`.repeat(40)).join(',');
  const sign = ['taken', ids, ids, 'seen,validated,approved', '999999999999.99 EUR'].join('|');
  const saw = Object.fromEntries(Array.from({ length: atMost.attempts }, (_, at) => [`${at}`.padStart(32, 'a'), sign]));
  const persons = {
    decider: ada.padEnd(300, 'a'),
    approver: grace.padEnd(300, 'b'),
    atMs: 1_800_000_000_000,
    revision: 2_000,
  };
  const text = decisionText(`acme-eu/${'x'.repeat(128)}`, { saw }, persons);
  // API reference, GenerateMac: Message has 4,096 bytes at most.
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
  const another = decisionText(`acme-eu/${'x'.repeat(128)}`, { saw: { ...saw, more: sign } }, persons);
  expect(another).not.toBe(text);
});

describe('a release as not paid', () => {
  it('waits for an approver, who is told for whom, and writes nothing', async () => {
    const world = await inDoubt();
    const before = world.items.get(key);
    expect(await release(world)).toEqual({ kind: 'needs-approver', key, decider: ada });
    expect(world.items.get(key)).toBe(before);
  });

  it('is written with both persons and the proof once an approver has approved it', async () => {
    const world = await inDoubt();
    const approval = await approvalOf(world);
    expect(await release(world, { approval })).toMatchObject({ kind: 'done', published: true });
    expect(world.entries.get(key)).toMatchObject({
      standing: 'failed',
      failure: { message: 'ada and grace: the bank knows nothing' },
    });
    const [decision] = decisionsOf(world);
    if (!decision?.approval) throw new Error('it bears its approval');
    const { mac, ...rest } = decision.approval;
    expect(rest).toMatchObject({ decider: ada, approver: grace });
    // A later reader of the order can prove it by the key alone.
    expect(await macs.isMacOf(decisionText(key, decision, rest), mac)).toBe(true);
  });

  it('is one person’s where the merchant demands one, and two persons’ where nothing holds of what it demands', async () => {
    const one = await inDoubt();
    const secondPerson = await second(one, ada, false);
    expect(await lookAndRelease(key, notPaid, { ...one.ports, secondPerson })).toMatchObject({ kind: 'done' });
    for (const store of [await storeOf(undefined), await storeOf(false, 'forged')]) {
      const world = await inDoubt();
      const its = createSecondPerson({ store, macs, identity: identity(ada), clock: world.clock });
      expect(await lookAndRelease(key, notPaid, { ...world.ports, secondPerson: its })).toMatchObject({
        kind: 'needs-approver',
      });
    }
  });
});

describe('an approval is refused', () => {
  it.each<
    [why: string, asked: { readonly decider?: string; readonly approver?: string; readonly of?: string }, by: string]
  >([
    ['for another person', { decider: 'arn:aws:iam::111122223333:user/alan' }, 'the token is for'],
    ['of another order', { of: 'acme-eu/INV-2' }, 'does not fit the present state'],
  ])('%s', async (_, asked, by) => {
    const world = await inDoubt();
    world.gateway.moods('stalls');
    await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2' })));
    const approval = await approvalOf(world, asked);
    expect(await release(world, { approval })).toMatchObject({ kind: 'refused', why: expect.stringContaining(by) });
    expect(decisionsOf(world)).toEqual([]);
  });

  it.each([
    ['the same session', ada],
    ['the same name in another role', 'arn:aws:sts::111122223333:assumed-role/Approver/ada'],
    ['another spelling of it', 'arn:aws:iam::111122223333:user/ada+1'],
    ['an account for more', 'arn:aws:iam::111122223333:user/ada-admin'],
    ['no one', 'arn:aws:iam::111122223333:root'],
  ])('to one who is both: %s', async (_, approver) => {
    const world = await inDoubt();
    await expect(approvalOf(world, { approver })).rejects.toThrow('one-person');
    // And where somebody has made the MAC all the same.
    const order = world.items.get(key);
    const seen = order && seenByApprover(order, undefined);
    if (!seen || 'why' in seen) throw new Error('it is there');
    const approved = { decider: ada, approver, atMs: world.clock.nowMs(), revision: 1 };
    const its = { ...approved, mac: await macOf(decisionText(key, seen, approved)) };
    const approval = Buffer.from(JSON.stringify(its)).toString('base64url');
    expect(await release(world, { approval })).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('one person'),
    });
  });

  it('once a sign of life has come that the approver has not seen', async () => {
    const world = await inDoubt();
    const approval = await approvalOf(world);
    const order = world.items.get(key);
    if (!order) throw new Error('it was sent');
    const seen = { account: 'account-1', id: '9000555', since: 3, reports: ['seen' as const], amounts: [] };
    world.items.set(key, { ...order, facts: { ...order.facts, unknown: { [unknownAt(seen)]: seen } } });
    expect(await release(world, { approval })).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('does not fit the present state'),
    });
    expect(decisionsOf(world)).toEqual([]);
  });

  it('of another revision, though the gateway has said nothing new', async () => {
    const world = await inDoubt();
    const approval = await approvalOf(world);
    const order = world.items.get(key);
    if (!order) throw new Error('it was sent');
    const { published } = order;
    world.items.set(key, { ...order, published: { ...published, revision: published.revision + 1 } });
    expect(await release(world, { approval })).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('revision 1'),
    });
    expect(decisionsOf(world)).toEqual([]);
  });

  it('in any word that was changed, and where it is none', async () => {
    const world = await inDoubt();
    const its = JSON.parse(Buffer.from(await approvalOf(world), 'base64url').toString()) as Record<string, unknown>;
    const changed = [
      { ...its, atMs: Number(its['atMs']) + 1 },
      { ...its, revision: 2 },
      { ...its, approver: 'arn:aws:iam::111122223333:user/alan' },
      { ...its, mac: `${String(its['mac']).slice(0, -1)}_` },
      { ...its, more: 1 },
    ].map((it) => Buffer.from(JSON.stringify(it)).toString('base64url'));
    for (const approval of [...changed, '', 'nonsense'])
      expect(await release(world, { approval })).toMatchObject({ kind: 'refused' });
    expect(decisionsOf(world)).toEqual([]);
  });
});

describe('a digest in the place of a person’s name, over which the same MAC is right', () => {
  const adaAdmin = 'arn:aws:iam::111122223333:user/ada-admin';
  const tokenOf = (its: object) => Buffer.from(JSON.stringify(its)).toString('base64url');

  it.each([
    ['hides no approver', grace],
    ['makes no second person of the first', adaAdmin],
  ])('%s', async (_, approver) => {
    const world = await inDoubt();
    const order = world.items.get(key);
    const seen = order && seenByApprover(order, undefined);
    if (!seen || 'why' in seen) throw new Error('it is there');
    const persons = { decider: ada, approver, atMs: world.clock.nowMs(), revision: 1 };
    const mac = await macOf(decisionText(key, seen, persons));
    const approval = tokenOf({ ...persons, approver: namelessOf(approver), mac });
    expect(await release(world, { approval })).toMatchObject({ kind: 'refused' });
    expect(decisionsOf(world)).toEqual([]);
  });
});

it('the persons of a decision go with its texts when an order is erased', async () => {
  const world = await inDoubt();
  await release(world, { approval: await approvalOf(world) });
  expect(await eraseOrder(key, world.ports)).toMatchObject({ kind: 'erased' });
  expect(inspect(world.items.get(key), { depth: null })).not.toMatch(/\b(ada|grace)\b/);
  // That two persons said it can be proven all the same.
  const [decision] = decisionsOf(world);
  expect(decision && (await isApprovedBy(key, decision, macs))).toBe(true);
});
