// A bounded walk through the worlds of a lane; `npm run simulate` lives one beside every four hundred others.
import { expect, it } from 'vitest';
import { lengthOf } from '../support/long-proof.ts';
import { runLaneSeed } from './lane-world.ts';

it('limits and streaks cost time and never orders, whichever process freezes and whatever clock is wrong', async () => {
  let broken: string | undefined;
  for (let seed = 1; seed <= lengthOf({ short: 1, long: 12, whole: 240 }) && broken === undefined; seed += 1) {
    const { fault } = await runLaneSeed(seed);
    broken = fault && `world of a lane ${seed}: ${fault}`;
  }
  expect(broken).toBeUndefined();
}, 600_000);
