// Two Regions and one gateway. East is lost from sight and half alive: its queues are full, its workers come back when they
// like, by a ledger that knows nothing of West. West begins with a copy that lags behind. The times of all events are drawn by a seed.
import type { TablesVerdict } from '../../lib/restore/known-tables.ts';
import { mayTakeOver } from '../../lib/restore/dynamodb-ledger-region.ts';
import { doubtNamed } from '../../lib/restore/lost-orders.ts';
import { controlsWhileKnown, ordersWhileKnown } from '../../lib/restore/while-known.ts';
import { aPayoutJob } from '../support/jobs.ts';
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
  /** False: the gateway's report names no order that the copy does not know. */
  readonly readsReport?: boolean;
}

const job = () => aRecord(aPayoutJob({ orderId: 'INV-1' }));
const hourMs = 3_600_000;

/**
 * One seed. East delivers its message up to three times at any moment, and West follows the page: takes over where it may, with the orders that
 * the gateway's report names in doubt, and pays the orders that its sender sends again.
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
  let verdict: TablesVerdict = { kind: 'unknown', why: 'a restore was begun' };
  const tables = { verdict: async () => verdict };
  Object.assign(east.ports, { gateway: taking('east', east) });
  Object.assign(west.ports, {
    gateway: taking('west', west),
    orders: ordersWhileKnown(west.orders, tables),
    controls: controlsWhileKnown(west.controls, tables),
  });

  const westSends = async () => {
    await west.deliver([aRecord(aPayoutJob({ orderId: 'INV-1' }), { sentAtMs: west.clock.nowMs() })]);
    await west.pass(2 * hourMs);
  };
  // By the page; a step that may not be done yet is tried again when everything has been tried.
  const steps: readonly Step[] = [
    [
      'West takes over, if it may',
      async () => {
        if (verdict.kind === 'known' || !mayBegin({ region: 'east', isRefused: refusesEast })) return;
        const restored = { pausedAtMs: west.clock.nowMs() };
        const ports = { ...west.ports, orders: west.orders, allOrders: { async *scan() {} } };
        if (readsReport && paid > 0) await doubtNamed({ key: 'acme-eu/INV-1' }, restored, ports);
        verdict = { kind: 'known', restored };
        // What is sent from here on is newer than the pause by any clock.
        west.clock.advance(2 * 60_000);
      },
    ],
    ['its sender sends it to West', westSends],
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
    const now = west.entries.get('acme-eu/INV-1')?.standing ?? 'nothing';
    story.push(`${what}: paid ${paid} times, West has ${now}`);
  }
  return { paid, story };
}

type Step = readonly [what: string, happens: () => Promise<unknown>];
