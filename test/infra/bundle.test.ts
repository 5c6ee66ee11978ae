// The bundle that ships: small, free of what belongs to the workshop, and at work on its own in a bare process.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunction, bundleLimitBytes } from '../../infra/bundle.ts';
import { lambdaRecordOf } from '../../lib/aws/sqs-event-source.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { takeMessages } from '../../lib/local/queue-reader.ts';
import { putMerchants, sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks, privateCardKeys } from '../support/card-keys.ts';
import { listening } from '../support/raw-server.ts';
import { aPayoutJob, aTransferJob, withoutParams } from '../support/jobs.ts';

let bundle: Awaited<ReturnType<typeof bundleFunction>>;

beforeAll(async () => {
  bundle = await bundleFunction('submit');
});

/** The functions, each with the verb that it exists for. */
const verbs = [
  ['submit', 'lib/payout/submit/submit-job.ts'],
  ['inquire', 'lib/payout/inquire/inquire-order.ts'],
  ['door', 'lib/aws/lambda-functions.ts'],
  ['callback', 'lib/payout/inquire/handle-callback.ts'],
  ['sweep', 'lib/payout/inquire/sweep.ts'],
] as const;

it('every function is bundled and told of here', () => {
  const functions = readdirSync('functions').map((file) => file.replace(/\.ts$/, ''));
  expect(functions.toSorted()).toEqual(['compose', ...verbs.map(([name]) => name)].toSorted());
});

describe.each(verbs)('the bundle of %s', (name, verb) => {
  let bundle: Awaited<ReturnType<typeof bundleFunction>>;

  beforeAll(async () => {
    bundle = await bundleFunction(name);
  });

  it('is within its budget', () => {
    expect(bundle.bytes).toBeLessThanOrEqual(bundleLimitBytes);
    expect(bundle.gzipBytes).toBeLessThan(bundle.bytes / 2);
  });

  it('holds the worker and what it needs at run time, nothing of the workshop', async () => {
    const packageJson = JSON.parse(await readFile('package.json', 'utf8')) as Record<string, Record<string, string>>;
    const forbidden = [
      /^lib\/(local|cli)\//,
      /^(test|infra)\//,
      // The operator's tool alone judges accounts.
      /node_modules\/ibantools\//,
      ...Object.keys(packageJson['devDependencies'] ?? {}).map((name) => new RegExp(`node_modules/${name}/`)),
    ];
    expect(bundle.inputs).toContain(verb);
    expect(bundle.inputs.filter((input) => forbidden.some((pattern) => pattern.test(input)))).toStrictEqual([]);
  });
});

