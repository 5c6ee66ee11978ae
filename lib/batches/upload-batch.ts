// Sends the rows of a file to the jobs queue, ten a call and several calls at once. A part of the batch is noted when the queue has taken
// all its messages, so an upload that was killed goes on after the last noted part. The messages that it had sent beyond are sent again; a
// job that comes twice is paid once.
import { rowsPerPart } from './batch.ts';
import type { BatchHeaders, BatchParts, JobSender } from './batch-ports.ts';
import type { CheckedRow } from '../files/check-rows.ts';
import type { Clock, Random } from '../payout/ports.ts';
import { type PartUnderWay, type Slice, type SlicePlan, slicesOf } from './upload-slices.ts';

/** The plan of an upload. */
export interface UploadPlan extends SlicePlan {
  /** Parts before this one are noted already. */
  readonly firstToNote: number;
  /** Calls under way at once. */
  readonly parallel: number;
}

/** The ports of uploading. */
interface UploadPorts {
  readonly sender: JobSender;
  readonly batches: Pick<BatchParts, 'putPart'> & Pick<BatchHeaders, 'uploadMoved'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** The end of an upload. */
export type UploadEnd =
  | { readonly kind: 'uploaded'; readonly sent: number }
  /** Stopped on request; the same command goes on. */
  | { readonly kind: 'stopped'; readonly sent: number }
  /** The queue does not take it. */
  | { readonly kind: 'refused'; readonly sent: number; readonly row?: number; readonly code: string };

/** The watcher of an upload. */
interface UploadWatch {
  /** Rows that are on the queue by now, those of earlier runs included. */
  onProgress(rows: number): void;
  readonly stop: { readonly aborted: boolean };
}

/** After half a minute of refusals a person should know. */
const triesAtMost = 8;
const firstDelayMs = 200;
const longestDelayMs = 10_000;
/** How often progress is written: a fraction of the hour after which an upload counts as abandoned. */
const progressEveryMs = 300_000;

/** Uploads the rows. Rejects when AWS refuses, once all calls under way have come to their end. */
export async function uploadBatch(
  rows: AsyncIterable<readonly CheckedRow[]>,
  plan: UploadPlan,
  ports: UploadPorts,
  watch: UploadWatch,
): Promise<UploadEnd> {
  const note = createNotes(plan, ports);
  let sent = 0;
  let trouble: { readonly row?: number; readonly code: string } | undefined;
  let isBroken = false;
  const stopped = () => watch.stop.aborted || isBroken || trouble !== undefined;
  const slices = slicesOf(rows, plan, stopped);

  async function lane(): Promise<void> {
    for (;;) {
      const { value: slice } = await slices.next();
      if (!slice) return;
      const refused = await sendSlice(slice.jobs, ports, stopped);
      if (refused === 'stopped') return;
      if (refused) return void (trouble ??= refused);
      sent += slice.jobs.length;
      watch.onProgress(plan.firstPart * rowsPerPart + sent);
      slice.part.unsent -= slice.jobs.length;
      if (slice.part.unsent === 0) await note(slice.part);
    }
  }

  const lanes = Array.from({ length: plan.parallel }, () =>
    lane().catch((error: unknown) => {
      isBroken = true;
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(lanes)).find((it) => it.status === 'rejected');
  if (failed) throw failed.reason;
  if (trouble) return { kind: 'refused', sent, ...trouble };
  return { kind: watch.stop.aborted ? 'stopped' : 'uploaded', sent };
}

/** Notes the parts in their order, whichever was taken first. */
function createNotes({ batchId, firstPart, firstToNote }: UploadPlan, { batches, clock }: UploadPorts) {
  const taken = new Map<number, PartUnderWay>();
  let next = firstPart;
  let movedAtMs = -Infinity;
  let writing: Promise<void> = Promise.resolve();

  async function writeTaken(): Promise<void> {
    for (let part = taken.get(next); part; part = taken.get(next)) {
      taken.delete(next);
      if (next >= firstToNote) await putPart(part);
      next += 1;
    }
  }

  async function putPart({ n, rows, contents }: PartUnderWay): Promise<void> {
    await batches.putPart(batchId, n, rows, contents);
    const nowMs = clock.nowMs();
    if (nowMs - movedAtMs < progressEveryMs) return;
    await batches.uploadMoved(batchId, nowMs);
    movedAtMs = nowMs;
  }

  return (part: PartUnderWay): Promise<void> => {
    taken.set(part.n, part);
    writing = writing.then(writeTaken);
    return writing;
  };
}

/** Sends until the queue has taken all jobs; then undefined. Otherwise answers with the row that it will not take, or why. */
async function sendSlice(
  jobs: Slice['jobs'],
  { sender, clock, random }: UploadPorts,
  stopped: () => boolean,
): Promise<{ readonly row?: number; readonly code: string } | 'stopped' | undefined> {
  let left = jobs;
  for (let tries = 1; ; tries += 1) {
    const untaken = await sender.send(left);
    const never = untaken.find((it) => !it.again);
    const row = left[never?.index ?? -1]?.row;
    if (never) return { code: never.code, row };
    left = untaken.flatMap(({ index }) => left[index] ?? []);
    if (left.length === 0) return undefined;
    if (tries === triesAtMost) return { code: untaken[0]?.code ?? 'unknown' };
    if (stopped()) return 'stopped';
    const delayMs = Math.min(firstDelayMs * 2 ** (tries - 1), longestDelayMs);
    await clock.sleep(delayMs * (0.5 + random.chance() / 2));
  }
}
