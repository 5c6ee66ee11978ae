// The handler beside the way teams build it: everything in memory, which shows the designs' own work; and as deployed,
// with real AWS clients and HTTP clients against servers that answer at once.
import assert from 'node:assert/strict';
import { type AxiosInstance, create } from 'axios';

import { createSubmit } from '../../functions/submit.ts';
import { memoryPorts } from './handler.bench.ts';
import { type Benchmark, type Bound, type Measurement, sideBySide } from './harness.ts';
import { lambdaContext, newBatch } from './payout-batches.ts';
import { MemoryPersistence } from './peers/memory-persistence.ts';
import { createMiddyHandler } from './peers/middy-design.ts';
import type { PeerResult } from './peers/peer-order.ts';
import { createPowertoolsHandler } from './peers/powertools-design.ts';
import { type Handler, handlersWith } from './shipped-handlers.ts';
import { awsAnswer, secretsFor } from './surroundings/instant-aws.ts';
import { gatewayAnswer } from './surroundings/instant-gateway.ts';
import { withoutNetwork } from './surroundings/memory-sockets.ts';
import type { Manner } from './surroundings/listen.ts';
import { startServers, trustingTheServers } from './surroundings/start-servers.ts';

const jobsPerBatch = 10;
const answer = '{"type":"async-response","paynet-order-id":9000001,"payout-id":"9000001"}';

/** All benchmarks of this file. */
export const peerBenchmarks: readonly Benchmark[] = [
  {
    name: 'handler-beside-peers',
    description: 'CPU per job, every edge in memory: beside Powertools batch + idempotency + axios, and middy + fetch',
    run: inMemory,
  },
  {
    name: 'handler-beside-peers-over-http',
    description: "the same, the peers' HTTP clients posting to a gateway in another process; our ports stay in memory",
    run: peersOverHttp,
  },
  {
    name: 'handler-as-deployed',
    description: 'the same with real AWS and HTTP clients, against servers in another process that answer at once',
    run: () => asDeployed({}, 10),
  },
  {
    name: 'handler-as-deployed-over-tls',
    description: 'the same over TLS, as on AWS: kept connections to AWS, a fresh one to the gateway for each payment',
    run: () => asDeployed({ tls: true }, 10),
  },
  {
    name: 'handler-alone-over-tls',
    description: 'the same with one job an invocation',
    run: () => asDeployed({ tls: true }, 1),
  },
  {
    name: 'handler-services-in-memory',
    description:
      'the same bundles and clients, the network left out: sockets of this process that answer by themselves',
    run: servicesInMemory,
  },
];

async function inMemory(): Promise<Measurement> {
  const http = create({
    adapter: async (config) => ({ data: answer, status: 200, statusText: 'OK', headers: {}, config }),
  });
  const edges = { baseUrl: 'https://gate.example.com', http, fetch: async () => new Response(answer) };
  return { figures: await besidePeers(edges, 100), bounds: [least('powertoolsRatio', 0.3)] };
}

/** As teams first measure such a handler: its own HTTP client counted, AWS not. */
async function peersOverHttp(): Promise<Measurement> {
  const servers = await startServers('instant');
  try {
    const edges = { baseUrl: servers.gatewayUrl, http: create({ proxy: false }), fetch };
    return { figures: await besidePeers(edges, 30), bounds: [least('powertoolsRatio', 0.9)] };
  } finally {
    await servers.stop();
  }
}

interface PeerEdges {
  readonly baseUrl: string;
  readonly http: AxiosInstance;
  readonly fetch: typeof fetch;
}

async function besidePeers(
  { baseUrl, http, fetch }: PeerEdges,
  callsPerRound: number,
): Promise<Record<string, number>> {
  const told: PeerResult[] = [];
  const tell = async (result: PeerResult) => {
    if (JSON.stringify(result).includes('"accepted"')) told.push(result);
  };
  const secretOf = async () => ({ login: 'login', controlKey: 'fake-control-key', baseUrl });
  const persistenceStore = new MemoryPersistence();
  const figures = await cpuPerJob({
    ours: createSubmit(memoryPorts(() => {})),
    powertools: createPowertoolsHandler({ persistenceStore, secretOf, http, tell, inParallel: true }),
    middy: createMiddyHandler({ secretOf, fetch, tell, inParallel: true }),
    callsPerRound,
  });
  assert.ok(told.length > 0);
  return figures;
}

async function asDeployed(manner: Manner, jobs: number): Promise<Measurement> {
  const servers = await startServers('instant', manner);
  const distrust = trustingTheServers();
  try {
    const handlers = await handlersWith(servers.environment, 10);
    const figures = await cpuPerJob({ ...handlers, callsPerRound: jobs === 1 ? 60 : 30, jobs });
    return { figures, bounds: [least('powertoolsRatio', jobs === 1 ? 0.35 : 0.5)] };
  } finally {
    distrust();
    await servers.stop();
  }
}

/** What is left is each side's own work: its handler, its clients and Node's HTTP. */
async function servicesInMemory(): Promise<Measurement> {
  const servers = await startServers('instant');
  const secretOf = secretsFor(servers.gatewayUrl);
  const restore = withoutNetwork((operation, body) => awsAnswer(operation, body, secretOf), gatewayAnswer);
  try {
    const handlers = await handlersWith(servers.environment, 10);
    const figures = await cpuPerJob({ ...handlers, callsPerRound: 30 });
    return { figures, bounds: [least('powertoolsRatio', 0.5)] };
  } finally {
    restore();
    await servers.stop();
  }
}

interface Rivals {
  readonly jobs?: number;
  readonly ours: Handler;
  readonly powertools: Handler;
  readonly middy: Handler;
  readonly callsPerRound: number;
}

async function cpuPerJob({
  ours,
  powertools,
  middy,
  callsPerRound,
  jobs = jobsPerBatch,
}: Rivals): Promise<Record<string, number>> {
  const rounds = 11;
  const contest = { ours: once(ours, jobs), callsPerRound, rounds, clock: 'cpu' } as const;
  const beside = await sideBySide({ ...contest, reference: once(powertools, jobs) });
  const besideMiddy = await sideBySide({ ...contest, reference: once(middy, jobs) });
  return {
    oursCpuMicrosecondsPerJob: beside.oursMicrosecondsPerCall / jobs,
    powertoolsCpuMicrosecondsPerJob: beside.referenceMicrosecondsPerCall / jobs,
    powertoolsRatio: beside.ratio,
    middyCpuMicrosecondsPerJob: besideMiddy.referenceMicrosecondsPerCall / jobs,
    middyRatio: besideMiddy.ratio,
  };
}

let batches = 0;
/** In turn, so that one job after the other waits for no gateway's pace. */
const merchants = 20;

function once(handler: Handler, jobs: number): () => Promise<void> {
  return async () => {
    const merchant = jobs === 1 ? `bench-${(batches += 1) % merchants}` : 'bench';
    const { batchItemFailures } = await handler(newBatch(jobs, merchant), lambdaContext);
    assert.deepEqual(batchItemFailures, []);
  };
}

function least(figure: string, value: number): Bound {
  return { kind: 'least', figure, least: value };
}
