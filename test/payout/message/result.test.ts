// The contract of results, written out: consumers rest on every name of it.
import { describe, expect, it } from 'vitest';
import { type OrderView, resultOf } from '../../../lib/payout/order/projection.ts';
import { type Standing, standings } from '../../../lib/payout/order/standing.ts';
import { identityOf } from '../../../lib/payout/message/job.ts';
import { rejection } from '../../../lib/payout/message/result.ts';
import { aPayoutJob, aTransferJob, anEligibilityJob, type JobBody, jobOf } from '../../support/jobs.ts';
import { aView } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

/** The state of a job's order, its first result published. */
function viewAfter(body: JobBody, changes: Partial<OrderView> = {}): OrderView {
  const { operation, merchant, endpointId, orderId, money, batchId, context } = jobOf(body);
  const { money: _, ...whole } = aView({
    operation,
    merchant,
    orderId,
    endpointId,
    revision: 1,
    ...(changes.standing && { standing: changes.standing }),
  });
  return {
    ...whole,
    ...(money && { money }),
    ...(batchId !== undefined && { batchId }),
    ...(context !== undefined && { context }),
    ...changes,
  };
}

describe('a result', () => {
  it('has exactly this shape', () => {
    const body = aPayoutJob({ orderId: 'INV-2026-000123', batchId: '2026-11-payroll', context: { invoice: '123' } });
    const entry = viewAfter(body, { standing: 'accepted', revision: 2, gatewayOrderId: '9000123' });
    expect(JSON.parse(JSON.stringify(resultOf(entry)))).toStrictEqual({
      version: 1,
      resultId: 'acme-eu/INV-2026-000123/2',
      operation: 'payout',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'INV-2026-000123',
      status: 'accepted',
      final: true,
      payoutId: '9000123',
      gatewayOrderId: '9000123',
      amount: '10.42',
      currency: 'EUR',
      attempts: 1,
      revision: 2,
      occurredAt: '2026-11-21T10:00:00.000Z',
      batchId: '2026-11-payroll',
      context: '{"invoice":"123"}',
    });
  });

  it('names the gateway’s identity of the order beside the alias of its contract', () => {
    const ids = { gatewayOrderId: '9000123', gatewayAlias: '55' };
    expect(resultOf(viewAfter(aPayoutJob(), { standing: 'confirming', ...ids }))).toMatchObject({
      payoutId: '55',
      gatewayOrderId: '9000123',
    });
  });

  it('of a transfer bears a transaction id; of a check no amount', () => {
    const transfer = resultOf(viewAfter(aTransferJob(), { standing: 'confirming', gatewayOrderId: '9' }));
    expect(transfer).toMatchObject({ transactionId: '9', amount: '25.00', currency: 'USD' });
    const check = resultOf(viewAfter(anEligibilityJob(), { standing: 'confirming' }));
    expect(check).toMatchObject({ resultId: 'acme-eu/CHK-1/1', operation: 'pan-eligibility' });
    for (const name of ['transactionId', 'payoutId', 'amount', 'currency', 'failure']) {
      expect(check).not.toHaveProperty(name);
    }
  });

  it.each<Standing>(['sending', 'waiting'])('is not published while the order is %s', (standing) => {
    expect(resultOf(viewAfter(aPayoutJob(), { standing, result: standings[standing].result }))).toBeUndefined();
  });
});

describe('a rejection', () => {
  const failure = { code: 'INVALID_MESSAGE', message: 'orderId is missing' } as const;

  it('speaks of the message, bears revision 0 and so supersedes nothing', () => {
    expect(rejection({ messageId: 'm-1', identity: { merchant: 'acme-eu' }, failure, nowMs: startMs })).toStrictEqual({
      version: 1,
      resultId: expect.stringMatching(/^rejected\/m-1\//),
      merchant: 'acme-eu',
      status: 'rejected',
      final: true,
      attempts: 0,
      revision: 0,
      failure,
      occurredAt: '2026-11-21T10:00:00.000Z',
    });
  });

  it('of a whole job bears its identity, never its params', () => {
    const job = jobOf(aTransferJob({ batchId: 'b-1', context: { a: 1 } }));
    expect(identityOf(job)).toStrictEqual({
      operation: 'transfer',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'TRF-1',
      batchId: 'b-1',
      context: '{"a":1}',
    });
    expect(identityOf(jobOf(aTransferJob()))).not.toHaveProperty('batchId');
  });
});
