// Every result in a test is compared with the published contract, here without its leave to add fields: a field
// that comes without its contract must be noticed.
import * as v from 'valibot';
import { batchResultFields } from '../../lib/batches/batch-result-message.ts';
import { failureFields, resultFields } from '../../lib/payout/message/result-message.ts';

const ofBatch = v.strictObject(batchResultFields);
const ofOrder = v.strictObject({ ...resultFields, failure: v.exactOptional(v.strictObject(failureFields)) });

/** The breach of the contract in a message of the results queue; undefined where there is none. */
export function breachOfContract(message: object): string | undefined {
  const read = v.safeParse('kind' in message ? ofBatch : ofOrder, message);
  if (read.success) return undefined;
  const faults = read.issues.map((issue) => `${v.getDotPath(issue) ?? 'message'}: ${issue.message}`);
  return `a result breaks its contract: ${faults.join('; ')}`;
}
