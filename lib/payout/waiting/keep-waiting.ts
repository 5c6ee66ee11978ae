// Keeps a message: seals its body and puts it in the table `waiting`. Where that can't be done now, the message stays where it is.
import { createHash } from 'node:crypto';
import type { Job } from '../message/job.ts';
import { errorFields } from '../log-fields.ts';
import { orderKey } from '../order/order.ts';
import type { Log, Random } from '../ports.ts';
import type { JobDelivery } from '../submit/disposition.ts';
import { bodyDigest, sealBody, type DataKeys } from './body-seal.ts';
import type { DrainRights } from './drain-right.ts';
import type { LinesQueue } from './lines-queue.ts';
import { type JoinedRow, lineShards, type WaitingRows } from './waiting-row.ts';
import type { WaitName } from './waits.ts';

/** The table `waiting`, and all that belongs to it. */
export interface Waiting {
  readonly rows: WaitingRows;
  readonly rights: DrainRights;
  readonly dataKeys: DataKeys;
  readonly lines: LinesQueue;
}

/** The ports of keeping. */
export interface KeepPorts {
  readonly waiting: Waiting;
  readonly random: Random;
  readonly log: Log;
}

/** A message that is to be kept. */
interface ToKeep {
  readonly job: Job;
  readonly message: JobDelivery;
  readonly goAtMs: number;
  readonly because: WaitName;
  readonly groupId?: string;
}

/** The outcome: 'full' where four other messages of its order wait; 'unknown' where it may or may not be kept. */
type Kept = { readonly kind: 'put'; readonly row: JoinedRow } | { readonly kind: 'full' | 'unknown' };

/** Keeps it. */
export async function keepWaiting(
  { job, message, goAtMs, because, groupId }: ToKeep,
  { waiting: { rows, rights, dataKeys }, random, log }: KeepPorts,
): Promise<Kept> {
  const { merchant, endpointId, batchId, expiresAtMs, money } = job;
  const key = orderKey(job);
  try {
    const row = {
      key,
      lane: { merchant, endpointId },
      class: batchId === undefined ? 'urgent' : 'row',
      shard: shardOf(key),
      goAtMs,
      nonce: random.id(),
      because,
    } as const;
    // First, or a row whose line's first message gets lost would lie where nobody looks.
    await rights.name(row.lane);
    const put = await rows.put({
      ...row,
      sinceMs: message.sentAtMs ?? goAtMs,
      ...(expiresAtMs !== undefined && { expiresAtMs }),
      ...(batchId !== undefined && { batchId }),
      ...(money && { money }),
      digest: bodyDigest(message.body),
      messageId: message.messageId,
      waits: message.waits + 1,
      ...(message.redrives !== undefined && { redrives: message.redrives }),
      ...(groupId !== undefined && { groupId }),
      sealed: await sealBody(message.body, key, { dataKeys, random }),
    });
    return put === 'put' ? { kind: 'put', row } : { kind: 'full' };
  } catch (error) {
    log.write('warn', 'waiting-failed', { merchant, orderId: job.orderId, ...errorFields(error) });
    return { kind: 'unknown' };
  }
}

const shardOf = (key: string): number => createHash('sha256').update(key).digest().readUInt8(0) % lineShards;
