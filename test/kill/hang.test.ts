// A short run of services that hang, answer late or by half, and refuse, each in turn, with workers killed in between;
// npm run test:kill -- --hang all --minutes 60 makes one of any length.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KillReport } from './kill-report.ts';
import { runKills } from './kill-run.ts';
import { bounds } from './order-counts.ts';
import { troubledServices } from './trouble.ts';

const orders = 60;
let report: KillReport;
let logDirectory: string;

beforeAll(async () => {
  logDirectory = await mkdtemp(join(tmpdir(), 'payouts-hang-'));
  // Twenty phases: each service in each way.
  const trouble = { services: troubledServices, phaseMs: 2_000, calmMs: 800, killEveryMs: 7_000 };
  report = await runKills({ orders, kills: 8, freezes: 1, workers: 2, seed: 20261122, logDirectory, trouble });
}, 600_000);

afterAll(() => rm(logDirectory, { recursive: true }));

describe('services that hang, answer late or by half, and refuse', () => {
  it('make no order paid twice', () => {
    expect(report.accounts.paidTwice).toEqual([]);
  });

  it('lose no job, and leave no order open in the ledger', () => {
    expect(report.accounts.endings.missing).toBe(0);
    expect(report.ordersLeftOpen).toBe(0);
    expect(Object.values(report.ledgerStates).reduce((sum, count) => sum + count, 0)).toBe(orders);
  });

  it('make no result say more than is known', () => {
    expect(report.toldWrongly).toEqual([]);
    expect(report.accounts.disagreements).toEqual([]);
  });

  it('cost no order more than is stated in an hour', () => {
    const counted = Object.keys(bounds) as (keyof typeof bounds)[];
    const above = counted.filter((what) => (report.trouble?.mostPerHour[what].most ?? Infinity) > bounds[what]);
    expect(above).toEqual([]);
  });

  it('really were met: every service in its turn', () => {
    const { phases = 0, struck = {} } = report.trouble ?? {};
    expect(phases).toBeGreaterThanOrEqual(15);
    expect(Object.keys(struck)).toEqual(['sqs', 'results', 'dynamodb', 'secrets', 'gateway']);
    expect(struck['dynamodb']).toBeGreaterThan(0);
    expect(report.kills).toBe(8);
  });
});
