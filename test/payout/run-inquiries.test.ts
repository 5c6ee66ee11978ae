// When a check may leave its queue: its result told, its next look asked for. Whatever else happens, it comes again.
import { describe, expect, it } from 'vitest';
import { runChecks } from '../../lib/payout/run-inquiries.ts';
import { aWorldWith, check, key, standing } from '../support/asked-order.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const statuses = (world: World) => world.results.taken.map(({ status }) => status);

describe('before a check is acknowledged', () => {
  it('its next look is on the queue, or the sweeper knows when it was due', async () => {
    const world = await aWorldWith('accepted');
    expect(await world.deliverChecks([check()])).toEqual([]);
    expect(world.checksQueue.taken).toMatchObject([{ check: { orderKey: key, inquiries: 1 }, delaySeconds: 5 }]);

    world.checksQueue.stays('down');
    expect(await world.deliverChecks([check({ inquiries: 1 })])).toEqual([]);
    world.checksQueue.stays('up');
    world.checksQueue.taken.splice(0);
    await world.pass(240_000);
    expect(world.gateway.inquiries.length).toBeGreaterThan(2);
  });

  it('its result is told, and only then the mark is taken away', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statuses('approved');
    const { send } = world.results;
    const marks: unknown[] = [];
    const results = {
      send: (these: Parameters<typeof send>[0]) => {
        marks.push(standing(world).unpublished);
        return send(these);
      },
    };
    const records = [aRecord(JSON.stringify({ version: 1, ...check() }))];
    const response = await runChecks(records, world.clock.nowMs() + 120_000, { ...world.ports, results });
    expect(response).toEqual({ batchItemFailures: [] });
    expect(marks).toEqual([true]);
    expect(standing(world)).not.toHaveProperty('unpublished');
  });

  it('what could not be told keeps its mark, and is told when its time has come, without asking again', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statuses('approved');
    world.results.stays('down');
    expect(await world.deliverChecks([check()])).toEqual([]);
    expect(standing(world)).toMatchObject({ state: 'approved', unpublished: true });
    expect(world.checksQueue.taken).toEqual([]);

    await world.pass(1_800_000);
    expect(standing(world)).toMatchObject({ unpublished: true });
    world.results.stays('up');
    await world.pass(1_200_000);
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/3', status: 'approved' }]);
    expect(standing(world)).not.toHaveProperty('unpublished');
    expect(world.gateway.inquiries).toHaveLength(1);
  });

  it('a mark that could not be taken away costs one more telling of the same result', async () => {
    const world = await aWorldWith('accepted');
    world.gateway.statuses('approved');
    world.ledger.faults('markUnpublished', 'down');
    expect(await world.deliverChecks([check()])).toEqual([]);
    expect(world.log).toContainEqual(expect.objectContaining({ level: 'error', event: 'mark-failed' }));
    await world.pass(240_000);
    expect(world.results.taken.map(({ resultId }) => resultId)).toEqual(['acme-eu/INV-1/3', 'acme-eu/INV-1/3']);
    expect(world.results.taken[0]).toEqual(world.results.taken[1]);
    expect(standing(world)).not.toHaveProperty('unpublished');
  });
});

describe('while the ledger does not answer', () => {
  it('to the read, nothing is asked, and the sweeper brings the check again', async () => {
    const world = await aWorldWith('accepted');
    world.ledger.stays('down', 'read');
    expect(await world.deliverChecks([check()])).toEqual([]);
    expect(world.gateway.inquiries).toEqual([]);
    const fields = { messageId: expect.any(String), errorName: 'Error' };
    expect(world.log).toContainEqual({ level: 'error', event: 'check-failed', fields });
    world.ledger.stays('up', 'read');
    world.gateway.statusStays('approved');
    await world.pass(240_000);
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/3', status: 'approved' }]);
  });

  it('a reason to ask that nobody else knows comes again', async () => {
    const world = await aWorldWith('accepted');
    world.ledger.stays('down', 'read');
    expect(await world.deliverChecks([check({ now: true })])).toEqual([0]);
  });

  it.each(['down', 'answer lost'] as const)('to the first write (%s), the sweeper brings it again', async (fault) => {
    const world = await aWorldWith('accepted');
    world.gateway.statusStays('approved');
    world.ledger.faults('advance', fault);
    expect(await world.deliverChecks([check()])).toEqual([]);
    expect(world.gateway.inquiries).toEqual([]);
    await world.pass(240_000);
    expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/3', status: 'approved' }]);
    expect(world.gateway.inquiries).toHaveLength(1);
  });

  it.each(['down', 'answer lost'] as const)(
    'to the write of an end (%s), it is learned and told later',
    async (fault) => {
      const world = await aWorldWith('accepted');
      world.gateway.statusStays('approved');
      world.ledger.faults('advance', 'up', fault);
      expect(await world.deliverChecks([check()])).toEqual([]);
      expect(world.results.taken).toEqual([]);
      await world.pass(240_000);
      expect(world.results.taken).toMatchObject([{ resultId: 'acme-eu/INV-1/3', status: 'approved' }]);
    },
  );
});

