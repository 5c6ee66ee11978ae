// L11, a restored table pays nothing twice, as properties over any facts that an order may have.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { attemptsOf, noFacts, ofAttempt } from '../../lib/payout/order/facts.ts';
import { maySend } from '../../lib/payout/order/fold.ts';
import { join } from '../../lib/payout/order/join.ts';
import { lostId } from '../../lib/payout/order/lost.ts';
import { newOrder, type Order } from '../../lib/payout/order/order.ts';
import { factsOfReport } from '../../lib/payout/order/reports.ts';
import { numberAfter } from '../../lib/payout/order/restored.ts';
import { doubtHeld } from '../../lib/restore/lost-orders.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { lengthOf } from '../support/long-proof.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { anAttempt } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { someFact, someFacts } from '../payout/order/generated-facts.ts';

const numRuns = lengthOf({ short: 200, long: 2_000 });
const restored = { pausedAtMs: startMs };
const content = { operation: 'payout', endpointId: '39915', fingerprint: 'f' } as const;

/** The order as the tool leaves it in the restored table. */
async function afterTool(order: Order, statusInquiry: boolean): Promise<Order> {
  const items = new Map([[order.key, order]]);
  const credentials = someCredentials({ profile: { statusInquiry } });
  await doubtHeld(restored, {
    orders: createMemoryOrders(items),
    allOrders: {
      async *scan() {
        yield [{ kind: 'found', order } as const];
      },
    },
    credentials: { of: async () => ({ kind: 'credentials', credentials }) },
    clock: { nowMs: () => startMs },
    random: { id: () => 'e', chance: () => 0 },
  });
  return items.get(order.key) ?? order;
}

it('what the restored table holds is opened by no job and no name, whatever is heard of other attempts', async () => {
  await fc.assert(
    fc.asyncProperty(someFacts, fc.array(someFact, { maxLength: 3 }), fc.boolean(), async (facts, later, canAsk) => {
      const order = { ...newOrder('acme-eu/INV-1', 1, content), version: 40, facts };
      const next = await afterTool(order, canAsk);
      const known = later.reduce((all, it) => join(all, it), next.facts);
      const names = [undefined, ...Object.keys(known.ends)];
      const wishes = names.flatMap((resends) => [{ resends }, { resends, cardKeyId: 'new' }]);
      const opened = wishes.filter(({ resends, ...it }) =>
        maySend(known, resends === undefined ? it : { ...it, resends }),
      );
      expect(opened).toEqual([]);
      expect(next.version).toBeGreaterThan(numberAfter(restored));
    }),
    { numRuns },
  );
});

it('a second run of the tool changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(someFacts, async (facts) => {
      const once = await afterTool({ ...newOrder('acme-eu/INV-1', 1, content), version: 40, facts }, true);
      expect(await afterTool(once, true)).toBe(once);
    }),
    { numRuns },
  );
});

it('a decline without a name ends no attempt of an order that began within 28 days', () => {
  fc.assert(
    fc.property(fc.nat(27), fc.constantFrom('declined', 'filtered'), (days, level) => {
      const { facts } = newOrder('acme-eu/INV-1', startMs + days * 86_400_000, content, restored);
      const attempt = anAttempt({ answer: { kind: 'taken', atMs: startMs } });
      const [account = ''] = attempt.accounts;
      const sent = join(facts, ofAttempt(attempt));
      const next = join(sent, factsOfReport(sent, { account, level, atMs: startMs }, 9));
      expect(attemptsOf(next).flatMap(({ reports }) => reports)).toEqual([]);
    }),
    { numRuns: 50 },
  );
  const later = newOrder('acme-eu/INV-1', startMs + 28 * 86_400_000, content, restored);
  expect(later.facts).toEqual(noFacts);
});

it('numbers after a restore are above all that an order can have had since the one before', () => {
  fc.assert(
    fc.property(fc.nat(10 ** 9), fc.nat(10 ** 9), (first, between) => {
      const before = { pausedAtMs: startMs + first };
      const after = { pausedAtMs: before.pausedAtMs + 600_000 + between };
      expect(numberAfter(after)).toBeGreaterThanOrEqual(numberAfter(before) + 2_000);
      expect(lostId(after)).not.toBe(lostId(before));
    }),
    { numRuns: 100 },
  );
});
