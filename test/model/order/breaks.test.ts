// Each planted break of the kernel is found, by its law over generated facts or by a life drawn by chance. The short proof takes
// one of each law.
import { describe, expect, it } from 'vitest';
import { lawBrokenBy, laws } from '../../payout/order/laws.ts';
import { lengthOf } from '../../support/long-proof.ts';
import { kernelBugs } from '../../bugs/list.ts';
import type { PlantedBug } from '../../bugs/planted.ts';
import { broken } from './kernel.ts';
import { firstBreach } from './lives.ts';

/** Of each law, a break that is found soon. */
const soonFound: readonly PlantedBug[] = [
  'a refusal over a connection needs no inquiry',
  'the last report wins',
  'an attempt that lapsed is closed',
  'an unknown id is the last attempt',
  'a refusal outweighs a sign of life',
  'a plain job opens an end',
  'a name is told that opens nothing',
  'doubt has no horizon',
  'a callback is acknowledged without being kept',
  'the lease is not looked at before the POST',
].flatMap((name) => kernelBugs.filter((it) => it.name === name));

describe('one broken line of the kernel', () => {
  it.each(lengthOf({ short: soonFound, long: kernelBugs }))('$law: "$name" breaks its law or a life', async (it) => {
    const kernel = await broken(it);
    const isLawBroken =
      (await lawBrokenBy(
        kernel,
        laws.filter(({ law }) => law === it.law),
        1000,
      )) !== undefined;
    expect(isLawBroken || firstBreach(kernel, { from: 1, lives: 4_000 }) !== undefined).toBe(true);
  });

  it('is planted for each law', () => {
    expect(new Set(soonFound.map(({ law }) => law))).toEqual(new Set(kernelBugs.map(({ law }) => law)));
  });
});
