// THE PROVER PROVED: protocol bugs, each the kind that a tired person might commit, each switched on in one test alone. A
// bug replaces one pure step of the worker, or sits between the worker and its world. The simulation must find each.
import { resultOf } from '../../lib/payout/result.ts';
import { cardBugs } from './planted-cards.ts';
import { connectionBugs } from './planted-connections.ts';
import { laneBugs } from './planted-lanes.ts';
import { mechanicalBugs } from './planted-mechanically.ts';
import { judgementBugs, misread } from './planted-judgements.ts';
import { outsideBugs } from './planted-outside.ts';
import { rowBugs } from './planted-rows.ts';
import { settlementBugs } from './planted-settlement.ts';
import { twoStepBugs } from './planted-two-steps.ts';
import { worldBugs } from './planted-world.ts';
import { deleted, type PlantedBug, retransmitted, step } from './planted-steps.ts';

const claimStep = (change: (honest: typeof import('../../lib/payout/claim.ts')) => object) => [
  step('../../lib/payout/claim.ts', change),
];

/** Takes an order over from whatever state it is in. */
const takesOverFrom =
  (state: string) =>
  ({ decideClaim, takenOver }: typeof import('../../lib/payout/claim.ts')) => ({
    decideClaim: (...[entry, request]: Parameters<typeof decideClaim>) => {
      const over = state !== 'submitting' || entry.leaseUntilMs <= request.nowMs;
      const isAnothers = entry.owner !== request.owner && entry.state === state && over;
      return isAnothers ? { kind: 'take-over' } : decideClaim(entry, request);
    },
    takenOver: (...[entry, request]: Parameters<typeof takenOver>) =>
      takenOver({ ...entry, state: 'retryable' }, request),
  });

const claiming: readonly PlantedBug[] = [
  {
    name: 'the claim is written without its condition',
    foundBy: 'cuts',
    breaks: /of an order changed/,
    sabotage: {
      store: (ledger, entries) => ({
        ...ledger,
        async claim(entry) {
          entries.set(entry.key, entry);
          return { kind: 'claimed' };
        },
      }),
    },
  },
  {
    name: 'an order is sent again once its lease is over',
    foundBy: 'cuts',
    breaks: /submitting → submitting is not in the table/,
    steps: claimStep(takesOverFrom('submitting')),
  },
  {
    name: 'a message of an accepted order is sent again',
    foundBy: 'cuts',
    breaks: /accepted → submitting is not in the table/,
    steps: claimStep(takesOverFrom('accepted')),
  },
  {
    name: 'a message of a held order is sent again',
    foundBy: 'cuts',
    breaks: /held → submitting is not in the table/,
    steps: claimStep(takesOverFrom('held')),
  },
  {
    name: 'a claim whose answer was lost is taken for won',
    foundBy: 'seeds',
    // The last: under an earlier claim of the very same process, which still stands.
    breaks: /without a claim|somebody else's claim|second POST|after its lease was over/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        ledger: { ...ports.ledger, claim: (entry) => ports.ledger.claim(entry).catch(() => ({ kind: 'claimed' })) },
      }),
    },
  },
  {
    name: 'an entry of a newer version is taken for none',
    foundBy: 'seeds',
    breaks: /without a claim|somebody else's claim|second POST|lease was over/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        ledger: {
          ...ports.ledger,
          async claim(entry) {
            const answer = await ports.ledger.claim(entry);
            return answer.kind === 'unreadable' ? { kind: 'claimed' } : answer;
          },
        },
      }),
    },
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
    // Not sent again with the same credentials, it is found in the ledger before its next POST could leave.
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
    name: 'settling is written without owner and revision',
    foundBy: 'seeds',
    breaks: /was followed by|under the same revision|not in the table|another owner|without having taken its turn/,
    sabotage: {
      store: (ledger, entries) => ({
        ...ledger,
        async advance(_, next) {
          entries.set(next.key, next);
          return { kind: 'advanced' };
        },
      }),
    },
  },
  {
    name: 'the record is deleted on an error',
    foundBy: 'cuts',
    breaks: /a second POST left|never came to the ledger/,
    sabotage: { store: deleted },
  },
  {
    name: 'a settlement that failed is forgotten',
    foundBy: 'seeds',
    breaks: /though no POST left|though a living process heard/,
    steps: [
      step('../../lib/payout/disposition.ts', ({ waitWith }: typeof import('../../lib/payout/disposition.ts')) => ({
        waitWith: (...given: Parameters<typeof waitWith>) => ({ ...waitWith(...given), answer: undefined }),
      })),
    ],
  },
  {
    name: 'a carried answer is written over whatever stands',
    foundBy: 'seeds',
    // The last: an old answer gives back what a newer claim has sent, or what nobody is left to bring on.
    breaks: /may have moved money|committed nothing|not in the table|stranded as retryable/,
    steps: [
      step('../../lib/payout/claim.ts', () => ({
        takesAnswerOf: ({ state }: { state: string }) => ['submitting', 'in-doubt', 'held'].includes(state),
      })),
    ],
  },
  {
    name: 'a copy forgets the answer that it carries',
    foundBy: 'seeds',
    breaks: /though no POST left|though a living process heard/,
    steps: [step('../../lib/payout/outcome.ts', () => ({ writePendingOutcome: () => 'forgotten' }))],
  },
];

const telling: readonly PlantedBug[] = [
  {
    name: 'the result is published before the order is settled',
    foundBy: 'cuts',
    breaks: /speaks of a revision that the ledger never had/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        ledger: {
          ...ports.ledger,
          async advance(expected, next) {
            const result = resultOf(next);
            if (result) await ports.results.send([result]).catch(() => {});
            return ports.ledger.advance(expected, next);
          },
        },
      }),
    },
  },
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
      step('../../lib/payout/result.ts', (honest: typeof import('../../lib/payout/result.ts')) => {
        const told = new Set<string>();
        return {
          resultOf(...[entry]: Parameters<typeof resultOf>) {
            const result = honest.resultOf(entry);
            const again = result && told.has(result.resultId);
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

/** Those that were thought of by hand: each is known to be found. */
export const handmadeBugs: readonly PlantedBug[] = [
  ...judgementBugs,
  ...claiming,
  ...sending,
  ...connectionBugs,
  ...settling,
  ...telling,
  ...rowBugs,
  ...twoStepBugs,
  ...cardBugs,
  ...settlementBugs,
  ...laneBugs,
  ...worldBugs,
];

/** All planted bugs. */
export const plantedBugs: readonly PlantedBug[] = [...handmadeBugs, ...outsideBugs, ...mechanicalBugs];
