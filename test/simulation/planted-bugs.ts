// THE PROVER PROVED: protocol bugs, each the kind that a tired person might commit, each switched on in one test alone. A
// bug replaces one pure step of the worker, or sits between the worker and its world. The simulation must find each.
import { attemptsOf, join, ofAttempt } from '../../lib/payout/order/facts.ts';
import { callbackBugs, misreadCallbackBugs } from './planted-callbacks.ts';
import { cardBugs } from './planted-cards.ts';
import { conditionBugs } from './planted-conditions.ts';
import { connectionBugs } from './planted-connections.ts';
import { laneBugs } from './planted-lanes.ts';
import { mechanicalBugs } from './planted-mechanically.ts';
import { judgementBugs, misread } from './planted-judgements.ts';
import { outsideBugs } from './planted-outside.ts';
import { rowBugs } from './planted-rows.ts';
import { settlementBugs } from './planted-settlement.ts';
import { waitingBugs } from './planted-waiting.ts';
import { worldBugs } from './planted-world.ts';
import { type PlantedBug, retransmitted, step } from './planted-steps.ts';
import type { Sabotage } from './sabotage.ts';
import { seen, type SeenOrder } from './seen.ts';

type Next = typeof import('../../lib/payout/order/next.ts');

type Fold = typeof import('../../lib/payout/order/fold.ts');
const foldStep = (replace: (honest: Fold) => object) => [step('../../lib/payout/order/fold.ts', replace)];

/** A claim that finds such an order adds its attempt all the same. */
const claimsWhere = (isFree: (stands: SeenOrder, nowMs: number) => boolean): Sabotage => ({
  ports: ({ orders, ...ports }) => ({
    ...ports,
    orders: {
      ...orders,
      async put(order) {
        const stands = await orders.put(order);
        if (stands.kind !== 'found' || !isFree(seen(stands.order), ports.clock.nowMs())) return stands;
        const version = stands.order.version + 1;
        const facts = attemptsOf(order.facts).reduce(
          (all, it) => join(all, ofAttempt({ ...it, number: version })),
          stands.order.facts,
        );
        return orders.write(stands.order, { ...stands.order, version, facts });
      },
    },
  }),
});

const claiming: readonly PlantedBug[] = [
  {
    name: 'the first claim is written without its condition',
    foundBy: 'seeds',
    breaks: /of an order changed|without raising its version/,
    sabotage: {
      store: (orders, items) => ({
        ...orders,
        async put(order) {
          items.set(order.key, order);
          return { kind: 'written' };
        },
      }),
    },
  },
  {
    name: 'a conditional write that lost is reported as won',
    foundBy: 'seeds',
    breaks: /a revision that the ledger never had/,
    sabotage: {
      store: (orders) => ({
        ...orders,
        async write(before, next) {
          const write = await orders.write(before, next);
          return write.kind === 'found' ? { kind: 'written' } : write;
        },
      }),
    },
  },
  {
    name: 'a claim whose answer was lost is taken for won',
    foundBy: 'seeds',
    breaks: /somebody else's claim|without a claim/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: { ...ports.orders, put: (order) => ports.orders.put(order).catch(() => ({ kind: 'written' })) },
      }),
    },
  },
  {
    name: 'an order of a newer version is taken for none',
    foundBy: 'cuts',
    breaks: /somebody else's claim|without a claim/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: {
          ...ports.orders,
          async put(order) {
            const answer = await ports.orders.put(order);
            return answer.kind === 'unreadable' ? { kind: 'written' } : answer;
          },
        },
      }),
    },
  },
  {
    name: 'an order is sent again once its lease is over',
    foundBy: 'seeds',
    breaks: /before its lease was over|may have moved money/,
    sabotage: claimsWhere(({ state, leaseUntilMs }, nowMs) => state === 'submitting' && leaseUntilMs <= nowMs),
  },
  ...(['accepted', 'in-doubt', 'failed'] as const).map((its): PlantedBug => ({
    name: `a message of an order that is ${its} is sent again`,
    foundBy: 'seeds',
    breaks: /a second POST left|sent again though no job names that end/,
    sabotage: claimsWhere(({ state }) => state === its),
  })),
  {
    name: 'a claim ignores which end its job names',
    foundBy: 'seeds',
    breaks: /sent again though no job names that end/,
    steps: foldStep(({ endInForce, maySend }) => ({
      maySend(...[facts, ask]: Parameters<Fold['maySend']>) {
        const end = endInForce(facts);
        return maySend(facts, end ? { ...ask, resends: end.id } : ask);
      },
    })),
  },
];

const sending: readonly PlantedBug[] = [
  {
    name: 'the lease is not looked at before the POST',
    foundBy: 'cuts',
    breaks: /after its (lease was over|slot was given)/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        gateway: { post: (request) => ports.gateway.post({ ...request, notAfterMs: Infinity }) },
      }),
    },
  },
  {
    name: 'the transport sends again by itself after a reset',
    foundBy: 'cuts',
    breaks: /a second POST left/,
    sabotage: { ports: (ports) => ({ ...ports, gateway: { post: retransmitted(ports.gateway) } }) },
  },
  {
    name: 'a 401 that answers the second try of a possibly processed request is believed',
    foundBy: 'cuts',
    // An order that is not sent again with the same credentials is found in the ledger before its next POST could leave.
    breaks: /is retryable, though its POST may have moved money/,
    steps: misread((it) =>
      it.kind === 'no-answer'
        ? { kind: 'answer', httpStatus: 401, body: 'nonce already used', framing: 'delimited' }
        : it,
    ),
  },
  {
    name: 'the order id is changed when an order is sent again',
    foundBy: 'cuts',
    breaks: /which nobody asked for/,
    sabotage: {
      ports(ports) {
        const seen = new Set<string>();
        const renamed = (body: string) => {
          const again = seen.has(body.slice(0, 40));
          seen.add(body.slice(0, 40));
          return again ? body.replace('order-1', 'order-1-again') : body;
        };
        return {
          ...ports,
          gateway: { post: (request) => ports.gateway.post({ ...request, body: renamed(request.body) }) },
        };
      },
    },
  },
];

