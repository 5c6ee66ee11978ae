// The headers of batches in the table of batches, and the batch that took each file. Each step of a batch is one write under
// condition.
import { type Batches, type BatchHeaders, type BatchStep } from './batch-ports.ts';
import { type Batch, type BatchState, abandonedAfterMs, registeredDays } from './batch.ts';
import { packedTotals } from './tally.ts';
import { batchOf, closureAttributes, fileKey, headerItem } from './dynamodb-batch-item.ts';
import {
  batchLayoutVersion,
  createDynamoDbApprovals,
  dueAt,
  grantAttributes,
  headerKey,
  openBatchesPartition,
} from './dynamodb-approvals.ts';
import { expiryIn, type Item, itemAt, N, openWorkItems, putIfAbsent, S, updateIf } from '../aws/dynamodb-table.ts';
import { createDynamoDbBatchParts, type DynamoDbPartsOptions } from './dynamodb-batch-parts.ts';

/** The registration of a batch, and its time: in the index, so that a month of batches is one query. */
const registeredKey = (batchId: string): string => `~lately/${batchId}`;
/** Its partition of the open-work index; no kind of an order's open work has this letter. */
const registeredPartition = 'n0';

/** The states in which all rows of a batch were sent. */
const wholeStates: readonly BatchState[] = ['uploaded', 'closed'];
/** The states in which the sweeper looks after a batch. */
const lookedAfter: readonly BatchState[] = [...wholeStates, 'uploading'];

/** Batches over their table and its index `open-work`; items live as long as the options say after each step. */
export const createDynamoDbBatches = (options: DynamoDbPartsOptions): Batches => ({
  ...createHeaders(options),
  ...createDynamoDbApprovals(options),
  ...createDynamoDbBatchParts(options),
});

/** One step: the states it begins and ends in, the attributes it sets, and its further conditions. */
interface StepUpdate {
  readonly from: BatchState;
  readonly to: BatchState;
  readonly set?: Item;
  /** Attributes that are set if they are absent. */
  readonly setIfAbsent?: Item;
  readonly condition?: string;
  readonly values?: Item;
}

type HeaderSteps = Pick<BatchHeaders, 'approve' | 'startUpload' | 'finishUpload' | 'close'>;

