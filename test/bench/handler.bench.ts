// What one job costs the CPU in the handler that ships, over ports in memory: the whole, and each stage by itself. The
// reference is HMAC-SHA1 signing by a well-known library, so that the figure means the same on a faster machine.
import { createPacing } from '../../lib/payout/pacing.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import { createMemoryBatches } from '../support/memory-batches.ts';
import { createMemoryControls } from '../support/memory-controls.ts';
import { createMemoryOrders } from '../support/memory-orders.ts';
import { anOrder } from '../support/orders.ts';
import { systemClock, systemRandom } from '../../lib/aws/system.ts';
import { type CardDecrypter, createSingleUseCode } from '../../lib/card-data/open-card-data.ts';
import { gateListOf } from '../support/gate-list.ts';
import { createApprovals } from '../../lib/batches/approval.ts';
import type { LinePorts } from '../../lib/payout/waiting/run-lines.ts';
import { createMemoryDataKeys, createMemoryDrainRights, createMemoryWaiting } from '../support/memory-waiting.ts';
import { createSubmit } from '../../functions/submit.ts';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { fingerprints } from '../../lib/payout/message/fingerprint.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { operations } from '../../lib/gateway/operations.ts';
import { judge } from '../../lib/gateway/outcome.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { resultOf } from '../../lib/payout/message/result.ts';
import { attemptsOf, ofAttempt } from '../../lib/payout/order/facts.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { viewOf } from '../../lib/payout/order/view.ts';
import { answeredAs } from '../../lib/payout/submit/send.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import { signRequest } from '../../lib/oauth1/sign-request.ts';
import { type Benchmark, median, type Measurement, sideBySide } from './harness.ts';
import { bodyOf, lambdaContext, newBatch } from './payout-batches.ts';
import { silentLog, createEmfMetrics } from '../../lib/aws/cloudwatch-lines.ts';
import { payneteasy } from '../../lib/gateway/payneteasy.ts';
import { formParameters } from '../../lib/gateway/fields.ts';

const jobsPerBatch = 10;
const profile = { ...defaultProfile, signatureMethod: { payout: 'HMAC-SHA1' as const } };
const key = parseSigningKey('HMAC-SHA1', 'fake-control-key');
const fingerprintKeys = { current: 'k', keys: new Map([['k', createSecretKey(Buffer.alloc(32, 7))]]) };
const url = 'https://gate.example.com/paynet/api/v4/payout/39915';
const reply: Evidence = {
  kind: 'answer',
  httpStatus: 200,
  framing: 'delimited',
  body: '{"type":"async-response","paynet-order-id":9000001,"payout-id":"9000001"}',
};

/** Everything in memory; each accepted result is counted. */
export function memoryPorts(onResult: () => void): LinePorts {
  const credentials = {
    dialect: payneteasy,
    login: 'login',
    baseUrl: 'https://gate.example.com',
    keys: { 'HMAC-SHA1': key },
    profile,
    version: '1',
    mode: 'live' as const,
  };
  const answer = { kind: 'credentials' as const, credentials };
  const answers = { of: async () => answer, refresh: async () => answer };
  const controls = createMemoryControls();
  const approvals = createApprovals({
    credentials: answers,
    batches: createMemoryBatches(),
    macs: { isMacOf: async () => false },
  });
  const cardDecrypter: CardDecrypter = {
    open: async () => ({ kind: 'unopenable', reason: 'is never asked' }),
    openCode: async () => undefined,
  };
  const pacing = createPacing({ lanes: createMemoryLanes(Date.now), clock: systemClock, random: systemRandom });
  const orders = createMemoryOrders();
  return {
    orders,
    credentials: answers,
    fingerprinting: { keys: async () => fingerprintKeys },
    gateway: { post: async () => reply },
    results: {
      send: async (results) => {
        for (const result of results) if (JSON.stringify(result).includes('"accepted"')) onResult();
        return new Set();
      },
    },
    jobsQueue: { sendDeadLetters: async () => new Set(), postpone: async () => {} },
    ownQueue: { send: async () => new Set() },
    gates: gateListOf({ credentials: answers, controls, clock: systemClock, approvals, cardDecrypter, pacing, orders }),
    pacing,
    controls,
    waiting: {
      rows: createMemoryWaiting(),
      rights: createMemoryDrainRights(systemClock.nowMs),
      dataKeys: createMemoryDataKeys(),
      lines: { send: async () => new Set() },
    },
    deliveries: { begin: async () => 0, end: async () => {} },
    spending: controls,
    rowNotes: { note: async () => {} },
    clock: systemClock,
    random: systemRandom,
    singleUse: createSingleUseCode(cardDecrypter, { take: async () => undefined }),
    log: silentLog,
    metrics: createEmfMetrics({ write: () => {}, nowMs: systemClock.nowMs, namespace: 'Payouts' }),
    limits: defaultLimits,
  };
}

