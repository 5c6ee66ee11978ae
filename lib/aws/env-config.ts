// The only reader of process.env: a table of every setting, its default and its meaning. Settings are read once, at the cold start, and
// all faults are reported together.
import { type DoubtAlarm, readDoubtAlarm } from '../payout/metrics.ts';
import { checkedLimits, defaultLimits, type Limits } from '../payout/limits.ts';
import { traceIdOf } from '../payout/log-fields.ts';

/** Text settings by environment variable; those without a default are required. */
export const textSettings = {
  JOBS_QUEUE_URL: { setting: 'jobsQueueUrl', meaning: 'queue that jobs arrive on' },
  BATCH_JOBS_QUEUE_URL: {
    setting: 'batchJobsQueueUrl',
    meaning: 'queue that rows of batches arrive on; without it, `JOBS_QUEUE_URL`',
    default: '',
  },
  DEAD_LETTER_QUEUE_URL: { setting: 'deadLetterQueueUrl', meaning: 'queue for messages that need a person' },
  CALLBACK_FUNCTION: {
    setting: 'callbackFunction',
    meaning: 'function that the door hands callbacks to; without it each is answered 503',
    default: '',
  },
  RESULTS_QUEUE_URL: { setting: 'resultsQueueUrl', meaning: 'queue that results are written to' },
  CHECKS_QUEUE_URL: {
    setting: 'checksQueueUrl',
    meaning: "the worker's own queue: inquiries to make at the gateway, and answers that could not be written",
  },
  LEDGER_TABLE_NAME: {
    setting: 'ledgerTableName',
    meaning: 'DynamoDB table with the string partition key `pk` and the indexes `open-work` and `batch`',
  },
  CARD_KEYS_TABLE_NAME: {
    setting: 'cardKeysTableName',
    meaning: 'DynamoDB table of the keys of CVVs, with the string partition key `pk`; it must have no backups',
  },
  BATCHES_TABLE_NAME: {
    setting: 'batchesTableName',
    meaning:
      'DynamoDB table of batches and their approvals, with the string partition key `pk` and the index `open-work`',
  },
  CONTROLS_TABLE_NAME: {
    setting: 'controlsTableName',
    meaning: 'DynamoDB table of pauses, cancelled batches, day totals and lanes, with the string partition key `pk`',
  },
  WAITING_TABLE_NAME: {
    setting: 'waitingTableName',
    meaning: 'DynamoDB table of parked jobs, with the string keys `pk` and `sk`, and the indexes `line` and `expiry`',
  },
  REFERENCES_QUEUE_URL: {
    setting: 'referencesQueueUrl',
    meaning: "the worker's own queue of references to parked jobs whose turn has come",
  },
  WAITING_KEY_ID: {
    setting: 'waitingKeyId',
    meaning: 'symmetric key in KMS that seals the bodies of parked jobs',
    default: 'alias/payouts-waiting',
  },
  SECRET_PREFIX: {
    setting: 'secretPrefix',
    meaning:
      "beginning of the secrets' names: a merchant's contract is `<prefix>contract/<merchant>`, its keys `<prefix>keys/<merchant>`",
    default: 'payouts/',
  },
  WORKER_SECRET_ID: {
    setting: 'workerSecretId',
    meaning: "name or ARN of the worker's own secret; without it, `SECRET_PREFIX` and `_worker`",
    default: '',
  },
  LEDGER_SECRET_ID: {
    setting: 'ledgerSecretId',
    meaning: "name or ARN of the secret with the ids of the worker's tables; without it, `SECRET_PREFIX` and `_ledger`",
    default: '',
  },
  APPROVAL_KEY_ID: {
    setting: 'approvalKeyId',
    meaning: 'HMAC key of approvals in KMS: approvers make MACs with it, the worker only checks them',
    default: 'alias/payouts-approvals',
  },
  METRICS_NAMESPACE: {
    setting: 'metricsNamespace',
    meaning: "CloudWatch namespace of the worker's metrics, one per stage",
    default: 'Payouts',
  },
  DOUBT_ALARM: {
    setting: 'doubtAlarm',
    meaning: 'money in doubt per currency, all merchants together, that raises the alarm; `*` for any other currency',
    default: '*=10000',
  },
} as const satisfies Record<string, { setting: string; meaning: string; default?: string }>;

type TextName = keyof typeof textSettings;
type TextSetting = (typeof textSettings)[TextName]['setting'];

/** The worker's settings, with all defaults filled in. */
export interface WorkerConfig extends Readonly<Record<Exclude<TextSetting, 'doubtAlarm'>, string>> {
  readonly doubtAlarm: DoubtAlarm;
  readonly limits: Limits;
}

