// The order of the settlement tests: the payout INV-1 of 10.42 EUR, sent once to a gateway that can be asked.
import type { OrderView } from '../../lib/payout/order/projection.ts';
import { aPayoutJob } from './jobs.ts';
import { aRecord } from './records.ts';
import { aWorld, type World, type WorldChoices } from './world.ts';

/** Its key in the ledger. */
export const key = 'acme-eu/INV-1';

/** A world with the order in this state since now, its result published and its first check taken off the queue. */
export async function aWorldWith(asked: 'accepted' | 'in-doubt', choices: WorldChoices = {}): Promise<World> {
  const world = aWorld({ ...choices, profile: { statusInquiry: true, ...choices.profile } });
  if (asked === 'in-doubt') world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  world.results.taken.splice(0);
  world.ownQueue.taken.splice(0);
  world.log.splice(0);
  return world;
}

/** The present view of the order. */
export function standing(world: World): OrderView {
  const view = world.entries.get(key);
  if (!view) throw new Error('there is no such order');
  return view;
}

/** The gateway is asked about the order, now. */
export const inquire = (world: World): Promise<void> => world.look(key);
