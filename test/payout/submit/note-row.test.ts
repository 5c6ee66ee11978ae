// The end of a job of a batch is on record before its message may leave the queue; which ends need a note, and what
// becomes of the message while none can be written.
import { describe, expect, it } from 'vitest';
import type { JobEnd, JobDelivery } from '../../../lib/payout/submit/end.ts';
import { announceRedriven, noteRowEnd, type RowNote, type RowNotes } from '../../../lib/payout/submit/note-row.ts';
import type { Job } from '../../../lib/payout/message/job.ts';
import { rowDigest } from '../../../lib/payout/message/plain-digest.ts';
import { aPayoutJob, jobOf } from '../../support/jobs.ts';
import { defaultLimits } from '../../../lib/payout/limits.ts';
import type { Result } from '../../../lib/payout/message/result.ts';
import { readJob } from '../../../lib/payout/message/read-job.ts';
import { anOrder } from '../../support/orders.ts';
import { createManualClock } from '../../support/time-and-chance.ts';

const job = jobOf(aPayoutJob({ orderId: 'INV-1', batchId: 'nov' }));
const failure = { code: 'INVALID_MESSAGE', message: 'amount is zero' } as const;
const refusal = { failure } as Result;
const refused: JobEnd = { kind: 'dead', reason: failure, result: refusal };
const aMessage = (changes: Partial<JobDelivery> = {}): JobDelivery => ({
  messageId: 'm-1',
  sentAtMs: 0,
  body: '{}',
  read: readJob('{}'),
  cameBefore: false,
  ...changes,
});
const limits = { ...defaultLimits, retryFirstDelaySeconds: 10, retryMaxDelaySeconds: 1_000, maxReceiveCount: 5 };

function aBook(state: 'up' | 'down' = 'up') {
  const notes = new Map<string, RowNote>();
  const announced: unknown[] = [];
  const rowNotes: RowNotes = {
    async announceOrder(row) {
      if (state === 'down') throw new Error('no answer');
      announced.push(row);
    },
    async note({ batchId, orderKey, digest }, note) {
      if (state === 'down') throw new Error('no answer');
      notes.set(`${batchId}: ${orderKey} ${digest}`, note);
    },
  };
  const ports = { rowNotes, limits, clock: createManualClock(), random: { id: () => 'id', chance: () => 0 } };
  return {
    notes,
    announced,
    noted: (it: JobEnd, of = job, message = aMessage()) => noteRowEnd(it, of, message, ports),
    begins: (of: Job, redrives?: number) => announceRedriven(of, aMessage(redrives ? { redrives } : {}), ports),
  };
}

describe('a redriven row that is about to become an order', () => {
  it('is announced: it may have been refused before, and counted so', async () => {
    const book = aBook();
    expect(await book.begins(job, 1)).toBeUndefined();
    expect(book.announced).toEqual([{ batchId: 'nov', orderKey: 'acme-eu/INV-1' }]);
  });

  it('is not announced where it comes for the first time, nor where it is of no batch', async () => {
    const book = aBook();
    await book.begins(job);
    await book.begins(jobOf(aPayoutJob({ orderId: 'INV-1' })), 1);
    expect(book.announced).toEqual([]);
  });
});

describe('the end of a row', () => {
  const own = anOrder({ orderId: 'INV-1', batchId: 'nov' });
  const others = anOrder({ orderId: 'INV-1', batchId: 'oct' });

  it.each<[string, JobEnd, RowNote | undefined]>([
    ['of a refused message is its refusal', refused, { kind: 'refused', failure }],
    ['of another batch’s order is that it is elsewhere', { kind: 'done', order: others }, { kind: 'elsewhere' }],
    [
      'of an order of no batch is that it is elsewhere, though it has failed',
      { kind: 'dead', reason: failure, result: refusal, order: anOrder({ orderId: 'INV-1' }) },
      { kind: 'elsewhere' },
    ],
    ['of its own order is told by that order', { kind: 'done', result: refusal, order: own }, undefined],
    ['that nobody is told of is none', { kind: 'done' }, undefined],
    ['that is told without a failure is none', { kind: 'done', result: {} as Result }, undefined],
    ['that waits is not reached', { kind: 'wait', because: 'busy', goAtMs: 1, order: others }, undefined],
  ])('%s', async (_, end, note) => {
    const { noted, notes } = aBook();
    expect(await noted(end)).toBe(end);
    expect(notes).toEqual(new Map(note && [[`nov: acme-eu/INV-1 ${rowDigest(job)}`, note]]));
  });
});

describe('while no note can be written', () => {
  const { noted } = aBook('down');

  it('a refused message waits, later each time, and is told once its row is noted', async () => {
    const nowMs = createManualClock().nowMs();
    const soon = await noted(refused, job, aMessage({ sentAtMs: nowMs }));
    expect(soon).toStrictEqual({ kind: 'wait', because: 'unnoted', goAtMs: nowMs + 7_500 });
    const later = await noted(refused, job, aMessage({ sentAtMs: nowMs - 100_000 }));
    expect(later).toStrictEqual({ kind: 'wait', because: 'unnoted', goAtMs: nowMs + 75_000 });
  });
});
