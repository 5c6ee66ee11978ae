// Taking a restored table into service, and putting back what was told in the gap: in which order, and what of each line.
import { describe, expect, it } from 'vitest';
import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { adoptLine, beginRestore } from '../../lib/restore/restore-ledger.ts';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { resultOf } from '../../lib/payout/result.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld, type World } from '../support/world.ts';
import { unknownContent } from '../../lib/payout/fingerprint.ts';

const lost = { by: 'anna', reason: 'the table was deleted', atMs: 0 };

function aBackup(...states: Partial<LedgerEntry>[]): { world: World; open: LedgerEntry[] } {
  const world = aWorld();
  const open = states.map((changes) => anEntry(changes));
  for (const entry of open) world.entries.set(entry.key, entry);
  return { world, open };
}

describe('a restored table that is taken into service', () => {
  const begin = (world: World, restoreAdmin = createMemoryRestoration()) =>
    beginRestore(startMs - 1, lost, { ...world.ports, controlsAdmin: world.controls, restoreAdmin });

  it('lets every open order go on anew, however it is open, and leaves those that have ended', async () => {
    const { world } = aBackup(
      { orderId: 'SENT', state: 'submitting' },
      { orderId: 'DOUBT', state: 'in-doubt' },
      { orderId: 'TAKEN', state: 'accepted', final: false },
      { orderId: 'HELD', state: 'held' },
      { orderId: 'UNTOLD', state: 'approved', final: true, unpublished: true },
      { orderId: 'PAID', state: 'approved', final: true },
      { orderId: 'FAILED', state: 'failed', final: true },
    );
    expect(await begin(world)).toBe(5);
    const revisions = [...world.entries.values()].map(({ orderId, revision }) => [orderId, revision]);
    expect(Object.fromEntries(revisions)).toEqual({
      SENT: 93_432_001,
      DOUBT: 93_432_001,
      TAKEN: 93_432_001,
      HELD: 93_432_001,
      UNTOLD: 93_432_001,
      PAID: 1,
      FAILED: 1,
    });
    expect(world.entries.get('acme-eu/UNTOLD')).toMatchObject({ state: 'approved', unpublished: true });
  });

  it('finds orders that are due far in the future too', async () => {
    const { world } = aBackup({ state: 'in-doubt', dueAtMs: startMs + 400 * 86_400_000 });
    expect(await begin(world)).toBe(1);
  });

  it('counts the gap’s end by this clock, and is the ledger only once everything else is done', async () => {
    const { world } = aBackup({ orderId: 'DOUBT', state: 'in-doubt' });
    const desk = createMemoryRestoration();
    const order: string[] = [];
    const ports = {
      ...world.ports,
      ledger: { ...world.ledger, advance: said('reopened', order, world.ledger.advance) },
      controlsAdmin: { pause: said('paused', order, world.controls.pause) },
      restoreAdmin: { ...desk, begin: said('begun', order, desk.begin) },
    };
    await beginRestore(startMs - 1, lost, ports);
    expect(order).toEqual(['reopened', 'paused', 'begun']);
    expect(await desk.standing()).toEqual({
      kind: 'restored',
      restored: { toMs: startMs - 1, sinceMs: startMs, settled: false },
    });
    expect(await world.controls.of('anybody')).toMatchObject({ paused: true });
  });

  function said<A extends unknown[], R>(what: string, order: string[], call: (...args: A) => R) {
    return (...args: A): R => {
      order.push(what);
      return call(...args);
    };
  }
});

