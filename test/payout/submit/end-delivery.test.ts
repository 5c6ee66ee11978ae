// How a delivery ends that has to wait: its job is parked, begun again, and removed once it has ended.
import { calledOffRound } from '../../../lib/payout/wait/release.ts';
import { lookAt } from '../../support/look-and-release.ts';
import { describe, expect, it } from 'vitest';
import { cancelOrder } from '../../../lib/payout/operate/decide.ts';
import { parkedOfOrder } from '../../../lib/payout/wait/parked-job.ts';
import { approved } from '../../support/approvals.ts';
import { sealedFor } from '../../support/card-keys.ts';
import { aPayoutJob, aTransferJob, type JobBody, withoutParams } from '../../support/jobs.ts';
import { aRecord, redelivered } from '../../support/records.ts';
import { startMs } from '../../support/time-and-chance.ts';
import { aWorld, oneRound, type World } from '../../support/world.ts';

const saying = { by: 'ops', reason: 'odd', atMs: startMs };
const dayMs = 86_400_000;
const payout = (changes: object = {}, record: object = {}) =>
  aRecord(aPayoutJob(changes), { messageId: 'm-1', ...record });

/** A port of the table that fails so often; `applied`: only its answers are lost. */
function failing(world: World, verb: 'begin' | 'move' | 'remove' | 'put', times: number, applied = false): void {
  const { jobs } = world.ports.waiting;
  const call = jobs[verb] as (...asked: unknown[]) => Promise<unknown>;
  let left = times;
  Object.assign(jobs, {
    [verb]: async (...asked: unknown[]) => {
      left -= 1;
      if (left < 0) return call(...asked);
      if (applied) await call(...asked);
      throw new Error('no answer');
    },
  });
}

async function paused(record = payout()): Promise<World> {
  const world = aWorld();
  await world.controls.pause('acme-eu', true, saying);
  expect(await world.deliver(record)).toEqual([]);
  await world.controls.pause('acme-eu', false, saying);
  return world;
}

describe('a job that waits', () => {
  it('is parked, its body sealed, and its message is gone; begun again it is paid, and is parked no more', async () => {
    // given
    const world = await paused(payout({}, { groupId: 'acme-eu' }));
    // then
    const [job] = [...world.parked.values()];
    expect(job).toMatchObject({ messageId: 'm-1', groupId: 'acme-eu', because: 'paused', sinceMs: startMs, begun: 0 });
    expect(JSON.stringify(job, (_, it) => String(it))).not.toContain('DE89370400440532013000');
    // when
    await world.begin();
    // then
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
    expect(world.parked.size).toBe(0);
  });

  it('stays on its queue where it can not be parked, and is parked when it comes again', async () => {
    const world = aWorld();
    await world.controls.pause('acme-eu', true, saying);
    failing(world, 'put', 1);
    expect(await world.deliver(payout())).toEqual(['m-1']);
    expect(await world.deliver(redelivered(payout()))).toEqual([]);
    expect(world.waits()).toMatchObject([{ where: 'table', because: 'again' }]);
  });

  it('is a dead letter with its reason where eight others of its order wait', async () => {
    const world = aWorld();
    await world.controls.pause('acme-eu', true, saying);
    for (let n = 0; n <= parkedOfOrder; n += 1)
      expect(await world.deliver(payout({ context: { n } }, { messageId: `m-${n}` }))).toEqual([]);
    expect(world.parked.size).toBe(parkedOfOrder);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([
      { originMessageId: 'm-8', reason: { code: 'TOO_MANY_WAITING' }, firstSentAtMs: startMs },
    ]);
  });

  it('for the body that no key opens goes on waiting, however long', async () => {
    const world = await paused();
    const { dataKeys } = world.ports.waiting;
    const unwrap = dataKeys.unwrap;
    Object.assign(dataKeys, { unwrap: async () => Promise.reject(new Error('disabled')) });
    world.clock.advance(15 * dayMs);
    await world.begin();
    expect(world.waits()).toMatchObject([{ because: 'unopened' }]);
    expect(world.figures.at(-1)?.values).toMatchObject({ jobsUnopened: 1 });
    Object.assign(dataKeys, { unwrap });
    expect(world.jobsQueue.deadLetters.taken).toEqual([]);
  });

  it('for a verdict about its order is brought forward by the result that tells it', async () => {
    // given an order in doubt, a second message of which waits for a day at a time
    const world = aWorld({ profile: { statusInquiry: true } });
    world.gateway.moods('stalls');
    await world.deliver(payout());
    await world.deliver(payout({ context: { n: 2 } }, { messageId: 'm-2' }));
    expect(world.waits().map(({ because }) => because)).toEqual(['undecided', 'undecided']);
    // when the gateway knows it
    world.clock.advance(120_000);
    world.gateway.statuses('approved');
    await world.look('acme-eu/INV-1');
    // then
    expect(world.results.taken.at(-1)).toMatchObject({ status: 'approved' });
    expect(world.waits().map(({ because }) => because)).toEqual(['again', 'again']);
  });
});

