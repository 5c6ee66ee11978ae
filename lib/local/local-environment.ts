// How a process finds the embedded environment: the variables of a worker, and clients for this process itself.
import type { EmbeddedAws } from './embedded-aws.ts';

/** The environment of a worker on this machine, with these limits. */
export function workerEnvironment(
  aws: Omit<EmbeddedAws, 'secondOperator' | 'secrets' | 'tablesRecord' | 'safeguard' | 'registered' | 'close'>,
  limits: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    ...aws.environment,
    ...limits,
    JOBS_QUEUE_URL: aws.queueUrls.jobs,
    BATCH_JOBS_QUEUE_URL: aws.queueUrls.batchJobs,
    DEAD_LETTER_QUEUE_URL: aws.queueUrls.jobsDeadLetter,
    RESULTS_QUEUE_URL: aws.queueUrls.results,
    CHECKS_QUEUE_URL: aws.queueUrls.checks,
    REFERENCES_QUEUE_URL: aws.queueUrls.references,
    LEDGER_TABLE_NAME: aws.ledgerTableName,
    CARD_KEYS_TABLE_NAME: aws.cardKeysTableName,
    BATCHES_TABLE_NAME: aws.batchesTableName,
    CONTROLS_TABLE_NAME: aws.controlsTableName,
    WAITING_TABLE_NAME: aws.waitingTableName,
    SECRET_PREFIX: 'payouts/',
  };
}

type Service = 'SQS' | 'DYNAMODB' | 'KMS' | 'SECRETS_MANAGER';

/** The configuration of an SDK client for one of the embedded services, whatever this process's own environment says. */
export function clientConfigOf({ environment }: Pick<EmbeddedAws, 'environment'>, service: Service) {
  return {
    region: environment['AWS_REGION'] ?? '',
    endpoint: environment[`AWS_ENDPOINT_URL_${service}`] ?? '',
    credentials: {
      accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  };
}
