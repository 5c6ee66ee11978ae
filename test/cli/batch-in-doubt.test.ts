// `payouts batch` on a batch that was told with money in doubt, before and after a person has decided, and while watched.
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ofAttempt } from '../../lib/payout/order/facts.ts';
import { longDescribe } from '../support/long-proof.ts';
import { anAttempt, withFacts } from '../support/orders.ts';
import { startCli } from './support/cli.ts';
import { aRow, type LedgerWithBatch, startLedgerWithBatch } from './support/ledger-with-batch.ts';

let world: LedgerWithBatch;

beforeAll(async () => {
  world = await startLedgerWithBatch();
});

afterAll(() => world.close());

it('never calls closed what is held in doubt, and tells it anew once a person has decided', async () => {
  await world.upload('doubtful', [aRow('doubtful-1')]);
  await world.order('doubtful', 'doubtful-1', {
    state: 'held',
    failure: { code: 'NO_ANSWER', message: 'no answer' },
  });
  await world.settle('doubtful');
  const held = await world.payouts('batch', 'doubtful');
  expect(held).toMatchObject({ code: 1 });
  expect(held.stdout).toContain('batch doubtful · acme-eu · in-doubt ·');
  expect(held.stdout).toContain(
    'all rows were processed, except 1 whose outcome is unknown: somebody must decide; batch result published ',
  );
  const release = ['release', 'acme-eu/doubtful-1', '--as', 'paid', '--reason', 'seen'];
  expect(await world.payouts(...release)).toMatchObject({ code: 0 });
  const moved = await world.payouts('batch', 'doubtful');
  expect(moved.stdout).toContain('rows have changed since, and the next revision follows');
  const report = await world.payouts('report', 'doubtful');
  expect(parse(report.stdout, { columns: true })[0]).toMatchObject({ status: 'paid', late: 'true' });
});

longDescribe('payouts batch --watch', () => {
  it('watches on when the sweeper has told rows that are merely accepted, until they are paid', async () => {
    // given a batch that was told, whose one row the gateway has taken and says more about
    await world.upload('watched', [aRow('watched-1')]);
    const accepted = await world.order('watched', 'watched-1', { state: 'accepted', final: false });
    await world.settle('watched');

    // when it is watched, and the gateway says after some looks that it is paid
    const watching = startCli(['batch', 'watched', '--watch', '--json'], { env: world.env });
    const states = () =>
      watching
        .stdout()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).state);
    await expect.poll(() => states().length, { timeout: 20_000 }).toBeGreaterThan(2);
    expect(states()).not.toContain('uploaded');
    const standing = await world.orders.read(accepted.key);
    if (standing.kind !== 'found') throw new Error('the order is gone');
    await world.orders.write(
      standing.order,
      withFacts(standing.order, ofAttempt(anAttempt({ reports: ['approved'] }))),
    );

    // then the watch ends there, whether the sweeper has told it again or not
    expect(await watching.ended).toMatchObject({ code: 0 });
  });

  it('ends at once where all that is left waits for a person', async () => {
    await world.upload('personal', [aRow('personal-1')]);
    await world.order('personal', 'personal-1', { state: 'held', failure: { code: 'NO_ANSWER', message: 'no' } });
    expect(await world.payouts('batch', 'personal', '--watch')).toMatchObject({ code: 1 });
  });

  it('ends a watch at Ctrl-C with what it saw last', async () => {
    await world.upload('left', [aRow('left-1')]);
    const watching = startCli(['batch', 'left', '--watch'], { env: world.env });
    await expect.poll(() => watching.stdout(), { timeout: 20_000 }).toContain('rows are still being processed');
    watching.child.kill('SIGINT');
    expect(await watching.ended).toMatchObject({ code: 1, signal: null });
  });

  it('ends where no row has moved for as long as it was to wait', async () => {
    await world.upload('still', [aRow('still-1')]);
    const { code, stdout } = await world.payouts('batch', 'still', '--watch', '--wait', '2');
    expect(code).toBe(1);
    expect(stdout).toContain('✘ 1 of 1 row is not settled: 1 waiting');
  });
});