it('a first result that another writer has left untold brings forward what is parked, though its message comes first', async () => {
  // given a job that is parked, and a person who cancels its order while the table of what waits does not answer
  const world = aWorld();
  world.gateway.moods('refuses the connection');
  await world.deliver(payout());
  const { jobs } = world.ports.waiting;
  const ofOrder = jobs.ofOrder;
  Object.assign(jobs, { ofOrder: async () => Promise.reject(new Error('no answer')) });
  const seen = await lookAt('acme-eu/INV-1', world.ports);
  await cancelOrder({ merchant: 'acme-eu', orderId: 'INV-1', ...saying, seen }, world.ports);
  Object.assign(jobs, { ofOrder });
  expect(world.waits()).toMatchObject([{ because: 'unsent' }]);
  // when a copy of the job comes
  await world.deliver(payout({ context: { n: 2 } }, { messageId: 'm-2' }));
  // then
  expect(world.results.taken).toMatchObject([{ status: 'cancelled', revision: 1 }]);
  expect(world.waits()).toMatchObject([{ messageId: 'm-1', because: 'again' }]);
});

describe('a job whose order cannot be decided', () => {
  /** Its beginnings in an hour, once this has happened. */
  async function begunInAnHour(changes: object, happens: (world: World) => Promise<unknown> | void): Promise<number> {
    const world = aWorld({ lanes: 'open' });
    world.gateway.moods('stalls');
    await world.deliver(payout(changes));
    expect(world.waits()).toMatchObject([{ because: 'undecided' }]);
    await happens(world);
    let begun = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      await calledOffRound(world.ports)(Infinity);
      await oneRound(world.ports);
      begun += world.references.taken.splice(0).length;
      await world.begin();
      world.clock.advance(60_000);
    }
    return begun;
  }

  it('is looked at once when it expires, and not again and again', async () => {
    const expiresAt = new Date(startMs + 600_000).toISOString();
    expect(await begunInAnHour({ expiresAt }, () => {})).toBeLessThanOrEqual(2);
  });

  it('is not looked at each minute because its batch was called off', async () => {
    const begun = await begunInAnHour({ batchId: 'b-1' }, ({ controls }) => controls.cancelBatch('b-1', saying));
    expect(begun).toBe(0);
  });
});

