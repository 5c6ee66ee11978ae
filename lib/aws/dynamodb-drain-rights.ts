// Rights to drain in the table of controls: one item each beside its lane, and one that names them. Nobody but submit writes them; whoever
// may not write lanes, may not write these.
import type { DrainRight, DrainRights } from '../payout/waiting/drain-right.ts';
import { createLaneItems, type LaneItemsOptions } from './dynamodb-lane-items.ts';

/** Rights over one table. */
export function createDynamoDbDrainRights(options: LaneItemsOptions): DrainRights {
  const items = createLaneItems<DrainRight>(
    {
      prefix: '~drain/',
      // No merchant's name begins so.
      registerKey: '~drain/~all',
      registeredAtMost: 2_000,
      attribute: 'drain',
      name: 'the right',
    },
    options,
  );
  return {
    async read(lane) {
      const { value: right, ...moment } = await items.read(lane);
      return { ...moment, ...(right && { right }) };
    },
    async write(lane, next) {
      // Best effort: what the register can't hold is found over the index of what waits.
      if (next.number === 1) await items.register(lane);
      const { kind, atMs } = await items.write(lane, next, next.number);
      return { kind, atMs };
    },
    all: async () => (await items.all()).map(({ value: right, ...lane }) => ({ ...lane, right })),
  };
}
