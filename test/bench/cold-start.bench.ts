// What a cold start reads and runs before the first job: bundle size, time to import, memory; beside the peers' bundles.
// And the first job with it: most of what the SDK does once it does when it is first called, and not when it is read.
import { writeOwnWord } from '../../lib/payout/inquire/own-queue.ts';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunction, bundleLimitBytes } from '../../infra/bundle.ts';
import { testCertificatePem } from '../local/gateway/support/tls-certificate.ts';
import { type Benchmark, median, type Measurement } from './harness.ts';
import { newBatch } from './payout-batches.ts';
import { bundlePeer } from './shipped-handlers.ts';
import type { Manner } from './surroundings/listen.ts';
import { idempotencyTableName, startServers } from './surroundings/start-servers.ts';

/** All benchmarks of this file. */
export const coldStartBenchmarks: readonly Benchmark[] = [
  {
    name: 'cold-start',
    description: 'import to ready of each bundle in a new process, beside bundles of the peers made alike',
    run: coldStart,
  },
  {
    name: 'cold-start-first-job',
    description: 'import and first job in a new process, beside the peers and a floor without any library',
    run: () => firstJob(1, {}),
  },
  {
    name: 'cold-start-first-ten',
    description: 'the same with ten jobs in the first batch',
    run: () => firstJob(10, {}),
  },
  {
    name: 'cold-start-over-tls',
    description: 'the same with one job, TLS to AWS and to the gateway, 4 ms for each call of AWS',
    run: () => firstJob(1, overTls),
  },
  {
    name: 'cold-start-warmed',
    description: 'the first check and the first callback over TLS, warmed while the process starts, and not',
    run: firstEvents,
  },
];

const overTls = { tls: true, latencyMs: 4 };

const run = promisify(execFile);
const rounds = 11;
const environment = {
  AWS_REGION: 'eu-central-1',
  // By it a process knows that it is started by Lambda.
  AWS_LAMBDA_FUNCTION_NAME: 'bench',
  AWS_ACCESS_KEY_ID: 'FAKE-BENCH-KEY-ID',
  AWS_SECRET_ACCESS_KEY: 'fake-bench-secret-key',
  IDEMPOTENCY_TABLE: idempotencyTableName,
  RESULTS_QUEUE_URL: 'http://127.0.0.1:9/results',
};

interface Cost {
  readonly importMs: number;
  readonly rssMb: number;
  readonly heapMb: number;
}

async function coldStart(): Promise<Measurement> {
  const bundles = {
    submit: await bundleFunction('submit'),
    inquire: await bundleFunction('inquire'),
    callback: await bundleFunction('callback'),
    sweep: await bundleFunction('sweep'),
    powertools: await bundlePeer('powertools'),
    middy: await bundlePeer('middy'),
  };
  const costs: Record<string, Cost[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, { file }] of Object.entries(bundles)) (costs[name] ??= []).push(await costOf(file));
  }
  const of = (name: string, figure: keyof Cost) => median((costs[name] ?? []).map((cost) => cost[figure]));
  const figures: Record<string, number> = {};
  for (const [name, { bytes }] of Object.entries(bundles)) {
    figures[`${name}KB`] = bytes / 1000;
    figures[`${name}ImportMs`] = of(name, 'importMs');
    figures[`${name}RssMB`] = of(name, 'rssMb');
  }
  const beside = (rival: string) =>
    median((costs['submit'] ?? []).map(({ importMs }, round) => importMs / (costs[rival]?.[round]?.importMs ?? 0)));
  figures['importBesidePowertools'] = beside('powertools');
  figures['importBesideMiddy'] = beside('middy');
  return {
    figures,
    bounds: [
      { kind: 'most', figure: 'submitKB', most: bundleLimitBytes / 1000 },
      { kind: 'most', figure: 'importBesidePowertools', most: 2.5 },
    ],
  };
}

interface FirstJob {
  readonly importMs: number;
  readonly jobMs: number;
  readonly sumMs: number;
  readonly cpuMs: number;
  readonly failed: number;
}

