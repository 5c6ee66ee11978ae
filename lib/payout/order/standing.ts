// What became of a payment, for people: one word and one sentence for each standing. Every list, page and report reads them here.
import type { OrderState } from './projection.ts';

/** What an order's own states do not say: its job waits unbegun, it was a check, or a newer version wrote it. */
type Beside = 'waiting' | 'checked' | 'unreadable';

/** One standing. */
interface Standing {
  readonly word: string;
  /** What it means for the money. */
  readonly meaning: string;
}

/** Each of them. */
export const standings: Readonly<Record<OrderState | Beside, Standing>> = {
  waiting: { word: 'waiting', meaning: 'no worker has begun it' },
  submitting: { word: 'submitting', meaning: 'being sent, or its worker died at it: money may have moved' },
  verifying: {
    word: 'verifying',
    meaning: 'refused; the gateway is asked whether it has it all the same, then it is sent again',
  },
  retryable: { word: 'retryable', meaning: 'not sent: no money moved; its message comes back' },
  'in-doubt': { word: 'in-doubt', meaning: 'money may have moved, unless it is a check: the gateway is being asked' },
  held: { word: 'held', meaning: 'waits for a person' },
  accepted: { word: 'accepted', meaning: 'accepted by the gateway, not confirmed as paid' },
  approved: { word: 'paid', meaning: 'paid, as the gateway or a person says' },
  checked: { word: 'checked', meaning: 'checked by the gateway, not paid: no money moved' },
  declined: { word: 'declined', meaning: 'refused by the gateway: no money moved' },
  failed: { word: 'failed', meaning: 'not sent, or not processed: no money moved' },
  cancelled: { word: 'cancelled', meaning: 'called off before it was sent: no money moved' },
  unreadable: { word: 'unreadable', meaning: 'written by a newer version of the worker' },
};

/** The word of a state; what programs read as `approved` is paid. A state of another table is its own word. */
export const wordOf = (state: string): string =>
  (standings as Readonly<Record<string, Standing>>)[state]?.word ?? state;

/** What it means, as a sentence. */
export function meaningAsSentence(state: keyof typeof standings): string {
  const { meaning } = standings[state];
  return `${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}.`;
}
