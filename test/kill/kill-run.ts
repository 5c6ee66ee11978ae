// A kill run: thousands of jobs, a gateway with faults, a ledger that answers slowly or not at all, and workers that are
// killed and frozen in the middle of it all. At the end the books are closed, and whatever was left open is named.
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { moves, type OrderState } from '../../lib/payout/ledger.ts';
import type { Result } from '../../lib/payout/result.ts';
import { type Accounts, closeAccounts, type SentMessage } from '../../lib/local/accounts.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { collectResults, sendToJobsQueue, deadLetterIds } from '../../lib/local/jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { countedPayments, startLocalGateway } from '../../lib/local/local-gateway.ts';
import { type MerchantSecret, sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { type Crew, startCrew } from './crew.ts';
import { killJobs } from './kill-jobs.ts';
import { type ShakyCable, startShakyCable } from './shaky-cable.ts';

/** How much is to be suffered. */
export interface KillRunOptions {
  readonly orders: number;
  readonly kills: number;
  readonly freezes: number;
  readonly workers: number;
  readonly seed: number;
  readonly logDirectory: string;
  readonly onProgress?: (progress: KillProgress) => void;
}

/** How far it is. */
export interface KillProgress {
  readonly kills: number;
  readonly freezes: number;
  readonly sent: number;
  readonly results: number;
  readonly waiting: number;
  readonly elapsedMs: number;
}

/** What came of it. */
export interface KillReport {
  readonly seed: number;
  readonly orders: number;
  readonly kills: number;
  readonly freezes: number;
  readonly workersStarted: number;
  /** Answers of the ledger that were cut off on their way. */
  readonly ledgerAnswersLost: number;
  /** POSTs that the gateway received. */
  readonly posts: number;
  /** Orders that a worker took with it: claimed, and never heard of again by that claim. */
  readonly workerLost: number;
  /** Those of them that had been paid: a plain retry would have paid each of them twice. */
  readonly workerLostButPaid: number;
  readonly ledgerStates: Readonly<Partial<Record<OrderState, number>>>;
  /** Orders that stand in the ledger with more to come, and nobody to bring it. */
  readonly ordersLeftOpen: number;
  readonly accounts: Accounts;
  readonly elapsedMs: number;
}

/** Short, so that a run shows many leases end; the relations of payout/limits.ts hold. */
const limits = {
  MAX_RECEIVE_COUNT: '20',
  GATEWAY_CONNECT_TIMEOUT_MS: '300',
  GATEWAY_HEADERS_TIMEOUT_MS: '500',
  GATEWAY_BODY_TIMEOUT_MS: '200',
  GATEWAY_TOTAL_TIMEOUT_MS: '1000',
  SETTLE_RESERVE_MS: '3000',
  AWS_CONNECT_TIMEOUT_MS: '300',
  AWS_REQUEST_TIMEOUT_MS: '450',
  AWS_CALL_TIMEOUT_MS: '480',
  LEASE_MS: '5200',
  FUNCTION_TIMEOUT_MS: '8500',
  RETRY_FIRST_DELAY_SECONDS: '1',
  RETRY_MAX_DELAY_SECONDS: '2',
};
const visibilityTimeoutSeconds = 9;
const freezeMs = Number(limits.LEASE_MS) + 300;
/** The gateway takes up to this long, so that most kills find a POST under way. */
const slowestAnswerMs = 150;
const openStates: readonly OrderState[] = ['submitting', 'retryable'];

/** Makes one run. Rejects when a worker ends by itself. */
export async function runKills(options: KillRunOptions): Promise<KillReport> {
  const startedMs = Date.now();
  const random = createSeededRandom(options.seed);
  await mkdir(options.logDirectory, { recursive: true });
  const aws = await startEmbeddedAws({ maxReceiveCount: Number(limits.MAX_RECEIVE_COUNT), visibilityTimeoutSeconds });
  const gateway = await startGateway(options.seed);
  for (const [merchant, secret] of Object.entries(gateway.secrets)) aws.secrets.put(`payouts/${merchant}`, secret);
  aws.secrets.put('payouts/_worker', workerSecret());
  const ledgerCable = await startShakyCable(aws.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '', ledgerMoods(random));
  const environment = { ...workerEnvironment(aws, limits), AWS_ENDPOINT_URL_DYNAMODB: ledgerCable.url };
  const { workers: size, logDirectory } = options;
  const crew = startCrew({ size, environment, logDirectory, random, freezeMs });
  try {
    return await suffer({ options, startedMs, random, aws, gateway, ledgerCable, crew });
  } finally {
    await crew.stop();
    await ledgerCable.close();
    await gateway.simulator.close();
    await aws.close();
  }
}

interface Scene {
  readonly options: KillRunOptions;
  readonly startedMs: number;
  readonly random: ReturnType<typeof createSeededRandom>;
  readonly aws: EmbeddedAws;
  readonly gateway: { simulator: GatewaySimulator; secrets: Readonly<Record<string, MerchantSecret>> };
  readonly ledgerCable: ShakyCable;
  readonly crew: Crew;
}

async function suffer(scene: Scene): Promise<KillReport> {
  const { options, startedMs, aws, crew } = scene;
  const sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
  const seen = { kills: 0, freezes: 0, sent: [] as SentMessage[], isOver: false };
  const queues = { jobsQueueUrl: aws.queueUrls.jobs, resultsQueueUrl: aws.queueUrls.results };
  try {
    const collected = collectResults(sqs, {
      ...queues,
      mayEnd: () => seen.isOver,
      onProgress: (results, waiting) =>
        options.onProgress?.({
          ...seen,
          sent: seen.sent.length,
          results: results.length,
          waiting,
          elapsedMs: Date.now() - startedMs,
        }),
    });
    const killed = killThemAll(scene, sqs, seen).then(() => (seen.isOver = true));
    const [results] = await Promise.race([Promise.all([collected, killed]), crew.broken]);
    await crew.stop();
    // A worker that thawed late may have told its answer after the queue had been emptied by others.
    const late = await collectResults(sqs, queues);
    const deadLetterMessageIds = await deadLetterIds(sqs, aws.queueUrls.jobsDeadLetter);
    return await reportOf(scene, { ...seen, results: [...results, ...late], deadLetterMessageIds });
  } finally {
    sqs.destroy();
  }
}

/** The jobs come in portions, one for each kill, so that no kill meets an idle crew. */
async function killThemAll(
  { options, random, aws, crew }: Scene,
  sqs: SQSClient,
  seen: { kills: number; freezes: number; sent: SentMessage[] },
): Promise<void> {
  const bodies = killJobs(options.orders, random);
  const portion = Math.ceil(bodies.length / (options.kills + 1));
  const send = async () => {
    const next = bodies.slice(seen.sent.length, seen.sent.length + portion);
    seen.sent.push(...(await sendToJobsQueue(sqs, aws.queueUrls.jobs, next, seen.sent.length + 1)));
  };
  await send();
  while (seen.kills < options.kills) {
    await sleep(100 + random.chance() * 700);
    if (seen.freezes < options.freezes && seen.freezes / options.freezes <= seen.kills / options.kills) {
      crew.freezeOne();
      seen.freezes += 1;
    }
    await crew.killOne();
    seen.kills += 1;
    await send();
  }
  await crew.allThawed();
}

interface Seen {
  readonly kills: number;
  readonly freezes: number;
  readonly sent: readonly SentMessage[];
  readonly results: readonly Result[];
  readonly deadLetterMessageIds: readonly string[];
}

async function reportOf(scene: Scene, { kills, freezes, ...seen }: Seen): Promise<KillReport> {
  const { options, startedMs, aws, gateway, ledgerCable, crew } = scene;
  const payments = countedPayments(gateway.simulator, gateway.secrets);
  const paid = new Set(payments.map((it) => `${it.merchant}/${it.orderId}`));
  const ledgerStates = await statesOf(aws);
  const lost = new Set(seen.results.filter((it) => it.failure?.code === 'WORKER_LOST').map(keyOf));
  const { transfer, payout, ...requests } = gateway.simulator.requests();
  return {
    seed: options.seed,
    orders: options.orders,
    kills,
    freezes,
    workersStarted: crew.started(),
    ledgerAnswersLost: ledgerCable.lostAnswers(),
    posts: transfer + payout + requests['transfer-by-ref'] + requests['pan-eligibility'],
    workerLost: lost.size,
    workerLostButPaid: [...lost].filter((key) => paid.has(key)).length,
    ledgerStates,
    ordersLeftOpen: openStates.reduce((sum, state) => sum + (ledgerStates[state] ?? 0), 0),
    accounts: closeAccounts({ ...seen, payments }),
    elapsedMs: Date.now() - startedMs,
  };
}

const keyOf = ({ merchant, orderId }: Result) => `${merchant}/${orderId}`;

async function statesOf(aws: EmbeddedAws): Promise<Partial<Record<OrderState, number>>> {
  const client = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
  const counts: Partial<Record<OrderState, number>> = {};
  for await (const { Items = [] } of paginateScan({ client }, { TableName: aws.ledgerTableName })) {
    for (const { st } of Items) {
      // Lanes, caps and the words about messages have items of their own in the table, which bear no state of an order.
      const state = st?.S as OrderState;
      if (Object.hasOwn(moves, state)) counts[state] = (counts[state] ?? 0) + 1;
    }
  }
  client.destroy();
  return counts;
}

async function startGateway(seed: number) {
  const chance = createSeededRandom(seed + 1);
  // No job of a kill run names the merchant whose gateway is down: it would be tried for ever.
  const secretsFor = (gatewayUrl: string) => sampleSecrets({ gatewayUrl, closedUrl: gatewayUrl });
  return startLocalGateway('flaky', secretsFor, {
    seed: String(seed),
    latencyMs: () => chance.chance() * slowestAnswerMs,
  });
}

/** Two seconds slow, four at speed, and one answer in a hundred is lost. */
function ledgerMoods(random: { chance(): number }) {
  return () => {
    const isSlow = Date.now() % 6_000 < 2_000;
    return { delayMs: isSlow ? random.chance() * 250 : 0, isLost: random.chance() < 0.01 };
  };
}
