// The partial batch response: a record leaves it only when everything that its end needs is proven done.
import { describe, expect, it, vi } from 'vitest';
import type { Gateway } from '../../../lib/gateway/ports.ts';
import { runJobs } from '../../../lib/payout/submit/run-jobs.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { aRecord } from '../../support/records.ts';
import { aWorld, type World } from '../../support/world.ts';

const payouts = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    aRecord(aPayoutJob({ orderId: `INV-${index}` }), { messageId: `m-${index}` }),
  );
const idsOf = (records: readonly { readonly messageId: string }[]) => records.map(({ messageId }) => messageId);

/** The table of what waits takes nothing. */
function tableDown({ ports }: World): void {
  const put = async () => Promise.reject(new Error('throttled'));
  Object.assign(ports, { waiting: { ...ports.waiting, jobs: { ...ports.waiting.jobs, put } } });
}

describe('a port that breaks its promise and throws', () => {
  it('parks the one job that met it, and no other', async () => {
    const world = aWorld({ limits: { concurrency: 1 } });
    const gateway = throwingAt(world.gateway, 'INV-1');
    const { batchItemFailures } = await runJobs(payouts(3), world.clock.nowMs() + 120_000, {
      ...world.ports,
      gateway,
    });
    expect(batchItemFailures).toEqual([]);
    expect(world.waits()).toMatchObject([{ messageId: 'm-1', because: 'failed' }]);
    expect(world.results.taken.map(({ orderId }) => orderId)).toEqual(['INV-0', 'INV-2']);
  });

  it('is logged by name and code, never by its message, which may quote what it failed on', async () => {
    const world = aWorld();
    const gateway = throwingAt(world.gateway, 'INV-0');
    await runJobs(payouts(1), world.clock.nowMs() + 120_000, { ...world.ports, gateway });
    expect(world.log[0]).toEqual({
      level: 'error',
      event: 'job-failed',
      fields: { messageId: 'm-0', errorName: 'Error', errorCode: 'EBROKEN' },
    });
    expect(JSON.stringify(world.log)).not.toContain('4111111111111111');
  });

  it('leads to doubt, not to a second POST, when the job is begun again', async () => {
    const world = aWorld();
    const [record] = payouts(1);
    if (!record) throw new Error('no record');
    const gateway = throwingAt(world.gateway, 'INV-0');
    await runJobs([record], world.clock.nowMs() + 120_000, { ...world.ports, gateway });
    world.clock.advance(100_000 + 600_001);
    // The job stays: it may be all that is left to send the order from.
    await world.begin();
    expect(world.waits()).toMatchObject([{ where: 'table', because: 'undecided' }]);
    expect(world.gateway.posts).toHaveLength(0);
    expect(world.results.taken).toMatchObject([{ status: 'held', failure: { code: 'HELD_UNPROVEN' } }]);
  });
});

describe('results that are refused', () => {
  // One at a time, so that the places in the batch are the places of the records.
  const inTurn = { limits: { concurrency: 1 } };

  it('for good mark their orders alone', async () => {
    const world = aWorld(inTurn);
    world.results.moods({ refuses: [1] }, 'down', 'down');
    expect(await world.deliver(payouts(3))).toEqual([]);
    expect(world.entries.get('acme-eu/INV-1')?.unpublished).toBe(true);
    expect(world.entries.get('acme-eu/INV-0')).not.toHaveProperty('unpublished');
  });

  it('that were published before have their message wait', async () => {
    const world = aWorld();
    await world.deliver(payouts(1));
    world.results.stays('down');
    await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-0' }), { messageId: 'copy' }));
    expect(world.waits()).toMatchObject([{ because: 'unpublished' }]);
  });

  it('keep their mark where it could not be taken away', async () => {
    const world = aWorld();
    world.orders.stays('down', 'markPublished');
    expect(await world.deliver(payouts(1))).toEqual([]);
    expect([world.results.taken.length, world.entries.get('acme-eu/INV-0')?.unpublished]).toEqual([1, true]);
  });
});

describe('a record is acknowledged only after', () => {
  it('its result was taken', async () => {
    const world = aWorld();
    let take = () => {};
    const taken = new Promise<void>((resolve) => (take = resolve));
    const sent: unknown[] = [];
    const results = {
      send: async (batch: readonly unknown[]) => {
        sent.push(...batch);
        await taken;
        return new Set<number>();
      },
    };
    let answered = false;
    const running = runJobs(payouts(1), world.clock.nowMs() + 120_000, { ...world.ports, results }).then((response) => {
      answered = true;
      return response;
    });
    await vi.waitUntil(() => sent.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    take();
    expect(await running).toEqual({ batchItemFailures: [] });
  });

  it('its job was parked', async () => {
    const world = aWorld();
    tableDown(world);
    await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'odd', atMs: 0 });
    expect(await world.deliver(payouts(1))).toEqual(['m-0']);
  });

  it('its dead letter was taken', async () => {
    const world = aWorld();
    world.jobsQueue.deadLetters.stays('down');
    expect(await world.deliver(aRecord('{}', { messageId: 'm-1' }))).toEqual(['m-1']);
    expect(world.results.taken).toHaveLength(1);
  });
});

describe('the response', () => {
  it('names every record when all ports are down at once', async () => {
    const world = aWorld();
    world.orders.stays('down', 'write', 'read', 'markPublished');
    world.results.stays('down');
    tableDown(world);
    world.jobsQueue.deadLetters.stays('down');
    const records = [...payouts(3), aRecord('no job', { messageId: 'bad' })];
    expect(await world.deliver(records)).toEqual(idsOf(records));
    expect(world.gateway.posts).toEqual([]);
  });
});

describe('an invocation', () => {
  const run = (world: World, ...records: Parameters<typeof runJobs>[0]) =>
    runJobs(records, world.clock.nowMs() + 120_000, world.ports);

  it('throws where the table takes none of its jobs: then SQS asks less often', async () => {
    const world = aWorld();
    tableDown(world);
    await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'odd', atMs: 0 });
    await expect(run(world, ...payouts(2))).rejects.toThrow('no message of the batch could be parked');
  });

  it('gives its messages back, and throws nothing, where the dead-letter queue alone takes none', async () => {
    const world = aWorld();
    world.jobsQueue.deadLetters.stays('down');
    const records = [aRecord('{}', { messageId: 'm-1' }), aRecord('{}', { messageId: 'm-2' })];
    const failed = idsOf(records).map((itemIdentifier) => ({ itemIdentifier }));
    expect(await run(world, ...records)).toEqual({ batchItemFailures: failed });
  });
});

it.each([1, 3, 10])('at concurrency %i no more jobs than that are at work at once', async (concurrency) => {
  const world = aWorld({ limits: { concurrency } });
  let now = 0;
  let most = 0;
  let release = () => {};
  const allAtWork = new Promise<void>((resolve) => (release = resolve));
  world.gateway.meanwhile(async () => {
    most = Math.max(most, (now += 1));
    if (now === concurrency) release();
    await allAtWork;
    now -= 1;
  });
  expect(await world.deliver(payouts(20))).toEqual([]);
  expect(most).toBe(concurrency);
  expect(world.gateway.posts).toHaveLength(20);
});

function throwingAt(gateway: World['gateway'], orderId: string): Gateway {
  return {
    async post(request) {
      if (!request.body.includes(`=${orderId}&`)) return gateway.post(request);
      throw Object.assign(new Error('broken at 4111111111111111'), { code: 'EBROKEN' });
    },
  };
}