describe('a message that is not known to be anybody’s', () => {
  const outages: readonly (readonly [
    what: string,
    is: (world: World, state: 'down' | 'up') => Promise<void> | void,
  ])[] = [
    ['the secrets are away', ({ credentials }, state) => credentials.outage(state)],
    ['the ledger is away', ({ orders }, state) => orders.stays(state, 'read', 'write')],
    [
      'no result is taken, and all is paused',
      ({ results, controls }, state) => {
        results.stays(state);
        return controls.pause(undefined, state === 'down', saying);
      },
    ],
  ];

  it.each(outages)('takes no place of its order from a job that was approved, while %s', async (_, is) => {
    // given
    const world = aWorld({ profile: { twoPersonRelease: true } });
    const [job] = await approved(world.batches, world.approvalKey, [aPayoutJob()]);
    if (!job) throw new Error('it is approved');
    const forged = (n: number) => aRecord({ ...job, approval: '0.', context: { n } }, { messageId: `forged-${n}` });
    // when
    await is(world, 'down');
    for (let n = 0; n < parkedOfOrder; n += 1) await world.deliver(forged(n));
    await world.deliver(aRecord(job, { messageId: 'm-1' }));
    await is(world, 'up');
    world.clock.advance(600_000);
    await world.again();
    // then
    expect(world.gateway.posts).toHaveLength(1);
    expect(world.jobsQueue.deadLetters.taken.map(({ originMessageId }) => originMessageId)).not.toContain('m-1');
  });

  /**
   * A world in which two persons release and the worker has no card keys, and a forged message under the id of an approved payout: its
   * seal can't be opened.
   */
  async function forgedBeside(changes: Partial<JobBody> = {}) {
    const world = aWorld({ profile: { twoPersonRelease: true } });
    const choices = { expiresAtMs: startMs + 30 * dayMs };
    const [job] = await approved(world.batches, world.approvalKey, [aPayoutJob(changes)], choices);
    if (!job) throw new Error('it is approved');
    world.cardKeys.outage('down');
    const forged = await sealedFor(world, withoutParams(aTransferJob({ orderId: job.orderId }), 'cvv2'));
    await world.deliver(aRecord(forged, { messageId: 'forged' }));
    expect(world.waits()).toMatchObject([{ messageId: 'forged', because: 'secret' }]);
    return { world, job };
  }

  it('ends no order, however long it has waited: it is a dead letter, and the approved job is paid', async () => {
    const { world, job } = await forgedBeside();
    world.clock.advance(14 * dayMs);
    await world.begin();
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'WAITED_TOO_LONG' } }]);
    expect([world.items.size, world.parked.size]).toEqual([0, 0]);
    await world.deliver(aRecord(job, { messageId: 'm-1' }));
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  });

  it('keeps no approved job from ending its order', async () => {
    const expiresAt = new Date(startMs + 3_600_000).toISOString();
    const { world, job } = await forgedBeside({ expiresAt });
    // given an approved job that found no connection, and waits until it has expired
    world.gateway.moods('refuses the connection');
    await world.deliver(aRecord(job, { messageId: 'm-1' }));
    world.clock.advance(3_600_000);
    await world.begin([...world.parked.values()].filter(({ messageId }) => messageId === 'm-1'));
    expect(world.results.taken).toMatchObject([{ status: 'failed', failure: { code: 'EXPIRED' } }]);
    expect(world.waits()).toMatchObject([{ messageId: 'forged' }]);
  });

  it.each(outages)('makes no lane of a merchant that is not known, while %s', async (_, is) => {
    const world = aWorld();
    await is(world, 'down');
    await world.deliver(payout({ merchant: 'unknown' }));
    world.clock.advance(dayMs + 1);
    await world.begin();
    expect(await world.ports.lanes.all()).toEqual([]);
  });
});

it('a job whose secret comes back between two gates waits for a moment, counts towards no cap, and is paid', async () => {
  const caps = { EUR: { perDay: '100.00' } };
  const world = aWorld({ profile: { caps } });
  const { of } = world.credentials;
  const failure = { code: 'CREDENTIALS_UNAVAILABLE', message: 'no answer' } as const;
  let asked = 0;
  Object.assign(world.credentials, {
    of: async (merchant: string) => ((asked += 1) <= 2 ? { kind: 'unavailable', failure } : of(merchant)),
  });
  await world.deliver(payout());
  const day = { merchant: 'acme-eu', currency: 'EUR', day: '2026-11-21' };
  expect(world.log.map(({ event }) => event)).not.toContain('job-failed');
  expect(world.waits()).toMatchObject([{ because: 'lane-unknown' }]);
  expect((await world.controls.totalOf(day)).perDay).toBe(0n);
  world.clock.advance(60_000);
  await world.begin();
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
});

