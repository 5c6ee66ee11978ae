// Where a limit ends, and where something is left out: an optional field that is not there leaves no field behind, as
// `undefined` would become one in the ledger.
import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ClaimRequest, newEntry, takenOver } from '../../lib/payout/claim.ts';
import { fingerprints } from '../../lib/payout/fingerprint.ts';
import { decodeReply } from '../../lib/gateway/reply.ts';
import { contextLimitBytes, jobBodyLimitBytes } from '../../lib/payout/job-message.ts';
import { parseJob } from '../../lib/payout/job.ts';
import { formatMinorUnits, parseAmount } from '../../lib/gateway/money.ts';
import { cutToBytes } from '../../lib/gateway/redact.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { abandoned, settled } from '../../lib/payout/settlement.ts';
import { aPayoutJob, anEligibilityJob, type JobBody, jobOf } from '../support/jobs.ts';

const request = (body: JobBody): ClaimRequest => ({
  job: jobOf(body),
  fingerprints: ['k1.x'],
  owner: 'me',
  messageId: 'm-1',
  nowMs: 1_000,
  leaseMs: 100,
});
const context = { nowMs: 5_000, attempts: 1, statusInquiry: false };
const failure = { code: 'GATEWAY_REFUSED', message: 'said so' } as const;

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

  it('in an entry, and in its result', () => {
    const entry = newEntry(request(anEligibilityJob()));
    const optional = new Set(['batchId', 'context', 'money', 'failure', 'gatewayOrderId', 'unpublished']);
    expect(Object.keys(entry).filter((name) => optional.has(name))).toEqual([]);
    const accepted = settled(entry, { kind: 'accepted' }, context);
    expect(Object.keys(accepted).filter((name) => optional.has(name))).toEqual([]);
    expect(resultOf(accepted)).toStrictEqual({
      version: 1,
      resultId: `${entry.key}/2`,
      operation: 'pan-eligibility',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'CHK-1',
      status: 'accepted',
      final: true,
      attempts: 1,
      revision: 2,
      occurredAt: '1970-01-01T00:00:05.000Z',
    });
    expect(settled(entry, { kind: 'declined', failure }, context)).not.toHaveProperty('gatewayOrderId');
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

describe('the history of an order says', () => {
  const entry = newEntry(request(aPayoutJob()));
  const reasonOf = (it: typeof entry) => it.history.at(-1)?.reason;

  it('that it was accepted', () => {
    expect(reasonOf(settled(entry, { kind: 'accepted' }, context))).toBe('accepted');
  });

  it('that it was claimed once more, which is no end', () => {
    const retryable = settled(entry, { kind: 'retryable', failure }, context);
    const again = takenOver(retryable, { ...request(aPayoutJob()), owner: 'another' });
    expect(again).toMatchObject({ state: 'submitting', final: false, attempts: 2, leaseUntilMs: 1_100 });
    expect(reasonOf(again)).toBe('claimed');
  });

  it('that its worker was lost, a check included', () => {
    const lost = { code: 'WORKER_LOST', message: 'the worker that held the claim never reported an answer' } as const;
    const now = { nowMs: 7_000, statusInquiry: false };
    expect(abandoned(entry, now)).toMatchObject({ failure: lost, updatedAtMs: 7_000 });
    const check = abandoned(newEntry(request(anEligibilityJob())), now);
    expect(check).toMatchObject({ state: 'retryable', failure: lost, updatedAtMs: 7_000, attempts: 1 });
    expect(reasonOf(check)).toBe('WORKER_LOST');
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
