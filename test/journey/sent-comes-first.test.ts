// What the ledger knows comes first: an order that was sent is told as it stands, whatever has become of profile, approval,
// expiry or batch meanwhile; only what was never sent is ended by them.
import { describe, expect, it } from 'vitest';
import { releaseOrder } from '../../lib/payout/operate/decide.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const saying = { by: 'ops', reason: 'wrong file', atMs: startMs };
const inAMinute = { expiresAt: new Date(startMs + 60_000).toISOString() };

/** Settled, and then the process died before anything was told. */
async function acceptedUntold(world: World, body: JobBody) {
  world.results.stays('down');
  world.orders.stays('down', 'mark');
  const record = aRecord(body, { messageId: 'm-1' });
  await world.deliver(record);
  world.results.stays('up');
  world.orders.stays('up', 'mark');
  return redelivered(record);
}

async function changeProfile(world: World, profile: Partial<Profile>) {
  const next = someCredentials({ version: 'v2', profile });
  world.credentials.rotate('acme-eu', next);
  await world.credentials.refresh('acme-eu', next);
}

describe('an order that was accepted is told so, although since then', () => {
  it.each<[string, JobBody, Partial<Profile>, (world: World) => Promise<unknown> | void]>([
    ['two persons must release it', aPayoutJob(), {}, (it) => changeProfile(it, { twoPersonRelease: true })],
    [
      'its contract lost a field',
      aPayoutJob({ params: { purpose: 'rent' } }),
      { extraFields: { payout: ['purpose'] } },
      (it) => changeProfile(it, {}),
    ],
    ['its time is over', aPayoutJob(inAMinute), {}, (it) => it.clock.advance(120_000)],
    ['its batch was called off', aPayoutJob({ batchId: 'b-1' }), {}, (it) => it.controls.cancelBatch('b-1', saying)],
    ['its merchant was paused', aPayoutJob(), {}, (it) => it.controls.pause('acme-eu', true, saying)],
    ['its secret went', aPayoutJob(), {}, (it) => it.credentials.outage('down')],
  ])('%s', async (_, body, profile, change) => {
    const world = aWorld({ profile });
    const again = await acceptedUntold(world, body);
    await change(world);
    expect(await world.deliver(again)).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'accepted', revision: 1 }]);
    expect(world.jobsQueue.deadLetters.taken).toEqual([]);
    expect(world.gateway.posts).toHaveLength(1);
  });
});

describe('an order that was in doubt, and that a person has released as not paid,', () => {
  async function released(body: JobBody): Promise<World> {
    const world = aWorld();
    world.gateway.moods('stalls');
    await world.deliver(aRecord(body));
    // The quiet period after its lease is over.
    world.clock.advance(2 * 3_600_000);
    await releaseOrder('acme-eu/INV-1', { as: 'not-paid', by: 'ops', reason: 'bank says no' }, world.ports);
    return world;
  }

  it('is not told that it expired before it was sent', async () => {
    const world = await released(aPayoutJob(inAMinute));
    world.clock.advance(120_000);
    await world.deliver(aRecord(aPayoutJob(inAMinute)));
    expect(world.results.taken.at(-1)).toMatchObject({ status: 'failed', failure: { code: 'RELEASED_NOT_PAID' } });
  });

  it('does not become cancelled: nobody may say that it was never sent', async () => {
    const body = aPayoutJob({ batchId: 'b-1' });
    const world = await released(body);
    await world.controls.cancelBatch('b-1', saying);
    await world.deliver(aRecord(body));
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'failed' });
    expect(world.results.taken.at(-1)).toMatchObject({ status: 'failed', failure: { code: 'RELEASED_NOT_PAID' } });
  });
});

describe('an order that waits to be sent again, proven never sent,', () => {
  async function waiting(body: JobBody) {
    const world = aWorld();
    world.gateway.moods('refuses the connection');
    const record = aRecord(body);
    await world.deliver(record);
    return { world, again: redelivered(record) };
  }

  it('is ended by its time', async () => {
    const { world, again } = await waiting(aPayoutJob(inAMinute));
    world.clock.advance(120_000);
    expect(await world.deliver(again)).toEqual([]);
    expect(world.results.taken).toMatchObject([{ status: 'failed', revision: 1, failure: { code: 'EXPIRED' } }]);
    expect(world.jobsQueue.deadLetters.taken).toEqual([]);
  });

  it('is left as it is by a message without the approval that it needs now, which is kept for a redrive', async () => {
    const { world, again } = await waiting(aPayoutJob());
    await changeProfile(world, { twoPersonRelease: true });
    await world.deliver(again);
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'retryable' });
    expect(world.results.taken).toMatchObject([{ status: 'rejected', failure: { code: 'NOT_APPROVED' } }]);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'NOT_APPROVED' } }]);
  });

  it('is found ended where the answer of the ledger was lost', async () => {
    const { world, again } = await waiting(aPayoutJob(inAMinute));
    world.clock.advance(120_000);
    world.orders.faults('write', 'answer lost');
    await world.deliver(again);
    expect(world.results.taken).toMatchObject([{ status: 'failed', revision: 1, failure: { code: 'EXPIRED' } }]);
  });
});

describe('while the ledger can’t be read', () => {
  it('a stopped job waits, and nothing is told', async () => {
    const world = aWorld();
    world.orders.stays('down', 'read');
    world.clock.advance(120_000);
    expect(await world.deliver(aRecord(aPayoutJob(inAMinute)))).toEqual([]);
    expect(world.results.taken).toEqual([]);
    expect(world.waits()).toHaveLength(1);
  });
});
