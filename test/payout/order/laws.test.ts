// Each law holds over generated facts, and over generated lives of an order; and each planted break of one is found. The
// long proof draws more of both; `npm run lives` a million lives.
import { describe, expect, it } from 'vitest';
import { breaks } from '../../model/order/breaks.ts';
import type { Break } from '../../model/order/kernel-break.ts';
import { broken, shipped } from '../../model/order/kernel.ts';
import { firstBreach } from '../../model/order/lives.ts';
import { lengthOf, longIt } from '../../support/long-proof.ts';
import { laws } from './laws.ts';

const runs = lengthOf({ short: 200, long: 1000 });
const lives = lengthOf({ short: 100, long: 500 });

describe('an order keeps its laws', () => {
  it.each(laws)('$law: $says', ({ holds }) => {
    expect(() => holds(shipped, runs)).not.toThrow();
  });

  it(`in ${lives} lives in which anything happens at any moment, no promise is broken`, () => {
    expect(firstBreach(shipped, { from: 1, lives })).toBeUndefined();
  });
});

/** Breaks for which many facts have to be drawn. */
const rarelyFelt = [
  'a look that had not read the refusal counts as one after it',
  'the last end is dropped, and not the first',
  'a denial needs one look',
];

describe('one broken line of the kernel', () => {
  const isRare = ({ name }: Break) => rarelyFelt.includes(name);
  it.each(breaks.filter((it) => !isRare(it)))('$law: "$name" breaks its law or a life', isFound);
  longIt.each(breaks.filter(isRare))('$law: "$name" breaks its law or a life', isFound);

  it('those that only the long proof looks for are among them', () => {
    expect(breaks.filter(isRare)).toHaveLength(rarelyFelt.length);
  });

  async function isFound(planted: Break): Promise<void> {
    const kernel = await broken(planted);
    const isLawBroken = laws
      .filter(({ law }) => law === planted.law)
      .some(({ holds }) => {
        try {
          holds(kernel, 1000);
          return false;
        } catch {
          return true;
        }
      });
    expect(isLawBroken || firstBreach(kernel, { from: 1, lives: 10_000 }) !== undefined).toBe(true);
  }
});
