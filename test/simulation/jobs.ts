// The job files that simulated senders send.
import { contentDigest } from '../../lib/payout/message/plain-digest.ts';
import type { OperationName } from '../../lib/gateway/operations.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { orderKey } from '../../lib/payout/order/order.ts';
import {
  aPayoutJob,
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
  /** The row, for a job that belongs to a batch. */
  readonly row?: AskedRow;
}

const builders: Readonly<Record<OperationName, (changes: Partial<JobBody>) => JobBody>> = {
  payout: aPayoutJob,
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
  /** Has a field that its merchant's contract does not offer. */
  readonly outsideContract?: boolean;
  /** Released by two persons: the approved body, and its expiry; null where it is unapproved, though two must. */
  readonly approve?: ((body: JobBody) => { readonly body: JobBody; readonly untilMs: number }) | null;
  /** A transfer to a card number that its sender seals; with a CVV or without. */
  readonly card?: 'number' | 'number and CVV' | undefined;
}): JobLine {
  const { operation, merchant, orderId, wholeUnits, card, outsideContract = false, approve, ...more } = it;
  const outside = outsideContract ? { server_callback_url: 'https://elsewhere.test/' } : {};
  const params = operation === 'pan-eligibility' ? {} : { amount: String(wholeUnits), ...outside };
  const asked = byReference(builders[operation]({ merchant, orderId, params, ...more }));
  const { body, untilMs } = approve?.(asked) ?? { body: asked, untilMs: undefined };
  const until =
    (approve === null && unapproved) ||
    (outsideContract && notOffered) ||
    (untilMs !== undefined && { ms: untilMs, why: 'was approved no longer' });
  if (!card) return lineOf(JSON.stringify(body), until || undefined);
  const line = lineOf(JSON.stringify(withoutParams(body, 'destination_card_recurring_payment_id')));
  const code = card === 'number' ? {} : { code: '737' };
  return { ...line, card: { order: { operation, merchant, orderId }, orderKey: line.order?.key ?? '', ...code } };
}

const unapproved = { ms: -Infinity, why: 'it was not approved' };
const notOffered = { ms: -Infinity, why: 'asked for what its contract does not offer' };

/** Stored cards in the place of card data, which merchants refuse in the clear. */
function byReference(body: JobBody): JobBody {
  const { amount, currency, order_desc, server_callback_url: url } = body.params;
  if (body.operation === 'payout' || body.operation === 'pan-eligibility') return body;
  const references = body.operation === 'transfer' ? { destination_card_recurring_payment_id: '430537' } : {};
  return {
    ...body,
    params: { amount, currency, order_desc, ...references, ...(url !== undefined && { server_callback_url: url }) },
  };
}

/** The line as its message was sent: its row is known by that very message, with its seal and the end that it names. */
export function asSent(line: JobLine, body: string): JobLine {
  const parsed = parseJob(body);
  if (!line.row || parsed.kind === 'rejected') return line;
  const { batchId, row } = line.row;
  return { ...line, row: { batchId, row: { ...row, digest: contentDigest(parsed.job) } } };
}

/** A message that no worker can take. */
export function brokenLine(text: string): JobLine {
  return { body: text, order: undefined };
}

function lineOf(body: string, never?: AskedOrder['until']): JobLine {
  const parsed = parseJob(body);
  if (parsed.kind === 'rejected') throw new Error(`not a job: ${JSON.stringify(parsed.faults)}`);
  const { job } = parsed;
  const { money, batchId, expiresAtMs } = job;
  const until = never ?? (expiresAtMs === undefined ? undefined : { ms: expiresAtMs, why: 'had expired' });
  const key = orderKey(job);
  const row = { orderKey: key, digest: contentDigest(job), ...(money && { money }) };
  return {
    body,
    order: { key, sums: [money], ...(until && { until }) },
    ...(batchId !== undefined && { row: { batchId, row } }),
  };
}
