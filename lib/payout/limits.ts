// Every time-out, size and count with its unit, and the relations between them that money depends on. The relations
// are asserted when the worker starts: a worker with unsafe numbers must not take a single job.
import type { GatewayLimits } from '../gateway/ports.ts';

/** The numbers of one worker. Times in milliseconds unless the name says otherwise. */
export interface Limits extends GatewayLimits {
  /** Reserved after a POST to store its outcome, publish it and answer Lambda. */
  readonly settleReserveMs: number;
  /** How long a claim keeps other workers away. Afterwards the order is in doubt, so the lease must outlast every normal attempt. */
  readonly leaseMs: number;
  /** Connecting to a service of AWS. */
  readonly awsConnectTimeoutMs: number;
  /** One request to AWS, connecting included, until its answer begins; and the longest silence within an answer. */
  readonly awsRequestTimeoutMs: number;
  /** One call to AWS as its caller sees it: all tries of the SDK, the waits between them and the whole answer. */
  readonly awsCallTimeoutMs: number;
  /** Tries of the SDK per call. */
  readonly awsAttempts: number;
  /** Time-out of one invocation, in Lambda and in the worker process. */
  readonly functionTimeoutMs: number;
  /** Jobs of one batch that are worked on at the same time. */
  readonly concurrency: number;
  /** Receives after which SQS moves a message to the dead-letter queue: 20 hours in which it could not even be parked. */
  readonly maxReceiveCount: number;
  /** Age at which a merchant's cached secret is fetched anew. */
  readonly credentialsTtlMs: number;
  /** First wait of a job that an outage keeps; the other first waits of reasons.ts change in proportion. */
  readonly retryFirstDelaySeconds: number;
  /** Longest wait of a parked job, except for reasons that wait longer by their nature (reasons.ts). */
  readonly retryMaxDelaySeconds: number;
  /** How long a job waits for the secret of an unknown merchant, counted from its first sending. */
  readonly unknownMerchantWaitSeconds: number;
  /** Partitions of the open-work index, per kind, that orders are written to. One partition takes a thousand writes a second. */
  readonly openWorkShards: number;
  /** Partitions of that index that are read: all to which any worker writes, or has written orders that are still open. */
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

/** SQS: longest delay of a message, in seconds. */
export const sqsMaxDelaySeconds = 900;
/** SQS: longest retention of a message, in days. */
const sqsMaxRetentionDays = 14;
/** The longest that a job waits, in days from its first sending. */
export const longestWaitDays = sqsMaxRetentionDays;
/** The same in milliseconds. */
export const longestWaitMs = longestWaitDays * 86_400_000;
/**
 * How long a received dead letter is hidden from other readers, in seconds. A walk over the dead-letter queue stops well before, so it sees
 * no letter twice. After an interrupted walk the letters come back at that time.
 */
export const deadLetterHiddenSeconds = 900;
/**
 * How long a key of single-use card data waits for the claim of its order, in days: as long as a message may stay in a queue. A later
 * message needs new card data.
 */
export const cardKeyLifeDays = sqsMaxRetentionDays + 1;
/** Every minute a sweeper asks each partition that it reads once per kind. */
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
    danger: 'GATEWAY_TOTAL_TIMEOUT_MS must cover connect, headers and body, or a slow answer is thrown away',
  },
  {
    // Twice, because a POST starts only if it could end and settle within the lease: with time for one, it would have to start at once.
    holds: (it) => it.leaseMs >= 2 * it.gatewayTotalTimeoutMs + it.settleReserveMs,
    danger: 'LEASE_MS must cover two sends and settling, or a job at work is called lost and its order held',
  },
  {
    holds: (it) => it.functionTimeoutMs >= it.leaseMs + it.settleReserveMs,
    danger: 'FUNCTION_TIMEOUT_MS must exceed LEASE_MS and settling, or Lambda kills sends whose answer is then lost',
  },
  {
    holds: (it) => it.awsConnectTimeoutMs <= it.awsRequestTimeoutMs && it.awsRequestTimeoutMs < it.awsCallTimeoutMs,
    danger:
      'AWS_CALL_TIMEOUT_MS must exceed AWS_REQUEST_TIMEOUT_MS, which must not be below AWS_CONNECT_TIMEOUT_MS, or one lost packet fails a call',
  },
  {
    // Half of the reserve is for tries to store the outcome (write-answer.ts). The other half must hold three calls: the last try, the
    // message that carries the answer instead, and the publishing or parking.
    holds: (it) => it.settleReserveMs / 2 + 3 * it.awsCallTimeoutMs < it.settleReserveMs,
    danger:
      'SETTLE_RESERVE_MS must exceed six times AWS_CALL_TIMEOUT_MS, or a call that hangs takes the answer of a POST with it',
  },
  {
    holds: (it) =>
      it.retryFirstDelaySeconds <= it.retryMaxDelaySeconds && it.retryMaxDelaySeconds <= sqsMaxDelaySeconds,
    danger: `retry delays must grow from RETRY_FIRST_DELAY_SECONDS to RETRY_MAX_DELAY_SECONDS, at most ${sqsMaxDelaySeconds}`,
  },
  {
    holds: (it) => it.openWorkShards <= it.openWorkShardsRead && it.openWorkShardsRead <= openWorkShardsAtMost,
    danger: `OPEN_WORK_SHARDS_READ must be OPEN_WORK_SHARDS at least and ${openWorkShardsAtMost} at most, or the sweeper misses open orders`,
  },
];

/** The limits, if every relation holds. Throws a RangeError that names each danger otherwise. */
export function checkedLimits(limits: Limits): Limits {
  const broken = relations.filter((relation) => !relation.holds(limits));
  if (broken.length > 0) throw new RangeError(`unsafe limits: ${broken.map((it) => it.danger).join('; ')}`);
  return limits;
}
checkedLimits(defaultLimits);
