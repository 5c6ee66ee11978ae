// A world with its dead-letter queue: what the worker laid aside lies there, and what is redriven is delivered.
import { createFakeDeadLetters, deliveryOfRedriven, type FakeDeadLetters } from './fake-dead-letters.ts';
import { plannedPacing } from '../../lib/payout/pacing.ts';
import { gateListOf } from './gate-list.ts';
import { aWorld, type World, type WorldChoices } from './world.ts';

/** The world, and what whoever looks after its dead letters needs. */
export interface DeadLetterWorld {
  readonly world: World;
  readonly deadLetters: FakeDeadLetters;
  readonly ports: World['ports'] & { readonly deadLetters: FakeDeadLetters; readonly dayTotals: World['controls'] };
  /** Lays on the queue what the worker has put there since. */
  lay(): void;
  /** Delivers what was redriven since, one batch; answers with the ids of those that stay on the jobs queue. */
  deliverRedriven(): Promise<string[]>;
}

/** The gates of whoever plans ahead: no seal is opened by them. */
export function closedGatesOf({ orders, credentials, controls, clock, approvals, lanes }: World['ports']) {
  return gateListOf({ orders, credentials, controls, clock, approvals, pacing: plannedPacing({ lanes, clock }) });
}

/** A world in which all is well, and an empty dead-letter queue. */
export function aDeadLetterWorld(choices: WorldChoices = {}): DeadLetterWorld {
  const world = aWorld(choices);
  const deadLetters = createFakeDeadLetters(world.clock);
  let delivered = 0;
  return {
    world,
    deadLetters,
    ports: { ...world.ports, gates: closedGatesOf(world.ports), deadLetters, dayTotals: world.controls },
    lay() {
      for (const letter of world.jobsQueue.deadLetters.taken.splice(0)) deadLetters.lay(letter);
    },
    deliverRedriven() {
      const coming = deadLetters.sent.slice(delivered);
      delivered = deadLetters.sent.length;
      return world.deliver(coming.map((message) => deliveryOfRedriven(message, world.clock.nowMs())));
    },
  };
}
