// Each step of settling a batch may be the last that a process makes, and two may settle it at once: it is told the same
// all the same, each revision with one content, and a late change is never lost.
import { describe, expect, it } from 'vitest';
import { batchResultOf } from '../../lib/batches/batch-result.ts';
import { settleBatches, type SettleBatchesPorts } from '../../lib/batches/settle-batches.ts';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import { anAttempt, anOrder, withFacts } from '../support/orders.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';
import { aWorld, type World } from '../support/world.ts';
import { lengthOf } from '../support/long-proof.ts';

const minute = 60_000;
const ever = Number.MAX_SAFE_INTEGER;

/** One round a millisecond later. */
function round(world: World) {
  world.clock.advance(1);
  return settleBatches(ever, world.ports);
}

/** The loop takes some of the calls that fail. */
const stride = lengthOf({ short: 5, long: 1 });

describe('whatever call fails', () => {
  type Fault = 'before' | 'after';

  /** Ports whose call of this number fails, before it is carried out or with its answer lost. */
  function failing(
    world: World,
    failingCall: number,
    fault: Fault,
  ): { ports: SettleBatchesPorts; calls: () => number } {
    let calls = 0;
    async function call<T>(run: () => Promise<T>): Promise<T> {
      calls += 1;
      const fails = calls === failingCall;
      if (fails && fault === 'before') throw new Error('no answer');
      const answer = await run();
      if (fails) throw new Error('answer lost');
      return answer;
    }
    const { batches, knownOrders, batchIndex, batchResults, controlsAdmin, clock, log } = world.ports;
    const ports: SettleBatchesPorts = {
      clock,
      log,
      controlsAdmin,
      batches: {
        ...batches,
        find: (...it) => call(() => batches.find(...it)),
        close: (...it) => call(() => batches.close(...it)),
        markPublished: (...it) => call(() => batches.markPublished(...it)),
        lookAgain: (...it) => call(() => batches.lookAgain(...it)),
        rest: (...it) => call(() => batches.rest(...it)),
      },
      knownOrders: { read: (...it) => call(() => knownOrders.read(...it)) },
      batchIndex: {
        async *entries(id) {
          yield* await call(async () => batchIndex.entries(id));
        },
      },
      batchResults: { sendBatchResult: (...it) => call(() => batchResults.sendBatchResult(...it)) },
    };
    return { ports, calls: () => calls };
  }

  async function anEndedBatch(): Promise<World> {
    const world = aWorld();
    const bodies = Array.from({ length: 501 }, (_, n) => aJobOf(`R-${n}`));
    await upload(world, bodies);
    for (const { orderId } of bodies) {
      const order = anOrder({ batchId, orderId, attempt: { reports: ['approved'] } });
      world.items.set(order.key, order);
    }
    world.clock.advance(minute);
    return world;
  }

  it('the batch closes once, and the same result is told at least once', async () => {
    const world = await anEndedBatch();
    const { ports, calls } = failing(world, Infinity, 'before');
    await settleBatches(ever, ports);
    // The index, closing, publishing, unmarking.
    expect(calls()).toBe(4);
    for (const fault of ['before', 'after'] as const) {
      for (let failingCall = 1; failingCall <= calls(); failingCall += stride) {
        const failed = await anEndedBatch();
        await settleBatches(ever, failing(failed, failingCall, fault).ports);
        failed.clock.advance(15 * minute);
        await round(failed);
        const batch = await failed.batches.find(batchId);
        expect(batch).not.toHaveProperty('unpublished');
        expect(failed.batchResults.length).toBeGreaterThanOrEqual(1);
        for (const told of failed.batchResults)
          expect(told).toEqual(batch?.closure && batchResultOf(batch, batch.closure));
      }
    }
  });

  /** A batch that was told, one row of which turns out to be paid afterwards. */
  async function aLateChange(): Promise<World> {
    const world = await anEndedBatch();
    const declined = anOrder({ batchId, orderId: 'R-7', attempt: { reports: ['declined'] } });
    world.items.set(declined.key, declined);
    await round(world);
    expect(world.batchResults).toMatchObject([{ revision: 1, outcomes: [{ count: 500 }, { standing: 'declined' }] }]);
    world.clock.advance(15 * minute);
    await round(world);
    const paid = withFacts(declined, ofAttempt(anAttempt({ reports: ['approved'] })));
    await world.ports.orders.write(declined, paid);
    world.clock.advance(30 * 24 * 60 * minute);
    await world.batches.wake(batchId);
    world.clock.advance(1);
    return world;
  }

  it('a row that changes after the end is told in the next revision, each revision with one content', async () => {
    const world = await aLateChange();
    const { ports, calls } = failing(world, Infinity, 'before');
    await settleBatches(ever, ports);
    expect(calls()).toBe(4);
    for (const fault of ['before', 'after'] as const) {
      for (let failingCall = 1; failingCall <= calls(); failingCall += stride) {
        const failed = await aLateChange();
        await settleBatches(ever, failing(failed, failingCall, fault).ports).catch(() => {});
        for (let rounds = 0; rounds < 3; rounds += 1) {
          failed.clock.advance(15 * minute);
          await round(failed);
        }
        expect(failed.batchResults.at(-1)).toMatchObject({
          revision: 2,
          outcomes: [{ standing: 'paid', count: 501 }],
        });
        const contents = new Set(failed.batchResults.map((it) => JSON.stringify(it)));
        expect(contents.size).toBe(new Set(failed.batchResults.map(({ resultId }) => resultId)).size);
      }
    }
  });
});
