// The good rows of a file cut into parts of a batch, and the parts into calls of the queue.
import { type BatchRow, type PartContents, rowsPerPart } from './batch.ts';
import { type ContentDigests, digestBytes } from './content-digest.ts';
import { contentDigest } from '../payout/message/plain-digest.ts';
import { orderKey } from '../payout/order/order.ts';
import { sqsBatchSize } from '../payout/limits.ts';
import type { JobToSend } from './batch-ports.ts';
import type { CheckedRow, GoodRow } from '../files/check-rows.ts';
import { messageText } from '../payout/message/json-text.ts';

/** A job message before JSON. */
export interface JobMessageToSend {
  readonly params: Readonly<Record<string, unknown>>;
  readonly sealedParams?: string;
  readonly [name: string]: unknown;
}

/** The plan of the cut. */
export interface SlicePlan {
  readonly batchId: string;
  /** The number of the first part to send. */
  readonly firstPart: number;
  /** The message as it leaves: its card data sealed. */
  readonly finish?: (message: JobMessageToSend, row: GoodRow) => Promise<JobMessageToSend>;
  /** For a batch that a second person has approved: the proofs of a part's rows. */
  readonly proofs?: (n: number, rows: readonly GoodRow[]) => readonly string[];
  /** For stages where later files are compared with this one. */
  readonly contents?: ContentDigests;
}

/** A part of the batch on its way. */
export interface PartUnderWay {
  readonly n: number;
  /** All of them once its last slice is made, because a row is recorded when its message is finished. */
  readonly rows: BatchRow[];
  readonly contents?: PartContents;
  unsent: number;
}

/** The messages of one call. */
export interface Slice {
  readonly part: PartUnderWay;
  readonly jobs: readonly (JobToSend & { readonly row: number })[];
}

/** Cuts the rows; ends early on a stop. */
export async function* slicesOf(
  rows: AsyncIterable<readonly CheckedRow[]>,
  plan: SlicePlan,
  stopped: () => boolean,
): AsyncGenerator<Slice, undefined> {
  let n = 0;
  for await (const part of goodParts(rows)) {
    if (stopped()) return;
    if (n >= plan.firstPart)
      for await (const slice of slicesOfPart(part, n, plan)) {
        if (stopped()) return;
        yield slice;
      }
    n += 1;
  }
}

/** The good rows, part by part. */
export async function* goodParts(rows: AsyncIterable<readonly CheckedRow[]>): AsyncGenerator<GoodRow[]> {
  let part: GoodRow[] = [];
  for await (const some of rows) {
    for (const row of some) {
      if (row.kind === 'rejected') continue;
      part.push(row);
      if (part.length < rowsPerPart) continue;
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}

async function* slicesOfPart(good: readonly GoodRow[], n: number, plan: SlicePlan): AsyncGenerator<Slice> {
  const contents = plan.contents && contentsOf(good, plan.contents);
  const part: PartUnderWay = { n, rows: [], unsent: good.length, contents };
  const approvals = plan.proofs?.(n, good);
  // Ten of the longest jobs (job-fields.ts) fill two thirds of what a call may hold.
  for (let at = 0; at < good.length; at += sqsBatchSize) {
    const some = good.slice(at, at + sqsBatchSize);
    // Finishing may ask the ledger for each row, so a few rows are finished at once.
    const bodies = await Promise.all(some.map((row, index) => finished(row, approvals?.[at + index], plan)));
    const jobs = some.map(({ job, row }, index) => ({ body: bodies[index] ?? '', groupId: job.merchant, row }));
    for (const { job } of some) {
      const { resends, money } = job;
      part.rows.push({ orderKey: orderKey(job), digest: contentDigest(job), resends, money });
    }
    yield { part, jobs };
  }
}

/** The digests, made before anything is sealed. A row without a visible payee has zeros. */
function contentsOf(good: readonly GoodRow[], { keyId, of }: ContentDigests): PartContents {
  const digests = new Uint8Array(good.length * digestBytes);
  for (const [index, { job }] of good.entries()) digests.set(of(job) ?? [], index * digestBytes);
  return { keyId, digests };
}

async function finished(
  row: GoodRow,
  approval: string | undefined,
  { batchId, finish = async (it) => it }: SlicePlan,
): Promise<string> {
  const message = await finish({ params: {}, ...row.message, batchId }, row);
  return messageText({ ...message, ...(approval !== undefined && { approval }) });
}
