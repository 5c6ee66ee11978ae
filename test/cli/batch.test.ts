// `payouts batch` and `payouts report` as an operator runs them, against the embedded environment.
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BatchRow } from '../../lib/batches/batch.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aLedgerWithBatch, aRow } from './support/ledger-with-batch.ts';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import { longDescribe, longIt } from '../support/long-proof.ts';
import { anAttempt, withFacts } from '../support/orders.ts';
import { startCli } from './support/cli.ts';
import { seenOf } from './support/seen-of.ts';

const world = aLedgerWithBatch();

const check: BatchRow = { digest: 'd', orderKey: 'acme-eu/C-1' };
const declined = { code: 'GATEWAY_REFUSED', message: '=cmd|calc', gatewayCode: '28', httpStatus: 400 } as const;

/** Ten rows that stand in every way there is. */
async function aVariedBatch(batchId: string): Promise<void> {
  const name = (it: string) => `${batchId}-${it}`;
  const money = { currency: 'EUR', minorUnits: 1042n };
  await world.upload(batchId, [
    ...['paid', 'taken', 'refused', 'held', 'doubt', 'waiting', 'reused', 'other'].map((it) => aRow(name(it))),
    aRow(name('yen'), 'JPY'),
    check,
  ]);
  const later = { updatedAtMs: startMs + 90_000 };
  await world.order(batchId, name('paid'), { standing: 'paid', gatewayOrderId: '9000123', ...later });
  await world.order(batchId, name('taken'), { standing: 'confirming', gatewayOrderId: '9000124' });
  await world.order(batchId, name('refused'), { standing: 'declined', failure: declined });
  await world.order(batchId, name('held'), { standing: 'held', failure: { code: 'NO_ANSWER', message: 'no answer' } });
  await world.order(batchId, name('doubt'), { standing: 'in-doubt', createdAtMs: startMs - 60_000 });
  const other = { money: { ...money, minorUnits: 999n } };
  await world.order('earlier', name('reused'), { standing: 'paid', gatewayOrderId: '7', ...other });
  await world.order('earlier', name('other'), { standing: 'paid', gatewayOrderId: '8' });
  await world.order(batchId, name('yen'), { standing: 'cancelled', money: { ...money, currency: 'JPY' } });
}

