// Each law holds over generated facts, and over generated lives of an order. The long proof draws more of both; `npm run lives`
// a million lives. That broken laws are seen: test/model/order/breaks.test.ts.
import { describe, expect, it } from 'vitest';
import { shipped } from '../../model/order/kernel.ts';
import { firstBreach } from '../../model/order/lives.ts';
import { lengthOf } from '../../support/long-proof.ts';
import { laws } from './laws.ts';

const runs = lengthOf({ short: 200, long: 1000 });
const lives = lengthOf({ short: 100, long: 500 });

describe('an order keeps its laws', () => {
  it.each(laws)('$law: $says', async ({ holds }) => {
    await expect(Promise.resolve(holds(shipped, runs))).resolves.toBeUndefined();
  });

  it(`in ${lives} lives in which anything happens at any moment, no promise is broken`, () => {
    expect(firstBreach(shipped, { from: 1, lives })).toBeUndefined();
  });
});
