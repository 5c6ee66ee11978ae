import { describe, expect, it } from 'vitest';
import { createOutbox } from '../../lib/payout/run-records.ts';
import type { NotTaken } from '../../lib/payout/ports.ts';

/** An outbox of numbers over a queue that answers its calls in turn, and then takes everything. */
function anOutbox(answers: (readonly number[] | 'down')[] = [], how?: { readonly isSentOnce: true }) {
  const calls: number[][] = [];
  const send = async (entries: readonly number[]): Promise<NotTaken> => {
    calls.push([...entries]);
    const answer = answers[calls.length - 1] ?? [];
    if (answer === 'down') throw new Error('down');
    return new Set(answer);
  };
  return { outbox: createOutbox(send, how), calls };
}
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('an outbox', () => {
  it('sends a full ten at once and the rest at the flush', async () => {
    const { outbox, calls } = anOutbox();
    const sent = numbers(12).map((it) => outbox.add(it));
    expect(calls).toEqual([numbers(10)]);
    outbox.flush();
    expect(calls).toEqual([numbers(10), [10, 11]]);
    expect(await Promise.all(sent)).toEqual(Array(12).fill(true));
  });

  it('tries again only what was not taken', async () => {
    const { outbox, calls } = anOutbox([[1], [0]]);
    const sent = [1, 2, 3].map((it) => outbox.add(it));
    outbox.flush();
    expect(await Promise.all(sent)).toEqual([true, true, true]);
    expect(calls).toEqual([[1, 2, 3], [2], [2]]);
  });

  it('gives up after three tries, and says of which entries', async () => {
    const { outbox, calls } = anOutbox([[0], [0], [0]]);
    const sent = [1, 2].map((it) => outbox.add(it));
    outbox.flush();
    expect(await Promise.all(sent)).toEqual([false, true]);
    expect(calls).toHaveLength(3);
  });

  it('makes a call without an answer once more', async () => {
    const { outbox, calls } = anOutbox(['down']);
    const sent = [1, 2].map((it) => outbox.add(it));
    outbox.flush();
    expect(await Promise.all(sent)).toEqual([true, true]);
    expect(calls).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('sends what must not be there twice again only if the queue said that it did not take it', async () => {
    const { outbox, calls } = anOutbox([[0], 'down'], { isSentOnce: true });
    const sent = [1, 2].map((it) => outbox.add(it));
    outbox.flush();
    expect(await Promise.all(sent)).toEqual([false, true]);
    expect(calls).toEqual([[1, 2], [1]]);
  });
});
