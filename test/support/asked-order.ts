// The order of the settlement tests: the payout INV-1 of 10.42 EUR, sent once to a gateway that can be asked.
import type { CheckEnd } from '../../lib/payout/ask-gateway.ts';
import { inquireOrder } from '../../lib/payout/inquire-order.ts';
import type { Check } from '../../lib/payout/due-work.ts';
import { type LedgerEntry, moved, type OrderState } from '../../lib/payout/ledger.ts';
import { aPayoutJob } from './jobs.ts';
import { aRecord } from './records.ts';
import { aWorld, type World, type WorldChoices } from './world.ts';

/** Its key in the ledger. */
export const key = 'acme-eu/INV-1';

/** A world in which the order stands like this since now, its result told and its first check taken off the queue. */
export async function aWorldWith(state: 'accepted' | 'in-doubt', choices: WorldChoices = {}): Promise<World> {
  const world = aWorld({ ...choices, profile: { statusInquiry: true, ...choices.profile } });
  if (state === 'in-doubt') world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.results.taken.splice(0);
  world.checksQueue.taken.splice(0);
  world.log.splice(0);
  return world;
}

/** The order as it stands. */
export function standing(world: World): LedgerEntry {
  const entry = world.entries.get(key);
  if (!entry) throw new Error('there is no such order');
  return entry;
}

/** Moves the order on as somebody else would. */
export async function moveTo(world: World, state: OrderState): Promise<LedgerEntry> {
  const entry = standing(world);
  const final = state !== 'held' && state !== 'retryable' && state !== 'in-doubt';
  const next = moved(entry, { state, final, reason: 'x', nowMs: world.clock.nowMs() });
  world.entries.set(key, next);
  return next;
}

/** A check of the order. */
export const check = (changes: Partial<Check> = {}): Check => ({ orderKey: key, inquiries: 0, ...changes });

/** Takes one check all the way, without the queue. */
export function inquire(world: World, it = check(), remainingMs = 120_000): Promise<CheckEnd> {
  return inquireOrder(it, world.clock.nowMs() + remainingMs, world.ports);
}
