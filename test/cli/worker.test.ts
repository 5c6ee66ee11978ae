// `payouts worker` against the embedded environment, as a container would run it: it empties a queue and stops, or is
// told to stop in the middle of its work and finishes what it has.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { queueDepth } from '../../lib/local/queue-reader.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anAws } from './support/aws.ts';
import { startCli } from './support/cli.ts';

let latencyMs = 0;
const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60, latencyMs: () => latencyMs });
const payoutsSent = () => world.gateway().requests().payout;
const onQueue = () => queueDepth(world.sqs(), world.aws().queueUrls.jobs);

const send = (prefix: string, count: number) =>
  world.send(...Array.from({ length: count }, (_, index) => aPayoutJob({ orderId: `${prefix}-${index + 1}` })));

const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; records?: number });

describe('payouts worker', () => {
  it('--once empties the queue, and exits with 0', async () => {
    await send('ONCE', 25);
    const { code, stdout, stderr } = await world.payouts('worker', '--once');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /money +asked for +accepted\n +EUR +260\.50 \(25\) +260\.50 \(25\)\n\n {2}✔ all 25 jobs: 25 accepted\n$/,
    );
    expect(await onQueue()).toBe(0);
    const results = [...(await world.results()).values()];
    expect(results).toHaveLength(25);
    expect(results.every(({ status }) => status === 'accepted')).toBe(true);
    const lines = linesOf(stdout);
    expect(lines[0]).toMatchObject({ event: 'worker-started' });
    expect(lines.at(-1)).toMatchObject({ event: 'worker-stopped', records: 25, failedRecords: 0 });
  });

  it.each(['SIGTERM'] as const)(
    'on %s finishes what is under way, takes nothing more, exits with 0',
    async (signal) => {
      latencyMs = 1_500;
      const before = payoutsSent();
      await send(signal, 8);
      const worker = startCli(['worker'], { env: world.env() });
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
    },
  );
});
