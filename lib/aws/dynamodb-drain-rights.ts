// Rights to drain in the table of controls: one item each beside its lane, and one that names them. Submit alone writes them; a role that
// may not write lanes, may not write these.
import { nameOfLane } from '../payout/lanes/lane.ts';
import type { DrainRight, DrainRights } from '../payout/waiting/drain-right.ts';
import { createLaneItems } from './dynamodb-lane-items.ts';
import type { ManyItemsSource } from './dynamodb-table.ts';

/** Lanes that one process knows to be named. */
const knownAtMost = 2_000;

/** Rights over one table. */
export function createDynamoDbDrainRights(options: ManyItemsSource): DrainRights {
  const items = createLaneItems<DrainRight>(
    {
      prefix: '~drain/',
      // No merchant's name begins like this.
      registerKey: '~drain/~all',
      registeredAtMost: 2_000,
      attribute: 'drain',
      name: 'the right',
    },
    options,
  );
  const known = new Set<string>();
  return {
    async read(lane) {
      const { value: right, ...moment } = await items.read(lane);
      return { ...moment, ...(right && { right }) };
    },
    async write(lane, next) {
      // Best effort: lanes beyond the register's room are found over the index of the waiting rows.
      if (next.number === 1) await items.register(lane);
      const { kind, atMs } = await items.write(lane, next, next.number);
      return { kind, atMs };
    },
    async name(lane) {
      if (known.has(nameOfLane(lane))) return;
      if (!(await items.isThere(lane))) await items.register(lane);
      if (known.size >= knownAtMost) known.clear();
      known.add(nameOfLane(lane));
    },
    all: async () => (await items.all()).map(({ value: right, ...lane }) => ({ ...lane, ...(right && { right }) })),
  };
}
