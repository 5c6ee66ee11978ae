// `payouts worker` against the embedded environment, as a container would run it: it empties a queue and stops, or is
// told to stop in the middle of its work and finishes what it has.
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { collectResults, sendToJobsQueue } from '../../lib/local/jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { queueDepth } from '../../lib/local/queue-reader.ts';
import { sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { runCli, startCli } from './support/cli.ts';

let aws: EmbeddedAws;
let gateway: GatewaySimulator;
let sqs: SQSClient;
let env: Record<string, string>;
let latencyMs = 0;

beforeAll(async () => {
  aws = await startEmbeddedAws({ maxReceiveCount: localWorkerLimits.maxReceiveCount, visibilityTimeoutSeconds: 60 });
  const secretsFor = (gatewayUrl: string) => sampleSecrets({ gatewayUrl, closedUrl: gatewayUrl });
  const { simulator, secrets } = await startLocalGateway('none', secretsFor, { latencyMs: () => latencyMs });
  gateway = simulator;
  for (const [merchant, secret] of Object.entries(secrets)) aws.secrets.put(`payouts/${merchant}`, secret);
  aws.secrets.put('payouts/_worker', workerSecret());
  sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
  env = workerEnvironment(aws, localWorkerLimits.environment);
});

afterAll(async () => {
  sqs.destroy();
  await gateway.close();
  await aws.close();
});

const send = (prefix: string, count: number) =>
  sendToJobsQueue(
    sqs,
    aws.queueUrls.jobs,
    Array.from({ length: count }, (_, index) => JSON.stringify(aPayoutJob({ orderId: `${prefix}-${index + 1}` }))),
  );

const collect = () => collectResults(sqs, { jobsQueueUrl: aws.queueUrls.jobs, resultsQueueUrl: aws.queueUrls.results });

const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; records?: number });

describe('payouts worker', () => {
  it('--once empties the queue, and exits with 0', async () => {
    await send('ONCE', 25);
    const { code, stdout, stderr } = await runCli(['worker', '--once'], { env });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /money +asked for +accepted\n +EUR +260\.50 \(25\) +260\.50 \(25\)\n\n {2}✔ all 25 jobs: 25 accepted\n$/,
    );
    expect(await queueDepth(sqs, aws.queueUrls.jobs)).toBe(0);
    const results = await collect();
    expect(results).toHaveLength(25);
    expect(results.every(({ status }) => status === 'accepted')).toBe(true);
    const lines = linesOf(stdout);
    expect(lines[0]).toMatchObject({ event: 'worker-started' });
    expect(lines.at(-1)).toMatchObject({ event: 'worker-stopped', records: 25, failedRecords: 0 });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s finishes what is under way, takes nothing more, exits with 0',
    async (signal) => {
      latencyMs = 1_500;
      const before = gateway.requests().payout;
      await send(signal, 8);
      const worker = startCli(['worker'], { env });
      await expect.poll(() => gateway.requests().payout - before, { timeout: 60_000, interval: 20 }).toBe(8);
      worker.child.kill(signal);
      // Sent behind its back: it is stopping and leaves these alone.
      await sleep(400);
      await send(`${signal}-LATE`, 3);
      expect(await worker.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
      expect(gateway.requests().payout - before).toBe(8);
      expect(await queueDepth(sqs, aws.queueUrls.jobs)).toBe(3);
      latencyMs = 0;
      expect(await runCli(['worker', '--once'], { env })).toMatchObject({ code: 0 });
      const results = await collect();
      expect(results).toHaveLength(11);
      expect(results.every(({ status, attempts }) => status === 'accepted' && attempts === 1)).toBe(true);
    },
  );
});
