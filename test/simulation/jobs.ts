// The job files that simulated senders send.
import type { OperationName } from '../../lib/gateway/operations.ts';
import { parseJob } from '../../lib/payout/job.ts';
import { orderKey } from '../../lib/payout/ledger.ts';
import {
  aPayoutCheck,
  aPayoutJob,
  aPayoutPay,
  anEligibilityJob,
  aTransferByRefJob,
  aTransferJob,
  type JobBody,
  withoutParams,
} from '../support/jobs.ts';
import type { LineCard } from './cards.ts';
import type { AskedRow } from './batch-rows.ts';
import type { AskedOrder } from './asked-order.ts';

/** One line of a job file: the message body, and the order that it asks for (none when it can't be taken). */
export interface JobLine {
  readonly body: string;
  readonly order: AskedOrder | undefined;
  /** Card data that is sealed when the line is sent. */
  readonly card?: LineCard;
  /** Where the job belongs to a batch. */
  readonly row?: AskedRow;
}

const builders: Readonly<Record<OperationName, (changes: Partial<JobBody>) => JobBody>> = {
  payout: aPayoutJob,
  'payout-check': aPayoutCheck,
  'payout-pay': aPayoutPay,
  transfer: aTransferJob,
  'transfer-by-ref': aTransferByRefJob,
  'pan-eligibility': anEligibilityJob,
};

/** A job of this operation; its amount is in whole units of its currency. */
export function jobLine(it: {
  readonly operation: OperationName;
  readonly merchant: string;
  readonly orderId: string;
  readonly wholeUnits: number;
  readonly expiresAt?: string;
  readonly batchId?: string;
  readonly notBefore?: string;
  /** A transfer to a card number, that its sender seals; with a CVV or without. */
  readonly card?: 'number' | 'number and CVV';
}): JobLine {
  const { operation, merchant, orderId, wholeUnits, card, ...more } = it;
  const params = operation === 'pan-eligibility' ? {} : { amount: String(wholeUnits) };
  const body = byReference(builders[operation]({ merchant, orderId, params, ...more }));
  if (!card) return lineOf(JSON.stringify(body));
  const line = lineOf(JSON.stringify(withoutParams(body, 'destination_card_recurring_payment_id')));
  const code = card === 'number' ? {} : { code: '737' };
  return { ...line, card: { order: { operation, merchant, orderId }, orderKey: line.order?.key ?? '', ...code } };
}

/** Stored cards in the place of card data, which merchants refuse in the clear. */
function byReference(body: JobBody): JobBody {
  const { amount, currency, order_desc } = body.params;
  if (body.operation.startsWith('payout') || body.operation === 'pan-eligibility') return body;
  const references = body.operation === 'transfer' ? { destination_card_recurring_payment_id: '430537' } : {};
  return { ...body, params: { amount, currency, order_desc, ...references } };
}

/** A message that no worker can take. */
export function brokenLine(text: string): JobLine {
  return { body: text, order: undefined };
}

function lineOf(body: string): JobLine {
  const parsed = parseJob(body);
  if (parsed.kind === 'rejected') throw new Error(`not a job: ${JSON.stringify(parsed.faults)}`);
  const { job } = parsed;
  const { money, batchId } = job;
  const key = orderKey(job);
  const row = { orderKey: key, ...(money && { money }) };
  return {
    body,
    order: { key, contents: money ? [money] : [] },
    ...(batchId !== undefined && { row: { batchId, row } }),
  };
}