describe('payouts batch', () => {
  it('shows payouts and money by standing, why they are not paid, and what to do', async () => {
    await aVariedBatch('varied');
    const { code, stdout } = await world.payouts('batch', 'varied');
    expect(code).toBe(1);
    expect(stdout).toContain('batch varied · acme-eu · uploaded · registered 2026-11-21 10:00:00Z by ada');
    const lines = stdout.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
    expect(lines).toEqual(
      expect.arrayContaining([
        '1  not-started  No order has begun; its message may be queued, delayed or given up.',
        '1  not-started  10.42  EUR',
        '1  in-doubt  10.42  EUR  The gateway may have paid; the gateway is being asked.',
        '2  paid  20.84  EUR  1  Paid.',
        '1  held  10.42  EUR  Money may have moved; a person must decide.',
        '1  cancelled  1042  JPY  Cancelled; no money moved, and the payment is never sent.',
        '1  id-taken  10.42  EUR  Its order id belongs to another payment; this one was not sent.',
        'file  10 rows · 83.36 EUR in 8 rows · 1042 JPY in 1 row',
        'uploaded  10 of 10 rows',
        '· count and money are those of the file',
        expect.stringMatching(/^1 declined · GATEWAY_REFUSED: gateway code 28, \w/),
        '1 id-taken · ORDER_ID_REUSED: its order id belongs to an order of other content',
        '1 held · HELD_UNPROVEN: no answer',
      ]),
    );
    expect(stdout).toMatch(/✘ \d of 10 payouts are not settled: 2 not-started/);
    expect(stdout).toContain('Send the unpaid ones again: `node . retry varied FILE`.');
  });

  it('says the same to programs', async () => {
    const { stdout } = await world.payouts('batch', 'varied', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      found: true,
      state: 'uploaded',
      attention: true,
      totals: [
        { currency: 'EUR', count: 8, amount: '83.36' },
        { currency: 'JPY', count: 1, amount: '1042' },
      ],
      uploaded: 10,
      balanced: true,
      settled: false,
      payments: 10,
    });
  });

  longIt('shows an upload that goes on, and a batch that waits for approval; neither is paid', async () => {
    const rows = Array.from({ length: 501 }, (_, n) => aRow(`half-${n}`));
    await world.upload('half', rows.slice(0, 500), { rows: 501, parts: 2 });
    await world.upload('waits', [], { rows: 2, parts: 1, state: 'awaiting-approval' });
    const half = await world.payouts('batch', 'half');
    expect(half.stdout).toContain('uploaded   500 of 501 rows');
    expect(half.stdout).toContain('✘ 501 of 501 payouts are not settled: 501 not-started\n');
    const waits = await world.payouts('batch', 'waits');
    expect(waits).toMatchObject({ code: 1 });
    expect(waits.stdout).toContain('✘ 2 of 2 payouts are not settled: 2 not-started\n');
    expect(waits.stdout).toContain('nothing is sent until a second person has approved it');
    expect(waits.stdout).toContain('uploaded   0 of 2 rows');
  });

  longIt('shows one that was left half sent, among what waits for a person, until it is called off', async () => {
    await world.upload('half-sent', [], { rows: 2, parts: 1 });
    const shown = await world.payouts('batch', 'half-sent');
    expect(shown.stdout).toContain('! half sent, and left: run the same `node . submit` over the same file to go on');
    expect(JSON.parse((await world.payouts('batch', 'half-sent', '--json')).stdout)).toMatchObject({ attention: true });
    const todo = async () =>
      (JSON.parse((await world.payouts('todo', '--json')).stdout) as { questions: { what: string; why: string }[] })
        .questions;
    expect(await todo()).toContainEqual(
      expect.objectContaining({
        kind: 'batch',
        what: 'half-sent',
        why: 'half sent by ada, and left: go on with the same command over the same file, or call it off',
        sinceMs: Date.parse('2026-11-21T10:00:00Z'),
      }),
    );
    const calledOff = await world.payouts('cancel', '--batch', 'half-sent', '--reason', 'its file is lost');
    expect(calledOff).toMatchObject({ code: 0 });
    expect((await todo()).map(({ what }) => what)).not.toContain('half-sent');
  });

  longIt('shows what has ended, and as closed once the sweeper has closed it', async () => {
    await world.upload('done', [aRow('done-1'), aRow('done-2')]);
    await world.order('done', 'done-1', { standing: 'paid' });
    const failure = { code: 'GATEWAY_REFUSED', message: 'bank account is unknown' } as const;
    await world.order('done', 'done-2', { standing: 'declined', failure });
    const seen = await world.payouts('batch', 'done');
    expect(seen).toMatchObject({ code: 0 });
    expect(seen.stdout).toContain('· count and money are those of the file\n');
    expect(seen.stdout).toContain('✔ all 2 payouts: 1 paid, 1 declined\n');
    await world.settle('done');
    const closed = await world.payouts('batch', 'done');
    expect(closed).toMatchObject({ code: 0 });
    expect(closed.stdout).toContain('batch done · acme-eu · closed ·');
    expect(closed.stdout).toMatch(/· count and money are those of the file; batch result published .*Z\n/);
  });

  it('says when rows have ended and do not add up', async () => {
    await world.upload('crooked', [aRow('crooked-1')], { totals: { EUR: { count: 1, minorUnits: 1043n } } });
    await world.order('crooked', 'crooked-1', { standing: 'paid' });
    const { code, stdout } = await world.payouts('batch', 'crooked');
    expect(code).toBe(1);
    expect(stdout).toContain('✘ count or money is not that of the file: somebody must look');
  });
});

