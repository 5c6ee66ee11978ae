// A ledger that is restored a second time: what was told after the first restore may be forgotten again.
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { adoptLine, beginRestore } from '../../lib/restore/restore-ledger.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';

const begin = (world: World) =>
  beginRestore(
    startMs - 1,
    { by: 'anna', reason: 'the table was deleted', atMs: 0 },
    { ...world.ports, controlsAdmin: world.controls, restoreAdmin: createMemoryRestoration() },
  );

function aBackup(changes: Partial<LedgerEntry>): World {
  const world = aWorld();
  const entry = anEntry(changes);
  world.entries.set(entry.key, entry);
  return world;
}

it.each([
  ['the same backup', false],
  ['the restored table', true],
])('a second time, from %s, comes after all that was told since the first', async (_, isOfRestored) => {
  // given a backup that knows of doubt, restored once, and what was told of the order after that
  const backup = { orderId: 'INV-1', state: 'in-doubt', revision: 2 } as const;
  const first = aBackup(backup);
  await begin(first);
  const once = first.entries.get('acme-eu/INV-1');
  const told = [1, 2, 3].map((moves) => (once?.revision ?? 0) + moves);

  // when it is restored again within the hour
  const second = aBackup(isOfRestored && once ? once : backup);
  second.clock.advance(2_000_000);
  await begin(second);

  // then nobody takes its word for an older one, or for one that he has heard
  const twice = second.entries.get('acme-eu/INV-1');
  expect(twice?.revision).toBeGreaterThan(Math.max(...told));
  // and what the backup knew is known, what it did not know is news
  const result = { ...resultOf(anEntry({ ...backup, state: 'approved', final: true })), revision: 2 };
  expect(await adoptLine(JSON.stringify(result), second.ports)).toBe('known');
  expect(await adoptLine(JSON.stringify({ ...result, revision: 3 }), second.ports)).toBe('adopted');
});

it('said twice at once, it forgets nothing that it knew', async () => {
  const world = aBackup({ orderId: 'INV-1', state: 'in-doubt', revision: 2 });
  await begin(world);
  await begin(world);
  const result = { ...resultOf(anEntry({ orderId: 'INV-1', state: 'approved', final: true })), revision: 3 };
  expect(await adoptLine(JSON.stringify(result), world.ports)).toBe('adopted');
});
