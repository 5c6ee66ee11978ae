// The examples that the contracts carry. Cards are named by reference: a number or CVV has no place on a queue.
// All credentials are obviously fake.

import type { BatchResult } from '../../lib/batches/batch-result.ts';
import type { ReadResult, Result } from '../../lib/payout/message/result.ts';
import type { JobMessage, JobOf } from '../../lib/client/job-message.ts';

const payoutJob = {
  version: 1,
  operation: 'payout',
  merchant: 'acme-eu',
  endpointId: '39915',
  orderId: 'INV-2026-000123',
  params: {
    amount: '10.42',
    currency: 'EUR',
    order_desc: 'Invoice 123',
    account_number: 'DE89370400440532013000',
    bank_name: 'Cool bank',
  },
  expiresAt: '2026-11-30T00:00:00Z',
  batchId: '2026-11-payroll',
  context: { invoice: '123' },
} as const satisfies JobOf<'payout'>;

/** One job of each operation. */
export const jobExamples: readonly JobMessage[] = [
  payoutJob,
  {
    version: 1,
    operation: 'transfer',
    merchant: 'acme-eu',
    endpointId: '39915',
    orderId: 'RENT-2026-11',
    params: {
      amount: '850.00',
      currency: 'USD',
      order_desc: 'Rent, November',
      card_recurring_payment_id: '8058230',
      destination_card_recurring_payment_id: '8058231',
    },
  },
  {
    version: 1,
    operation: 'transfer-by-ref',
    merchant: 'acme-eu',
    endpointId: 'group/77',
    orderId: 'REFUND-42',
    params: { amount: '1000', currency: 'JPY', order_desc: 'Refund', 'destination-card-ref-id': '7654321' },
  },
  {
    version: 1,
    operation: 'pan-eligibility',
    merchant: 'acme-eu',
    endpointId: '39915',
    orderId: 'CHECK-7',
    params: { 'sending-card-ref-id': '7654321' },
  },
];

const { version, operation, merchant, endpointId, orderId, batchId, context } = payoutJob;
const ofTheOrder = { operation, merchant, endpointId, orderId };

/** An order that the gateway took, the same order paid, one in doubt, and a message that never became an order. */
export const resultExamples: readonly (Omit<Result, 'context'> & Pick<ReadResult, 'context'>)[] = [
  {
    version,
    resultId: 'acme-eu/INV-2026-000123/2',
    ...ofTheOrder,
    status: 'accepted',
    final: true,
    payoutId: '9000123',
    amount: '10.42',
    currency: 'EUR',
    attempts: 1,
    revision: 2,
    occurredAt: '2026-11-21T10:00:00.000Z',
    batchId,
    context,
  },
  {
    version,
    resultId: 'acme-eu/INV-2026-000123/3',
    ...ofTheOrder,
    status: 'approved',
    final: true,
    payoutId: '9000123',
    amount: '10.42',
    currency: 'EUR',
    attempts: 1,
    revision: 3,
    occurredAt: '2026-11-21T10:00:04.000Z',
    batchId,
    context,
  },
  {
    version,
    resultId: 'acme-eu/RENT-2026-11/2',
    operation: 'transfer',
    merchant,
    endpointId,
    orderId: 'RENT-2026-11',
    status: 'in-doubt',
    final: false,
    amount: '850.00',
    currency: 'USD',
    attempts: 1,
    revision: 2,
    failure: { code: 'NO_ANSWER', message: 'no whole answer: the answer took longer than 20000 ms' },
    occurredAt: '2026-11-21T10:00:20.000Z',
  },
  {
    version,
    resultId: 'rejected/5fea7756-0ea4-451a-a703-a558b933e274/x3hV0mWq9cLr2Tz8',
    operation,
    merchant,
    endpointId,
    orderId: 'INV-2026-000124',
    status: 'rejected',
    final: true,
    attempts: 0,
    failure: {
      code: 'INVALID_MESSAGE',
      message: 'params.amount: is not text; write every value as a string, amounts too',
    },
    occurredAt: '2026-11-21T10:00:00.000Z',
  },
];

/** A merchant at the gateway; the private key is cut short. */
export const merchantContractExamples = [
  {
    login: 'acme-eu-login',
    baseUrl: 'https://gate.example.com',
    profile: { statusInquiry: true, extraFields: { 'transfer-by-ref': ['destination-card-ref-id'] } },
  },
];
export const merchantKeysExamples = [
  {
    'acme-eu-login': {
      controlKey: 'FAKE0000-0000-0000-0000-000000000000',
      privateKey: '-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----\n',
    },
  },
];

/** The worker's own secret. */
export const workerSecretExamples = [
  { fingerprintKeyId: '2026-11', fingerprintKeys: { '2026-11': 'fa4e'.repeat(16) } },
];

/** A batch of which one payout is still under way; the same two days later, when one that had failed was redriven and paid. */
export const batchResultExamples: readonly BatchResult[] = [
  {
    version: 1,
    kind: 'batch-result',
    resultId: '~batch/2026-11-payroll/1',
    batchId: '2026-11-payroll',
    revision: 1,
    status: 'closed',
    final: false,
    merchant: 'acme-eu',
    fileHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    rows: 3,
    totals: [{ currency: 'EUR', count: 3, amount: '31.26' }],
    outcomes: [
      { standing: 'held-unpaid', currency: 'EUR', amount: '10.42', count: 1, elsewhere: 0 },
      { standing: 'paid', currency: 'EUR', amount: '10.42', count: 1, elsewhere: 0 },
      { standing: 'failed', currency: 'EUR', amount: '10.42', count: 1, elsewhere: 0 },
    ],
    registeredAt: '2026-11-21T09:58:12.000Z',
    occurredAt: '2026-11-21T10:00:00.000Z',
  },
  {
    version: 1,
    kind: 'batch-result',
    resultId: '~batch/2026-11-payroll/2',
    batchId: '2026-11-payroll',
    revision: 2,
    status: 'closed',
    final: true,
    merchant: 'acme-eu',
    fileHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    rows: 3,
    totals: [{ currency: 'EUR', count: 3, amount: '31.26' }],
    outcomes: [{ standing: 'paid', currency: 'EUR', amount: '31.26', count: 3, elsewhere: 0 }],
    registeredAt: '2026-11-21T09:58:12.000Z',
    occurredAt: '2026-11-23T10:07:31.000Z',
  },
];
