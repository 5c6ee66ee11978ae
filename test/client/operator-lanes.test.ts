// The register of lanes holds some thousand names, and a sender may fill it with endpoints. A lane without room in it exists all
// the same: a person who names it can stop it, look at it and let it go on.
import { expect, it } from 'vitest';
import { createOperator } from '../../lib/client/operator.ts';
import { newLane } from '../../lib/payout/lanes/lane.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const lane = { merchant: 'acme-eu', endpointId: '39915' };

/** An operator of a stack whose register was full before this lane was written. */
function anOperator() {
  const world = aWorld();
  const lanes = { ...createMemoryLanes(() => startMs), all: async () => [] };
  const { rights: drainRights, rows: waiting } = world.ports.waiting;
  const ports = {
    ...world.ports,
    lanes,
    drainRights,
    waiting,
    whoAmI: async () => 'ada',
    controlsAdmin: world.controls,
  };
  return { world, lanes, operator: createOperator(ports as unknown as Parameters<typeof createOperator>[0]) };
}

it('that a person has paused goes on at the word of a person', async () => {
  const { lanes, operator } = anOperator();
  await operator.pauseLane(lane, 'audit');
  expect((await lanes.read(lane)).state?.paused).toMatchObject({ by: 'ada' });
  expect(await operator.resumeLanes(lane.merchant, lane.endpointId)).toMatchObject({ changed: ['39915'] });
  expect((await lanes.read(lane)).state).not.toHaveProperty('paused');
});

it('that refusals have closed is tried at the word of a person, and is shown as closed while jobs wait for it', async () => {
  const { world, lanes, operator } = anOperator();
  const closed = { cause: 'refused', code: '8', sinceMs: startMs, probes: 0 } as const;
  await lanes.write(lane, { ...newLane({}, startMs), version: 1, closed });
  await world.ports.waiting.rights.name(lane);
  await world.ports.waiting.rows.put({
    key: 'acme-eu/INV-1',
    lane,
    class: 'urgent',
    shard: 0,
    goAtMs: startMs,
    sinceMs: startMs,
    because: 'lane-closed',
    nonce: 'n',
    digest: 'd',
    messageId: 'm',
    waits: 1,
    sealed: { wrappedKey: '', iv: '', text: '' },
  });
  expect(await operator.lanes()).toMatchObject([{ ...lane, condition: 'closed', waiting: 1 }]);
  expect(await operator.probeLanes(lane.merchant, lane.endpointId)).toMatchObject({ changed: ['39915'] });
  expect((await lanes.read(lane)).state?.closed?.nextProbeAtMs).toBe(startMs);
});

it('of which nothing was ever written is none', async () => {
  const { operator } = anOperator();
  expect(await operator.resumeLanes(lane.merchant, lane.endpointId)).toBeUndefined();
  expect(await operator.probeLanes(lane.merchant, lane.endpointId)).toBeUndefined();
});
