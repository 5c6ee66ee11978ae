// The register of lanes holds some thousand names, and a sender may fill it with endpoints. A lane without room in it exists all
// the same: a person who names it can stop it, look at it and let it go on.
import { expect, it } from 'vitest';
import { createOperator } from '../../lib/operate/operator.ts';
import { newLane } from '../../lib/payout/pace/lane-state.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const lane = { merchant: 'acme-eu', endpointId: '39915' };

/** An operator of a stack whose register was full before this lane was written. */
function anOperator() {
  const world = aWorld();
  const lanes = { ...createMemoryLanes(), all: async () => [] };
  const ports = {
    ...world.ports,
    lanes,
    whoAmI: async () => 'ada',
    controlsAdmin: world.controls,
  };
  return { world, lanes, operator: createOperator(ports as unknown as Parameters<typeof createOperator>[0]) };
}

it('that a person has paused goes on at the word of a person', async () => {
  const { lanes, operator } = anOperator();
  await operator.pauseLane(lane, 'audit');
  expect((await lanes.read(lane))?.paused).toMatchObject({ by: 'ada' });
  expect(await operator.resumeLanes(lane.merchant, lane.endpointId)).toMatchObject({ changed: ['39915'] });
  expect(await lanes.read(lane)).not.toHaveProperty('paused');
});

it('that refusals have closed is tried at the word of a person', async () => {
  const { lanes, operator } = anOperator();
  const closed = { cause: 'refused', code: '8', sinceMs: startMs, probes: 0, asked: 0 } as const;
  await lanes.write(lane, { ...newLane({}), version: 1, closed });
  expect(await operator.probeLanes(lane.merchant, lane.endpointId)).toMatchObject({ changed: ['39915'] });
  expect((await lanes.read(lane))?.closed?.nextProbeAtMs).toBe(startMs);
});

it('of which nothing was ever written is none', async () => {
  const { operator } = anOperator();
  expect(await operator.resumeLanes(lane.merchant, lane.endpointId)).toBeUndefined();
  expect(await operator.probeLanes(lane.merchant, lane.endpointId)).toBeUndefined();
});
