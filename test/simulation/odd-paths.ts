// Ways to the truth on which a service does something that emulators do not show: an account moves, a connection is reset, a copy is
// taken away before anybody sees it.
import { inquiries } from './gateway-looks.ts';
import { moods } from './gateway-moods.ts';
import type { Path } from './settlement-paths.ts';

const minuteMs = 60_000;

/** The odd paths. */
export const oddPaths: readonly Path[] = [
  {
    name: 'declined, after looks that spoke of another amount',
    mood: moods.accepts,
    fate: { ends: 'declined', afterMs: 5_000 },
    lookAt: (afterMs) => (afterMs < minuteMs ? inquiries['answers with another amount'] : inquiries.answers),
    silent: true,
    ends: 'declined',
  },
  {
    name: 'in doubt, found after an hour and a half of looks by connections that were reset',
    contract: { resubmitUnknownOrders: true },
    mood: moods['resets, order committed'],
    fate: { ends: 'approved', afterMs: 0 },
    lookAt: (afterMs) => (afterMs < 90 * minuteMs ? inquiries.resets : inquiries.answers),
    silent: true,
    ends: 'approved',
  },
  {
    name: "accepted, its answer on a copy that Lambda's loop detection takes away, redriven",
    contract: { statusInquiry: false },
    mood: moods.accepts,
    ledgerDownMs: 2 * minuteMs,
    stopsCopies: true,
    people: [[30, (world) => world.redrive()]],
    ends: 'approved',
  },
  {
    name: 'refused, and its answer on the own queue until the ledger takes it',
    contract: { statusInquiry: false },
    mood: moods['refuses the order'],
    ledgerDownMs: 2 * minuteMs,
    ends: 'declined',
  },
  {
    name: 'in doubt at a host that the account has left, where it is asked about and found',
    contract: { resubmitUnknownOrders: true },
    mood: moods['resets, order committed'],
    fate: { ends: 'approved', afterMs: 0 },
    lookAt: (afterMs) => (afterMs < 10 * minuteMs ? inquiries['answers 500'] : inquiries.answers),
    silent: true,
    people: [[5, ({ merchants }) => merchants.moves('acme')]],
    ends: 'approved',
  },
];
