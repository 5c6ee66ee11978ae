// Planning and making redrives, letter by letter: a plan is for the letters that were chosen, and nothing is moved but what
// somebody agreed to. New message first, deletion second: the other way round would lose a payout.
import { describe, expect, it } from 'vitest';
import { chosenBy } from '../../lib/dead-letters/scan-dead-letters.ts';
import type { DeadLetters, DeadMessage } from '../../lib/dead-letters/dead-letter.ts';
import { moveDeadLetters, planRedrive, redriveDeadLetters } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { aDeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';

const every = () => true;

/** A world with a letter for each order, a second apart. */
function lettersOf(...orderIds: string[]) {
  const it = aDeadLetterWorld();
  const letters = orderIds.map((orderId) => {
    it.world.clock.advance(1_000);
    return it.deadLetters.move(aRecord(aPayoutJob({ orderId })), orderId.toLowerCase());
  });
  return { ...it, letters };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `INV-${index}`);

describe('a plan', () => {
  it('is for the chosen letters alone', async () => {
    const { ports } = lettersOf('INV-1', 'INV-2', 'INV-3');
    const { plan, walk } = await planRedrive(chosenBy({ order: 'acme-eu/INV-2' }), ports);
    expect(plan.deadLetters.map(({ messageId }) => messageId)).toEqual(['inv-2']);
    expect(walk).toEqual({ seen: 3, end: 'queue-end' });
  });

  it('is made the oldest first, as SQS brings them in no order', async () => {
    const { ports, deadLetters } = lettersOf('INV-1', 'INV-2', 'INV-3');
    const reversed = {
      ...deadLetters,
      take: async () => (await deadLetters.take()).toReversed(),
    };
    const { plan } = await planRedrive(every, { ...ports, deadLetters: reversed });
    expect(plan.deadLetters.map(({ messageId }) => messageId)).toEqual(['inv-1', 'inv-2', 'inv-3']);
  });

  it('that is interrupted is for what was seen until then, and moves nothing', async () => {
    const { ports, deadLetters } = lettersOf(...numbered(15));
    const interruption = new AbortController();
    const chooses = () => {
      interruption.abort();
      return true;
    };
    const { plan, walk } = await planRedrive(chooses, ports, { signal: interruption.signal });
    expect(walk).toEqual({ seen: 10, end: 'interrupted' });
    expect(plan.deadLetters).toHaveLength(10);
    expect(deadLetters.visible()).toHaveLength(15);
  });
});

describe('a redrive', () => {
  it('moves what the plan names, leaves all else, and looks no further once it has all', async () => {
    const { ports, deadLetters } = lettersOf(...numbered(25));
    const { plan } = await planRedrive(chosenBy({ order: 'acme-eu/INV-3' }), ports);
    expect(await redriveDeadLetters(plan, ports)).toEqual({
      moved: new Map([['inv-3', 'redriven']]),
      walk: { seen: 10, end: 'enough' },
    });
    expect(deadLetters.visible()).toHaveLength(24);
    expect(deadLetters.givenBack).not.toContain('inv-3');
    expect(deadLetters.sent).toHaveLength(1);
  });

  it('walks to the end for a letter that is not there any more', async () => {
    const { ports, deadLetters, letters } = lettersOf(...numbered(12));
    const { plan } = await planRedrive(every, ports);
    await deadLetters.remove(letters.slice(0, 1));
    const { moved, walk } = await redriveDeadLetters(plan, ports);
    expect(walk).toEqual({ seen: 11, end: 'queue-end' });
    expect(moved.size).toBe(11);
    expect(moved.has('inv-0')).toBe(false);
  });

  it('moves nothing of a plan without letters', async () => {
    const { ports, deadLetters } = lettersOf('INV-1');
    expect((await redriveDeadLetters({ deadLetters: [] }, ports)).moved).toEqual(new Map());
    expect(deadLetters.visible()).toEqual(['inv-1']);
  });

  it.each([
    ['another class', { class: 'end' as const }],
    ['another order', { order: 'acme-eu/INV-2' }],
    ['no order', { order: undefined }],
  ])('follows no plan that says %s of a letter', async (_, changes) => {
    const { ports, deadLetters } = lettersOf('INV-1');
    const { plan } = await planRedrive(every, ports);
    // Read back from a file, which a person may have changed.
    const edited = plan.deadLetters.map((letter) => ({ ...letter, ...changes }) as typeof letter);
    expect((await redriveDeadLetters({ deadLetters: edited }, ports)).moved).toEqual(new Map([['inv-1', 'changed']]));
    expect(deadLetters.sent).toEqual([]);
    expect(deadLetters.visible()).toEqual(['inv-1']);
  });

  it('moves those for which the plan holds, beside one that was paid meanwhile', async () => {
    const { world, ports, deadLetters } = lettersOf('INV-1', 'INV-2', 'INV-3');
    const { plan } = await planRedrive(every, ports);
    await world.deliver(aRecord(aPayoutJob({ orderId: 'INV-2' })));
    const { moved } = await redriveDeadLetters(plan, ports);
    // In the order in which they were decided: what stays is known before anything is sent.
    expect([...moved]).toEqual([
      ['inv-2', 'changed'],
      ['inv-1', 'redriven'],
      ['inv-3', 'redriven'],
    ]);
    expect(deadLetters.visible()).toEqual(['inv-2']);
  });

  it('follows a plan whose reason has changed: the letter does the same for another cause', async () => {
    const { ports } = lettersOf('INV-1');
    const { plan } = await planRedrive(every, ports);
    const letters = plan.deadLetters.map((letter) => ({ ...letter, because: 'NOT_SENT' }));
    expect((await redriveDeadLetters({ deadLetters: letters }, ports)).moved).toEqual(new Map([['inv-1', 'redriven']]));
  });

  it('sends a letter once that SQS brings again after it was moved', async () => {
    const { ports, deadLetters, letters } = lettersOf('INV-1', 'INV-2');
    const { plan } = await planRedrive(every, ports);
    const [first, second] = letters as [DeadMessage, DeadMessage];
    const takings = [[first], [{ ...first, handle: 'newer' }, second]];
    const twice: DeadLetters = { ...deadLetters, take: async () => takings.shift() ?? [] };
    const { moved } = await redriveDeadLetters(plan, { ...ports, deadLetters: twice });
    expect(Object.fromEntries(moved)).toEqual({ 'inv-1': 'redriven', 'inv-2': 'redriven' });
    expect(deadLetters.sent.map(({ body }) => body)).toEqual([first.body, second.body]);
  });

  it('ends in time, with what it has moved until then', async () => {
    const { ports, deadLetters, world } = lettersOf(...numbered(12));
    const { plan } = await planRedrive(every, ports);
    const untilMs = world.clock.nowMs() + 1_000;
    const slow = { ...deadLetters, take: () => (world.clock.advance(1_000), deadLetters.take()) };
    const { moved, walk } = await redriveDeadLetters(plan, { ...ports, deadLetters: slow }, { untilMs });
    expect(walk).toEqual({ seen: 10, end: 'time' });
    expect(moved.size).toBe(10);
    expect(deadLetters.visible()).toHaveLength(2);
  });
});

describe('moving letters', () => {
  /** The queue, and the calls that reach it, with how many letters each. */
  function observed(deadLetters: DeadLetters) {
    const calls: string[] = [];
    const queue: DeadLetters = {
      ...deadLetters,
      send: (messages) => (calls.push(`send ${messages.length}`), deadLetters.send(messages)),
      remove: (messages) => (calls.push(`remove ${messages.length}`), deadLetters.remove(messages)),
    };
    return { queue, calls };
  }

  it.each<[string, { send?: number[] | 'all'; remove?: number[] | 'all' }, string[], string[]]>([
    ['all goes well', {}, ['redriven', 'redriven', 'redriven'], ['send 3', 'remove 3']],
    [
      'one is not taken: the others alone are deleted',
      { send: [1] },
      ['redriven', 'not-taken', 'redriven'],
      ['send 3', 'remove 2'],
    ],
    // Nothing is deleted that is not on the jobs queue.
    ['none is taken', { send: [0, 1, 2] }, ['not-taken', 'not-taken', 'not-taken'], ['send 3']],
    ['the jobs queue is down', { send: 'all' }, ['not-taken', 'not-taken', 'not-taken'], ['send 3']],
    [
      'the second of those taken is not deleted',
      { send: [0], remove: [1] },
      ['not-taken', 'redriven', 'redriven-not-deleted'],
      ['send 3', 'remove 2'],
    ],
    [
      'nothing can be deleted',
      { remove: 'all' },
      ['redriven-not-deleted', 'redriven-not-deleted', 'redriven-not-deleted'],
      ['send 3', 'remove 3'],
    ],
  ])('where %s', async (_, fails, ends, calls) => {
    const { deadLetters, letters } = lettersOf('A', 'B', 'C');
    for (const call of ['send', 'remove'] as const) deadLetters.fails(call, fails[call] ?? []);
    const seen = observed(deadLetters);
    const moved = await moveDeadLetters(letters, seen.queue);
    expect(letters.map((letter) => moved.get(letter))).toEqual(ends);
    expect(seen.calls).toEqual(calls);
    const stay = letters.filter((letter) => moved.get(letter) !== 'redriven').map(({ messageId }) => messageId);
    expect(deadLetters.letters.map(({ messageId }) => messageId)).toEqual(stay);
  });

  it('of which there are none asks nothing of the queues, which refuse an empty call', async () => {
    const { queue, calls } = observed(lettersOf().deadLetters);
    expect(await moveDeadLetters([], queue)).toEqual(new Map());
    expect(calls).toEqual([]);
  });
});
