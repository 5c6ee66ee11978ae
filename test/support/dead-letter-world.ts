// A world with its dead-letter queue: it holds the worker's dead letters, and redriven ones are delivered.
import { createFakeDeadLetters, deliveryOfRedriven, type FakeDeadLetters } from './fake-dead-letters.ts';
import { plannedPacing } from '../../lib/payout/pace/pacing.ts';
import { gateListOf } from './gate-list.ts';
import { aWorld, type World, type WorldChoices } from './world.ts';

/** The world, and the ports of a person who looks after its dead letters. */
export interface DeadLetterWorld {
  readonly world: World;
  readonly deadLetters: FakeDeadLetters;
  readonly ports: World['ports'] & { readonly deadLetters: FakeDeadLetters; readonly dayTotals: World['controls'] };
  /** Puts the worker's dead letters since then on the queue. */
  lay(): void;
  /** Delivers the messages that were redriven since, one batch; answers with the ids of those that stay on the jobs queue. */
  deliverRedriven(): Promise<string[]>;
}

/** The gates of a tool that plans ahead: they open no seal. */
export function closedGatesOf({ orders, credentials, controls, clock, approvals, lanes }: World['ports']) {
  const planned = { pacing: plannedPacing({ lanes, clock }), spending: undefined };
  return gateListOf({ orders, credentials, controls, clock, approvals, ...planned });
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
