// Every time-out, size and count with its unit, and the relations between them that money depends on. The relations
// are asserted when the worker starts: a worker with unsafe numbers must not take a single job.
import type { GatewayLimits } from '../gateway/ports.ts';

/** The numbers of one worker. Times in milliseconds unless the name says otherwise. */
export interface Limits extends GatewayLimits {
  /** Kept back, once a POST is over, to write its outcome to the ledger, publish it and answer Lambda. */
  readonly settleReserveMs: number;
  /** How long a claim keeps others away; after it the order is in doubt, so it must outlast every honest attempt. */
  readonly leaseMs: number;
  /** Connecting to a service of AWS. */
  readonly awsConnectTimeoutMs: number;
  /** One request to AWS, connecting included, until its answer begins; and the longest silence within an answer. */
  readonly awsRequestTimeoutMs: number;
  /** One call to AWS as its caller sees it: all requests that the SDK makes of it, the waits between, the whole answer. */
  readonly awsCallTimeoutMs: number;
  /** Requests that the SDK makes of one call at most. */
  readonly awsAttempts: number;
  /** Lambda's time-out for one invocation, and the worker process's own. */
  readonly functionTimeoutMs: number;
  /** Jobs of one batch that are worked on at the same time. */
  readonly concurrency: number;
  /** Receives after which SQS moves a message to the dead-letter queue: 20 hours in which it could not even be parked. */
  readonly maxReceiveCount: number;
  /** Age at which a merchant's cached secret is fetched anew. */
  readonly credentialsTtlMs: number;
  /** First wait before a retryable job comes back; three times as long with each receive. */
  readonly retryFirstDelaySeconds: number;
  /** Longest wait between two receives of a retryable job. */
  readonly retryMaxDelaySeconds: number;
  /** How long a job waits for the secret of a merchant that has none, since its sender sent it. */
  readonly unknownMerchantWaitSeconds: number;
  /** Partitions of the open-work index per kind that orders are written to: one takes a thousand writes a second. */
  readonly openWorkShards: number;
  /** Partitions that are read: at least as many as any worker writes, or has written to orders that are still open. */
  readonly openWorkShardsRead: number;
  /** How long the items of batches and their rows live after their last write. */
  readonly batchItemLifeDays: number;
}

/** The shipped numbers. */
export const defaultLimits: Limits = {
  gatewayConnectTimeoutMs: 5_000,
  gatewayHeadersTimeoutMs: 20_000,
  gatewayBodyTimeoutMs: 5_000,
  gatewayTotalTimeoutMs: 30_000,
  gatewayReplyLimitBytes: 65_536,
  settleReserveMs: 20_000,
  leaseMs: 100_000,
  awsConnectTimeoutMs: 1_000,
  awsRequestTimeoutMs: 1_500,
  awsCallTimeoutMs: 3_000,
  awsAttempts: 3,
  functionTimeoutMs: 120_000,
  concurrency: 10,
  maxReceiveCount: 400,
  credentialsTtlMs: 300_000,
  retryFirstDelaySeconds: 15,
  retryMaxDelaySeconds: 900,
  unknownMerchantWaitSeconds: 86_400,
  openWorkShards: 4,
  openWorkShardsRead: 16,
  batchItemLifeDays: 400,
};

/** SQS: longest time that a receive may wait for a message, in seconds. */
const sqsMaxWaitSeconds = 20;

/** The bounds of a client that receives by long polling: the wait of SQS comes on top. */
export function longPolling<It extends Pick<Limits, 'awsRequestTimeoutMs' | 'awsCallTimeoutMs'>>(limits: It): It {
  const waitMs = sqsMaxWaitSeconds * 1000;
  return {
    ...limits,
    awsRequestTimeoutMs: limits.awsRequestTimeoutMs + waitMs,
    awsCallTimeoutMs: limits.awsCallTimeoutMs + waitMs,
  };
}

/** The bounds of a tool that sends a whole file: it holds no gateway's answer, and has time for more tries. */
export const patientAwsCalls = {
  awsConnectTimeoutMs: 3_000,
  awsRequestTimeoutMs: 10_000,
  awsCallTimeoutMs: 60_000,
  awsAttempts: 6,
} as const satisfies Partial<Limits>;

