// A merchant's safeguards: only a record that an approver wrote, for this merchant, its login and this table, lets its money go.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  findSafeguards,
  guardedCredentials,
  registeredCredentials,
  type StoredSafeguards,
  safeguardsText,
  whyUnregistered,
} from '../../lib/batches/safeguards.ts';
import type { MerchantCredentials } from '../../lib/gateway/ports.ts';
import { accountOf } from '../../lib/gateway/signed-request.ts';
import { anApprovalKey } from '../support/approvals.ts';
import { createFakeCredentials, someCredentials } from '../support/fake-credentials.ts';
import { createMemorySafeguards, saidBy } from '../support/memory-safeguards.ts';
import { createManualClock } from '../support/time-and-chance.ts';

const ttlMs = 60_000;
const login = 'gateway.test/acme-login';
const strict = { logins: [login], twoPersonRelease: true, caps: { EUR: { single: '100.00' } } };
const loose = { logins: [login], twoPersonRelease: false, caps: {} };

let table: ReturnType<typeof createMemorySafeguards>;
let macs: ReturnType<typeof anApprovalKey>;
let clock: ReturnType<typeof createManualClock>;
beforeEach(() => {
  [table, macs, clock] = [createMemorySafeguards(), anApprovalKey(), createManualClock()];
});

const write = (its: Parameters<typeof table.write>[1], merchant = 'acme-eu') => table.write(merchant, its, macs);
const held = ({ twoPersonRelease, caps }: typeof strict) => ({ credentials: { profile: { twoPersonRelease, caps } } });
const sources = (own: Partial<MerchantCredentials> = {}) => {
  const profile = { twoPersonRelease: false, caps: {} };
  const stored = createFakeCredentials({
    'acme-eu': { ...someCredentials({ profile }), ...own },
    other: someCredentials(),
  });
  return { credentials: stored, store: table.store, macs, clock, ttlMs };
};
const credentials = (own?: Partial<MerchantCredentials>) => guardedCredentials(sources(own));

describe('the credentials of a merchant', () => {
  it('bear what an approver wrote, whatever stood in the secret', async () => {
    await write(strict);
    expect(await credentials().of('acme-eu')).toMatchObject(held(strict));
    const before = someCredentials({ version: 'v0' });
    expect(await credentials().refresh('acme-eu', before)).toMatchObject(held(strict));
  });

  it('are none until they are written: a new name for the same account pays nothing', async () => {
    await write(loose);
    const failure = {
      code: 'ACCOUNT_UNKNOWN',
      message: 'other has no safeguards; an approver runs `node . safeguards set other --login HOST/LOGIN`',
    };
    expect(await credentials().of('other')).toEqual({ kind: 'unavailable', failure });
  });

  it.each<[what: string, forge: () => Promise<StoredSafeguards>]>([
    [
      'under a MAC of somebody’s own',
      async () => {
        const text = safeguardsText('batches', 'acme-eu', { ...loose, ...saidBy, serial: 2 });
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
        await write({ ...loose, logins: [] }, 'other');
        return table.items.get('other') ?? { text: '', mac: '', earlier: [] };
      },
    ],
    [
      'of a table that was restored under another name',
      async () => {
        const text = safeguardsText('batches-2', 'acme-eu', { ...loose, ...saidBy, serial: 2 });
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
      failure: { code: 'ACCOUNT_UNKNOWN', message: expect.stringContaining('that no approver wrote') },
    });
  });

  const before = someCredentials({ login: 'before' });
  const digest = accountOf(before, '39915');

  it('are none for a login that is not registered, however the host is spelled', async () => {
    await write(loose);
    for (const [baseUrl, kind] of [
      ['https://GATEWAY.test.:443', 'credentials'],
      ['https://gateway.test:8443', 'unavailable'],
      ['https://gateway.example', 'unavailable'],
    ] as const)
      expect(await credentials({ baseUrl }).of('acme-eu')).toMatchObject({ kind });
    expect(await credentials({ login: 'acme' }).of('acme-eu')).toMatchObject({ failure: { code: 'ACCOUNT_UNKNOWN' } });
  });

  it.each([
    ['that an approver registered', ['gateway.test/before', digest], ['before'], [digest]],
    ['that none has registered', [], [], []],
  ])('name earlier accounts and spellings %s', async (_, more, logins, sameAccountAs) => {
    await write({ ...loose, logins: [login, ...more] });
    const own = { earlierAccounts: [before], sameAccountAs: [digest] };
    for (const asked of [credentials(own), registeredCredentials(sources(own))])
      expect(await asked.of('acme-eu')).toMatchObject({
        credentials: {
          earlierAccounts: logins.map((it) => ({ login: it })),
          sameAccountAs,
          ...(logins.length === 0 && { leavesOut: true }),
        },
      });
  });

  it('of who only asks are there without safeguards, and no record is read where nothing but the present account is named', async () => {
    const asking = registeredCredentials(sources());
    expect([(await asking.of('acme-eu')).kind, table.reads]).toEqual(['credentials', 0]);
    const moved = registeredCredentials(sources({ earlierAccounts: [before] }));
    expect(await moved.of('acme-eu')).toMatchObject({ credentials: { earlierAccounts: [] } });
    table.isDown = true;
    expect(await moved.of('acme-eu')).toMatchObject({ failure: { code: 'CREDENTIALS_UNAVAILABLE' } });
  });

  it('wait where the table does not answer, and an older record replaces none', async () => {
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

it('what no approver has registered is named, the login that pays first', async () => {
  const own = { earlierAccounts: [someCredentials({ login: 'before' })], sameAccountAs: ['abcdefghijkl'] };
  const asked = () => whyUnregistered('acme-eu', sources(own));
  expect(await asked()).toBe('acme-eu has no safeguards: its jobs wait');
  await write({ ...loose, logins: [] });
  expect(await asked()).toContain(`registered ${login}, gateway.test/before, abcdefghijkl for acme-eu`);
  await write({ ...loose, logins: [login, 'gateway.test/before', 'abcdefghijkl'] });
  expect(await asked()).toBeUndefined();
});

describe('a change', () => {
  it('takes no login of another merchant, not even once that has let it go', async () => {
    await write(loose);
    await write({ ...loose, logins: [] });
    expect(await write(loose, 'other')).toBeUndefined();
    expect(await findSafeguards('other', { store: table.store, macs })).toEqual({ kind: 'absent' });
    expect(await write(loose)).toMatchObject({ serial: 3 });
  });

  it('is counted on, and what it replaces is kept to be shown', async () => {
    expect(await write(strict)).toMatchObject({ serial: 1 });
    expect(await write(loose)).toMatchObject({ serial: 2 });
    const found = await findSafeguards('acme-eu', { store: table.store, macs });
    expect(found).toEqual({ kind: 'hold', change: { ...loose, ...saidBy, serial: 2 } });
    expect(table.items.get('acme-eu')?.earlier.map((it) => (JSON.parse(it) as { serial: number }).serial)).toEqual([1]);
  });
});
