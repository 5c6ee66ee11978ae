// Services in trouble, one after the other: each is unkind in each way for a while, then kind again so that work goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { type Call, startUnkindProxy, type Unkindness, unkindnesses, type UnkindProxy } from './unkind-proxy.ts';
import { createCounts, type Counts } from './order-counts.ts';

/** What can be in trouble. The results queue is a part of SQS, and has trouble of its own. */
export const troubledServices = ['sqs', 'dynamodb', 'secrets', 'results', 'gateway'] as const;

/** One of {@link troubledServices}. */
export type TroubledService = (typeof troubledServices)[number];

/** What is to be suffered. */
export interface TroubleOptions {
  readonly services: readonly TroubledService[];
  /** How long one service is unkind in one way, and all are kind afterwards. */
  readonly phaseMs: number;
  readonly calmMs: number;
}

/** Services in trouble. */
export interface Trouble {
  /** To be laid over the environment of a worker. */
  readonly environment: Readonly<Record<string, string>>;
  /** The way to the gateway, once it is there. */
  inFrontOfGateway(url: string): Promise<string>;
  /** Goes from service to service until it is stopped; kind when it resolves. */
  suffer(isOver: () => boolean): Promise<void>;
  readonly counts: Counts;
  /** Phases of trouble so far, and calls that met it, by service. */
  phases(): number;
  struck(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** Longer than any call of a worker in a kill run takes. */
const lateMs = 1_500;

/** Puts a proxy in front of each service. */
export async function startTrouble(aws: EmbeddedAws, options: TroubleOptions, chance: () => number): Promise<Trouble> {
  const counts = createCounts(aws.queueUrls);
  const before = (variable: string, onAnswer?: (call: Call, answer: string) => void) =>
    startUnkindProxy(aws.environment[variable] ?? '', { chance, lateMs, ...(onAnswer && { onAnswer }) });
  const [sqs, results, dynamodb, secrets] = await Promise.all([
    before('AWS_ENDPOINT_URL_SQS', (call, answer) => counts.sqs(call, answer)),
    before('AWS_ENDPOINT_URL_SQS'),
    before('AWS_ENDPOINT_URL_DYNAMODB'),
    before('AWS_ENDPOINT_URL_SECRETS_MANAGER'),
  ]);
  let gateway: UnkindProxy | undefined;
  let phases = 0;
  const become = async (service: TroubledService, mood: Unkindness | 'kind') =>
    await { sqs, dynamodb, secrets, results, gateway }[service]?.become(mood);
  // The SDK goes where the queue's URL says.
  const through = ({ url }: UnkindProxy, queueUrl: string) => url + new URL(queueUrl).pathname;
  const { jobs, batchJobs, jobsDeadLetter, checks } = aws.queueUrls;

  return {
    environment: {
      AWS_ENDPOINT_URL_SQS: sqs.url,
      JOBS_QUEUE_URL: through(sqs, jobs),
      BATCH_JOBS_QUEUE_URL: through(sqs, batchJobs),
      DEAD_LETTER_QUEUE_URL: through(sqs, jobsDeadLetter),
      CHECKS_QUEUE_URL: through(sqs, checks),
      RESULTS_QUEUE_URL: through(results, aws.queueUrls.results),
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    },
    async inFrontOfGateway(url) {
      gateway = await startUnkindProxy(url, { chance, lateMs, onAnswer: (call) => counts.gateway(call) });
      return gateway.url;
    },
    async suffer(isOver) {
      // Not all moods of one service in a row: its neighbours' troubles come between them.
      const turns = unkindnesses.flatMap((_, shift) =>
        options.services.map((service, at) => [service, unkindnesses[(at + shift) % unkindnesses.length]] as const),
      );
      for (; !isOver(); phases += 1) {
        const [service, mood = 'hangs'] = turns[phases % turns.length] ?? ['sqs'];
        await become(service, mood);
        await sleep(options.phaseMs);
        await become(service, 'kind');
        await sleep(options.calmMs);
      }
    },
    counts,
    phases: () => phases,
    struck: () => ({
      sqs: sqs.struck(),
      results: results.struck(),
      dynamodb: dynamodb.struck(),
      secrets: secrets.struck(),
      gateway: gateway?.struck() ?? 0,
    }),
    async close() {
      for (const proxy of [sqs, results, dynamodb, secrets, gateway]) await proxy?.close();
    },
  };
}
