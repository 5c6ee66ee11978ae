// Every figure of the table comes out of a journey, and says what happened there; one invocation publishes once.
import { sweep } from '../../lib/payout/inquire/sweep.ts';
import { safeguardsRound } from '../../lib/batches/safeguards.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { describe, expect, it } from 'vitest';
import { type LaneState, newLane } from '../../lib/payout/pace/lane-state.ts';
import type { MetricValues } from '../../lib/payout/ports.ts';
import { figures, moneyMetrics } from '../../lib/payout/metrics.ts';
import { aWorldInDoubt, decideByHand, doubtfulKey, guardOrders } from '../support/decisions-by-hand.ts';
import { aJobOf, upload } from '../support/uploaded-batch.ts';
import { aWorldWith } from '../support/asked-order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, aTransferJob, type JobBody } from '../support/jobs.ts';
import { aRecord, longAgoMs } from '../support/records.ts';
import { idleMetrics } from '../bench/price-model.ts';
import { startMs } from '../support/time-and-chance.ts';
import { functionsOver, aWorld, type World, type WorldChoices } from '../support/world.ts';

const payout = (orderId: string, changes: Partial<JobBody> = {}) => aRecord(aPayoutJob({ orderId, ...changes }));
const paid = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
const last = (world: World) => world.figures.at(-1);

async function after(choices: WorldChoices, happens: (world: World) => Promise<unknown>): Promise<World> {
  const world = aWorld(choices);
  await happens(world);
  return world;
}

const closed = { cause: 'credentials', sinceMs: startMs, probes: 0, asked: 0, nextProbeAtMs: startMs + 1 } as const;
const waitingFor = (lane: Partial<LaneState>) =>
  after({}, async (world) => {
    const state = { ...newLane({}), version: 1, ...lane };
    await world.ports.lanes.write({ merchant: 'acme-eu', endpointId: '39915' }, state);
    await world.deliver([payout('INV-1'), payout('ROW-1', { batchId: 'payday' })]);
  });

/** Each is a small journey; together they publish every figure that there is. */
const journeys: Readonly<Record<string, () => Promise<World>>> = {
  async 'a parked job whose key is gone'() {
    const world = aWorld();
    await world.controls.pause('acme-eu', true, { by: 'ada', reason: 'odd', atMs: 0 });
    await world.deliver(aRecord(aPayoutJob()));
    Object.assign(world.ports.waiting.dataKeys, { unwrap: async () => Promise.reject(new Error('disabled')) });
    await world.begin();
    return world;
  },
  'jobs and rows that wait in a line': () =>
    after({}, async (world) => {
      await world.controls.pause('acme-eu', true, { by: 'ops', reason: 'odd', atMs: startMs });
      await world.deliver([payout('INV-1'), payout('INV-2', { batchId: 'salaries' })]);
      world.clock.advanceTo(startMs + 300_000);
      await world.sweep();
    }),
  'a batch in which everything happens': () =>
    after({ limits: { concurrency: 1 } }, async (world) => {
      world.credentials.rotate('acme-eu', someCredentials({ login: 'new', version: 'v2' }));
      world.gateway.moods('accepts', 'refuses the order', 'stalls', 'refuses the signature', 'refuses the signature');
      await world.deliver([
        payout('INV-1'),
        payout('INV-2'),
        payout('INV-3'),
        payout('INV-4'),
        payout('INV-7', { params: { amount: '1000', currency: 'JPY' } }),
        payout('INV-5', { expiresAt: new Date(startMs - 1).toISOString() }),
        aRecord('{"orderId":"INV-6"}'),
        aRecord(aTransferJob()),
      ]);
    }),
  'a gateway that stays away until the last receive': () =>
    after({}, async (world) => {
      world.gateway.moods('refuses the connection');
      await world.deliver(aRecord(aPayoutJob(), { sentAtMs: longAgoMs }));
      world.fingerprinting.lose();
      await world.deliver(aRecord(aPayoutJob(), { receiveCount: 1_000 }));
    }),
  'a callback if the gateway cannot be asked, and a forged one': () =>
    after({}, async (world) => {
      await world.deliver(payout('INV-1'));
      await world.callBack(paid);
      await world.callBack({ ...paid, control: 'f'.repeat(40) });
      await world.callBack({ ...paid, type: 'capture' });
      await world.callBack({ ...paid, orderid: '1' });
    }),
  'words beside the end': async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statuses('processing, another amount', 'reversed');
    await world.pass(1_500_000);
    return world;
  },
  'a sweep over doubt': async () => {
    const world = await aWorldWith('in-doubt');
    await world.sweep();
    return world;
  },
  'a job and a row that wait for a closed lane': () => waitingFor({ closed }),
  'a row of a batch that waits': () =>
    after({}, async (world) => {
      await world.controls.pause('acme-eu', true, { by: 'anna', reason: 'month end', atMs: startMs });
      await world.deliver(payout('ROW-1', { batchId: 'payday' }));
    }),
  'a sweep over a ledger that was made anew': async () => {
    const world = aWorld();
    world.tables.remake();
    await functionsOver(world.ports).sweep({}, { getRemainingTimeInMillis: () => 60_000 });
    return world;
  },
  'a batch that differs from its file': async () => {
    const world = aWorld();
    await upload(world, [aJobOf('A')], { rows: 2 });
    await world.deliver(aRecord(aJobOf('A')));
    world.clock.advance(1);
    await world.sweep();
    return world;
  },
  'a batch that was left half sent': async () => {
    const world = aWorld();
    const content = { batchId: 'half', fileHash: 'ab', contentHash: 'cd', rows: 2, totals: {} };
    await world.batches.register(newBatch({ ...content, by: 'ada', nowMs: startMs }));
    world.clock.advance(3_600_001);
    await world.sweep();
    return world;
  },
  'an approver who changed what a merchant may pay': async () => {
    const world = aWorld();
    const untold = async function* () {
      yield { merchant: 'acme-eu', atMs: startMs };
    };
    const round = safeguardsRound(
      { unreported: untold, reported: async () => {} },
      { clock: world.clock, log: { write: () => {} } },
    );
    await sweep(Infinity, { ...world.ports, rounds: [round] });
    return world;
  },
  'a word "not paid" that no approver has seen': async () => {
    const world = await aWorldInDoubt();
    decideByHand(world);
    await (await guardOrders(world)).read(doubtfulKey);
    return world;
  },
  'a registrar who tried to approve': async () => {
    const world = aWorld();
    const content = { batchId: 'held', fileHash: 'ab', contentHash: 'cd', rows: 1, totals: {} };
    await world.batches.register(newBatch({ ...content, by: 'ada', nowMs: startMs, heldUntilMs: startMs + 60_000 }));
    await world.batches.noteOnePerson('held', startMs);
    world.clock.advance(1);
    await world.sweep();
    return world;
  },
};

