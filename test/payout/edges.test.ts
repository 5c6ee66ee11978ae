// Where a limit ends, and where something is left out: an optional field that is not there leaves no field behind, as
// `undefined` would become one in an item.
import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fingerprints } from '../../lib/payout/message/fingerprint.ts';
import { decodeReply } from '../../lib/gateway/reply.ts';
import { contextLimitBytes } from '../../lib/payout/message/job-fields.ts';
import { jobBodyLimitBytes } from '../../lib/payout/message/job-fields.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { formatMinorUnits, parseAmount } from '../../lib/gateway/money.ts';
import { cutToBytes } from '../../lib/gateway/redact.ts';
import { resultOf } from '../../lib/payout/message/result.ts';
import { aPayoutJob, anEligibilityJob, jobOf } from '../support/jobs.ts';
import { aView } from '../support/orders.ts';

describe('what is not there leaves no field', () => {
  it('in a job', () => {
    expect(jobOf(anEligibilityJob())).toStrictEqual({
      operation: 'pan-eligibility',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'CHK-1',
      params: { 'sending-card-ref-id': '1234567890' },
    });
  });

  it('in the identity of a refused message', () => {
    const parsed = parseJob('{"version":1,"operation":"payout","orderId":"INV-1"}');
    expect(parsed).toHaveProperty('identity');
    expect('identity' in parsed && parsed.identity).toStrictEqual({ operation: 'payout', orderId: 'INV-1' });
  });

  it('in an order, and in its result', () => {
    const { money: _, ...check } = aView({
      operation: 'pan-eligibility',
      orderId: 'CHK-1',
      state: 'accepted',
      final: true,
    });
    const optional = new Set(['batchId', 'context', 'money', 'failure', 'gatewayOrderId', 'unpublished']);
    expect(Object.keys(check).filter((name) => optional.has(name))).toEqual([]);
    expect(resultOf({ ...check, revision: 2 })).toStrictEqual({
      version: 1,
      resultId: 'acme-eu/CHK-1/2',
      operation: 'pan-eligibility',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'CHK-1',
      status: 'accepted',
      final: true,
      attempts: 1,
      revision: 2,
      occurredAt: '2026-11-21T10:00:00.000Z',
    });
  });
});

describe('at its very limit', () => {
  it('a context is taken', () => {
    const context = { x: 'c'.repeat(contextLimitBytes - '{"x":""}'.length) };
    expect(jobOf(aPayoutJob({ context })).context).toBe(JSON.stringify(context));
  });

  it('a message is taken, and one byte more is not', () => {
    const body = JSON.stringify(aPayoutJob()).padEnd(jobBodyLimitBytes);
    expect(parseJob(body).kind).toBe('job');
    expect(parseJob(`${body} `).kind).toBe('rejected');
  });

  it('a text is not cut', () => {
    expect(cutToBytes('жжж', 6)).toBe('жжж');
    expect(cutToBytes('жжж.', 6)).toBe('ж…');
  });
});

describe('a fingerprint', () => {
  const keys = { current: 'k1', keys: new Map([['k1', createSecretKey(Buffer.alloc(32, 1))]]) };

  it('is the same whatever the order in which the params are written', () => {
    const { params } = aPayoutJob();
    const bodies = [params, Object.fromEntries(Object.entries(params).toReversed())].map((it) => ({
      ...aPayoutJob(),
      params: it,
    }));
    expect(Object.keys(bodies[1]?.params ?? {})).toEqual(Object.keys(params).toReversed());
    expect(new Set(bodies.map((body) => fingerprints(jobOf(body), keys)[0])).size).toBe(1);
  });

  it('under a missing key names the key', () => {
    expect(() => fingerprints(jobOf(aPayoutJob()), { ...keys, current: 'k9' })).toThrow(
      'fingerprint key "k9" is not among the keys',
    );
  });
});

describe('an amount', () => {
  it('that is none is a fault', () => {
    expect(parseAmount('10,42', 'EUR')).toStrictEqual({
      kind: 'fault',
      fault: 'has a decimal comma; write a dot, as in "10.42"',
    });
    expect(parseAmount('0', 'EUR')).toStrictEqual({
      kind: 'fault',
      fault: 'is zero; a payment moves a positive amount',
    });
    expect(parseAmount('1,000.00', 'EUR')).toStrictEqual({
      kind: 'fault',
      fault: 'is not a plain decimal number such as "10.42"',
    });
  });

  it('of nothing has no sign', () => {
    expect(formatMinorUnits(0n, 'EUR')).toBe('0.00');
  });
});

describe('a reply', () => {
  it.each([
    ['{"a":', 'the body is not whole JSON'],
    ['[1]', 'the body is an array, not an object'],
    ['{}', 'the JSON object has no fields'],
    ['a=1\n&a=2\n', 'the form text has two values of a'],
  ])('%j is unreadable', (body, reason) => {
    expect(decodeReply(body, 'delimited')).toStrictEqual({ kind: 'unreadable', reason });
  });

  it.each([
    ['', 'the body is empty'],
    ['plain words', 'the body is neither JSON nor form text'],
  ])('%j is a page', (text, reason) => {
    expect(decodeReply(text, 'delimited')).toStrictEqual({ kind: 'page', reason, text });
  });

  it('of form text may have blanks around its names', () => {
    const reply = decodeReply(' type=error\n& error-code=8\n', 'delimited');
    expect(reply.kind === 'fields' && [...reply.fields]).toEqual([
      ['type', 'error'],
      ['error-code', '8'],
    ]);
  });
});

describe('a field that is not in the contract', () => {
  const hintOf = (name: string) => {
    const body = { ...aPayoutJob(), params: { ...aPayoutJob().params, [name]: 'x' } };
    const parsed = parseJob(JSON.stringify(body));
    return parsed.kind === 'rejected' ? parsed.faults.map(({ field, fault }) => `${field} ${fault}`) : [];
  };

  it.each(['client_orderid', 'client-order-id', 'CLIENT_ORDER_ID'])('%s is the message\'s "orderId"', (name) => {
    expect(hintOf(name)).toEqual([
      `params.${name} is not a field of payout; the order identifier is the message's "orderId"`,
    ]);
  });

  it.each(['my_client_order_id', 'client_orderid_of_mine', 'client_orderXid'])('%s is not', (name) => {
    expect(hintOf(name)[0]).toContain('it takes amount');
  });

  it('is named where three digits at most stand in it', () => {
    expect(hintOf('field123')[0]).toMatch(/^params\.field123 /);
    expect(hintOf('field1234')[0]).toMatch(/^params\.\(unprintable name\) /);
  });
});
