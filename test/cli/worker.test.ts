// `payouts worker` against the embedded environment, told to stop in the middle of its work as a container is.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { queueDepth } from '../../lib/aws/sqs-event-source.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anAws } from './support/aws.ts';
import { startCli } from './support/cli.ts';

let latencyMs = 0;
const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60, latencyMs: () => latencyMs });
const payoutsSent = () => world.gateway().requests().payout;
const onQueue = () => queueDepth(world.sqs(), world.aws().queueUrls.jobs);

const send = (prefix: string, count: number) =>
  world.send(...Array.from({ length: count }, (_, index) => aPayoutJob({ orderId: `${prefix}-${index + 1}` })));

it('on SIGTERM finishes what is under way, takes nothing more, exits with 0', async () => {
  const signal = 'SIGTERM';
  latencyMs = 1_500;
  const before = payoutsSent();
  await send(signal, 8);
  // Its sweeper leads by then.
  const worker = startCli(['worker', '--sweep-seconds', '1'], { env: world.env() });
  await expect.poll(() => payoutsSent() - before, { timeout: 60_000, interval: 20 }).toBe(8);
  worker.child.kill(signal);
  // Sent behind its back: it is stopping and leaves these alone.
  await sleep(400);
  await send(`${signal}-LATE`, 3);
  expect(await worker.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  expect(payoutsSent() - before).toBe(8);
  expect(await onQueue()).toBe(3);
  latencyMs = 0;
  expect(await world.payouts('worker', '--once')).toMatchObject({ code: 0 });
  const results = [...(await world.results()).values()];
  expect(results).toHaveLength(11);
  expect(results.every(({ status, attempts }) => status === 'accepted' && attempts === 1)).toBe(true);
});
