import { describe, expect, it } from 'vitest';
import { ConfigurationError, limitSettings, readWorkerConfig } from '../../lib/aws/env-config.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';

const environment = {
  JOBS_QUEUE_URL: 'https://sqs.test/1/jobs',
  DEAD_LETTER_QUEUE_URL: 'https://sqs.test/1/jobs-dead-letter',
  RESULTS_QUEUE_URL: 'https://sqs.test/1/results',
  CHECKS_QUEUE_URL: 'https://sqs.test/1/checks',
  REFERENCES_QUEUE_URL: 'https://sqs.test/1/references',
  LEDGER_TABLE_NAME: 'payouts-ledger',
  CARD_KEYS_TABLE_NAME: 'payouts-card-keys',
  BATCHES_TABLE_NAME: 'payouts-batches',
  CONTROLS_TABLE_NAME: 'payouts-controls',
  WAITING_TABLE_NAME: 'payouts-waiting',
};

function faultOf(settings: Readonly<Record<string, string | undefined>>): string {
  try {
    readWorkerConfig(settings);
  } catch (error) {
    return error instanceof ConfigurationError ? `${error.code}: ${error.message}` : String(error);
  }
  return 'no fault';
}

describe('the settings', () => {
  it('are those that must be given, and defaults for the rest', () => {
    expect(readWorkerConfig(environment)).toEqual({
      jobsQueueUrl: 'https://sqs.test/1/jobs',
      batchJobsQueueUrl: 'https://sqs.test/1/jobs',
      deadLetterQueueUrl: 'https://sqs.test/1/jobs-dead-letter',
      resultsQueueUrl: 'https://sqs.test/1/results',
      checksQueueUrl: 'https://sqs.test/1/checks',
      callbackFunction: '',
      referencesQueueUrl: 'https://sqs.test/1/references',
      ledgerTableName: 'payouts-ledger',
      cardKeysTableName: 'payouts-card-keys',
      batchesTableName: 'payouts-batches',
      controlsTableName: 'payouts-controls',
      waitingTableName: 'payouts-waiting',
      secretPrefix: 'payouts/',
      workerSecretId: 'payouts/_worker',
      ledgerSecretId: 'payouts/_ledger',
      metricsNamespace: 'Payouts',
      approvalKeyId: 'alias/payouts-approvals',
      waitingKeyId: 'alias/payouts-waiting',
      doubtAlarm: new Map([['*', '10000']]),
      limits: defaultLimits,
    });
  });

  it('name the alarm of money in doubt per currency, or the fault in it', () => {
    const { doubtAlarm } = readWorkerConfig({ ...environment, DOUBT_ALARM: 'EUR=20000,*=100' });
    expect(doubtAlarm).toEqual(new Map(Object.entries({ EUR: '20000', '*': '100' })));
    expect(faultOf({ ...environment, DOUBT_ALARM: '20000 EUR' })).toContain('DOUBT_ALARM must be written as');
  });

  it('are trimmed; an empty one is one that was not given', () => {
    const config = readWorkerConfig({
      ...environment,
      LEDGER_TABLE_NAME: ' ledger\n',
      SECRET_PREFIX: ' ',
      LEASE_MS: '',
    });
    expect(config).toMatchObject({ ledgerTableName: 'ledger', secretPrefix: 'payouts/', limits: { leaseMs: 100_000 } });
  });

  it.each(Object.entries(limitSettings))('%s sets its limit and no other', (name, { limit }) => {
    const value =
      (defaultLimits[limit] ?? 400) + (limit === 'functionTimeoutMs' || limit === 'gatewayTotalTimeoutMs' ? 1 : 0);
    const { limits } = readWorkerConfig({ ...environment, [name]: String(value) });
    expect(limits).toEqual({ ...defaultLimits, [limit]: value });
  });
});

describe('a fault in the settings', () => {
  it('names all that is missing at once, and what it is for', () => {
    expect(faultOf({})).toBe(
      'CONFIGURATION: settings are missing or wrong: ' +
        'JOBS_QUEUE_URL is not set (queue that jobs arrive on); ' +
        'DEAD_LETTER_QUEUE_URL is not set (queue for messages that need a person); ' +
        'RESULTS_QUEUE_URL is not set (queue that results are written to); ' +
        "CHECKS_QUEUE_URL is not set (the worker's own queue: inquiries to make at the gateway, and answers that could not be written); " +
        'LEDGER_TABLE_NAME is not set (DynamoDB table with the string partition key `pk` and the indexes `open-work` and `batch`); ' +
        'CARD_KEYS_TABLE_NAME is not set (DynamoDB table of the keys of CVVs, with the string partition key `pk`; it must have no backups); ' +
        'BATCHES_TABLE_NAME is not set (DynamoDB table of batches and their approvals, with the string partition key `pk` and the index `open-work`); ' +
        'CONTROLS_TABLE_NAME is not set (DynamoDB table of pauses, cancelled batches, day totals and lanes, with the string partition key `pk`); ' +
        'WAITING_TABLE_NAME is not set (DynamoDB table of parked jobs, with the string keys `pk` and `sk`, and the indexes `line` and `expiry`); ' +
        "REFERENCES_QUEUE_URL is not set (the worker's own queue of references to parked jobs whose turn has come)",
    );
  });

  it.each(['0', '-1', '1.5', '1e3', 'ten', '10s', '0x10', '1234567890'])('is a limit of "%s"', (value) => {
    expect(faultOf({ ...environment, CONCURRENCY: value })).toBe(
      'CONFIGURATION: settings are missing or wrong: CONCURRENCY is not a whole number above zero',
    );
  });

  it('is a lease that two sends can outlast: the worker does not start', () => {
    expect(faultOf({ ...environment, LEASE_MS: '69999' })).toContain('unsafe limits: LEASE_MS must cover two sends');
  });
});
