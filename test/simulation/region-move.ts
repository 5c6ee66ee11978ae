// Two Regions and one gateway. East is lost from sight and half alive: its queues are full, its workers come back when they
// like, by a ledger that knows nothing of West. West begins with a copy that lags behind. The times of all events are drawn by a seed.
import { mayTakeOver } from '../../lib/restore/dynamodb-restore-admin.ts';
import { adoptLine, beginRestore } from '../../lib/restore/restore-ledger.ts';
import { controlsAfterRestore, ordersAfterRestore } from '../../lib/restore/restored-orders.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createMemoryRestoration, createMemoryTables } from '../support/memory-restoration.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';
import { createChance } from './chance.ts';

/** The result of one seed. */
export interface RegionMove {
  /** Times that the gateway took the order. */
  readonly paid: number;
  readonly story: readonly string[];
}

/** The demands of the page, or the parts of it that are left undone. */
export interface RegionMoveOptions {
  /** The rule by which West takes over; the shipped one by default. */
  readonly mayBegin?: typeof mayTakeOver;
  /** False: the gap is ended without a look at the gateway's report. */
  readonly readsReport?: boolean;
}

const job = () => aRecord(aPayoutJob({ orderId: 'INV-1' }));
/** The line of the gateway's own report, as a result that is put back. */
const reported = JSON.stringify({
  version: 1,
  resultId: 'acme-eu/INV-1/1',
  operation: 'payout',
  merchant: 'acme-eu',
  endpointId: '39915',
  orderId: 'INV-1',
  status: 'approved',
  final: true,
  gatewayOrderId: '1001',
  attempts: 1,
  revision: 1,
  occurredAt: '2026-01-01T00:00:00.000Z',
});
const saying = { by: 'anna', reason: 'the Region is gone', atMs: 0 };
const hourMs = 3_600_000;

/**
 * One seed. East delivers its message up to three times at any moment, and West follows the page: takes over where it
 * may, puts back the gateway's report before it ends the gap, and pays the orders that its sender sends again.
 */
export async function runRegionMove(
  seed: number,
  { mayBegin = mayTakeOver, readsReport = true }: RegionMoveOptions = {},
): Promise<RegionMove> {
  const chance = createChance(seed);
  const profile = { statusInquiry: true, resubmitUnknownOrders: true };
  const [east, west] = [aWorld({ profile }), aWorld({ profile })];
  const story: string[] = [];
  let paid = 0;
  let refusesEast = false;
  // The one gateway: East's requests are refused from some moment on, accepted ones count, and its report has them.
  const taking = (from: 'east' | 'west', world: typeof east): typeof east.gateway => ({
    ...world.gateway,
    async post(request) {
      if (from === 'east' && refusesEast)
        return { kind: 'answer', httpStatus: 401, body: 'who are you', framing: 'delimited' };
      if (!request.url.includes('/status/')) paid += 1;
      world.gateway.statusStays(paid > 0 ? 'approved' : 'never heard of it');
      return world.gateway.post(request);
    },
  });
  // Each question is a new one.
  let askedMs = 0;
  const tables = createMemoryTables({ nowMs: () => (askedMs += 3_600_000), isBegun: false });
  const restoration = createMemoryRestoration(tables);
  Object.assign(east.ports, { gateway: taking('east', east) });
  Object.assign(west.ports, {
    gateway: taking('west', west),
    orders: ordersAfterRestore(west.orders, restoration),
    controls: controlsAfterRestore(west.controls, restoration),
  });

  const westSends = async () => {
    await west.deliver([job()]);
    await west.pass(2 * hourMs);
  };
  const endsGap = async () => {
    if ((await restoration.role()).kind !== 'restored') return;
    if (readsReport && paid > 0) await adoptLine(reported, { ...west.ports, orders: west.orders });
    await restoration.settle(saying);
  };
  // By the page; a step that may not be done yet is tried again when everything has been tried.
  const steps: readonly Step[] = [
    [
      'West takes over, if it may',
      async () => {
        if (!mayBegin({ region: 'east', isRefused: refusesEast })) return;
        await beginRestore({ toMs: 0, tableId: 'restored' }, saying, {
          ...west.ports,
          orders: west.orders,
          controlsAdmin: west.controls,
          restoreAdmin: restoration,
        });
        await tables.begin();
        await west.controls.pause(undefined, false, saying);
      },
    ],
    ['its sender sends it to West, where it waits', westSends],
    ['every sender is through, and a person ends the gap', endsGap],
    ['its sender sends it to West once more', westSends],
  ];
  const refuses: Step = ['the gateway refuses East', async () => void (refusesEast = true)];
  const comesBack: Step = ['East comes back and delivers', () => east.deliver([job()])];
  const line = [...steps];
  line.splice(chance.between(0, line.length), 0, refuses);
  for (let times = chance.between(1, 3); times > 0; times -= 1)
    line.splice(chance.between(0, line.length), 0, comesBack);
  for (const [what, happens] of [...line, ...steps]) {
    await happens();
    const { state = 'nothing' } = west.entries.get('acme-eu/INV-1') ?? {};
    story.push(`${what}: paid ${paid} times, West has ${state}`);
  }
  return { paid, story };
}

type Step = readonly [what: string, happens: () => Promise<unknown>];
