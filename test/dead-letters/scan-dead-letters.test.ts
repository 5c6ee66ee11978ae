// Looking at dead letters loses none: they are hidden while somebody looks, and seen again however the walk ends.
import { describe, expect, it } from 'vitest';
import { scanDeadLetters } from '../../lib/dead-letters/scan-dead-letters.ts';
import { createFakeDeadLetters } from '../support/fake-dead-letters.ts';
import { createManualClock } from '../support/time-and-chance.ts';

function aQueueOf(count: number) {
  const clock = createManualClock();
  const deadLetters = createFakeDeadLetters(clock);
  const reason = { code: 'NOT_SENT', message: 'connect ECONNREFUSED' } as const;
  for (let index = 0; index < count; index += 1) deadLetters.lay({ body: '{}', reason, originMessageId: `m-${index}` });
  return { clock, deadLetters };
}

type Walk = Awaited<ReturnType<typeof scanDeadLetters>>;

function interruption() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe('a walk over the dead-letter queue', () => {
  it('shows every letter once, and hides them from others only as long as it lasts', async () => {
    const ports = aQueueOf(25);
    const seen: string[] = [];
    const visible: number[] = [];
    const walk = await scanDeadLetters(async (letters) => {
      seen.push(...letters.map(({ messageId }) => messageId));
      visible.push(ports.deadLetters.visible().length);
      return {};
    }, ports);
    expect(walk).toEqual({ seen: 25, end: 'queue-end' });
    expect(new Set(seen).size).toBe(25);
    expect(visible).toEqual([15, 5, 0]);
    expect(ports.deadLetters.visible()).toHaveLength(25);
  });

  it('gives back everything but what is gone', async () => {
    const ports = aQueueOf(12);
    await scanDeadLetters(async (letters) => {
      const gone = letters.slice(0, 2);
      await ports.deadLetters.remove(gone);
      return { gone };
    }, ports);
    expect(ports.deadLetters.visible()).toHaveLength(8);
    expect(ports.deadLetters.letters).toHaveLength(8);
    expect(ports.deadLetters.givenBack).toEqual(ports.deadLetters.visible());
  });

  it.each<[what: string, letters: number, lookMs: number, untilMs: number | undefined, walk: Walk]>([
    ['of an empty queue is short', 0, 0, undefined, { seen: 0, end: 'queue-end' }],
    ['that has seen enough ends', 25, 0, undefined, { seen: 10, end: 'enough' }],
    ['that is interrupted ends', 25, 0, undefined, { seen: 10, end: 'interrupted' }],
    ['ends before its first letters would be seen again', 1_000, 60_000, undefined, { seen: 120, end: 'time' }],
    ['takes none after the moment it was given', 25, 59_999, 60_000, { seen: 20, end: 'time' }],
    ['never lasts longer than letters stay hidden', 1_000, 60_000, 86_400_000, { seen: 120, end: 'time' }],
  ])('%s, and gives back', async (_, letters, lookMs, untilMs, walk) => {
    const ports = aQueueOf(letters);
    const { signal, abort } = interruption();
    const look = async () => {
      ports.clock.advance(lookMs);
      if (walk.end === 'interrupted') abort();
      return { enough: walk.end === 'enough' };
    };
    const options = { signal, ...(untilMs !== undefined && { untilMs: ports.clock.nowMs() + untilMs }) };
    expect(await scanDeadLetters(look, ports, options)).toEqual(walk);
    expect(ports.deadLetters.visible()).toHaveLength(letters);
  });

  it('whose looker fails gives back, and fails', async () => {
    const ports = aQueueOf(3);
    const walk = scanDeadLetters(() => Promise.reject(new Error('the ledger did not answer')), ports);
    await expect(walk).rejects.toThrow('the ledger did not answer');
    expect(ports.deadLetters.visible()).toHaveLength(3);
  });

  it('takes a letter that SQS brings twice for one, and gives back its newer handle', async () => {
    const { clock, deadLetters } = aQueueOf(1);
    const returned: string[] = [];
    const [letter] = await deadLetters.take();
    if (!letter) throw new Error('there is no letter');
    const takings = [[letter], [{ ...letter, handle: 'newer' }], [], []];
    const twice = {
      ...deadLetters,
      take: async () => takings.shift() ?? [],
      giveBack: async (these: readonly { handle: string }[]) =>
        void returned.push(...these.map(({ handle }) => handle)),
    };
    let shown = 0;
    const walk = await scanDeadLetters(
      async (letters) => {
        shown += letters.length;
        return {};
      },
      { deadLetters: twice, clock },
    );
    expect({ walk, shown, returned }).toEqual({ walk: { seen: 1, end: 'queue-end' }, shown: 1, returned: ['newer'] });
  });
});

describe('a take that brings nothing', () => {
  /** A queue that counts `depth` letters, and brings these many at each take. */
  function aQueueThatBrings(depth: number, ...counts: number[]) {
    const { clock, deadLetters } = aQueueOf(counts.reduce((sum, count) => sum + count, 0));
    let takes = 0;
    const brings = {
      ...deadLetters,
      depth: async () => depth,
      async take() {
        const count = counts[takes] ?? 0;
        takes += 1;
        const taken = await deadLetters.take();
        await deadLetters.giveBack(taken.slice(count));
        return taken.slice(0, count);
      },
    };
    return { ports: { deadLetters: brings, clock }, visible: deadLetters.visible, takes: () => takes };
  }

  it('is the end where as many were seen as the queue counts: nothing is waited for', async () => {
    const { ports, takes } = aQueueThatBrings(3, 3, 0);
    expect(await scanDeadLetters(async () => ({}), ports)).toEqual({ seen: 3, end: 'queue-end' });
    expect(takes()).toBe(2);
  });

  it('is asked again where the queue counts more: not every server may have been asked', async () => {
    const { ports, takes } = aQueueThatBrings(5, 3, 0, 2);
    expect(await scanDeadLetters(async () => ({}), ports)).toMatchObject({ seen: 5, end: 'queue-end' });
    expect(takes()).toBe(4);
  });

  it('is the end the second time: what is left is in the hands of others', async () => {
    const { ports, takes } = aQueueThatBrings(5, 3, 0, 0, 2);
    expect(await scanDeadLetters(async () => ({}), ports)).toEqual({ seen: 3, end: 'queue-end' });
    expect(takes()).toBe(3);
  });

  it('loses nothing that a later take brings beyond the count, which is approximate', async () => {
    const { ports, visible } = aQueueThatBrings(3, 0, 3, 2);
    let shown = 0;
    const walk = await scanDeadLetters(async (letters) => {
      shown += letters.length;
      return {};
    }, ports);
    expect({ walk, shown }).toEqual({ walk: { seen: 5, end: 'queue-end' }, shown: 5 });
    expect(visible()).toHaveLength(5);
  });
});
