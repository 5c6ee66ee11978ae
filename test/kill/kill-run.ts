// A kill run: thousands of jobs, a gateway with faults, a ledger that answers slowly or not at all, and workers that are
// killed and frozen in the middle of it all. At the end the books are closed, and whatever was left open is named.
import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import type { SentMessage } from '../../lib/local/payments.ts';
import { startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { collectResults, sendToJobsQueue, deadLetterIds } from '../../lib/local/jobs-and-results.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { localCalls } from '../../lib/local/local-limits.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { rowsWaiting } from '../../lib/local/queue-reader.ts';
import { putMerchants, sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { startCrew } from './crew.ts';
import { killJobs } from './kill-jobs.ts';
import { type KillReport, reportOf } from './kill-report.ts';
import type { KillRunOptions, Scene } from './kill-scene.ts';
import { startShakyCable } from './shaky-cable.ts';

/** Short, so that a run shows many leases end; the relations of payout/limits.ts hold. */
const limits = {
  MAX_RECEIVE_COUNT: '1000',
  GATEWAY_CONNECT_TIMEOUT_MS: '300',
  GATEWAY_HEADERS_TIMEOUT_MS: '1500',
  GATEWAY_BODY_TIMEOUT_MS: '200',
  GATEWAY_TOTAL_TIMEOUT_MS: '2000',
  SETTLE_RESERVE_MS: '3000',
  AWS_CONNECT_TIMEOUT_MS: '300',
  AWS_REQUEST_TIMEOUT_MS: '450',
  AWS_CALL_TIMEOUT_MS: '480',
  LEASE_MS: '7200',
  FUNCTION_TIMEOUT_MS: '10500',
  RETRY_FIRST_DELAY_SECONDS: '1',
  RETRY_MAX_DELAY_SECONDS: '2',
};
const visibilityTimeoutSeconds = 11;
/** What a closed lane told to wait comes back later than a run lasts: its message stays where it is. */
class CalmForLong extends Error {
  readonly results: readonly Result[];
  constructor(results: readonly Result[]) {
    super('calm for long enough');
    this.results = results;
  }
}

function resultsOf(error: unknown): readonly Result[] {
  if (error instanceof CalmForLong) return error.results;
  throw error;
}
const freezeMs = Number(limits.LEASE_MS) + 300;
/** One request in so many has a bad end: with three in ten the brake closes the lane, and the kills meet an idle crew. */
const faultShare = 0.12;
/** The gateway takes up to this long, so that most kills find a POST under way. */
const slowestAnswerMs = 150;

/** Makes one run. Rejects when a worker ends by itself. */
export async function runKills(options: KillRunOptions): Promise<KillReport> {
  const startedMs = Date.now();
  const random = createSeededRandom(options.seed);
  await mkdir(options.logDirectory, { recursive: true });
  const maxReceiveCount = Number(limits.MAX_RECEIVE_COUNT);
  const aws = await startEmbeddedAws({ maxReceiveCount, visibilityTimeoutSeconds });
  const gateway = await startGateway(options.seed);
  for (const [merchant, { contract, keys }] of Object.entries(gateway.secrets)) {
    const { doubtLimits: _, ...profile } = Object(contract['profile']);
    // Kills alone leave doubts for minutes, and nothing waits for them.
    putMerchants(aws.secrets, { [merchant]: { contract: { ...contract, profile }, keys } });
  }
  aws.secrets.put('payouts/_worker', workerSecret());
  await aws.registered();
  const ledgerCable = await startShakyCable(aws.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '', ledgerMoods(random));
  const environment = {
    ...workerEnvironment(aws, limits),
    AWS_ENDPOINT_URL_DYNAMODB: ledgerCable.url,
  };
  const { workers: size, logDirectory } = options;
  // The sweeper releases what waits.
  const args = ['--sweep-seconds', '4'];
  const crew = startCrew({ size, environment, logDirectory, random, freezeMs, args });
  try {
    return await suffer({ options, startedMs, random, aws, gateway, ledgerCable, crew });
  } finally {
    await crew.stop();
    await ledgerCable.close();
    await gateway.simulator.close();
    await aws.close();
  }
}

async function suffer(scene: Scene): Promise<KillReport> {
  const { options, startedMs, aws, crew } = scene;
  const sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
  const dynamodb = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
  const seen = { kills: 0, freezes: 0, sent: [] as SentMessage[], isOver: false };
  let calmUntilMs = Infinity;
  const queues = {
    jobsQueueUrls: [aws.queueUrls.jobs, aws.queueUrls.batchJobs],
    resultsQueueUrl: aws.queueUrls.results,
    inTable: () => rowsWaiting(dynamodb, aws.waitingTableName),
  };
  try {
    const collected = collectResults(sqs, {
      ...queues,
      mayEnd: () => seen.isOver,
      onProgress: (results, waiting) => {
        if (Date.now() > calmUntilMs) throw new CalmForLong(results);
        options.onProgress?.({
          ...seen,
          sent: seen.sent.length,
          results: results.length,
          waiting,
          elapsedMs: Date.now() - startedMs,
        });
      },
    }).catch(resultsOf);
    const suffered = killThemAll(scene, sqs, seen).then(() => {
      seen.isOver = true;
      calmUntilMs = Date.now() + (options.calmMs ?? Infinity);
    });
    const [results] = await Promise.race([Promise.all([collected, suffered]), crew.broken]);
    await crew.stop();
    // A worker that thawed late may have told its answer after the queue had been emptied by others.
    const late = await collectResults(sqs, { ...queues, ...(options.calmMs !== undefined && { patienceMs: 5_000 }) });
    const deadLetterMessageIds = await deadLetterIds(sqs, aws.queueUrls);
    return await reportOf(scene, { ...seen, results: [...results, ...late], deadLetterMessageIds });
  } finally {
    sqs.destroy();
    dynamodb.destroy();
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
    await sleep((0.25 + 1.5 * random.chance()) * 400);
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

async function startGateway(seed: number) {
  const chance = createSeededRandom(seed + 1);
  // No job of a kill run names the merchant whose gateway is down: it would be tried for ever.
  const secretsFor = (gatewayUrl: string) => sampleSecrets({ gatewayUrl, closedUrl: gatewayUrl });
  return startLocalGateway('flaky', secretsFor, {
    seed: String(seed),
    faultShare,
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