// Long: each step of a header is one write over the table that it closes over; apart, they would pass it around.
function createHeaders({
  client,
  tableName,
  itemLifeDays,
  nowMs,
}: DynamoDbPartsOptions): Omit<BatchHeaders, 'grantOf'> {
  const expiry = () => expiryIn(itemLifeDays, nowMs());
  const put = (item: Item) => putIfAbsent(client, tableName, { ...item, expiresAt: expiry() });

  async function find(batchId: string): Promise<Batch | undefined> {
    const item = await itemAt({ client, tableName }, headerKey(batchId));
    const batch = item && batchOf(item);
    if (item && !batch) throw new Error(`this version can't read the header of batch ${batchId}`);
    return batch;
  }

  async function step(
    batchId: string,
    { from, to, set, setIfAbsent, condition, values }: StepUpdate,
  ): Promise<BatchStep> {
    const also = condition === undefined ? '' : ` AND ${condition}`;
    const moved = await updateIf(client, tableName, {
      key: headerKey(batchId),
      condition: `v <= :layout AND batchState = :from${also}`,
      set: { ...set, batchState: S(to), expiresAt: expiry() },
      setIfAbsent,
      values: { ...values, ...ofLayout, ':from': S(from) },
    });
    if (moved) return { kind: 'moved' };
    const batch = await find(batchId);
    return batch ? { kind: 'found', batch } : { kind: 'absent' };
  }

  /** A write over the header of a batch in one of these states; nothing is written in any other. */
  async function written(
    batchId: string,
    states: readonly BatchState[],
    { condition, values, ...change }: Partial<Omit<Parameters<typeof updateIf>[2], 'key'>>,
  ): Promise<void> {
    const named = Object.fromEntries(states.map((state, at) => [`:state${at}`, S(state)]));
    const also = condition === undefined ? '' : ` AND ${condition}`;
    await updateIf(client, tableName, {
      key: headerKey(batchId),
      condition: `v <= :layout AND batchState IN (${Object.keys(named).join(', ')})${also}`,
      ...change,
      values: { ...values, ...ofLayout, ...named },
    });
  }

  return {
    find,
    async register(batch) {
      // Named first: a name without a batch does no harm, but a batch without a name is never found by its time.
      await putIfAbsent(client, tableName, {
        pk: S(registeredKey(batch.batchId)),
        openWork: S(registeredPartition),
        openWorkAt: N(batch.createdAtMs),
        expiresAt: expiryIn(registeredDays, nowMs()),
      });
      if (await put(headerItem(batch))) return { kind: 'registered' };
      const present = await find(batch.batchId);
      if (!present) throw new Error('the header of the batch vanished between a condition and its read');
      return { kind: 'exists', batch: present };
    },
    async takeFile(fileHash, batchId) {
      const pk = fileKey(fileHash);
      if (await put({ pk: S(pk), takenBy: S(batchId) })) return { kind: 'taken' };
      const first = (await itemAt({ client, tableName }, pk))?.['takenBy']?.S;
      if (first === undefined) throw new Error('it is not known which batch took the file');
      return first === batchId ? { kind: 'taken' } : { kind: 'known', batchId: first };
    },
    ...createSteps(step),
    noteOnePerson: (batchId, atMs) =>
      written(batchId, ['awaiting-approval'], { set: { onePersonAt: N(atMs), ...dueAt(atMs) } }),
    uploadMoved: (batchId, atMs) => written(batchId, ['uploading'], { set: { uploadMovedAt: N(atMs) } }),
    letGo: (batchId) => written(batchId, ['uploading'], { remove: ['openWork', 'openWorkAt'] }),
    async forgetOnePerson(batchId) {
      // A batch that the sweeper looks after is due by a time of its own.
      await written(batchId, lookedAfter, { remove: ['onePersonAt'] });
      await written(batchId, ['awaiting-approval', 'approved'], { remove: ['onePersonAt', 'openWork', 'openWorkAt'] });
    },
    sentAgain: (batchId, atMs) =>
      written(batchId, wholeStates, {
        set: { uploadedAt: N(atMs), ...dueAt(atMs), expiresAt: expiry() },
      }),
    markPublished: (batchId, revision, lookAgainAtMs) =>
      written(batchId, ['closed'], {
        condition: 'publishedRevision = :published',
        set: dueAt(lookAgainAtMs),
        remove: ['unpublished'],
        values: { ':published': N(revision) },
      }),
    rest: ({ batchId, wokenAtMs }) =>
      written(batchId, ['closed'], {
        condition: wokenAtMs === undefined ? 'attribute_not_exists(wokenAt)' : 'wokenAt = :woken',
        remove: ['openWork', 'openWorkAt', 'looked'],
        ...(wokenAtMs !== undefined && { values: { ':woken': N(wokenAtMs) } }),
      }),
    lookAgain: (batchId, atMs, looked) =>
      written(batchId, lookedAfter, { set: { ...dueAt(atMs), ...(looked && { looked: S(JSON.stringify(looked)) }) } }),
    /** Older ones go by their time to live. */
    async *registeredSince(sinceMs) {
      const everything = Number.MAX_SAFE_INTEGER;
      for await (const { pk, openWorkAt } of openWorkItems({ client, tableName }, registeredPartition, everything))
        if (Number(openWorkAt?.N) >= sinceMs) yield (pk?.S ?? '').slice(registeredKey('').length);
    },
    async *openBatches(beforeMs, onUnreadable) {
      for await (const item of openWorkItems({ client, tableName }, openBatchesPartition, beforeMs)) {
        const batch = batchOf(item);
        if (batch) yield batch;
        else onUnreadable?.((item['pk']?.S ?? '').slice(headerKey('').length));
      }
    },
  };
}

/** The conditions and writes of each step of a batch. */
function createSteps(step: (batchId: string, update: StepUpdate) => Promise<BatchStep>): HeaderSteps {
  return {
    approve: ({ batchId, ...content }, approval, proof) =>
      step(batchId, {
        from: 'awaiting-approval',
        to: 'approved',
        set: { approval: S(JSON.stringify(approval)), ...grantAttributes(proof, approval) },
        condition:
          'fileHash = :hash AND contentHash = :content AND rowCount = :rows AND controlTotals = :totals ' +
          'AND registeredBy <> :approver AND heldUntil >= :ends AND heldUntil > :at',
        values: {
          ':hash': S(content.fileHash),
          ':content': S(content.contentHash),
          ':ends': N(approval.expiresAtMs),
          ':at': N(approval.atMs),
          ':rows': N(content.rows),
          ':totals': S(packedTotals(content.totals)),
          ':approver': S(approval.by),
        },
      }),
    startUpload: (batchId, atMs) =>
      step(batchId, {
        from: 'approved',
        to: 'uploading',
        set: { uploadMovedAt: N(atMs) },
        // A note about its registrar is due earlier, and keeps its time.
        setIfAbsent: dueAt(atMs + abandonedAfterMs),
        condition: 'approvalEnds > :now',
        values: { ':now': N(atMs) },
      }),
    finishUpload: (batchId, atMs) =>
      step(batchId, { from: 'uploading', to: 'uploaded', set: { uploadedAt: N(atMs), ...dueAt(atMs) } }),
    close: (batchId, closure) =>
      step(batchId, {
        from: closure.revision === 1 ? 'uploaded' : 'closed',
        to: 'closed',
        set: { ...closureAttributes(closure), unpublished: { BOOL: true }, ...dueAt(closure.atMs) },
        ...(closure.revision > 1 && {
          condition: 'publishedRevision = :before',
          values: { ':before': N(closure.revision - 1) },
        }),
      }),
  };
}

/** The layouts that this version may write over. */
const ofLayout: Item = { ':layout': N(batchLayoutVersion) };
