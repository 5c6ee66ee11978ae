// How a message comes back, and with what in it, when its job could not be done now.
import { describe, expect, it } from 'vitest';
import { runJobs } from '../../lib/payout/submit/run-jobs.ts';
import { aPayoutJob } from '../support/jobs.ts';
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
});

describe('what cannot be sent says why', () => {
  const failureOf = (world: World) => [...world.entries.values()][0]?.failure;

  it('a secret whose realm cannot be written', async () => {
    const world = aWorld({ profile: { realm: 'é' } });
    await world.deliver(record());
    expect(failureOf(world)).toEqual({ code: 'SECRET_INVALID', message: 'The realm may hold printable ASCII only.' });
    expect(world.gateway.posts).toEqual([]);
  });
});
