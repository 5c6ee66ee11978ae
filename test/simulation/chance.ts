// The one source of chance of a simulated world: sfc32 (Chris Doty-Humphrey's small fast counter), from one seed.

/** Chance that repeats itself: the same seed gives the same world. */
export interface Chance {
  /** A number in [0, 1). */
  next(): number;
  happens(probability: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Chance from a seed. */
export function createChance(seed: number): Chance {
  let [a, b, c, count] = [0x9e3779b9, 0x243f6a88, 0xb7e15162 ^ Math.floor(seed / 2 ** 32), seed | 0];
  const next = (): number => {
    const sum = (((a + b) | 0) + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round += 1) next();
  return {
    next,
    happens: (probability) => probability > 0 && next() < probability,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  };
}