/** Number settings by environment variable; `payout/limits.ts` has the defaults. */
export const limitSettings: Readonly<Record<string, { readonly limit: keyof Limits; readonly meaning: string }>> = {
  CONCURRENCY: { limit: 'concurrency', meaning: 'jobs of one invocation in work at the same time' },
  MAX_RECEIVE_COUNT: { limit: 'maxReceiveCount', meaning: "maxReceiveCount of the jobs queue's redrive policy" },
  FUNCTION_TIMEOUT_MS: { limit: 'functionTimeoutMs', meaning: 'time-out of one invocation' },
  LEASE_MS: { limit: 'leaseMs', meaning: 'how long a claim reserves its order' },
  SETTLE_RESERVE_MS: {
    limit: 'settleReserveMs',
    meaning: 'time reserved after a POST, to store and publish its outcome',
  },
  AWS_CONNECT_TIMEOUT_MS: { limit: 'awsConnectTimeoutMs', meaning: 'connecting to a service of AWS' },
  AWS_REQUEST_TIMEOUT_MS: { limit: 'awsRequestTimeoutMs', meaning: 'one request to AWS, until its answer begins' },
  AWS_CALL_TIMEOUT_MS: { limit: 'awsCallTimeoutMs', meaning: 'one call to AWS with all its requests and waits' },
  GATEWAY_CONNECT_TIMEOUT_MS: {
    limit: 'gatewayConnectTimeoutMs',
    meaning: 'DNS, TCP and TLS together; the addresses of a host share it equally',
  },
  GATEWAY_HEADERS_TIMEOUT_MS: { limit: 'gatewayHeadersTimeoutMs', meaning: "until the answer's headers" },
  GATEWAY_BODY_TIMEOUT_MS: { limit: 'gatewayBodyTimeoutMs', meaning: "from the answer's headers to its last byte" },
  GATEWAY_TOTAL_TIMEOUT_MS: { limit: 'gatewayTotalTimeoutMs', meaning: 'the whole POST' },
  RETRY_FIRST_DELAY_SECONDS: {
    limit: 'retryFirstDelaySeconds',
    meaning: 'first wait of a job; each further wait is at most twice the time waited so far',
  },
  UNKNOWN_MERCHANT_WAIT_SECONDS: {
    limit: 'unknownMerchantWaitSeconds',
    meaning: 'how long a job waits for the secret of a merchant that has none; shorter only in tests',
  },
  OPEN_WORK_SHARDS: { limit: 'openWorkShards', meaning: 'shards per kind of the open-work index that are written' },
  OPEN_WORK_SHARDS_READ: {
    limit: 'openWorkShardsRead',
    meaning: 'shards that are read: never fewer than were written for any open order',
  },
  RETRY_MAX_DELAY_SECONDS: { limit: 'retryMaxDelaySeconds', meaning: 'longest wait of a retryable job' },
};

/** Settings are missing, malformed or unsafe together; `message` names each. */
export class ConfigurationError extends Error {
  readonly code = 'CONFIGURATION';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings. Throws {@link ConfigurationError}. */
export function readWorkerConfig(environment: Environment = process.env): WorkerConfig {
  const faults: string[] = [];
  const textOf = (name: TextName): string => {
    const row: { readonly meaning: string; readonly default?: string } = textSettings[name];
    const value = environment[name]?.trim() || row.default;
    if (value === undefined) faults.push(`${name} is not set (${row.meaning})`);
    return value ?? '';
  };
  const texts = Object.fromEntries(
    (Object.keys(textSettings) as TextName[]).map((name) => [textSettings[name].setting, textOf(name)]),
  ) as Readonly<Record<TextSetting, string>>;
  const config = {
    ...texts,
    batchJobsQueueUrl: texts.batchJobsQueueUrl || texts.jobsQueueUrl,
    workerSecretId: texts.workerSecretId || `${texts.secretPrefix}_worker`,
    ledgerSecretId: texts.ledgerSecretId || `${texts.secretPrefix}_ledger`,
    doubtAlarm: doubtAlarmOf(texts.doubtAlarm, faults),
    limits: readLimits(environment, faults),
  };
  if (faults.length > 0) throw new ConfigurationError(`settings are missing or wrong: ${faults.join('; ')}`);
  return config;
}

function doubtAlarmOf(text: string, faults: string[]): DoubtAlarm {
  const alarm = readDoubtAlarm(text);
  if (!alarm) faults.push('DOUBT_ALARM must be written as "EUR=10000,*=5000", with an amount for "*"');
  return alarm ?? new Map();
}

/** The environment as Lambda fills it: region, credentials of the role, trace of the invocation. */
export const functionEnvironment = (): Environment => process.env;

/** The trace of the present invocation; Lambda sets it for each. */
export function invocationTraceId(environment: Environment = process.env): string | undefined {
  return traceIdOf(environment['_X_AMZN_TRACE_ID']);
}

function readLimits(environment: Environment, faults: string[]): Limits {
  const chosen: Partial<Record<keyof Limits, number>> = {};
  for (const [name, { limit }] of Object.entries(limitSettings)) {
    const value = environment[name]?.trim();
    if (!value) continue;
    if (/^[1-9]\d{0,8}$/.test(value)) chosen[limit] = Number(value);
    else faults.push(`${name} is not a whole number above zero`);
  }
  try {
    return checkedLimits({ ...defaultLimits, ...chosen });
  } catch (error) {
    faults.push(error instanceof Error ? error.message : 'the limits are unsafe');
    return defaultLimits;
  }
}
