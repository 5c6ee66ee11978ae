// `payouts batch` on a batch that was told with money in doubt, before and after a person has decided.
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  const held = await world.payouts('batch', 'doubtful', '--close');
  expect(held).toMatchObject({ code: 1 });
  expect(held.stdout).toContain('batch doubtful · acme-eu · in-doubt ·');
  expect(held.stdout).toContain('of 1 nobody knows whether the money moved: a person decides; told ');
  const release = ['release', 'acme-eu/doubtful-1', '--as', 'paid', '--reason', 'seen', '--by', 'jane'];
  expect(await world.payouts(...release)).toMatchObject({ code: 0 });
  const moved = await world.payouts('batch', 'doubtful');
  expect(moved.stdout).toContain('rows have moved since, and the next revision follows');
  const report = await world.payouts('report', 'doubtful');
  expect(parse(report.stdout, { columns: true })[0]).toMatchObject({ status: 'approved', late: 'true' });
});
