// A merchant's safeguards: only a record that an approver wrote, for this merchant and in this table, lets its money go.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  findSafeguards,
  guardedCredentials,
  type SafeguardsStore,
  type StoredSafeguards,
  safeguardsText,
  writeSafeguards,
} from '../../lib/batches/safeguards.ts';
import { anApprovalKey } from '../support/approvals.ts';
import { createFakeCredentials, someCredentials } from '../support/fake-credentials.ts';
import { createManualClock, startMs } from '../support/time-and-chance.ts';

const ttlMs = 60_000;
const strict = { twoPersonRelease: true, caps: { EUR: { single: '100.00' } } };
const loose = { twoPersonRelease: false, caps: {} };
const said = { by: 'arn:aws:iam::1:user/grace', atMs: startMs };

function aTable(place = 'batches') {
  const items = new Map<string, StoredSafeguards>();
  const table = { reads: 0, isDown: false };
  const store: SafeguardsStore = {
    place,
    async read(merchant) {
      table.reads += 1;
      if (table.isDown) throw new Error('no answer');
      return items.get(merchant);
    },
    async write(merchant, next) {
      if (items.get(merchant)?.text !== next.earlier[0]) return false;
      items.set(merchant, next);
      return true;
    },
  };
  return Object.assign(table, { items, store });
}

let table: ReturnType<typeof aTable>;
let macs: ReturnType<typeof anApprovalKey>;
let clock: ReturnType<typeof createManualClock>;
beforeEach(() => {
  [table, macs, clock] = [aTable(), anApprovalKey(), createManualClock()];
});

const write = (its: typeof strict | typeof loose, merchant = 'acme-eu') =>
  writeSafeguards(merchant, { ...its, ...said }, { store: table.store, maker: macs });
const credentials = () => {
  const stored = createFakeCredentials({ 'acme-eu': someCredentials({ profile: loose }), other: someCredentials() });
  return guardedCredentials({ credentials: stored, store: table.store, macs, clock, ttlMs });
};

describe('the credentials of a merchant', () => {
  it('bear what an approver wrote, whatever stood in the secret', async () => {
    await write(strict);
    expect(await credentials().of('acme-eu')).toMatchObject({ kind: 'credentials', credentials: { profile: strict } });
    const before = someCredentials({ version: 'v0' });
    expect(await credentials().refresh('acme-eu', before)).toMatchObject({ credentials: { profile: strict } });
  });

  it('are none while nobody has written any: a new name for the same account pays nothing', async () => {
    await write(loose);
    const failure = {
      code: 'SAFEGUARDS_MISSING',
      message: 'other has no safeguards; an approver writes them: payouts safeguards set other',
    };
    expect(await credentials().of('other')).toEqual({ kind: 'unavailable', failure });
  });

  it.each<[what: string, forge: () => Promise<StoredSafeguards>]>([
    [
      'under a MAC of somebody’s own',
      async () => {
        const text = safeguardsText('batches', 'acme-eu', { ...loose, ...said, serial: 2 });
        return { text, mac: await anApprovalKey('another key').macOf(text), earlier: [] };
      },
    ],
    [
      'changed after its MAC was made',
      async () => {
        await write(strict);
        const stored = table.items.get('acme-eu');
        return {
          text: '',
          mac: '',
          earlier: [],
          ...stored,
          ...(stored && { text: stored.text.replace('true', 'false') }),
        };
      },
    ],
    [
      'of another merchant',
      async () => {
        await write(loose, 'other');
        return table.items.get('other') ?? { text: '', mac: '', earlier: [] };
      },
    ],
    [
      'of a table that was restored under another name',
      async () => {
        const text = safeguardsText('batches-2', 'acme-eu', { ...loose, ...said, serial: 2 });
        return { text, mac: await macs.macOf(text), earlier: [] };
      },
    ],
    [
      'of an approved batch',
      async () => {
        const text = JSON.stringify(['approval of a batch', 1, 'nov']);
        return { text, mac: await macs.macOf(text), earlier: [] };
      },
    ],
  ])('are none under a record %s', async (_, forge) => {
    table.items.set('acme-eu', await forge());
    expect(await credentials().of('acme-eu')).toMatchObject({
      kind: 'unavailable',
      failure: { code: 'SAFEGUARDS_MISSING', message: expect.stringContaining('that no approver wrote') },
    });
  });

  it('wait where the table does not answer, and an older record stands in for none', async () => {
    await write(loose);
    const kept = credentials();
    expect(await kept.of('acme-eu')).toMatchObject({ kind: 'credentials' });
    table.isDown = true;
    expect(await kept.of('acme-eu')).toMatchObject({ kind: 'credentials' });
    await clock.advance(ttlMs);
    expect(await kept.of('acme-eu')).toMatchObject({
      kind: 'unavailable',
      failure: { code: 'CREDENTIALS_UNAVAILABLE' },
    });
  });
});

describe('a change', () => {
  it('is counted on, and what it replaces is kept to be shown', async () => {
    expect(await write(strict)).toMatchObject({ serial: 1 });
    expect(await write(loose)).toMatchObject({ serial: 2 });
    const found = await findSafeguards('acme-eu', { store: table.store, macs });
    expect(found).toEqual({ kind: 'hold', change: { ...loose, ...said, serial: 2 } });
    expect(table.items.get('acme-eu')?.earlier.map((it) => (JSON.parse(it) as { serial: number }).serial)).toEqual([1]);
  });
});
