// The pause of a restore: one person begins it, everything is paused, and another one, an approver, ends it.
import { beforeEach, describe, expect, it } from 'vitest';
import { beginPause, endPause, quietFromMs, restoredBy } from '../../lib/restore/pause.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { createMemoryTables } from '../support/memory-tables.ts';
import { createManualClock, type ManualClock } from '../support/time-and-chance.ts';

let clock: ManualClock;
let tables: ReturnType<typeof createMemoryTables>;
beforeEach(() => {
  clock = createManualClock();
  tables = createMemoryTables(clock);
});
const ports = () => ({ tables: tables.source, clock, limits: defaultLimits });
const anna = { by: 'anna', reason: 'the table was deleted' };
const ends = (by: string, why?: string) =>
  endPause({
    ...ports(),
    maker: tables.approvalKey,
    whoAmI: async () => by,
    maybeOnePerson: (one, other) => one === other,
    whyNotReady: async () => why,
  });
const verdict = () => tables.comparison().verdict();

describe('a restore', () => {
  it('pauses everything while its ledger is still there, and once more is the same pause', async () => {
    await verdict();
    const begun = await beginPause(anna, ports());
    expect(await verdict()).toMatchObject({ kind: 'unknown', why: expect.stringContaining('a restore was begun') });
    clock.advance(60_000);
    expect(await beginPause({ by: 'grace', reason: 'again' }, ports())).toEqual(begun);
  });

  it('has the time of the tables, be the clock of who begins it an hour behind', async () => {
    const hour = 3_600_000;
    const tablesMs = clock.nowMs() + hour;
    // The first answer of AWS sets the clock.
    const stored = async () => {
      clock.advance(hour);
      return tables.source.stored();
    };
    const { sinceMs } = await beginPause(anna, { ...ports(), tables: { ...tables.source, stored } });
    expect(sinceMs).toBe(tablesMs);
  });

  it('is begun though DynamoDB describes no table', async () => {
    tables.answers(false);
    expect(await beginPause(anna, ports())).toMatchObject(anna);
  });

  it('is begun though an approver says meanwhile which tables are the worker’s, and is one pause if two begin it', async () => {
    await verdict();
    const { stored } = tables.source;
    const overtakenBy = (other: () => Promise<unknown>) => {
      let isFirst = true;
      return {
        ...tables.source,
        async stored() {
          const its = await stored();
          if (isFirst) await other();
          isFirst = false;
          return its;
        },
      };
    };
    const begun = await beginPause(anna, { ...ports(), tables: overtakenBy(tables.begin) });
    expect((await stored()).restoring).toEqual(begun);
    tables = createMemoryTables(clock);
    const first = () => beginPause(anna, ports());
    const grace = await beginPause({ by: 'grace', reason: 'too' }, { ...ports(), tables: overtakenBy(first) });
    expect(grace.by).toBe('anna');
  });

  it('ends by another person, once nothing of before is under way, with the time at which the pause had taken hold', async () => {
    await verdict();
    const begun = await beginPause(anna, ports());
    tables.remake();
    clock.advance(quietFromMs(begun, defaultLimits) - clock.nowMs() - 1);
    expect(await ends('grace')).toMatchObject({ kind: 'refused', why: expect.stringContaining('may still be sent') });
    clock.advance(1);
    expect(await ends('anna')).toMatchObject({ kind: 'refused', why: expect.stringContaining('one person') });
    expect(await ends('grace', 'an order may be lost')).toEqual({ kind: 'refused', why: 'an order may be lost' });
    tables.remove('waiting');
    expect(await ends('grace')).toMatchObject({ kind: 'refused', why: expect.stringContaining('no table') });
    tables.remake('waiting');
    expect((await verdict()).kind).toBe('unknown');
    expect(await ends('grace')).toMatchObject({ kind: 'begun' });
    expect(await verdict()).toEqual({ kind: 'known', restored: restoredBy(begun) });
    expect(await ends('grace')).toMatchObject({ kind: 'refused', why: 'no restore was begun' });
  });

  it('takes hold only once no process acts on an answer of before it, be its question unanswered all the time', async () => {
    const process = tables.comparison();
    await process.verdict();
    clock.advance(9_000);
    const begun = await beginPause(anna, ports());
    tables.answers(false);
    clock.advance(14 * 60_000);
    expect(await process.verdict()).toEqual({ kind: 'known' });
    clock.advance(restoredBy(begun).pausedAtMs - clock.nowMs());
    expect((await process.verdict()).kind).toBe('unknown');
  });

  it('may be begun where no ledger was, as in another Region', async () => {
    tables = createMemoryTables({ ...clock, isBegun: false });
    const begun = await beginPause(anna, ports());
    clock.advance(quietFromMs(begun, defaultLimits) - clock.nowMs());
    expect(await ends('grace')).toMatchObject({ kind: 'begun' });
  });
});
