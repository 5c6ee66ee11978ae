// Lanes in the table of controls: one item each, and one that names them all.
import { type LaneName, type LaneRead, type Lanes, type LaneState, nameOfLane } from '../payout/lanes/lane.ts';
import { createLaneItems } from './dynamodb-lane-items.ts';
import type { ManyItemsSource } from './dynamodb-table.ts';

/** Lanes over one table. */
export function createDynamoDbLanes(options: ManyItemsSource): Lanes {
  const items = createLaneItems<LaneState>(
    {
      prefix: '~lane/',
      registerKey: '~lanes',
      // A name has 87 bytes at most, and a lane without room for its name still exists.
      registeredAtMost: 4_000,
      attribute: 'lane',
      // A lane that can't be read gives no slots.
      name: 'the lane',
    },
    options,
  );
  return {
    async read(lane) {
      const { value: state, ...moment } = await items.read(lane);
      return { ...moment, ...(state && { state }) };
    },
    async write(lane, next) {
      // Before the lane itself, so that none is there unnamed but where the register is full.
      if (next.version === 1 && !(await items.register(lane)) && (await items.namesAll())?.['ve'])
        throw new Error('an order lies where the lanes are named');
      const { atMs, ...written } = await items.write(lane, next, next.version);
      if (written.kind === 'written') return { atMs, kind: 'written' };
      if (written.item) return { atMs, kind: 'lost', state: items.valueOf(written.item) };
      const { state, atMs: readAtMs } = await this.read(lane);
      if (!state) throw new Error('what stood in the place of the lane is gone');
      return { kind: 'lost', state, atMs: readAtMs };
    },
    all: async () =>
      (await items.all()).flatMap(({ value: state, ...lane }) => {
        if (state === undefined) return [];
        return [state === 'unreadable' ? lane : { ...lane, state }];
      }),
  };
}

/** Lanes with read-ahead: one that will soon be asked for is read ahead, and the next reading of it is that one. */
export function lanesReadAhead(lanes: Lanes): Lanes & { readonly begin: (lane: LaneName) => Promise<unknown> } {
  const begun = new Map<string, Promise<LaneRead>>();
  return {
    ...lanes,
    begin(lane) {
      const reading = lanes.read(lane);
      begun.set(nameOfLane(lane), reading);
      // The reader gets a failure; perhaps nobody reads.
      return reading.catch(() => {});
    },
    read(lane) {
      const reading = begun.get(nameOfLane(lane)) ?? lanes.read(lane);
      begun.delete(nameOfLane(lane));
      return reading;
    },
  };
}
