// Reads messages of the results queue.
import * as v from 'valibot';
import type { BatchResult } from '../batches/batch-result.ts';
import { batchResultSchema } from '../batches/batch-result-message.ts';
import type { Fault } from '../gateway/fields.ts';
import { isRecord } from '../payout/message/inbound.ts';
import { resultSchema } from '../payout/message/result-message.ts';
import type { ReadResult } from '../payout/message/result.ts';

/** The result of an order or of a rejected message, the result of a whole batch, or why the message is neither. */
export type ParsedResult =
  | { readonly kind: 'result'; readonly result: ReadResult }
  | { readonly kind: 'batch-result'; readonly result: BatchResult }
  | { readonly kind: 'not-a-result'; readonly faults: readonly Fault[] };

/** Reads one message body; keeps fields that this version does not know. Never throws. */
export function parseResult(body: string): ParsedResult {
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return { kind: 'not-a-result', faults: [{ field: 'message', fault: 'is not JSON' }] };
  }
  const ofBatch = isRecord(message) && message['kind'] === 'batch-result';
  if (ofBatch && v.is(batchResultSchema, message)) return { kind: 'batch-result', result: message };
  if (!ofBatch && v.is(resultSchema, message)) return { kind: 'result', result: message };
  const { issues = [] } = v.safeParse(ofBatch ? batchResultSchema : resultSchema, message);
  return { kind: 'not-a-result', faults: issues.map(faultOf) };
}

/** A sentence of ours: the library's would quote the received value. */
function faultOf(issue: v.BaseIssue<unknown>): Fault {
  const fault =
    issue.received === 'undefined' ? 'is missing' : `is not what the contract says: ${issue.expected ?? issue.type}`;
  return { field: v.getDotPath(issue) ?? 'message', fault };
}

/** The subject of a result, and the number of the result among those of its subject. */
export interface Place {
  /** The order (an eligibility check is an order of its own), the rejected message, or the batch. */
  readonly subject: string;
  /** From 1 upwards. */
  readonly revision: number;
}

/**
 * The key and the version under which a reader stores a result. Store it only if its revision is higher than the stored one, in one
 * conditional write: duplicates and late results then change nothing.
 */
export function placeOf({ resultId, revision }: { readonly resultId: string; readonly revision?: number }): Place {
  // A rejected message has one result. If a later delivery is refused for another reason, the last part of its id differs: the first result stays.
  if (revision === undefined || revision === 0)
    return { subject: resultId.replace(/^(rejected\/[^/]+)\/[^/]+$/, '$1'), revision: 1 };
  return { subject: resultId.slice(0, resultId.lastIndexOf('/')), revision };
}
