// The identity of the worker's tables: what the comparison says of tables that are missing, remade or not described, and who begins a
// ledger.
import { beforeEach, describe, expect, it } from 'vitest';
import { beginLedger, type BeginningPorts } from '../../lib/restore/known-tables.ts';
import { beginPause } from '../../lib/restore/pause.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { createMemoryTables } from '../support/memory-tables.ts';
import { createManualClock, type ManualClock } from '../support/time-and-chance.ts';

const minute = 60_000;
const page = 'infra/docs/disasters.md';

let clock: ManualClock;
let tables: ReturnType<typeof createMemoryTables>;
beforeEach(() => {
  clock = createManualClock();
  tables = createMemoryTables(clock);
});

const strange = (text: string) => ({ kind: 'unknown', why: expect.stringContaining(text) });

describe('the comparison', () => {
  it('knows the tables of the record, and names the page for each that is missing or made anew', async () => {
    for (const kind of ['ledger', 'batches', 'controls', 'waiting', 'card-keys']) {
      const its = createMemoryTables(clock);
      expect(await its.comparison().verdict()).toEqual({ kind: 'known' });
      its.remove(kind);
      expect(await its.comparison().verdict()).toEqual(strange(`there is no table payouts-prod-${kind}`));
      its.remake(kind);
      expect(await its.comparison().verdict()).toEqual(strange(`payouts-prod-${kind} is not the one`));
      expect(await its.comparison().verdict()).toEqual(strange(page));
    }
  });

  it('knows no tables before an approver has begun them, and none whose record no approver made', async () => {
    const its = createMemoryTables({ ...clock, isBegun: false });
    expect(await its.comparison().verdict()).toEqual(strange('node . ledger begin payouts-prod-ledger'));
    await its.begin();
    expect(await its.comparison().verdict()).toEqual({ kind: 'known' });
    const { record: { text, mac } = { text: '', mac: '' } } = await its.source.stored();
    await its.put({ record: { text: text.replace(/"ledger":"[^"]*"/, '"ledger":"mine"'), mac } });
    expect(await its.comparison().verdict()).toEqual(strange('no approver made the record'));
  });

  it('is ten seconds old at most', async () => {
    const comparison = tables.comparison();
    await comparison.verdict();
    tables.remake();
    clock.advance(9_999);
    expect(await comparison.verdict()).toEqual({ kind: 'known' });
    clock.advance(1);
    expect(await comparison.verdict()).toEqual(strange(page));
  });

  it('holds for 15 minutes while DynamoDB does not say, then everything is paused until it names the same ids', async () => {
    const comparison = tables.comparison();
    await comparison.verdict();
    tables.answers(false);
    for (let passed = 0; passed < 14; passed += 1) {
      clock.advance(minute);
      expect(await comparison.verdict()).toEqual({ kind: 'known' });
    }
    clock.advance(minute);
    expect(await comparison.verdict()).toEqual(strange('for 15 minutes'));
    clock.advance(45 * minute);
    expect(await comparison.verdict()).toEqual(strange(page));
    tables.answers(true);
    clock.advance(10_000);
    expect(await comparison.verdict()).toEqual({ kind: 'known' });
  });

  it('does not hold what was strange already, and a cold start waits for its first answer', async () => {
    const comparison = tables.comparison();
    tables.remake();
    expect(await comparison.verdict()).toEqual(strange('is not the one'));
    tables.answers(false);
    clock.advance(10_000);
    expect(await comparison.verdict()).toEqual(strange('is not the one'));
    await expect(tables.comparison().verdict()).rejects.toThrow('describes no table');
  });

  it('asks once for all who ask at once, and checks the same record once', async () => {
    const comparison = tables.comparison();
    await comparison.verdict();
    const { calls } = tables.approvalKey;
    clock.advance(10_000);
    await Promise.all([comparison.verdict(), comparison.verdict()]);
    expect(tables.approvalKey.calls).toBe(calls);
  });
});

describe('`ledger begin`', () => {
  const begin = (its: typeof tables, typed = 'payouts-prod-ledger', more: Partial<BeginningPorts> = {}) =>
    beginLedger(typed, {
      tables: its.source,
      macs: its.approvalKey,
      maker: its.approvalKey,
      whoAmI: async () => 'grace',
      clock,
      wasLedger: async () => false,
      ...more,
    });
  const isKnown = async (its: typeof tables) => (await its.comparison().verdict()).kind === 'known';

  it('needs a person who types the name of the ledger, once', async () => {
    const its = createMemoryTables({ ...clock, isBegun: false });
    expect(await begin(its, 'payouts-test-ledger')).toMatchObject({ kind: 'refused' });
    expect(await isKnown(its)).toBe(false);
    expect(await begin(its)).toMatchObject({ kind: 'begun' });
    expect(await isKnown(its)).toBe(true);
    expect(await begin(its)).toMatchObject({ kind: 'known' });
  });

  it('takes no ledger in the place of another, be all tables made anew', async () => {
    for (const kind of ['ledger', 'batches', 'controls', 'waiting', 'card-keys']) tables.remake(kind);
    expect(await begin(tables)).toMatchObject({ kind: 'refused', why: expect.stringContaining(page) });
    expect(await isKnown(tables)).toBe(false);
  });

  it('ends a restore that was begun by mistake, as the ledger is the same', async () => {
    await isKnown(tables);
    const { record } = await tables.source.stored();
    const restoring = { sinceMs: clock.nowMs(), by: 'anna', reason: 'mistaken' };
    await tables.put({ ...(record && { record }), restoring });
    expect(await isKnown(tables)).toBe(false);
    expect(await begin(tables)).toMatchObject({ kind: 'begun' });
    expect(await tables.comparison().verdict()).toEqual({ kind: 'known' });
  });

  it('ends no restore where nothing was begun: only two persons do', async () => {
    const its = createMemoryTables({ ...clock, isBegun: false });
    await beginPause({ by: 'anna', reason: 'Region lost' }, { tables: its.source, clock, limits: defaultLimits });
    expect(await begin(its)).toMatchObject({ kind: 'refused', why: expect.stringContaining(page) });
    expect((await its.source.stored()).restoring).toMatchObject({ by: 'anna' });
  });

  it('writes over no pause that was begun while it asked, nor over what another approver has said', async () => {
    const its = createMemoryTables({ ...clock, isBegun: false });
    const begunMeanwhile = (other: () => Promise<unknown>) =>
      begin(its, undefined, { whoAmI: async () => (await other(), 'grace') });
    const overtaken = { kind: 'refused', why: expect.stringContaining('meanwhile') };
    expect(await begunMeanwhile(its.begin)).toMatchObject(overtaken);
    const paused = { tables: its.source, clock, limits: defaultLimits };
    const anna = { by: 'anna', reason: 'table lost' };
    its.remake('waiting');
    expect(await begunMeanwhile(() => beginPause(anna, paused))).toMatchObject(overtaken);
    expect((await its.source.stored()).restoring).toMatchObject(anna);
  });

  it('takes no copy of a ledger for a new one where nothing was begun yet, as in another Region', async () => {
    const its = createMemoryTables({ ...clock, isBegun: false });
    expect(await begin(its, undefined, { wasLedger: async () => true })).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('copy'),
    });
    expect(await isKnown(its)).toBe(false);
  });

  it('takes another table beside the known ledger, which holds no order, and keeps what is known of its restore', async () => {
    await tables.restored(1_000);
    tables.remake('waiting');
    expect(await begin(tables)).toMatchObject({ kind: 'begun' });
    expect(await tables.comparison().verdict()).toEqual({ kind: 'known', restored: { pausedAtMs: 1_000 } });
  });

  it('writes nothing while a table is missing, and nothing over a record that no approver made', async () => {
    tables.remove('controls');
    expect(await begin(tables)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('payouts-prod-controls'),
    });
    tables.remake('controls');
    await tables.put({ record: { text: '{}', mac: '' } });
    expect(await begin(tables)).toMatchObject({ kind: 'refused', why: expect.stringContaining('no approver') });
  });
});