/** SQS: longest delay of a message and longest visibility time-out that the policy may ask for, in seconds. */
export const sqsMaxDelaySeconds = 900;
/** SQS: longest retention of a message, in days. */
const sqsMaxRetentionDays = 14;
/** A job that was kept waiting for so long since its sender sent it is waited for no more. */
export const longestWaitDays = sqsMaxRetentionDays;
/**
 * How long a dead letter that somebody looks at is hidden from others, in seconds. A walk over the dead-letter queue
 * holds what it has seen and stops well before, so that no letter is seen twice; interrupted, all are seen again then.
 */
export const deadLetterHiddenSeconds = 900;
/**
 * How long a key of single-use card data waits for its order to be claimed, in days: as long as its message may wait in
 * the jobs queue or the dead-letter queue. What comes later needs new card data.
 */
export const cardKeyLifeDays = sqsMaxRetentionDays + 1;
/** A sweeper asks each partition it reads once for every kind, every minute. */
const openWorkShardsAtMost = 200;
/** SQS takes at most ten entries a batch call. */
export const sqsBatchSize = 10;

const relations: readonly { readonly holds: (it: Limits) => boolean; readonly danger: string }[] = [
  {
    holds: (it) => Object.values(it).every((value) => Number.isSafeInteger(value) && value > 0),
    danger: 'every limit must be a whole number above zero',
  },
  {
    holds: (it) =>
      it.gatewayConnectTimeoutMs + it.gatewayHeadersTimeoutMs + it.gatewayBodyTimeoutMs <= it.gatewayTotalTimeoutMs,
    danger: 'gatewayTotalTimeoutMs must cover connect, headers and body, or a slow answer is thrown away',
  },
  {
    // Twice: no POST starts that could not end and settle within the lease, so a lease for one would leave no time to begin it.
    holds: (it) => it.leaseMs >= 2 * it.gatewayTotalTimeoutMs + it.settleReserveMs,
    danger: 'leaseMs must cover two sends and settling, or a job at work is called lost and its order held',
  },
  {
    holds: (it) => it.functionTimeoutMs >= it.leaseMs + it.settleReserveMs,
    danger: 'functionTimeoutMs must exceed leaseMs and settling, or Lambda kills sends whose answer is then lost',
  },
  {
    holds: (it) => it.awsConnectTimeoutMs <= it.awsRequestTimeoutMs && it.awsRequestTimeoutMs < it.awsCallTimeoutMs,
    danger:
      'awsCallTimeoutMs must exceed awsRequestTimeoutMs, and that awsConnectTimeoutMs, or one lost packet fails a call',
  },
  {
    // Half of the reserve is for tries to write the outcome (submit-job.ts). The last of them may take a whole call; the
    // copy that then carries the answer another; setting when a returned message is seen again a third.
    holds: (it) => it.settleReserveMs / 2 + 3 * it.awsCallTimeoutMs < it.settleReserveMs,
    danger:
      'settleReserveMs must exceed six times awsCallTimeoutMs, or a call that hangs takes the answer of a POST with it',
  },
  {
    holds: (it) =>
      it.retryFirstDelaySeconds <= it.retryMaxDelaySeconds && it.retryMaxDelaySeconds <= sqsMaxDelaySeconds,
    danger: `retry delays must grow from retryFirstDelaySeconds to retryMaxDelaySeconds, at most ${sqsMaxDelaySeconds}`,
  },
  {
    holds: (it) => it.openWorkShards <= it.openWorkShardsRead && it.openWorkShardsRead <= openWorkShardsAtMost,
    danger: `openWorkShardsRead must be openWorkShards at least and ${openWorkShardsAtMost} at most, or open orders are lost to sight`,
  },
];

/** Returns the limits when every relation holds; throws a sentence that names the danger otherwise. */
export function checkedLimits(limits: Limits): Limits {
  const broken = relations.filter((relation) => !relation.holds(limits));
  if (broken.length > 0) throw new RangeError(`unsafe limits: ${broken.map((it) => it.danger).join('; ')}`);
  return limits;
}
checkedLimits(defaultLimits);
