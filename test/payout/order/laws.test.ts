// Each law holds over generated facts, and over generated lives of an order; and each planted break of one is found.
import { describe, expect, it } from 'vitest';
import { breaks } from '../../model/order/breaks.ts';
import { broken, shipped } from '../../model/order/kernel.ts';
import { firstBreach } from '../../model/order/lives.ts';
import { laws } from './laws.ts';

describe('an order keeps its laws', () => {
  it.each(laws)('$law: $says', ({ holds }) => {
    expect(() => holds(shipped, 1000)).not.toThrow();
  });

  it('in 500 lives in which anything happens at any moment, no promise is broken', () => {
    expect(firstBreach(shipped, { from: 1, lives: 500 })).toBeUndefined();
  });
});

describe('one broken line of the kernel', () => {
  it.each(breaks)('$law: "$name" breaks its law or a life', async (it) => {
    const kernel = await broken(it);
    const isLawBroken = laws
      .filter(({ law }) => law === it.law)
      .some(({ holds }) => {
        try {
          holds(kernel, 1000);
          return false;
        } catch {
          return true;
        }
      });
    expect(isLawBroken || firstBreach(kernel, { from: 1, lives: 10_000 }) !== undefined).toBe(true);
  });
});