longDescribe('payouts report', () => {
  beforeAll(() => aVariedBatch('report'));

  it('has the rows in the order of the file with what became of each, and the sums apart', async () => {
    const { code, stdout, stderr } = await world.payouts('report', 'report');
    expect(code).toBe(0);
    const lines: Record<string, string>[] = parse(stdout, { columns: true });
    const columns = ['order_id', 'status', 'final', 'elsewhere'];
    expect(lines.map((it) => columns.map((column) => it[column]))).toEqual([
      ['report-paid', 'paid', 'true', 'false'],
      ['report-taken', 'confirming', 'false', 'false'],
      ['report-refused', 'declined', 'true', 'false'],
      ['report-held', 'held', 'false', 'false'],
      ['report-doubt', 'in-doubt', 'false', 'false'],
      ['report-waiting', 'not-started', 'false', 'false'],
      ['report-reused', 'id-taken', 'true', 'false'],
      ['report-other', 'paid', 'true', 'true'],
      ['report-yen', 'cancelled', 'true', 'false'],
      ['C-1', 'not-started', 'false', 'false'],
    ]);
    const times = { created_at: '2026-11-21T10:00:00.000Z', updated_at: '2026-11-21T10:01:30.000Z' };
    const gateway = { gateway_order_id: '9000123', attempts: '1', failure_code: '' };
    expect(lines[0]).toMatchObject({ merchant: 'acme-eu', amount: '10.42', currency: 'EUR', ...gateway, ...times });
    expect(lines[2]).toMatchObject({ failure_code: 'GATEWAY_REFUSED', gateway_code: '28', http_status: '400' });
    // The order of another batch under this id is paid; this row is not.
    expect(lines[6]).toMatchObject({ failure_code: 'ORDER_ID_REUSED', gateway_order_id: '', attempts: '' });
    // A program that adds up the amounts of the file gets the sums of its rows, and nothing twice.
    const eur = lines.filter((it) => it['currency'] === 'EUR').map((it) => Math.round(Number(it['amount']) * 100));
    expect(eur.reduce((sum, cents) => sum + cents, 0)).toBe(8336);
    expect(stderr).toMatch(/control\s+balanced\s+8\s+83\.36\s+EUR/);
    expect(stderr).toContain('payouts: 10 rows\n');
  });

  it('says what is not in it, and what can’t be made', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => aRow(`part-${n}`));
    await world.upload('part', rows, { rows: 501, parts: 2 });
    const part = await world.payouts('report', 'part');
    expect(part).toMatchObject({ code: 0 });
    expect(part.stderr).toContain('payouts: 1 row of the batch is not uploaded yet\n');
    expect(await world.payouts('report', 'nothing')).toMatchObject({
      code: 1,
      stderr: 'payouts: there is no batch nothing\n',
    });
    for (const wrong of [
      ['--output', '/nowhere/at/all.csv'],
      ['--format', 'xlsx'],
    ])
      expect(await world.payouts('report', 'report', ...wrong)).toMatchObject({ code: 2 });
  });
});

it('never calls closed what is held in doubt, and tells it anew once a person has decided', async () => {
  await world.upload('doubtful', [aRow('doubtful-1')]);
  await world.order('doubtful', 'doubtful-1', {
    standing: 'held',
    failure: { code: 'NO_ANSWER', message: 'no answer' },
  });
  await world.settle('doubtful');
  const held = await world.payouts('batch', 'doubtful');
  expect(held).toMatchObject({ code: 1 });
  expect(held.stdout).toContain('batch doubtful · acme-eu · in-doubt ·');
  expect(held.stdout).toContain('A person must decide: `node . todo` lists the questions.');
  const looked = await seenOf(world.payouts, 'acme-eu/doubtful-1');
  const release = ['release', 'acme-eu/doubtful-1', '--as', 'paid', '--reason', 'seen', ...looked];
  expect(await world.payouts(...release)).toMatchObject({ code: 0 });
  const moved = await world.payouts('batch', 'doubtful');
  expect(moved.stdout).toContain('payouts have changed since, and the next revision follows');
  const report = await world.payouts('report', 'doubtful');
  expect(parse(report.stdout, { columns: true })[0]).toMatchObject({ status: 'paid', late: 'true' });
});

longDescribe('payouts batch --watch', () => {
  it('watches on while the gateway is asked, until all is paid', async () => {
    // given a batch whose one payout the gateway has taken and says more about
    await world.upload('watched', [aRow('watched-1')]);
    const accepted = await world.order('watched', 'watched-1', { standing: 'confirming' });

    // when it is watched, and the gateway says after some looks that it is paid
    const watching = startCli(['batch', 'watched', '--watch', '--json'], { env: world.env() });
    const states = () =>
      watching
        .stdout()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).state);
    await expect.poll(() => states().length, { timeout: 20_000 }).toBeGreaterThan(2);
    const standing = await world.orders().read(accepted.key);
    if (standing.kind !== 'found') throw new Error('the order is gone');
    await world
      .orders()
      .write(standing.order, withFacts(standing.order, ofAttempt(anAttempt({ reports: ['approved'] }))));

    // then the watch ends there, whether the sweeper has told it again or not
    expect(await watching.ended).toMatchObject({ code: 0 });
  });

  it('ends at once where all that is left waits for a person', async () => {
    await world.upload('personal', [aRow('personal-1')]);
    await world.order('personal', 'personal-1', { standing: 'held', failure: { code: 'NO_ANSWER', message: 'no' } });
    expect(await world.payouts('batch', 'personal', '--watch')).toMatchObject({ code: 1 });
  });

  it('ends a watch at Ctrl-C with what it saw last', async () => {
    await world.upload('left', [aRow('left-1')]);
    const watching = startCli(['batch', 'left', '--watch'], { env: world.env() });
    await expect.poll(() => watching.stdout(), { timeout: 20_000 }).toContain('look again later');
    watching.child.kill('SIGINT');
    expect(await watching.ended).toMatchObject({ code: 1, signal: null });
  });
});
