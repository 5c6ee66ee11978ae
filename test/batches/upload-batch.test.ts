// A file on its way to the queue: whatever the queue refuses and wherever it is stopped, what is noted is on the queue,
// and running it again sends the rest.
import { describe, expect, it } from 'vitest';
import { surveyRows } from '../../lib/batches/survey-rows.ts';
import { createMemoryBatches } from '../support/memory-batches.ts';
import type { JobSender, JobToSend } from '../../lib/batches/batch-ports.ts';
import { uploadBatch, type UploadPlan } from '../../lib/batches/upload-batch.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { checked, payoutJobs } from '../support/bulk-rows.ts';
import { lengthOf } from '../support/long-proof.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { createManualClock, createSeededRandom, startMs } from '../support/time-and-chance.ts';

type Answer = ReturnType<JobSender['send']>;

interface Stage {
  readonly jobs?: readonly JobBody[];
  /** Rows of the second reading, where they are others. */
  readonly plan?: Partial<UploadPlan>;
  /** What the queue says to each call; default takes all. */
  readonly answer?: (jobs: readonly JobToSend[], call: number) => Awaited<Answer>;
  readonly batches?: ReturnType<typeof createMemoryBatches>;
  readonly stopAfterCalls?: number;
}

const batchId = 'nov';

async function upload({ jobs = payoutJobs(1_203), plan, answer, batches, ...stage }: Stage) {
  const survey = await surveyRows(checked(jobs), () => {});
  const store = batches ?? createMemoryBatches();
  const content = { batchId, fileHash: 'ab', contentHash: '12', rows: survey.rows, totals: survey.totals };
  await store.register(newBatch({ ...content, by: 'ada', nowMs: startMs }));
  const taken: string[] = [];
  const progress: number[] = [];
  let calls = 0;
  const stop = { aborted: false };
  const sender: JobSender = {
    async send(some) {
      calls += 1;
      const untaken = answer?.(some, calls) ?? [];
      const left = new Set(untaken.map(({ index }) => index));
      taken.push(...some.filter((_, index) => !left.has(index)).map(({ body }) => JSON.parse(body).orderId));
      if (calls === stage.stopAfterCalls) stop.aborted = true;
      return untaken;
    },
  };
  const manual = createManualClock();
  const clock = { ...manual, sleep: async (ms: number) => manual.advance(ms) };
  const random = createSeededRandom();
  const firstPart = await store.nextPart(batchId);
  const end = await uploadBatch(
    checked(jobs),
    { batchId, firstPart, firstToNote: firstPart, parallel: 4, ...plan },
    { sender, batches: store, clock, random },
    { onProgress: (rows) => void progress.push(rows), stop },
  );
  return { end, taken, progress, store, next: await store.nextPart(batchId) };
}

const ids = (jobs: readonly JobBody[]) => jobs.map(({ orderId }) => orderId);

describe('an upload', () => {
  it('puts every row on the queue, by tens, and notes every part in the order of the file', async () => {
    const jobs = payoutJobs(1_203);
    const { end, taken, progress, store, next } = await upload({ jobs });
    expect(end).toEqual({ kind: 'uploaded', sent: 1_203 });
    expect(taken.toSorted()).toEqual(ids(jobs).toSorted());
    expect(next).toBe(3);
    expect(progress.at(-1)).toBe(1_203);
    const noted: string[] = [];
    for await (const part of store.parts({ batchId, parts: 3 })) noted.push(...part.rows.map((it) => it.orderKey));
    expect(noted).toEqual(ids(jobs).map((id) => `acme-eu/${id}`));
  });

  it("sends each job in its merchant's group, with its batch's id and in characters that SQS takes", async () => {
    const odd = aPayoutJob({ orderId: 'ODD', params: { ...aPayoutJob().params, order_desc: 'a\ufffe\uffffb' } });
    const seen: JobToSend[] = [];
    await upload({ jobs: [odd], answer: (jobs) => (seen.push(...jobs), []) });
    expect(seen.map(({ groupId }) => groupId)).toEqual(['acme-eu']);
    expect(seen[0]?.body).toContain('a\\ufffe\\uffffb');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ ...odd, batchId });
  });
});

describe('a queue that does not take all', () => {
  it('is asked again for what it refused, and for that alone', async () => {
    const jobs = payoutJobs(60);
    const times = new Map<string, number>();
    const { end, taken } = await upload({
      jobs,
      answer: (some) =>
        some.flatMap(({ body }, index) => {
          const id: string = JSON.parse(body).orderId;
          times.set(id, (times.get(id) ?? 0) + 1);
          const refused = id.endsWith('3') && (times.get(id) ?? 0) < 4;
          return refused ? [{ index, again: true, code: 'ThrottlingException' }] : [];
        }),
    });
    expect(end).toEqual({ kind: 'uploaded', sent: 60 });
    expect(taken.toSorted()).toEqual(ids(jobs).toSorted());
    expect([times.get('INV-2'), times.get('INV-13')]).toEqual([1, 4]);
  });

  it('because AWS says no for good, it rejects, and what was noted stays', async () => {
    const batches = createMemoryBatches();
    const denied = new Error('AccessDenied');
    let calls = 0;
    const failing = upload({
      batches,
      answer: (_, call) => {
        calls = call;
        if (call === 61) throw denied;
        return [];
      },
    });
    await expect(failing).rejects.toBe(denied);
    expect(await batches.nextPart(batchId)).toBe(1);
    expect(calls).toBeLessThanOrEqual(64);
  });
});

describe('going on', () => {
  const stops = lengthOf({ short: [1, 51, 119], long: [1, 49, 51, 77, 100, 119] });
  it.each(stops)('after it was stopped at call %i, nothing is missing', async (stopAfterCalls) => {
    const jobs = payoutJobs(1_203);
    const batches = createMemoryBatches();
    const first = await upload({ jobs, batches, stopAfterCalls });
    expect(first.end).toMatchObject({ kind: 'stopped' });
    expect(first.next).toBeLessThan(3);
    const second = await upload({ jobs, batches });
    expect(second.end.kind).toBe('uploaded');
    expect(second.taken.length).toBe(1_203 - first.next * 500);
    expect(new Set([...first.taken, ...second.taken])).toEqual(new Set(ids(jobs)));
  });

  it('sends all of it once more where that is asked for, and notes nothing twice', async () => {
    const jobs = payoutJobs(600);
    const batches = createMemoryBatches();
    await upload({ jobs, batches });
    const putPart = async () => expect.unreachable('what is noted stays as it was noted');
    const store = { ...batches, putPart };
    const again = await upload({ jobs, batches: store, plan: { firstPart: 0, firstToNote: 2 } });
    expect(again.end).toEqual({ kind: 'uploaded', sent: 600 });
    expect(again.next).toBe(2);
  });
});
