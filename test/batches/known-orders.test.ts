// How the ledger knows a row's order, and what is counted of a file by it.
import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { knownAs } from '../../lib/batches/known-orders.ts';
import { lookUp } from '../../lib/cli/batches/submit-known.ts';
import type { GoodRow } from '../../lib/files/check-rows.ts';
import { fingerprints, type FingerprintKeys } from '../../lib/payout/message/fingerprint.ts';
import { type Job, parseJob } from '../../lib/payout/message/job.ts';
import { contentDigest } from '../../lib/payout/message/plain-digest.ts';
import type { Facts } from '../../lib/payout/order/facts.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anAttempt, anOrder, withFacts } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const keys: FingerprintKeys = { current: 'k', keys: new Map([['k', createSecretKey(Buffer.alloc(32, 1))]]) };
function jobOf(changes: object = {}) {
  const parsed = parseJob(JSON.stringify(aPayoutJob({ orderId: 'A', ...changes })));
  if (parsed.kind !== 'job') throw new Error('no job');
  return parsed.job;
}
const job = jobOf();
const fresh = (): Order =>
  anOrder({
    orderId: 'A',
    endpointId: job.endpointId,
    fingerprint: fingerprints(job, keys)[0],
    attempt: { askable: false },
  });
const refused = (about: 'order' | 'account') =>
  ({ kind: 'refused', about, connected: true, atMs: startMs, code: 'GATEWAY_DECLINED', message: 'no' }) as const;
const after = (changes: Partial<Parameters<typeof anAttempt>[0]>): Partial<Facts> => {
  const attempt = anAttempt(changes);
  return { attempts: { [attempt.id]: attempt } };
};
const withPayee = (order: Order, of: Job): Order => ({
  ...order,
  content: order.content && { ...order.content, digest: contentDigest(of) },
});
const lapsed = { code: 'WORKER_LOST', message: 'lost' };
const cancel = {
  id: 'd',
  kind: 'cancel',
  by: 'ada',
  reason: 'twice',
  atMs: startMs,
  saw: {},
} as const;
const approved = withFacts(fresh(), after({ answer: { kind: 'taken', atMs: startMs }, reports: ['approved'] }));
const retryable = withFacts(fresh(), after({ answer: refused('account') }));
const declined = withFacts(fresh(), after({ answer: refused('order') }));

it.each<[string, Order, string | undefined]>([
  ['submitting', fresh(), 'sent'],
  ['in doubt', withFacts(fresh(), after({ lapsed })), 'sent'],
  ['held', withFacts(fresh(), after({ lapsed, overdue: true })), 'sent'],
  ['accepted', withFacts(fresh(), after({ answer: { kind: 'taken', atMs: startMs } })), 'sent'],
  ['approved', approved, 'sent'],
  ['declined', declined, 'ended'],
  ['cancelled', withFacts(retryable, { decisions: { d: cancel } }), 'ended'],
  // Proven not to have been sent, for reasons that are not the order's: the row would be sent.
  ['retryable', retryable, undefined],
])('an order of the same content that is %s is known as that', (_, order, kind) => {
  expect(knownAs(job, order, keys)).toBe(kind);
});

it('a row that names the end of its order would be sent, and no other row of it', () => {
  expect(knownAs(jobOf({ resends: 'end-1' }), declined, keys)).toBeUndefined();
  expect(knownAs(jobOf({ resends: 'end-2' }), declined, keys)).toBe('ended');
});

it('an order of other content is known as that, with the keys and without', () => {
  const other = jobOf({ params: { ...aPayoutJob().params, amount: '10.43' } });
  for (const order of [approved, retryable]) {
    expect(knownAs(other, order, keys)).toBe('other-content');
    expect(knownAs(other, order, undefined)).toBe('other-content');
  }
  expect(knownAs(job, approved, undefined)).toBe('sent');
});

it('an order that shows another payee is other content, also without its key', () => {
  const shown = withPayee(approved, job);
  const other = jobOf({ params: { ...aPayoutJob().params, account_number: '9876543210' } });
  const anotherKey: FingerprintKeys = { current: 'n', keys: new Map([['n', createSecretKey(Buffer.alloc(32, 2))]]) };
  for (const known of [undefined, anotherKey]) {
    expect(knownAs(other, shown, known)).toBe('other-content');
    expect(knownAs(job, shown, known)).toBe('sent');
  }
});

it('a row whose card is sealed is known by what it shows, whatever was in the seal', () => {
  const sealed = { ...job, sealedParams: 'a.b.c.d.e' };
  const withCard = { ...job, params: { ...job.params, credit_card_number: '4111111111111111' } };
  const opened = anOrder({ orderId: 'A', endpointId: job.endpointId, fingerprint: fingerprints(withCard, keys)[0] });
  expect(knownAs(sealed, opened, keys)).toBe('sent');
  const { content } = opened;
  expect(knownAs(job, { ...opened, content: content && { ...content, fingerprint: '' } }, keys)).toBe('sent');
  expect(knownAs({ ...sealed, orderId: 'A', money: { currency: 'EUR', minorUnits: 1n } }, opened, keys)).toBe(
    'other-content',
  );
});

it('a read that fails ends the look', async () => {
  const read = async () => {
    throw new Error('no right');
  };
  async function* rows(): AsyncGenerator<readonly GoodRow[]> {
    yield [{ kind: 'job', row: 1, message: {}, text: '', job }];
  }
  await expect(lookUp(rows(), { knownOrders: { read } }, keys, async () => {})).rejects.toThrow('no right');
});