const library = new OAuth({
  consumer: { key: 'login', secret: 'fake-control-key' },
  signature_method: 'HMAC-SHA1',
  hash_function: (text, secret) => createHmac('sha1', secret).update(text).digest('base64'),
});

async function wholeHandler(): Promise<Measurement> {
  let told = 0;
  let orders = 0;
  const submit = createSubmit(memoryPorts(() => (told += 1)));
  const batch = async () => {
    orders += jobsPerBatch;
    const { batchItemFailures } = await submit(newBatch(jobsPerBatch, 'acme-eu'), lambdaContext);
    assert.equal(batchItemFailures.length, 0);
  };
  const data = Object.fromEntries(
    formParameters(operations.payout, { orderIdField: 'client-order-id', orderId: 'INV-1', params: paramsOf() }),
  );
  const signTen = () => {
    for (let index = 0; index < jobsPerBatch; index += 1)
      library.toHeader(library.authorize({ url, method: 'POST', data }));
  };
  const contest = await sideBySide({ ours: batch, reference: signTen, callsPerRound: 200, rounds: 15, clock: 'cpu' });
  assert.equal(told, orders);
  const figures = {
    cpuMicrosecondsPerJob: contest.oursMicrosecondsPerCall / jobsPerBatch,
    librarySigningMicroseconds: contest.referenceMicrosecondsPerCall / jobsPerBatch,
    jobsPerLibrarySignature: contest.ratio,
  };
  return { figures, bounds: [{ kind: 'least', figure: 'jobsPerLibrarySignature', least: 0.07 }] };
}

function paramsOf() {
  const parsed = parseJob(bodyOf('INV-1', 'acme-eu'));
  assert(parsed.kind === 'job');
  return parsed.job.params;
}

/** Each stage alone, median of rounds; what the sum leaves over is promises, the batch and the store in memory. */
async function stages(): Promise<Measurement> {
  const body = bodyOf('INV-1', 'acme-eu');
  const parsed = parseJob(body);
  assert(parsed.kind === 'job');
  const { job } = parsed;
  const order = anOrder();
  const [attempt] = attemptsOf(order.facts);
  assert(attempt);
  const outcome = judge(reply, job, profile);
  const settled = () =>
    recorded(order, ofAttempt(answeredAs(attempt, outcome, 1)), { nowMs: 1, endId: 'e', publishes: true });
  const request = {
    method: 'POST',
    url,
    params: formParameters(operations.payout, {
      orderIdField: 'client-order-id',
      orderId: job.orderId,
      params: job.params,
    }),
    consumerKey: 'login',
    signatureMethod: 'HMAC-SHA1' as const,
    key,
  };
  const work: Record<string, () => unknown> = {
    parseJob: () => parseJob(body),
    fingerprint: () => fingerprints(job, fingerprintKeys),
    sign: () => signRequest({ ...request, nonce: systemRandom.id(), timestamp: '1700000000' }),
    judge: () => judge(reply, job, profile),
    settle: settled,
    result: () => JSON.stringify(resultOf(viewOf(settled()))),
  };
  const figures: Record<string, number> = {};
  for (const [name, stage] of Object.entries(work)) figures[`${name}Microseconds`] = await cpuMicroseconds(stage);
  return { figures, bounds: [] };
}

async function cpuMicroseconds(stage: () => unknown): Promise<number> {
  const rounds: number[] = [];
  const calls = 3000;
  for (let round = 0; round < 9; round += 1) {
    const before = process.cpuUsage();
    for (let index = 0; index < calls; index += 1) await stage();
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / calls);
  }
  return median(rounds);
}

/** The handler's benchmarks. */
export const handlerBenchmarks: readonly Benchmark[] = [
  { name: 'handler-cpu', description: 'CPU of one job in the shipped handler, ports in memory', run: wholeHandler },
  { name: 'handler-stages', description: 'CPU of each stage of a job by itself', run: stages },
];
