// Batches of payouts as Lambda hands them over; each order is a new one.
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';

const attributes = {
  ApproximateReceiveCount: '1',
  SentTimestamp: '0',
  SenderId: '',
  ApproximateFirstReceiveTimestamp: '0',
};

/** What the handlers ask of the context. */
export const lambdaContext = {
  getRemainingTimeInMillis: () => 120_000,
  functionName: 'bench',
  awsRequestId: 'bench',
} as unknown as Context;

let orders = 0;

/** A batch of new payouts of one merchant. */
export function newBatch(jobs: number, merchant = 'bench'): SQSEvent {
  return { Records: Array.from({ length: jobs }, () => recordOf(`INV-${(orders += 1)}`, merchant)) };
}

/** One payout as a record. */
function recordOf(orderId: string, merchant: string): SQSRecord {
  return {
    messageId: orderId,
    receiptHandle: orderId,
    body: bodyOf(orderId, merchant),
    attributes,
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: '',
  };
}

/** One payout as a message body. */
function bodyOf(orderId: string, merchant: string): string {
  const params = {
    amount: '10.42',
    currency: 'EUR',
    order_desc: 'Invoice 123: 100% + a bit',
    account_number: 'DE89370400440532013000',
    bank_name: 'Banque Générale',
  };
  const order = { version: 1, operation: 'payout', merchant, endpointId: '39915', orderId };
  return JSON.stringify({ ...order, params, batchId: 'b-1', context: { invoice: orderId } });
}