describe('a message that comes a second time', () => {
  it('is parked, whichever worker runs its first delivery', async () => {
    const world = aWorld();
    expect(await world.deliver(payout({}, { receiveCount: 2 }))).toEqual([]);
    expect(world.gateway.posts).toEqual([]);
    expect(world.waits()).toMatchObject([{ because: 'again', inSeconds: 0 }]);
  });

  it('takes no turn where its order is approved, or has ended otherwise than it names', async () => {
    const world = aWorld();
    await world.deliver(payout());
    const rateTaken = async () => (await world.ports.lanes.all())[0]?.state?.nextFreeMs;
    const before = await rateTaken();
    world.clock.advance(60_000);
    await world.deliver(payout({}, { receiveCount: 2 }));
    await world.begin();
    await world.deliver(payout({ resends: 'end-1' }, { messageId: 'm-2' }));
    expect(await rateTaken()).toBe(before);
    expect(world.results.taken.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(world.waits()).toEqual([]);
  });

  it('waits in the common line while its secret can not be read, and takes no place of its order there', async () => {
    const world = aWorld();
    world.credentials.outage('down');
    await world.deliver(payout({}, { receiveCount: 2 }));
    expect([...world.parked.values()][0]?.lane).toBeUndefined();
    world.credentials.outage('up');
    await world.begin();
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
    expect(world.parked.size).toBe(0);
  });
});

/** Workers that begin the job and are lost: each time its lease is over, the leader releases it under another one. */
async function loses({ ports: { waiting } }: World, workers: number): Promise<void> {
  for (let n = 0; n < workers; n += 1) {
    const [job] = await waiting.jobs.ofOrder('acme-eu/INV-1');
    if (!job) throw new Error('it is parked');
    await waiting.jobs.begin(job, job.goAtMs);
    await waiting.jobs.move(job, job.goAtMs, { because: job.because, goAtMs: job.goAtMs + 1 });
  }
}

it('a job that was parked, and is paid, brings forward what else is parked of its order', async () => {
  const world = await paused();
  await world.controls.pause('acme-eu', true, saying);
  await world.deliver(payout({ params: { amount: '9.99' } }, { messageId: 'm-2' }));
  await world.controls.pause('acme-eu', false, saying);
  const [first] = [...world.parked.values()];
  if (!first) throw new Error('it is parked');
  await world.begin([first]);
  expect(world.results.taken).toMatchObject([{ status: 'accepted', revision: 1 }]);
  expect([...world.parked.values()]).toMatchObject([{ messageId: 'm-2', because: 'again' }]);
});

it('a redriven message keeps the time of its first sending, parked and as a dead letter; no later time is believed', async () => {
  const world = await paused();
  await loses(world, 5);
  const [job] = [...world.parked.values()];
  expect(job?.firstSentAtMs).toBeUndefined();
  await world.begin();
  const [letter] = world.jobsQueue.deadLetters.taken.splice(0);
  expect(letter?.firstSentAtMs).toBe(startMs);
  // when it is redriven an hour later, while its merchant is paused
  world.clock.advance(3_600_000);
  await world.controls.pause('acme-eu', true, saying);
  const attributes = { firstSentAtMs: String(startMs), redrives: '1' };
  await world.deliver(payout({}, { messageId: 'm-9', sentAtMs: world.clock.nowMs(), attributes }));
  expect([...world.parked.values()]).toMatchObject([{ sinceMs: startMs + 3_600_000, firstSentAtMs: startMs }]);
  await loses(world, 5);
  await world.begin();
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ firstSentAtMs: startMs }]);
  // A sender's time that is ahead of SQS's says nothing.
  const ahead = { firstSentAtMs: String(startMs + 9_000_000) };
  await world.deliver(payout({ orderId: 'INV-2' }, { sentAtMs: world.clock.nowMs(), attributes: ahead }));
  expect([...world.parked.values()][0]?.firstSentAtMs).toBeUndefined();
});

describe('a parked job that is begun', () => {
  it('and whose worker is lost five times in a row is a dead letter, and nothing is sent for it', async () => {
    const world = await paused();
    const [job] = [...world.parked.values()];
    if (!job) throw new Error('it is parked');
    await loses(world, 5);
    await world.begin();
    expect(world.gateway.posts).toEqual([]);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([
      {
        reason: { code: 'WORKER_CRASHED' },
        firstSentAtMs: startMs,
        place: { key: 'acme-eu/INV-1', digest: job.digest },
      },
    ]);
    expect(world.parked.size).toBe(0);
  });

  it.each([
    ['for pace: what was silent stays counted', 'pace', 4],
    ['for anything else: nothing was silent', 'other', 0],
  ])('and waits again %s', async (_, why, begun) => {
    const world = await paused();
    await loses(world, 4);
    if (why === 'pace') await world.controls.pause('acme-eu', true, saying);
    else world.orders.stays('down', 'read', 'write');
    await world.begin();
    expect([...world.parked.values()]).toMatchObject([{ begun }]);
  });

  it('goes back without a beginning if it is unknown whether that was counted', async () => {
    const world = await paused();
    failing(world, 'begin', 1, true);
    await world.begin();
    expect(world.gateway.posts).toEqual([]);
    expect([...world.parked.values()]).toMatchObject([{ begun: 0 }]);
    await world.begin();
    expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  });

  it('is removed although the table fails for a while', async () => {
    const world = await paused();
    failing(world, 'remove', 3);
    await world.begin();
    expect(world.parked.size).toBe(0);
  });

  it('is not begun under a lease that is another one by now', async () => {
    const world = await paused();
    const [job] = [...world.parked.values()];
    if (!job) throw new Error('it is parked');
    await world.begin([{ ...job, goAtMs: job.goAtMs + 1 }]);
    expect(world.gateway.posts).toEqual([]);
    expect(world.parked.size).toBe(1);
  });
});
