// Answers that say two things at once, or say them in a way that was not read: doubt, never a refusal and never success.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bodyText } from '../../lib/gateway/http-exchange.ts';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { judge } from '../../lib/gateway/outcome.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { aPayoutJob, aTransferJob, jobOf } from '../support/jobs.ts';
import { answer } from './evidence.ts';

const payout = jobOf(aPayoutJob({ orderId: 'X-1' }));
const transfer = jobOf(aTransferJob({ orderId: 'X-1' }));
const after = (httpStatus: number, body: string, order = payout) =>
  judge(answer(httpStatus, body), order, defaultProfile);

describe('a 200 that refuses is no success of a transfer', () => {
  it.each([
    '{"success":false,"error":{"code":12,"text":"merchant blocked"}}',
    '{"success":false,"message":"Service temporarily unavailable"}',
    '{"status":"failed","reason":"limit"}',
    '{"result":"ERROR"}',
    '{"code":"500","msg":"internal"}',
    '{"errors":[{"code":1}],"requestId":"a"}',
    '{"fault":"backend unavailable"}',
    '{"type":"redirect-response","redirect":"https://login"}',
    'status=failed&reason=limit',
    'result=ERROR',
    '{"ok":false}',
    '{"serial-number":"1","something":"of an unknown meaning"}',
  ])('%s', (body) => {
    expect(after(200, body, transfer).kind).toBe('in-doubt');
  });
});

describe('an id beside any word of trouble is doubt, and the id is kept', () => {
  it.each([
    '{"payout-id":"9000123","status":"failed"}',
    '{"payout-id":"9000123","success":false}',
    '{"payout-id":"9000123","error":{"code":5}}',
    '{"payout-id":"9000123","details":{"state":"rejected"}}',
    '{"data":{"payout-id":"9000123"}}',
  ])('%s', (body) => {
    expect(after(200, body)).toMatchObject({ kind: 'in-doubt', gatewayOrderId: '9000123' });
  });

  it('but "0", false and nothing are no trouble', () => {
    const body = '{"payout-id":"9000123","error-code":0,"errors":[],"error":null,"success":true}';
    expect(after(200, body)).toMatchObject({ kind: 'accepted', gatewayOrderId: '9000123' });
  });
});

describe('an identity goes before the status', () => {
  const body = JSON.stringify({ type: 'async-response', 'merchant-order-id': 'X-1', 'paynet-order-id': '111' });
  it.each([201, 202, 401, 402, 403, 409, 422, 429, 500])('under %i', (status) => {
    expect(after(status, body)).toMatchObject({ kind: 'in-doubt', gatewayOrderId: '111' });
    expect(after(status, `<html>paynet-order-id: 111</html>`).kind).toBe('in-doubt');
  });
});

describe('words of acceptance under a status that refuses are doubt', () => {
  const bodies = [
    '{"type":"async-response","merchant-order-id":"X-1","serial-number":"x"}',
    'type=async-response\n&merchant-order-id=X-1\n&serial-number=x\n',
    '{"type":"status-response","status":"approved","merchant-order-id":"X-1"}',
    '{"status":"processing","merchant-order-id":"X-1"}',
    '{"order":{"paynet-order-id":9000123},"message":"queued"}',
  ];
  it.each([400, 401, 403, 404, 422, 429])('%i', (status) => {
    for (const body of bodies) expect(after(status, body).kind).toBe('in-doubt');
  });
});

describe('what is about the account waits', () => {
  it.each(['2', '3', '4', '5', '7', '21', '33', '1005'])('code %s', (code) => {
    const refusal = `{"type":"validation-error","error-code":${code},"error-message":"no"}`;
    expect(after(200, refusal)).toMatchObject({ kind: 'not-processed', reason: 'account' });
  });

  it("and what the merchant's contract says is, such as its funds, for that operation alone", () => {
    const profile = { ...defaultProfile, accountCodes: { payout: ['28'] } };
    const refusal = answer(400, '{"type":"error","error-code":28,"error-message":"Insufficient funds"}');
    expect(judge(refusal, payout, profile)).toMatchObject({ kind: 'not-processed', reason: 'account' });
    expect(judge(refusal, transfer, profile).kind).toBe('declined');
  });
});