it('every figure of the table is published by some journey, and no other', async () => {
  const worlds = await Promise.all(Object.values(journeys).map((journey) => journey()));
  const published = worlds.flatMap((world) => world.figures);
  const names = new Set(published.flatMap(({ values }) => Object.keys(values)));
  expect([...names].toSorted()).toEqual(Object.keys(figures).toSorted());
  const perCurrency = published.flatMap((it) => [...it.perCurrency.values()].flatMap((own) => Object.keys(own)));
  expect([...new Set(perCurrency)].toSorted()).toEqual(Object.keys(moneyMetrics).toSorted());
});

describe('one invocation', () => {
  it('publishes once, whatever became of its jobs', async () => {
    const world = await journeys['a batch in which everything happens']?.();
    expect(world?.figures).toEqual<MetricValues[]>([
      {
        values: {
          becameAccepted: 1,
          becameDeclined: 1,
          becameFailed: 1,
          becameHeld: 1,
          plainCardDataRefused: 1,
          signatureRefusals: 2,
          gatewayCalls: 5,
          gatewayErrors: 1,
          jobWaitSeconds: 0,
        },
        perCurrency: new Map(
          Object.entries({
            EUR: { moneyAccepted: 10.42, moneyDeclined: 10.42, moneyFailed: 10.42 },
          }),
        ),
      },
    ]);
  });

  it('counts an order once: a message that comes again is neither a new job nor new money', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
    await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1', receiveCount: 2 }));
    await world.begin();
    expect(last(world)).toEqual({ values: {}, perCurrency: new Map() });
  });

  it('counts what the gateway could not do', async () => {
    const world = aWorld({ limits: { concurrency: 1 } });
    world.gateway.moods('accepts', 'refuses the connection', 'fails', 'asks to slow down');
    await world.deliver(['INV-1', 'INV-2', 'INV-3', 'INV-4'].map((orderId) => payout(orderId)));
    expect(last(world)?.values).toMatchObject({ gatewayCalls: 4, gatewayErrors: 3 });
  });
});

it('a month in which nothing is paid costs the figure that the sweeper sends, and those of nought cost nothing', async () => {
  const world = aWorld();
  await sweep(Infinity, world.ports);
  const sent = world.figures.flatMap(({ values }) =>
    Object.entries(values).flatMap(([name, it]) => (it === 0 ? [] : [name])),
  );
  expect([...new Set(sent)].toSorted()).toHaveLength(idleMetrics);
});
