// What became of a payment is one word with one meaning, wherever it is read: the result on the queue, the order, the list of questions, the
// batch, its report, pain.002 and the console. The words are written here by hand: never from the table that the product reads.
import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { rejection, resultText } from '../../lib/payout/message/result.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { resultOf, viewOf } from '../../lib/payout/order/projection.ts';
import { entered } from '../console/support/entered.ts';
import { aPayoutJob } from '../support/jobs.ts';
import type { Standing as Choices } from '../support/order-that-stands.ts';
import { creditTransfers } from './support/credit-transfers.ts';
import { type RunningCli, startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { aLedgerWithBatch, aRow } from './support/ledger-with-batch.ts';

/** One payment of each standing: how it came to be, its meaning, and the statuses of its result and of pain.002. */
const payments: Readonly<
  Record<string, { readonly its?: Choices; readonly means: string; readonly result?: string; readonly bank: string }>
> = {
  'not-started': { means: 'No order has begun; its message may be queued, delayed or given up.', bank: 'PDNG' },
  waiting: { its: { standing: 'waiting' }, means: 'Waits to be sent; no money moved.', bank: 'PDNG' },
  sending: { its: { standing: 'sending' }, means: 'Being sent to the gateway.', bank: 'PDNG' },
  'in-doubt': {
    its: { standing: 'in-doubt' },
    means: 'The gateway may have paid; the gateway is being asked.',
    result: 'in-doubt',
    bank: 'PDNG',
  },
  held: {
    its: { standing: 'held' },
    means: 'Money may have moved; a person must decide.',
    result: 'held',
    bank: 'PDNG',
  },
  confirming: {
    its: { standing: 'confirming' },
    means: 'Accepted by the gateway; the gateway is asked whether the payment ended well.',
    result: 'accepted',
    bank: 'ACSP',
  },
  accepted: {
    its: { standing: 'accepted' },
    means: 'Accepted by the gateway, which cannot be asked for more.',
    result: 'accepted',
    bank: 'ACSP',
  },
  paid: { its: { standing: 'paid' }, means: 'Paid.', result: 'approved', bank: 'ACSC' },
  declined: {
    its: { standing: 'declined' },
    means: 'Refused by the gateway; no money moved.',
    result: 'declined',
    bank: 'RJCT',
  },
  failed: {
    its: { standing: 'failed' },
    means: 'Not sent, or not processed; no money moved.',
    result: 'failed',
    bank: 'RJCT',
  },
  cancelled: {
    its: { standing: 'cancelled' },
    means: 'Cancelled; no money moved, and the payment is never sent.',
    result: 'cancelled',
    bank: 'RJCT',
  },
  'id-taken': {
    its: { standing: 'paid', money: { currency: 'EUR', minorUnits: 999n } },
    means: 'Its order id belongs to another payment; this one was not sent.',
    bank: 'RJCT',
  },
};
const words = Object.keys(payments);
const ordersOf = words.filter((word) => payments[word]?.result !== undefined || ['waiting', 'sending'].includes(word));

const directory = aDirectory();
const world = aLedgerWithBatch();
const orders = new Map<string, Order>();
let batch = '';
let report = '';
let bank = '';
let console: { readonly run: RunningCli; readonly ask: Awaited<ReturnType<typeof entered>>['ask'] };

beforeAll(async () => {
  const transfers = words.map((id) => ({ id, amount: '10.42', bic: 'COBADEFFXXX' }));
  const text = creditTransfers([{ day: new Date().toISOString().slice(0, 10), transfers }], '09');
  const file = await directory.file('payday.xml', text);
  const fileHash = createHash('sha256').update(text).digest('hex');
  await world.upload(
    'payday',
    words.map((id) => aRow(id)),
    { fileHash },
  );
  for (const word of words) {
    const its = payments[word]?.its;
    if (its) orders.set(word, await world.order('payday', word, its));
  }
  batch = (await world.payouts('batch', 'payday')).stdout;
  report = (await world.payouts('report', 'payday')).stdout;
  bank = (await world.payouts('report', 'payday', '--format', 'pain.002', '--file', file)).stdout;
  const run = startCli(['console', '--read-only'], { env: world.env(), cwd: directory.path() });
  const address = await vi.waitUntil(() => /http:\S+\?token=\S+/.exec(run.stdout())?.[0], { timeout: 60_000 });
  console = { run, ask: (await entered(address)).ask };
});

afterAll(async () => {
  console?.run.child.kill('SIGINT');
  await console?.run.ended;
});

/** What the page of the console shows. */
async function page<T>(path: string, query: Record<string, string>): Promise<T> {
  const answer = await console.ask(`api/${path}`, query);
  return ((await answer.json()) as { readonly page: { readonly value: T } }).page.value;
}

interface Shown {
  readonly label: string;
  readonly meaning: string;
}

it.each(words)('%s: the batch has its word and its meaning, once', (word) => {
  const lines = batch.split('\n').filter((line) => line.includes(` ${word} `) && line.includes('10.42'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(payments[word]?.means);
});

it.each(words)('%s: the report and pain.002 say the same', (word) => {
  const rows: Record<string, string>[] = parse(report, { columns: true });
  expect(rows.find((row) => row['order_id'] === word)?.['status']).toBe(word);
  const [, status] = new RegExp(`<OrgnlEndToEndId>${word}</OrgnlEndToEndId><TxSts>(\\w+)`).exec(bank) ?? [];
  expect(status).toBe(payments[word]?.bank);
});

it.each(ordersOf)('%s: the order says it last, with its meaning', async (word) => {
  const { stdout } = await world.payouts('order', `acme-eu/${word}`);
  const [, now = ''] = stdout.split('\n  now ');
  expect(now).toMatch(new RegExp(`^${word}(, final)? · revision`));
  expect(now).toContain(payments[word]?.means);
  // Its JSON has no second word for it.
  const { order } = JSON.parse((await world.payouts('order', `acme-eu/${word}`, '--json')).stdout) as { order: object };
  expect(order).toMatchObject({ standing: word });
  expect(order).not.toHaveProperty('result');
  // And no line of its life is said in another word.
  const life = stdout.split('\n').flatMap((line) => / {2}(?:\+[\d.]+ \w+)? {2}([a-z-]+) {2}/.exec(line)?.[1] ?? []);
  expect(life.filter((it) => !words.includes(it))).toEqual([]);
});

it.each(words)(
  '%s: the console has its word and its meaning, in the batch and on the page of the order',
  async (word) => {
    const means = payments[word]?.means;
    const { lines, payouts } = await page<{
      readonly lines: readonly Shown[];
      readonly payouts: { readonly rows: readonly { readonly title: string; readonly state: Shown }[] };
    }>('batch', { batch: 'payday' });
    expect(lines.filter(({ label }) => label === word)).toMatchObject([{ meaning: means }]);
    expect(payouts.rows.find(({ title }) => title === word)?.state).toMatchObject({ label: word, meaning: means });
    if (!ordersOf.includes(word)) return;
    const order = await page<{ readonly state: Shown; readonly meaning: string }>('order', {
      order: `acme-eu/${word}`,
    });
    expect([order.state.label, order.meaning]).toEqual([word, means]);
  },
);

it.each(ordersOf)('%s: the result on the queue is a projection of it', (word) => {
  const order = orders.get(word);
  const result = order && resultOf(viewOf(order));
  expect(result && (JSON.parse(resultText(result)) as { status: string }).status).toBe(payments[word]?.result);
});

it('the list of questions has those that need a person, and no other', async () => {
  const { stdout } = await world.payouts('todo', '--json');
  const { questions } = JSON.parse(stdout) as { questions: { kind: string; what: string }[] };
  expect(questions.map(({ kind, what }) => [kind, what])).toEqual([['held', 'acme-eu/held']]);
});

it('a check, and a hold of which no money moved, have words of their own', async () => {
  // given a check, and a hold of which no money moved
  const check = { operation: 'pan-eligibility', money: undefined } as never as Choices;
  await world.standing('CHECK', { ...check, standing: 'accepted' });
  await world.standing('UNPAID', { ...check, standing: 'held' });
  // then
  expect((await world.payouts('order', 'acme-eu/CHECK')).stdout).toMatch(
    /now checked, final[^]*Checked by the gateway; a check moves no money\./,
  );
  expect((await world.payouts('order', 'acme-eu/UNPAID')).stdout).toMatch(
    /now held-unpaid[^]*No money moved; a person must decide\./,
  );
});

it('a dead letter of which no order began has its word and its meaning', async () => {
  // given
  await world.deadLetter(aPayoutJob({ orderId: 'DEAD' }));
  const means = 'Given up as a dead letter; not sent.';
  // then
  const { code, stdout } = await world.payouts('order', 'acme-eu/DEAD');
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^acme-eu\/DEAD · dead-letter\n/)]);
  expect(stdout).toContain(means);
  const order = await page<{ readonly state: Shown; readonly meaning: string }>('order', {
    order: 'acme-eu/DEAD',
    fresh: '',
  });
  expect([order.state.label, order.meaning]).toEqual(['dead-letter', means]);
});

it('a message that was refused and became no order has its word, and its result says so', async () => {
  const failure = { code: 'INVALID_MESSAGE', message: 'no amount' } as const;
  const result = rejection({ identity: {}, failure, messageId: 'm-1', nowMs: 0 });
  expect((JSON.parse(resultText(result)) as { status: string }).status).toBe('rejected');
  const file = await directory.file('jobs.jsonl', '{}\n');
  const { stdout } = await world.run(['local', file, '--results', `${directory.path()}/results.jsonl`]);
  expect(stdout).toMatch(/ 1 +rejected .*The message was refused and became no order; no money moved by it\./);
});
