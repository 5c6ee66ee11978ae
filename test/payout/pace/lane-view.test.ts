// A lane as a person looks at it.
import { expect, it } from 'vitest';
import { newLane } from '../../../lib/payout/pace/lane-state.ts';
import { laneView } from '../../../lib/payout/pace/lane-view.ts';
import { startMs } from '../../support/time-and-chance.ts';

it.each([
  ['more than the limit', 10_001n, 'stopped on doubt'],
  ['as much as the limit', 10_000n, 'open'],
])('a lane whose merchant has %s in doubt is %s', (_what, inDoubt, condition) => {
  const state = newLane({ doubtLimits: { EUR: '100.00' } });
  const control = { paused: false, doubt: { EUR: inDoubt } };
  const lane = { merchant: 'acme-eu', endpointId: '39915', state, control };
  expect(laneView(lane, startMs)).toMatchObject({ condition });
});