describe('unread is not refused', () => {
  it('two values of one name', () => {
    expect(after(400, '{"type":"error","error-code":8,"error-code":1013}').kind).toBe('in-doubt');
  });

  it('a body that could not be turned into text, whatever its status', () => {
    for (const status of [200, 400, 401, 404, 429]) {
      const evidence = { ...answer(status, ''), unreadable: 'br' } as Evidence;
      expect(judge(evidence, payout, defaultProfile).kind).toBe('in-doubt');
    }
  });

  it('form text in ISO-8859-1 is read', () => {
    const french = 'type=error\n&error-code=1013\n&error-message=Syst%E8me+indisponible\n';
    expect(after(400, french)).toMatchObject({ kind: 'in-doubt', failure: { message: 'Système indisponible' } });
    const accepted = 'type=async-response\n&merchant-order-id=X-1\n&paynet-order-id=9\n&end-point-name=Caf%E9\n';
    expect(after(200, accepted).kind).toBe('accepted');
  });

  it.each<[string, Buffer, object, string | undefined]>([
    ['gzip', gzipSync('{"a":1}'), { contentEncoding: 'gzip' }, '{"a":1}'],
    ['more than the limit once unpacked', gzipSync('x'.repeat(2_000)), { contentEncoding: 'gzip' }, undefined],
    ['a coding of an unknown meaning', Buffer.from('x'), { contentEncoding: 'xz' }, undefined],
    ['a charset of an unknown meaning', Buffer.from('x'), { contentType: 'text/html; charset=moon' }, undefined],
    [
      'bytes that are not of their charset',
      Buffer.from([0xe9]),
      { contentType: 'text/html; charset=utf-8' },
      undefined,
    ],
    ['ISO-8859-1', Buffer.from([0xe9]), { contentType: 'text/html;charset=ISO-8859-1' }, 'é'],
    ['UTF-16', Buffer.from('ok', 'utf16le'), { contentType: 'text/html; charset=utf-16le' }, 'ok'],
    ['nothing said, and no UTF-8', Buffer.from([0xe9]), {}, 'é'],
  ])('%s', (_, bytes, headers, text) => {
    const read = bodyText(bytes, headers, 1_000);
    expect(read.kind === 'text' ? read.text : undefined).toBe(text);
  });
});

describe('no page holds up the answers of other orders', () => {
  const size = 65_536;
  const pages = [
    'id '.repeat(size / 3),
    'order '.repeat(size / 6),
    '<p id="a">x</p>'.repeat(4_000),
    '1 '.repeat(size / 2),
    `type=error&error-code=7&error-message=${'+'.repeat(65_000)}x`,
    '{"a":'.repeat(size / 6),
    `{"a":"${'\\\\'.repeat(30_000)}"}`,
    `{${Array.from({ length: 6_000 }, (_, n) => `"k${n}":1`).join(',')}}`,
    JSON.stringify({ type: 'error', 'error-code': '7', 'error-message': 'order '.repeat(10_000) }),
    'not '.repeat(size / 4),
    `payout-id:${' '.repeat(size)}`.repeat(2),
    'payout-id:0'.repeat(size / 11),
  ];

  it('as the work grows with the text', () => {
    for (const page of pages) {
      // Processor time of this thread: a busy machine does not change it.
      const before = process.threadCpuUsage();
      for (const status of [200, 400, 404]) after(status, page);
      const { user } = process.threadCpuUsage(before);
      // Generous; a quadratic pattern takes seconds here.
      expect(user / 1_000).toBeLessThan(1_000);
    }
  });
});
