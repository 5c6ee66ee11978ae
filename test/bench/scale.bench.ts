// A backlog drained by one, two and four worker processes on the emulators: jobs per second and the workers' memory from
// the first quarter to the end. `npm run bench -- scale --jobs 100000` for the long run.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { startWorkerProcess, type WorkerProcess } from '../../lib/local/worker-process.ts';
import { type Benchmark, median, type Measurement } from './harness.ts';
import { bodyOf } from './payout-batches.ts';
import { type Servers, startServers } from './surroundings/start-servers.ts';

/** All benchmarks of this file. */
export const scaleBenchmarks: readonly Benchmark[] = [
  {
    name: 'scale',
    description: 'a backlog (--jobs, 3000 unless told) drained by 1, 2 and 4 worker processes on the emulators',
    run: scale,
  },
];

async function scale({ jobs = 3000 }: { readonly jobs?: number } = {}): Promise<Measurement> {
  const figures: Record<string, number> = { jobs };
  for (const workers of [1, 2, 4]) {
    const servers = await startServers('emulators');
    try {
      const drained = await drain(servers, workers, jobs);
      figures[`${workers}WorkersJobsPerSecond`] = drained.jobsPerSecond;
      figures[`${workers}WorkersRssEarlyMB`] = drained.rssEarlyMb;
      figures[`${workers}WorkersRssLateMB`] = drained.rssLateMb;
    } finally {
      await servers.stop();
    }
  }
  return { figures, bounds: [] };
}

async function drain({ environment }: Servers, workers: number, jobs: number) {
  const sqs = new SQSClient({
    region: environment['AWS_REGION'] ?? '',
    endpoint: environment['AWS_ENDPOINT_URL_SQS'] ?? '',
    credentials: { accessKeyId: 'FAKE-BENCH-KEY-ID', secretAccessKey: 'fake-bench-secret-key' },
  });
  const queueUrl = environment['JOBS_QUEUE_URL'] ?? '';
  await fill(sqs, queueUrl, jobs);
  await mkdir('.local', { recursive: true });
  const startMs = performance.now();
  const running = Array.from({ length: workers }, (_, index) =>
    startWorkerProcess(environment, {
      logFile: join('.local', `bench-worker-${index}.log`),
      args: ['--max-concurrency', '4'],
    }),
  );
  const rss: { readonly done: number; readonly mb: number }[] = [];
  try {
    for (let left = jobs; left > 0;) {
      await Promise.race([sleep(500), ...running.map(({ crashed }) => crashed)]);
      left = await messagesLeft(sqs, queueUrl);
      rss.push({ done: 1 - left / jobs, mb: await largestRssMb(running) });
    }
    const seconds = (performance.now() - startMs) / 1000;
    const between = (from: number, to: number) =>
      median(rss.filter(({ done }) => done >= from && done <= to).map(({ mb }) => mb));
    return { jobsPerSecond: jobs / seconds, rssEarlyMb: between(0.1, 0.4), rssLateMb: between(0.8, 1) };
  } finally {
    await Promise.all(running.map((worker) => worker.kill()));
    sqs.destroy();
  }
}

async function fill(sqs: SQSClient, queueUrl: string, jobs: number): Promise<void> {
  for (let sent = 0; sent < jobs; sent += 10) {
    const Entries = Array.from({ length: Math.min(10, jobs - sent) }, (_, index) => ({
      Id: String(index),
      MessageBody: bodyOf(`SCALE-${sent + index}`, 'bench'),
      MessageGroupId: 'bench',
    }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

async function messagesLeft(sqs: SQSClient, queueUrl: string): Promise<number> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes?.[name] ?? 0), 0);
}

/** Linux alone says it; elsewhere the figure is NaN. */
async function largestRssMb(workers: readonly WorkerProcess[]): Promise<number> {
  const sizes = workers.map(async ({ pid }) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) / 1000;
  });
  return Math.max(...(await Promise.all(sizes)));
}
