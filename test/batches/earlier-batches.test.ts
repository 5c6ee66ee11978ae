// The same payment under another id: told by what is paid to whom, whatever the order is called and however it is written.
import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newBatch } from '../../lib/batches/batch.ts';
import { contentDigests, digestBytes } from '../../lib/batches/content-digest.ts';
import { findEarlier } from '../../lib/batches/earlier-batches.ts';
import { type Job, parseJob } from '../../lib/payout/message/job.ts';
import { createMemoryBatches } from '../support/memory-batches.ts';
import { startMs } from '../support/time-and-chance.ts';

const digestsUnder = (id: string, fill: number) =>
  contentDigests({ current: id, keys: new Map([[id, createSecretKey(Buffer.alloc(32, fill))]]) });
const digests = digestsUnder('k1', 1);

function aJob(params: Readonly<Record<string, string>>, more: object = {}): Job {
  const job = { version: 1, merchant: 'acme-eu', operation: 'payout', endpointId: '1', orderId: 'A' };
  const parsed = parseJob(JSON.stringify({ ...job, params: { amount: '10.4', currency: 'EUR', ...params }, ...more }));
  if (parsed.kind === 'rejected') throw new Error(JSON.stringify(parsed.faults));
  return parsed.job;
}

describe('what is paid to whom', () => {
  const account_number = 'DE89370400440532013000';
  const of = (params: Readonly<Record<string, string>>, more?: object) =>
    digests.of(aJob(params, more))?.toString('hex');

  it('is the same however it is written, and whatever is beside it', () => {
    const same = of({ account_number, bank_name: 'A', order_desc: 'x' });
    expect(of({ account_number: 'de89 3704 0044 0532 0130 00', amount: '10.40' }, { orderId: 'B' })).toBe(same);
  });

  it('is another payment to another payee, of another amount, currency or merchant', () => {
    const others = [
      of({ account_number }),
      of({ account_number: 'DE02120300000000202051' }),
      of({ account_number, amount: '10.41' }),
      of({ account_number, currency: 'USD' }),
      of({ account_number }, { merchant: 'globex-us' }),
      of({ account_number: '532013000', bank_name: 'A' }),
      of({ account_number: '532013000', bank_name: 'B' }),
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  it('is one card in whatever operation, and the source of a transfer is no payee', () => {
    const card = '5555555555554444';
    const byRef = of({ 'destination-card-no': card }, { operation: 'transfer-by-ref' });
    expect(of({ credit_card_number: card })).toBe(byRef);
    expect(of({ credit_card_number: card, 'destination-card-no': card }, { operation: 'transfer' })).toBe(byRef);
    expect(of({ credit_card_number: card }, { operation: 'transfer' })).toBeUndefined();
  });
});

describe('earlier batches', () => {
  async function anEarlierBatch(batchId: string, jobs: readonly Job[], under = digests) {
    const content = { batchId, fileHash: batchId, contentHash: '', rows: jobs.length, totals: {}, merchant: 'acme-eu' };
    await batches.register(newBatch({ ...content, by: 'ada', nowMs: startMs }));
    const rows = jobs.map(({ merchant, orderId, money }) => ({
      orderKey: `${merchant}/${orderId}`,
      digest: 'd',
      ...(money && { money }),
    }));
    const bytes = Buffer.concat(jobs.map((job) => under.of(job) ?? Buffer.alloc(digestBytes)));
    await batches.putPart(batchId, 0, rows, { keyId: under.keyId, digests: bytes });
  }
  let batches = createMemoryBatches();
  const payment = (orderId: string, account_number = '1') => aJob({ account_number }, { orderId });

  async function found(jobs: readonly Job[]) {
    const rows = new Map(jobs.map((job, index) => [digests.of(job)?.toString('hex'), index + 2] as const));
    const orders = new Set(jobs.map(({ merchant, orderId }) => `${merchant}/${orderId}`));
    const merchants = new Set(['acme-eu']);
    const how = {
      batchId: 'now',
      merchants,
      rowOfPayment: (digest: Uint8Array) => rows.get(Buffer.from(digest).toString('hex')),
      keyId: digests.keyId,
      sinceMs: startMs - 1,
      hasOrder: (key: string) => orders.has(key),
    };
    const all: unknown[] = [];
    for await (const it of findEarlier(how, { batches }, () => {})) all.push(it);
    return all;
  }

  it('tell the order that paid the same payee the same amount', async () => {
    batches = createMemoryBatches();
    await anEarlierBatch('before', [payment('X', '7'), payment('OLD')]);
    expect(await found([payment('NEW'), payment('OTHER', '2')])).toEqual([
      { kind: 'same-payment', row: 2, batchId: 'before', orderKey: 'acme-eu/OLD', atMs: startMs },
    ]);
  });

  it('whose digests are of another key are told as not compared', async () => {
    batches = createMemoryBatches();
    await anEarlierBatch('before', [payment('OLD')], digestsUnder('k0', 3));
    expect(await found([payment('NEW')])).toEqual([{ kind: 'not-compared', batchId: 'before', parts: 1 }]);
  });
});
