// Several at once, and yet one after the other.
import { expect, it } from 'vitest';
import { inOrder } from '../../lib/batches/batch-payouts.ts';

async function* numbers(count: number) {
  for (let n = 0; n < count; n += 1) yield n;
}

it('hands on the results in the order of the items, whichever is ready first, never more at once than may be', async () => {
  const waiting: (() => void)[] = [];
  let [underWay, most] = [0, 0];
  const work = async (n: number) => {
    underWay += 1;
    most = Math.max(most, underWay);
    // The first of each three is ready last.
    if (n % 3 === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else waiting.shift()?.();
    underWay -= 1;
    return n * 10;
  };
  const results: number[] = [];
  for await (const result of inOrder(numbers(9), 3, work)) results.push(result);
  expect(results).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80]);
  expect(most).toBe(2);
});

it('begins no more than may be under way, and the next when one is taken', async () => {
  const [begun, ends]: [number[], (() => void)[]] = [[], []];
  const work = (n: number) => {
    begun.push(n);
    return new Promise<number>((resolve) => ends.push(() => resolve(n)));
  };
  const results = inOrder(numbers(5), 3, work);
  const first = results.next();
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  expect(await first).toEqual({ done: false, value: 0 });
  const second = results.next();
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[1]?.();
  expect(await second).toEqual({ done: false, value: 1 });
});

it('fails with the first item that fails, in its turn', async () => {
  const work = async (n: number) => {
    if (n > 1) throw new Error(`item ${n}`);
    return n;
  };
  const results: number[] = [];
  const all = async () => {
    for await (const result of inOrder(numbers(5), 4, work)) results.push(result);
  };
  await expect(all()).rejects.toThrow('item 2');
  expect(results).toEqual([0, 1]);
});