describe('a line of the results of the gap', () => {
  const told = (changes: Partial<LedgerEntry>) => JSON.stringify(resultOf(anEntry({ orderId: 'INV-1', ...changes })));

  it('puts back an order that the ledger has forgotten, once', async () => {
    const { world } = aBackup();
    const line = told({ state: 'approved', final: true, revision: 3, gatewayOrderId: '77' });
    expect(await adoptLine(line, world.ports)).toBe('adopted');
    const entry = world.entries.get('acme-eu/INV-1');
    expect(entry && JSON.stringify(resultOf(entry))).toBe(line);
    expect(await adoptLine(line, world.ports)).toBe('known');
  });

  it('goes over an order of which the ledger remembers less', async () => {
    const { world, open } = aBackup({ orderId: 'INV-1', state: 'in-doubt', revision: 2 });
    expect(await adoptLine(told({ state: 'approved', revision: 3 }), world.ports)).toBe('adopted');
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({
      state: 'approved',
      fingerprint: open[0]?.fingerprint,
      revision: 3,
    });
  });

  it.each<[string, Partial<LedgerEntry>]>([
    ['another amount', { gatewayAmount: '10.43 EUR' }],
    ['a reversal', { reversal: { type: 'reversal', status: 'processing', atMs: startMs } }],
    ['a failure', { failure: { code: 'NO_ANSWER', message: 'closed' } }],
    ['an alias', { gatewayOrderId: '77', gatewayAlias: 'P-1' }],
  ])('tells what it told, and not %s that the ledger remembers', async (_, words) => {
    const { world } = aBackup({ orderId: 'INV-1', state: 'in-doubt', revision: 2, ...words });
    const line = told({ state: 'approved', final: true, revision: 4, gatewayOrderId: '77' });
    expect(await adoptLine(line, world.ports)).toBe('adopted');
    const entry = world.entries.get('acme-eu/INV-1');
    expect(entry && JSON.parse(JSON.stringify(resultOf(entry)))).toEqual(JSON.parse(line));
  });

  it('keeps the ids that it has no word of with an attempt before: they are asked about no more, and not forgotten', async () => {
    const { world } = aBackup({ orderId: 'INV-1', state: 'in-doubt', revision: 2, gatewayOrderId: '77' });
    await adoptLine(told({ state: 'accepted', attempts: 2, revision: 6, gatewayOrderId: '78' }), world.ports);
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({
      gatewayOrderId: '78',
      earlierAttempts: [{ gatewayOrderId: '77' }],
    });
  });

  it('with words that this version does not know is told under another id', async () => {
    const { world } = aBackup();
    const line = JSON.stringify({
      ...JSON.parse(told({ state: 'approved', revision: 3 })),
      newWord: 'of a newer worker',
    });
    expect(await adoptLine(line, world.ports)).toBe('adopted');
    const entry = world.entries.get('acme-eu/INV-1');
    expect(entry && resultOf(entry)?.resultId).toBe('acme-eu/INV-1/93432003');
    // when the same lines come again, in any order
    expect(await adoptLine(line, world.ports)).toBe('known');
    expect(await adoptLine(told({ state: 'accepted', revision: 2 }), world.ports)).toBe('known');
    // and a later one is taken all the same
    expect(await adoptLine(told({ state: 'declined', revision: 4 }), world.ports)).toBe('adopted');
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'declined', revision: 93_432_103 });
  });

  it('that comes when the table is in service already is told anew', async () => {
    const { world } = aBackup({ orderId: 'INV-1', state: 'in-doubt', revision: 2 });
    await beginRestore(startMs - 1, lost, {
      ...world.ports,
      controlsAdmin: world.controls,
      restoreAdmin: createMemoryRestoration(),
    });
    expect(await adoptLine(told({ state: 'approved', final: true, revision: 4 }), world.ports)).toBe('adopted');
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({
      state: 'approved',
      revision: 93_432_102,
      unpublished: true,
    });
  });

  it('that says it failed after the ledger knew it sent puts it in doubt: it may have been sent again since', async () => {
    const { world } = aBackup({ orderId: 'INV-1', state: 'in-doubt', revision: 2 });
    const line = told({ state: 'failed', final: true, revision: 4 });
    expect(await adoptLine(line, world.ports)).toBe('adopted');
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({
      state: 'in-doubt',
      failure: { code: 'LEDGER_RESTORED' },
      earlierAttempts: [{}],
      unpublished: true,
      revision: 93_432_004,
    });
    expect(await adoptLine(line, world.ports)).toBe('known');
  });

  it('of an order that newer code has written is known to that', async () => {
    const { world } = aBackup();
    const ledger = { ...world.ledger, read: async () => ({ kind: 'unreadable', reason: 'newer' }) as const };
    expect(await adoptLine(told({ state: 'approved', revision: 3 }), { ledger, clock: world.clock })).toBe('known');
    expect(world.entries.size).toBe(0);
  });

  it.each([
    ['before it was claimed', { state: 'approved', revision: 4 }, 'known', 4],
    ['before it was claimed, with less', { state: 'in-doubt', revision: 2 }, 'adopted', 3],
  ] as const)('that somebody else overtakes %s is looked at again', async (_, theirs, becomes, revision) => {
    const { world } = aBackup();
    const first = anEntry({ orderId: 'INV-1', ...theirs });
    const { claim } = world.ledger;
    const overtaken = {
      ...world.ledger,
      claim: (entry: LedgerEntry) => (world.entries.set(first.key, first), claim(entry)),
    };
    expect(await adoptLine(told({ state: 'declined', revision: 3 }), { ledger: overtaken, clock: world.clock })).toBe(
      becomes,
    );
    expect(world.entries.get('acme-eu/INV-1')?.revision).toBe(revision);
  });

  it.each([
    ['no JSON', 'job done'],
    ['no result', '{"version":1}'],
    ['null', 'null'],
    ['of a message that never became an order', JSON.stringify({ ...rejected(), resultId: 'rejected/m-1' })],
    ['of an order that was never sent', told({ state: 'failed', final: true, revision: 2 })],
  ])('that is %s puts nothing back', async (_, line) => {
    const { world } = aBackup();
    expect(await adoptLine(line, world.ports)).toBe('nothing');
    expect(world.entries.size).toBe(0);
  });

  function rejected() {
    const { revision: _, ...result } = resultOf(anEntry({ state: 'declined' })) ?? { revision: 0 };
    return result;
  }
});