describe('the bundle at work in a process of its own', () => {
  let aws: EmbeddedAws;
  let gateway: GatewaySimulator;
  let client: SQSClient;
  let environment: Record<string, string>;

  beforeAll(async () => {
    aws = await startEmbeddedAws();
    const { simulator, secrets } = await startLocalGateway('none', (url) =>
      sampleSecrets({ gatewayUrl: url, closedUrl: url }),
    );
    gateway = simulator;
    putMerchants(aws.secrets, secrets);
    aws.secrets.put('payouts/_worker', workerSecret());
    await aws.registered();
    aws.secrets.put('payouts/_card', { current: 'ec-1', keys: privateCardKeys });
    environment = {
      ...aws.environment,
      JOBS_QUEUE_URL: aws.queueUrls.jobs,
      DEAD_LETTER_QUEUE_URL: aws.queueUrls.jobsDeadLetter,
      RESULTS_QUEUE_URL: aws.queueUrls.results,
      CHECKS_QUEUE_URL: aws.queueUrls.checks,
      LEDGER_TABLE_NAME: aws.ledgerTableName,
      CARD_KEYS_TABLE_NAME: aws.cardKeysTableName,
      BATCHES_TABLE_NAME: aws.batchesTableName,
      CONTROLS_TABLE_NAME: aws.controlsTableName,
      WAITING_TABLE_NAME: aws.waitingTableName,
      REFERENCES_QUEUE_URL: aws.queueUrls.references,
    };
    client = new SQSClient({
      region: environment['AWS_REGION'] ?? '',
      endpoint: environment['AWS_ENDPOINT_URL_SQS'] ?? '',
      credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
    });
  });

  afterAll(async () => {
    client.destroy();
    await gateway.close();
    await aws.close();
  });

  /** An event as Lambda makes it from a message that really went through the queue. */
  async function eventOf(job: object): Promise<SQSEvent> {
    const QueueUrl = aws.queueUrls.jobs;
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(job) }));
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] }),
    );
    return {
      Records: Messages.map((message) => lambdaRecordOf(message, 'arn:aws:sqs:eu-central-1:000000000000:jobs')),
    };
  }

  /** Imports the bundle in a process with this environment alone and calls it once. */
  async function call(event: SQSEvent, env: Record<string, string>) {
    const script = `const { handler } = await import(${JSON.stringify(bundle.file)});
      const context = { getRemainingTimeInMillis: () => 120_000 };
      const answer = await handler(${JSON.stringify(event)}, context).catch(({ message }) => ({ thrown: message }));
      console.log(JSON.stringify(answer));
      process.exit();`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    const log = stdout.trim().split('\n');
    return { answer: JSON.parse(log.pop() ?? '') as SQSBatchResponse | { thrown: string }, log };
  }
  /** Lambda brings the batch again, and less often. */
  const nothingParked = { thrown: 'no message of the batch could be parked' };

  it('pays a real message and queues its result', async () => {
    const event = await eventOf(aPayoutJob({ orderId: 'BUNDLED-1' }));
    const { answer } = await call(event, environment);
    expect(answer).toStrictEqual({ batchItemFailures: [] });
    const results = await takeMessages(client, aws.queueUrls.results, 1);
    expect(results.map(({ Body = '' }) => JSON.parse(Body) as object)).toMatchObject([
      { resultId: 'acme-eu/BUNDLED-1/1', status: 'accepted', attempts: 1 },
    ]);
    expect(gateway.orders()).toMatchObject([{ clientOrderId: 'BUNDLED-1', accepted: true }]);
  });

  it('opens a sealed card with the library that it carries', async () => {
    const stored = { card_recurring_payment_id: '488625' };
    const source = ['credit_card_number', 'card_printed_name', 'cvv2', 'expire_month', 'expire_year'];
    const job = withoutParams(aTransferJob({ orderId: 'BUNDLED-SEALED', params: stored }), ...source);
    const { answer, log } = await call(await eventOf(await sealJob(job, { jwks: cardJwks })), environment);
    expect(answer).toStrictEqual({ batchItemFailures: [] });
    expect(log.join()).not.toMatch(/5555555555554444|failureCode/);
    const sent = gateway.orders().find(({ clientOrderId }) => clientOrderId === 'BUNDLED-SEALED');
    expect(sent).toMatchObject({ accepted: true });
  });

  it('started by Lambda has read what every job asks for before the first one comes', async () => {
    const event = await eventOf(aPayoutJob({ orderId: 'BUNDLED-WARM' }));
    const { answer } = await call(event, { ...environment, AWS_LAMBDA_FUNCTION_NAME: 'submit' });
    expect(answer).toStrictEqual({ batchItemFailures: [] });
    const sent = gateway.orders().find(({ clientOrderId }) => clientOrderId === 'BUNDLED-WARM');
    expect(sent).toMatchObject({ accepted: true });
  });

  it('starts although AWS hangs, and gives the batch back', async () => {
    const silent = createServer(() => {});
    const AWS_ENDPOINT_URL = `http://127.0.0.1:${await listening(silent)}`;
    const { AWS_ENDPOINT_URL_DYNAMODB: _d, AWS_ENDPOINT_URL_SECRETS_MANAGER: _s, ...others } = environment;
    const short = { AWS_CONNECT_TIMEOUT_MS: '300', AWS_REQUEST_TIMEOUT_MS: '300', AWS_CALL_TIMEOUT_MS: '700' };
    const event = await eventOf(aPayoutJob({ orderId: 'BUNDLED-HUNG' }));
    const { answer, log } = await call(event, {
      ...others,
      ...short,
      AWS_ENDPOINT_URL,
      AWS_LAMBDA_FUNCTION_NAME: 'submit',
    });
    silent.close();
    expect(answer).toStrictEqual(nothingParked);
    expect(log.filter((line) => line.includes('"event":"job"'))).toHaveLength(1);
    expect(gateway.orders().map(({ clientOrderId }) => clientOrderId)).not.toContain('BUNDLED-HUNG');
  });

  it('without credentials in the environment, gives the batch back and sends nothing', async () => {
    const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _key, ...bare } = environment;
    const event = await eventOf(aPayoutJob({ orderId: 'BUNDLED-2' }));
    const { answer, log } = await call(event, bare);
    expect(answer).toStrictEqual(nothingParked);
    expect(log.join('\n')).toContain('CredentialsProviderError');
    expect(gateway.orders().map(({ clientOrderId }) => clientOrderId)).not.toContain('BUNDLED-2');
  });
});
