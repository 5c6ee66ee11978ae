// How a message comes back, and with what in it, when its job could not be done now.
import { describe, expect, it } from 'vitest';
import { passGates } from '../../lib/payout/gates.ts';
import { runJobs } from '../../lib/payout/submit/run-jobs.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, aTransferByRefJob, anEligibilityJob, jobOf } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const record = (receiveCount = 1, attributes: Readonly<Record<string, string>> = {}) =>
  aRecord(aPayoutJob(), { messageId: 'm-1', receiveCount, attributes });
const onlyDelay = ({ jobsQueue }: World) => [...jobsQueue.postponed.values()][0];
/** Each wait is drawn from its upper quarter. */
const between = (least: number, most: number) =>
  expect.toSatisfy((it: number) => it >= least && it <= most, `${least} to ${most} seconds`) as number;

function broken(world: World, error: unknown) {
  const gateway = {
    post: async () => {
      throw error;
    },
  };
  return { ...world.ports, gateway };
}

describe('a port that throws', () => {
  it('sends the message back as any retry', async () => {
    const world = aWorld();
    await runJobs([record(3)], world.clock.nowMs() + 120_000, broken(world, new Error('x')));
    expect(onlyDelay(world)).toEqual(between(102, 135));
  });

  it.each([
    ['a text', 'boom', { errorName: 'string' }],
    ['an error with a number', Object.assign(new Error('x'), { code: 7 }), { errorName: 'Error' }],
    ['an error with a code', Object.assign(new Error('x'), { code: 'E7' }), { errorName: 'Error', errorCode: 'E7' }],
  ])('%s is logged by what it is', async (_, error, fields) => {
    const world = aWorld();
    await runJobs([record()], world.clock.nowMs() + 120_000, broken(world, error));
    expect(world.log[0]?.fields).toStrictEqual({ messageId: 'm-1', ...fields });
  });
});

describe('what waits', () => {
  it('keeps the count of redrives, in the table and as a dead letter', async () => {
    const world = aWorld();
    await world.deliver(record(3, { redrives: '2' }), 1_000);
    await world.deliver(aRecord('no job', { attributes: { redrives: '3' } }));
    expect([...world.waitingRows.values()]).toMatchObject([{ redrives: 2 }]);
    expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ redrives: 3 }]);
  });

  it('for a busy order looks again within the lease, sooner at first', async () => {
    const world = aWorld();
    world.gateway.meanwhile(async () => void (await world.deliver(record(21))));
    await world.deliver(record());
    expect(world.waits()).toMatchObject([{ inSeconds: 101 }]);
  });

  it('for one that has only just been found busy waits a few seconds', async () => {
    const world = aWorld();
    world.gateway.meanwhile(async () => void (await world.deliver(record(2))));
    await world.deliver(record());
    expect(world.waits()).toEqual([expect.objectContaining({ inSeconds: between(34, 45) })]);
  });
});

it('where nothing comes back, no visibility is changed', async () => {
  const world = aWorld();
  let calls = 0;
  const postpone = async () => void (calls += 1);
  const jobsQueue = { ...world.jobsQueue, postpone };
  await runJobs([record()], world.clock.nowMs() + 120_000, { ...world.ports, jobsQueue });
  expect(calls).toBe(0);
});

it('where newer code has the order, the message waits as any other', async () => {
  const world = aWorld();
  const put = async () => ({ kind: 'unreadable', reason: 'state "split"' }) as const;
  await world.deliver(record(2), undefined, { orders: { ...world.ports.orders, put } });
  expect(world.waits()).toEqual([expect.objectContaining({ because: 'ledger', inSeconds: between(34, 45) })]);
});

describe('what cannot be sent says why', () => {
  const failureOf = (world: World) => [...world.entries.values()][0]?.failure;

  it('past its time', async () => {
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob({ expiresAt: '2026-11-21T10:00:00Z' })));
    expect(world.entries.size).toBe(0);
    expect(world.results.taken[0]?.failure).toEqual({
      code: 'EXPIRED',
      message: 'the job was past its expiresAt before it was sent',
    });
  });

  it('an order id for other content', async () => {
    const world = aWorld();
    await world.deliver(record());
    await world.deliver(aRecord(aPayoutJob({ params: { amount: '99' } })));
    expect(world.results.taken[1]?.failure).toEqual({
      code: 'ORDER_ID_REUSED',
      message: 'this order id was used before for other content',
    });
  });

  it.each([
    ['a private key', aPayoutJob(), "the merchant's secret has no privateKey or kmsKeyId, which RSA-SHA256 needs"],
    [
      'a private key',
      aTransferByRefJob(),
      "the merchant's secret has no privateKey or kmsKeyId, which RSA-SHA256 needs",
    ],
    ['a control key', anEligibilityJob(), "the merchant's secret has no controlKey, which HMAC-SHA1 needs"],
  ])('a secret without %s', async (_, body, message) => {
    const world = aWorld({
      merchants: { 'acme-eu': { ...someCredentials(), keys: {} } },
    });
    const sent = await sealedFor(world, body);
    const received = jobOf(sent);
    const passage = await passGates(received, world.ports.gates);
    expect(passage).toMatchObject({ by: 'credentials', verdict: { because: { code: 'SECRET_INVALID', message } } });
    await world.deliver(aRecord(sent));
    expect(world.entries.size).toBe(0);
    expect(world.waits()).toEqual([expect.objectContaining({ inSeconds: between(12, 15) })]);
  });

  it('a secret whose realm cannot be written', async () => {
    const world = aWorld({ profile: { realm: 'é' } });
    await world.deliver(record());
    expect(failureOf(world)).toEqual({ code: 'SECRET_INVALID', message: 'The realm may hold printable ASCII only.' });
    expect(world.gateway.posts).toEqual([]);
  });
});