describe('a line of the worker’s log', () => {
  const line = (changes: object = {}) =>
    JSON.stringify({
      time: '2026-11-21T10:00:00.000Z',
      level: 'info',
      event: 'job',
      operation: 'payout',
      merchant: 'acme-eu',
      endpointId: '39915',
      orderId: 'INV-1',
      resultId: 'acme-eu/INV-1/2',
      state: 'accepted',
      revision: 2,
      attempts: 1,
      ...changes,
    });

  it('puts back where the order stands; of its content and amount it knows nothing', async () => {
    const { world } = aBackup();
    const of = { batchId: 'b-1', failureCode: 'NO_ANSWER', gatewayOrderId: '77', state: 'in-doubt' };
    expect(await adoptLine(line(of), world.ports)).toBe('adopted');
    expect(world.entries.get('acme-eu/INV-1')).toStrictEqual({
      key: 'acme-eu/INV-1',
      operation: 'payout',
      merchant: 'acme-eu',
      orderId: 'INV-1',
      endpointId: '39915',
      fingerprint: unknownContent,
      messageId: '',
      batchId: 'b-1',
      state: 'in-doubt',
      unproven: true,
      final: false,
      owner: '~restored',
      attempts: 1,
      revision: 93_432_002,
      gatewayOrderId: '77',
      // It may be an alias, and the gateway's "no such order" under an alias would count.
      gatewayAlias: '77',
      failure: { code: 'NO_ANSWER', message: 'as the log has it' },
      leaseUntilMs: startMs,
      createdAtMs: startMs,
      updatedAtMs: startMs,
      history: [{ state: 'in-doubt', atMs: startMs, attempts: 1, reason: 'adopted-2' }],
    });
    // It was told with its amount under the id of revision 2.
    const entry = world.entries.get('acme-eu/INV-1');
    expect(entry && resultOf(entry)?.resultId).toBe('acme-eu/INV-1/93432002');
  });

  it('puts back no failure, id or batch that it does not name', async () => {
    const { world } = aBackup();
    await adoptLine(line(), world.ports);
    const entry = world.entries.get('acme-eu/INV-1');
    for (const field of ['failure', 'gatewayOrderId', 'batchId']) expect(entry).not.toHaveProperty(field);
  });

  it.each([
    ['accepted', false],
    ['in-doubt', false],
    ['held', false],
    ['approved', true],
    ['declined', true],
    ['cancelled', true],
  ])('of an order that is %s: final %s', async (state, final) => {
    // Acceptance may be the end by this contract; to ask about it once more harms nobody.
    const { world } = aBackup();
    expect(await adoptLine(line({ state }), world.ports)).toBe('adopted');
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state, final });
  });

  it.each([
    ['of something else', { event: 'sweep' }],
    ['without a revision', { revision: undefined }],
    ['of a state that no result tells', { state: 'submitting' }],
  ])('%s tells of no order', async (_, changes) => {
    expect(await adoptLine(line(changes), aBackup().world.ports)).toBe('nothing');
  });
});