async function firstJob(jobs: number, manner: Manner): Promise<Measurement> {
  const bundles = {
    submit: await bundleFunction('submit'),
    powertools: await bundlePeer('powertools'),
    middy: await bundlePeer('middy'),
    bare: await bundlePeer('bare'),
  };
  const { servers, env } = await surroundings(bundles.bare.file, manner);
  const taken: Record<string, FirstJob[]> = {};
  try {
    for (let round = 0; round < rounds; round++)
      for (const [name, { file }] of Object.entries(bundles)) {
        const it = await inNewProcess<FirstJob>('first-job-timed.ts', [file, JSON.stringify(newBatch(jobs))], env);
        assert.equal(it.failed, 0, `${name} left jobs on the queue`);
        (taken[name] ??= []).push(it);
      }
  } finally {
    await servers.stop();
  }
  return { figures: firstJobFigures(taken), bounds: [{ kind: 'most', figure: 'sumBesidePowertools', most: 1.6 }] };
}

/** The servers, and the environment of a process that trusts them. */
async function surroundings(bundle: string, manner: Manner) {
  const trusted = join(dirname(bundle), 'ca.pem');
  await writeFile(trusted, testCertificatePem);
  const servers = await startServers('instant', manner);
  const env = { ...environment, ...servers.environment, ...(manner.tls && { NODE_EXTRA_CA_CERTS: trusted }) };
  return { servers, env };
}

/** A check of an order that nobody knows, a callback that nobody has signed: what any first event has to read is read. */
const firstOnes = {
  inquire: {
    Records: [{ ...newBatch(1).Records[0], body: writeOwnWord({ kind: 'check', key: 'bench/INV-1', number: 0 }) }],
  },
  callback: {
    rawPath: '/bench',
    rawQueryString: 'status=approved&orderid=1&merchant_order=INV-1&client_orderid=INV-1&control=0',
  },
};

async function firstEvents(): Promise<Measurement> {
  const { file } = await bundleFunction('callback');
  const bundles = { inquire: (await bundleFunction('inquire')).file, callback: file };
  const { servers, env } = await surroundings(file, overTls);
  const { AWS_LAMBDA_FUNCTION_NAME: _, ...atFirstEvent } = env as Record<string, string>;
  const figures: Record<string, number> = {};
  try {
    for (const name of ['inquire', 'callback'] as const) {
      const timed = (its: Record<string, string>) =>
        inNewProcess<FirstJob>('first-job-timed.ts', [bundles[name], JSON.stringify(firstOnes[name])], its);
      const taken: { warmed: FirstJob; not: FirstJob }[] = [];
      for (let round = 0; round < rounds; round++)
        taken.push({ warmed: await timed(env), not: await timed(atFirstEvent) });
      assert(taken.every(({ warmed, not }) => warmed.failed + not.failed === 0));
      figures[`${name}FirstEventMs`] = median(taken.map(({ warmed }) => warmed.jobMs));
      figures[`${name}FirstEventNotWarmedMs`] = median(taken.map(({ not }) => not.jobMs));
      figures[`${name}WarmedBesideNot`] = median(taken.map(({ warmed, not }) => warmed.jobMs / not.jobMs));
    }
  } finally {
    await servers.stop();
  }
  const bounds = Object.keys(figures).filter((figure) => figure.endsWith('WarmedBesideNot'));
  return { figures, bounds: bounds.map((figure) => ({ kind: 'most', figure, most: 0.85 })) };
}

function firstJobFigures(taken: Readonly<Record<string, readonly FirstJob[]>>): Record<string, number> {
  const figures: Record<string, number> = {};
  const ours = taken['submit'] ?? [];
  for (const [name, all] of Object.entries(taken)) {
    for (const figure of ['importMs', 'jobMs', 'sumMs', 'cpuMs'] as const)
      figures[`${name}${figure.replace(/^./, (letter) => letter.toUpperCase())}`] = median(all.map((it) => it[figure]));
    if (all === ours) continue;
    const beside = `Beside${name.replace(/^./, (letter) => letter.toUpperCase())}`;
    figures[`sum${beside}`] = median(all.map(({ sumMs }, round) => (ours[round]?.sumMs ?? Number.NaN) / sumMs));
    figures[`cpu${beside}`] = median(all.map(({ cpuMs }, round) => (ours[round]?.cpuMs ?? Number.NaN) / cpuMs));
  }
  return figures;
}

const costOf = (file: string) => inNewProcess<Cost>('import-timed.ts', [file], environment);

async function inNewProcess<Said>(script: string, args: readonly string[], env: Record<string, string>): Promise<Said> {
  const path = join(import.meta.dirname, 'surroundings', script);
  const { PATH = '' } = process.env;
  const { stdout } = await run(process.execPath, [path, ...args], { env: { PATH, ...env } });
  return JSON.parse(stdout) as Said;
}