const settling: readonly PlantedBug[] = [
  {
    name: 'a write stands without the version that it was decided on',
    foundBy: 'seeds',
    breaks: /without raising its version|wiped out|vanished uncounted/,
    sabotage: {
      store: (orders, items) => ({
        ...orders,
        async write(_, next) {
          items.set(next.key, next);
          return { kind: 'written' };
        },
      }),
    },
  },
  {
    name: 'the write of an order is not awaited',
    foundBy: 'seeds',
    breaks: /a revision that the ledger never had/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: {
          ...ports.orders,
          async write(before, next) {
            void ports.orders.write(before, next).catch(() => {});
            return { kind: 'written' };
          },
        },
      }),
    },
  },
  {
    name: 'an answer is dropped on its way to the own queue',
    foundBy: 'paths',
    breaks: /though a living process heard/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        ownQueue: {
          send: async (messages) => {
            const checks = messages.filter(({ message }) => message.kind !== 'answer');
            if (checks.length > 0) await ports.ownQueue.send(checks);
            return new Set<number>();
          },
        },
      }),
    },
  },
  {
    name: 'a callback is acknowledged without being kept',
    foundBy: 'seeds',
    breaks: /was undone by|gateway's books/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: { ...ports.orders, note: async () => {} },
        callbacksQueue: { send: async () => {} },
      }),
    },
  },
  {
    name: 'a worker may be called lost before its lease is over',
    foundBy: 'seeds',
    breaks: /before its lease was over/,
    steps: [
      step('../../lib/payout/order/next.ts', ({ factsOfTime }: Next) => ({
        factsOfTime: (...[facts, nowMs, contract]: Parameters<Next['factsOfTime']>) =>
          factsOfTime(facts, nowMs + 3_600_000, contract),
      })),
    ],
  },
  {
    name: 'an end is concluded whatever the contract says of denials',
    foundBy: 'seeds',
    breaks: /which its contract leaves to a person/,
    steps: [
      step('../../lib/payout/order/next.ts', ({ factsOfTime, endDue }: Next) => ({
        factsOfTime: (...[facts, nowMs, contract]: Parameters<Next['factsOfTime']>) =>
          factsOfTime(facts, nowMs, { ...contract, endsDenied: true }),
        endDue: (...[facts, contract]: Parameters<Next['endDue']>) => endDue(facts, { ...contract, endsDenied: true }),
      })),
    ],
  },
  {
    name: 'the mark of a result that was not told is taken away',
    foundBy: 'seeds',
    breaks: /vanished|heard of/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: { ...ports.orders, mark: (order) => ports.orders.mark(order, false) },
      }),
    },
  },
];

const telling: readonly PlantedBug[] = [
  {
    name: 'a result that the queue did not take is counted as told',
    foundBy: 'seeds',
    breaks: /vanished|without a result|last heard/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        results: {
          send: (results) =>
            ports.results.send(results).then(
              () => new Set(),
              () => new Set(),
            ),
        },
      }),
    },
  },
  {
    name: 'a result bears another revision when it goes out again',
    foundBy: 'cuts',
    breaks: /speaks of a revision that the ledger never had/,
    steps: [
      step('../../lib/payout/message/result.ts', (honest: typeof import('../../lib/payout/message/result.ts')) => {
        const told = new Set<string>();
        return {
          resultOf(...[entry]: Parameters<typeof honest.resultOf>) {
            const result = honest.resultOf(entry);
            // The digested text bears no revision.
            const again = result && entry.revision > 0 && told.has(result.resultId);
            if (result) told.add(result.resultId);
            return again ? { ...result, resultId: `${entry.key}/${entry.revision + 1}` } : result;
          },
        };
      }),
    ],
  },
  {
    name: 'the message is acknowledged before its job is done',
    foundBy: 'cuts',
    breaks: /vanished/,
    sabotage: {
      handler: (handler, queues) => (event, context) => {
        for (const { receiptHandle } of event.Records) queues.delete(receiptHandle);
        return handler(event, context);
      },
    },
  },
  {
    name: 'the list of failed records is empty by accident',
    foundBy: 'cuts',
    breaks: /ended without a result/,
    sabotage: {
      handler: (handler) => async (event, context) => {
        await handler(event, context);
        return { batchItemFailures: [] };
      },
    },
  },
];

/** The bugs that people thought of: each is known to be found. */
export const handmadeBugs: readonly PlantedBug[] = [
  ...judgementBugs,
  ...claiming,
  ...sending,
  ...connectionBugs,
  ...settling,
  ...telling,
  ...rowBugs,
  ...cardBugs,
  ...settlementBugs,
  ...callbackBugs,
  ...laneBugs,
  ...waitingBugs,
  ...worldBugs,
];

/** All planted bugs. */
export const plantedBugs: readonly PlantedBug[] = [
  ...handmadeBugs,
  ...outsideBugs,
  ...mechanicalBugs,
  ...misreadCallbackBugs,
  ...conditionBugs,
];
