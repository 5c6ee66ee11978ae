// A small kill run, for every npm test; npm run test:kill makes one of any size.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KillReport } from './kill-report.ts';
import { runKills } from './kill-run.ts';

const orders = 300;
/** Should the brake close a lane, its last jobs come back after up to a quarter of an hour: no test waits for these. */
const calmMs = 90_000;
let report: KillReport;
let logDirectory: string;

beforeAll(async () => {
  logDirectory = await mkdtemp(join(tmpdir(), 'payouts-kill-'));
  report = await runKills({ orders, kills: 6, freezes: 2, workers: 2, seed: 20261121, logDirectory, calmMs });
}, 300_000);

afterAll(() => rm(logDirectory, { recursive: true }));

describe('workers killed and frozen in the middle of their work', () => {
  it('pay no order twice', () => {
    expect(report.books.paidTwice).toEqual([]);
  });

  it('leave no job without an end, and no order open in the ledger', () => {
    expect(report.ordersLeftOpen).toBe(0);
    const inTheLedger = Object.values(report.ledgerStates).reduce((sum, count) => sum + count, 0);
    expect(inTheLedger + report.waiting).toBeGreaterThanOrEqual(orders);
    expect(inTheLedger).toBeGreaterThan(orders / 2);
  });

  it('close books that agree with the money', () => {
    expect(report.books.disagreements).toEqual([]);
    expect(report.books.agree).toBe(true);
    expect(report.messages).toBeGreaterThan(orders);
  });

  it('really were hit at work: orders were claimed by workers that never came back', () => {
    expect(report).toMatchObject({ kills: 6, freezes: 2 });
    expect(report.workersStarted).toBeGreaterThanOrEqual(2 + 6 + 2);
    expect(report.workerLost).toBeGreaterThan(0);
  });
});
