// Planted bugs of workers that take a service at its word: an index for the table, a dead letter for the end, a restored
// ledger for the one it was.
import type { SeenOrder } from './seen.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Judge = typeof import('../../lib/payout/judge-callback.ts');
type Requests = typeof import('../../lib/gateway/signed-request.ts');
type Restored = typeof import('../../lib/restore/restored-ledger.ts');

/** Orders as a page of the index showed them. */
const shownByIndex = new WeakSet<SeenOrder>();

/** All of them. */
export const worldBugs: readonly PlantedBug[] = [
  {
    name: 'the sweep writes by what its index shows, whatever stands',
    foundBy: 'seeds',
    breaks: /not in the table|was followed by|under the same revision|another owner/,
    sabotage: {
      store: (ledger, entries) => ({
        ...ledger,
        async advance(expected, next) {
          if (!shownByIndex.has(expected)) return ledger.advance(expected, next);
          entries.set(next.key, next);
          return { kind: 'advanced' };
        },
      }),
      ports: (ports) => ({
        ...ports,
        dueWork: {
          async *dueWork(kind, beforeMs, which) {
            for await (const entry of ports.dueWork.dueWork(kind, beforeMs, which)) {
              shownByIndex.add(entry);
              yield entry;
            }
          },
        },
      }),
    },
  },
  {
    name: 'an answer that comes back from the dead letters is thrown away',
    foundBy: 'paths',
    breaks: /though a living process heard|though no POST left|stranded/,
    sabotage: {
      handler: (handler) => (event, context) =>
        handler(
          {
            Records: event.Records.map((it) => {
              const { answer: _, ...rest } = it.messageAttributes;
              return it.messageId.startsWith('message-') ? { ...it, messageAttributes: rest } : it;
            }),
          },
          context,
        ),
    },
  },
  {
    name: 'a callback about another attempt is taken for one about this',
    foundBy: 'seeds',
    breaks: /never approved it|never declined it|gateway's books|not the gateway's/,
    steps: [
      step('../../lib/payout/judge-callback.ts', ({ judgeCallback }: Judge) => ({
        judgeCallback: (...[callback, entry, profile]: Parameters<Judge['judgeCallback']>) =>
          judgeCallback(
            { ...callback, gatewayOrderId: entry.gatewayOrderId ?? callback.gatewayOrderId },
            entry,
            profile,
          ),
      })),
    ],
  },
  {
    name: 'whom to ask about an order is read in the secret of now, wherever it was sent',
    foundBy: 'paths',
    breaks: /counts as unknown/,
    steps: [
      step('../../lib/gateway/signed-request.ts', () => ({
        matchAccount: (...[, credentials]: Parameters<Requests['matchAccount']>) => ({ kind: 'present', credentials }),
      })),
    ],
  },
  {
    name: 'a worker does not ask whether its ledger was restored',
    foundBy: 'restores',
    breaks: /a second POST left|paid twice/,
    steps: [
      step('../../lib/restore/restored-ledger.ts', () => ({
        ledgerAfterRestore: (...[ledger]: Parameters<Restored['ledgerAfterRestore']>) => ledger,
      })),
    ],
  },
];