describe('what is dropped', () => {
  it.each([
    '',
    'not JSON',
    '{}',
    '{"version":2,"orderKey":"acme-eu/INV-1","looks":0}',
    '{"version":1,"orderKey":"","looks":0}',
  ])('is what is no check, with a word in the log: %s', async (body) => {
    const world = await aWorldWith('accepted');
    expect(await world.deliverChecks([body])).toEqual([]);
    expect(world.gateway.inquiries).toEqual([]);
    expect(world.log).toMatchObject([
      { level: 'warn', event: 'check-unreadable', fields: { messageId: expect.any(String) } },
      { event: 'batch' },
    ]);
  });

  it('is a check of an order that newer code wrote, or that does not exist', async () => {
    const world = await aWorldWith('accepted');
    expect(await world.deliverChecks([{ orderKey: 'acme-eu/NONE', inquiries: 0 }])).toEqual([]);
    world.ledger.read = async () => ({ kind: 'unreadable', reason: 'newer' });
    expect(await world.deliverChecks([check()])).toEqual([]);
    expect(world.gateway.inquiries).toEqual([]);
  });

  it('is the second of two equal checks, once the first has counted its look', async () => {
    const world = await aWorldWith('in-doubt');
    world.gateway.statusStays('stalls');
    await world.deliverChecks([check()]);
    await world.deliverChecks([check()]);
    expect(world.gateway.inquiries).toHaveLength(1);
    expect(world.checksQueue.taken).toHaveLength(1);
  });
});

it('each check of a batch goes its own way', async () => {
  // given four accepted payouts of two merchants, one of them without a secret by now
  const profile = { statusInquiry: true };
  const world = aWorld({
    merchants: { 'acme-eu': someCredentials({ profile }), 'acme-us': someCredentials({ profile }) },
  });
  const orders = ['INV-1', 'INV-2', 'INV-3'].map((orderId) => aPayoutJob({ orderId }));
  const jobs = [...orders, aPayoutJob({ merchant: 'acme-us', orderId: 'INV-4' })];
  await world.deliver(jobs.map((job) => aRecord(job)));
  // RSA signs in the thread pool, so the four come back in any order
  const first = world.checksQueue.taken.splice(0).toSorted((a, b) => (a.check.orderKey < b.check.orderKey ? -1 : 1));
  expect(first).toHaveLength(4);
  world.results.taken.splice(0);

  // when one is paid, one is declined, one goes on, and one breaks its worker
  const { of } = world.credentials;
  const credentials = {
    ...world.credentials,
    of: async (merchant: string) => {
      if (merchant === 'acme-us') throw new Error('broken at 4111111111111111');
      return of(merchant);
    },
  };
  world.gateway.statuses('approved', 'declined', 'processing');
  const records = first.map(({ check: it }, place) =>
    aRecord(JSON.stringify({ version: 1, ...it }), { messageId: `c-${place}` }),
  );
  const ports = { ...world.ports, credentials, limits: { ...world.ports.limits, concurrency: 1 } };
  const response = await runChecks(records, world.clock.nowMs() + 120_000, ports);

  // then two are told, one is asked about again, and that one is the sweeper's
  expect(response).toEqual({ batchItemFailures: [] });
  expect(statuses(world)).toEqual(['approved', 'declined']);
  expect(world.checksQueue.taken).toMatchObject([{ check: { orderKey: 'acme-eu/INV-3' } }]);
  expect(JSON.stringify(world.log)).not.toContain('4111');
});

it('a hundred checks cost ten calls of each queue', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  const ids = Array.from({ length: 100 }, (_, index) => `INV-${index}`);
  await world.deliver(ids.map((orderId) => aRecord(aPayoutJob({ orderId }))));
  const checks = world.checksQueue.taken.splice(0).map((it) => it.check);
  world.clock.advance(5_000);
  world.results.callSizes.splice(0);
  world.checksQueue.callSizes.splice(0);
  world.gateway.statuses(...ids.slice(0, 50).map(() => 'approved' as const));
  expect(await world.deliverChecks(checks)).toEqual([]);
  expect(world.results.callSizes).toEqual(Array(5).fill(10));
  expect(world.checksQueue.callSizes).toEqual(Array(5).fill(10));
});
