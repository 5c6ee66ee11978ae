// A restored table on its way to a ledger: DynamoDB takes hours, leaves off what must be on, and refuses too early calls.
import { describe, expect, it } from 'vitest';
import type { ReadyPorts } from '../../lib/restore/dynamodb-restored-table.ts';
import { readyTable } from '../../lib/restore/dynamodb-restored-table.ts';
import { createManualClock } from '../support/time-and-chance.ts';

const hourMs = 3_600_000;
const indexes = ['open-work', 'batch'].map((IndexName) => ({ IndexName, IndexStatus: 'ACTIVE' }));

/** A table as DynamoDB has it while it restores. */
function aTable(
  changes: { readonly activeAfterMs?: number; readonly backupsAfterMs?: number; readonly table?: object } = {},
) {
  const { activeAfterMs = 0, backupsAfterMs = 0, table = {} } = changes;
  const clock = createManualClock();
  const bornMs = clock.nowMs();
  const is = { recovery: 'DISABLED', isProtected: false };
  const said: string[] = [];
  const answers: Readonly<Record<string, () => object>> = {
    DescribeTable: () => ({
      Table: {
        TableStatus: clock.nowMs() - bornMs < activeAfterMs ? 'CREATING' : 'ACTIVE',
        GlobalSecondaryIndexes: indexes,
        DeletionProtectionEnabled: is.isProtected,
        ...table,
      },
    }),
    UpdateContinuousBackups() {
      if (clock.nowMs() - bornMs < backupsAfterMs)
        throw Object.assign(new Error('Backups have not yet been enabled'), {
          name: 'ContinuousBackupsUnavailableException',
        });
      return Object.assign(is, { recovery: 'ENABLED' });
    },
    UpdateTable: () => Object.assign(is, { isProtected: true }),
  };
  const send = async (command: object) => answers[command.constructor.name.replace(/Command$/, '')]?.() ?? {};
  const sleep = async (ms: number) => clock.advance(ms);
  const ports: ReadyPorts = {
    client: { send: send as ReadyPorts['client']['send'] },
    clock: { nowMs: clock.nowMs, sleep },
    say: (line) => void said.push(line),
  };
  return { ports, is, said, ready: (hours: number) => readyTable('ledger-2', clock.nowMs() + hours * hourMs, ports) };
}

describe('a restored table', () => {
  it('is waited for through the hours that a restore takes, and given what a restore leaves off', async () => {
    const { ready, is, said } = aTable({ activeAfterMs: 7 * hourMs, backupsAfterMs: 7 * hourMs + 60_000 });
    expect(await ready(24)).toEqual({ kind: 'ready' });
    expect(is).toEqual({ recovery: 'ENABLED', isProtected: true });
    // A line in five minutes, not one a look.
    expect(said.filter((line) => line.includes('CREATING'))).toHaveLength(84);
    expect(said).toHaveLength(85);
    expect(said.at(-1)).toBe('ledger-2: its backups have not begun');
  });

  it('is never called ready before it is, and goes on where it was left', async () => {
    const { ready, is } = aTable({ activeAfterMs: 2 * hourMs });
    expect(await ready(1)).toEqual({ kind: 'not-ready', why: 'ledger-2 is not ready yet: run it again' });
    expect(is).toEqual({ recovery: 'DISABLED', isProtected: false });
    expect(await ready(2)).toEqual({ kind: 'ready' });
    expect(await ready(0)).toEqual({ kind: 'ready' });
  });

  it('waits for its indexes too', async () => {
    const { ready } = aTable({
      table: { GlobalSecondaryIndexes: indexes.map((it) => ({ ...it, IndexStatus: 'CREATING' })) },
    });
    expect(await ready(1)).toMatchObject({ kind: 'not-ready' });
  });

  it.each([
    ['has no index of open work', { GlobalSecondaryIndexes: [] }, 'no index open-work'],
    ['has no index of batches', { GlobalSecondaryIndexes: indexes.slice(0, 1) }, 'no index batch'],
    ['is going', { TableStatus: 'DELETING' }, 'is DELETING'],
    ['has lost its key', { TableStatus: 'INACCESSIBLE_ENCRYPTION_CREDENTIALS' }, 'is INACCESSIBLE'],
  ])('that %s is refused at once', async (_, table, why) => {
    expect(await aTable({ table }).ready(24)).toEqual({ kind: 'not-ready', why: expect.stringContaining(why) });
  });
});
