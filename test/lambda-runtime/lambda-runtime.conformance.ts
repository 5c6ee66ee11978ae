// The shipped bundle under AWS's own runtime interface client, fed from a real queue by the event source: what Lambda
// does with it in a good invocation, a bad one, a time-out and a crash.
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { bundleFunction } from '../../infra/bundle.ts';
import { queueDepth, type BatchReport, type EventSource, startEventSource } from '../../lib/aws/sqs-event-source.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { rowsWaiting, takeMessages } from '../../lib/local/queue-reader.ts';
import { startSampleGateway } from '../cli/support/sample-world.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createLambda, type End, type Lambda } from './lambda.ts';

const interfaceClient = inject('interfaceClient');
const mishapModule = new URL('mishap.ts', import.meta.url).href;

/** As short as the relations of payout/limits.ts allow. */
const functionTimeoutMs = 7_000;
const limits = {
  GATEWAY_CONNECT_TIMEOUT_MS: '300',
  GATEWAY_HEADERS_TIMEOUT_MS: '700',
  GATEWAY_BODY_TIMEOUT_MS: '500',
  GATEWAY_TOTAL_TIMEOUT_MS: '1500',
  SETTLE_RESERVE_MS: '2000',
  AWS_CONNECT_TIMEOUT_MS: '250',
  AWS_REQUEST_TIMEOUT_MS: '300',
  AWS_CALL_TIMEOUT_MS: '320',
  LEASE_MS: '5000',
  FUNCTION_TIMEOUT_MS: String(functionTimeoutMs),
  MAX_RECEIVE_COUNT: '100',
  RETRY_FIRST_DELAY_SECONDS: '1',
  RETRY_MAX_DELAY_SECONDS: '2',
};

describe.skipIf(interfaceClient === null)("the bundle of submit under Lambda's own runtime", () => {
  let file: string;
  let aws: EmbeddedAws;
  let gateway: GatewaySimulator;
  let client: SQSClient;
  let environment: Record<string, string>;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    ({ file } = await bundleFunction('submit'));
  });

  beforeEach(async () => {
    aws = await startEmbeddedAws({ visibilityTimeoutSeconds: 2, maxReceiveCount: 100 });
    gateway = (await startSampleGateway(aws)).simulator;
    environment = workerEnvironment(aws, limits);
    client = new SQSClient(clientConfigOf(aws, 'SQS'));
    closing.push(
      () => aws.close(),
      () => gateway.close(),
      async () => client.destroy(),
    );
  });

  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  interface Given {
    readonly environmentOf?: (processNumber: number) => Record<string, string>;
    readonly timeoutMs?: number;
  }

  interface Running {
    readonly lambda: Lambda;
    readonly source: EventSource;
    readonly ends: End[];
    readonly reports: BatchReport[];
  }

  /** The function behind its event source: what it posts is what the source deletes by. */
  function run({ environmentOf = () => ({}), timeoutMs = functionTimeoutMs }: Given = {}): Running {
    const lambda = createLambda({
      interfaceClient: interfaceClient ?? '',
      file,
      timeoutMs,
      environmentOf: (processNumber) => ({ ...environment, ...environmentOf(processNumber) }),
    });
    const ends: End[] = [];
    const reports: BatchReport[] = [];
    const source = startEventSource({
      client,
      queueUrl: aws.queueUrls.jobs,
      async handler(event) {
        const end = await lambda.invoke(event);
        ends.push(end);
        if (end.kind === 'response') return end.payload as SQSBatchResponse;
        throw new Error(end.kind);
      },
      functionTimeoutMs: 2 * functionTimeoutMs,
      maximumConcurrency: 1,
      drainCheckMs: 100,
      onBatch: (report) => void reports.push(report),
    });
    closing.push(
      () => lambda.close(),
      () => source.stop(),
    );
    return { lambda, source, ends, reports };
  }

  async function send(...jobs: readonly object[]): Promise<string[]> {
    const Entries = jobs.map((job, index) => ({ Id: String(index), MessageBody: JSON.stringify(job) }));
    const { Successful = [] } = await client.send(
      new SendMessageBatchCommand({ QueueUrl: aws.queueUrls.jobs, Entries }),
    );
    return Successful.map(({ MessageId = '' }) => MessageId);
  }

  async function results(): Promise<Result[]> {
    const all: Result[] = [];
    for (;;) {
      const messages = await takeMessages(client, aws.queueUrls.results, 0);
      if (messages.length === 0) return all;
      all.push(...messages.map(({ Body = '' }) => JSON.parse(Body) as Result));
    }
  }

  async function parked(): Promise<number> {
    const dynamodb = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
    return rowsWaiting(dynamodb, aws.waitingTableName).finally(() => dynamodb.destroy());
  }

  const paid = () => gateway.orders().map((it) => it.clientOrderId);

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await sleep(20);
  }

  it('answers a batch with the records that come again, and only they do', async () => {
    // Of a merchant without a secret yet, where nothing can be parked: it comes again.
    const [, unknown = ''] = await send(
      aPayoutJob({ orderId: 'PAID' }),
      aPayoutJob({ orderId: 'UNKNOWN', merchant: 'hooli' }),
      { not: 'a job' },
    );
    const { source, ends, reports } = run({ environmentOf: () => ({ WAITING_KEY_ID: 'alias/none' }) });
    await until(() => reports.length === 1);
    expect(ends).toStrictEqual([{ kind: 'response', payload: { batchItemFailures: [{ itemIdentifier: unknown }] } }]);
    expect(reports[0]).toMatchObject({ records: 3, deleted: 2 });
    await source.stop();
    expect(await queueDepth(client, aws.queueUrls.jobs)).toBe(1);
    expect(await queueDepth(client, aws.queueUrls.jobsDeadLetter)).toBe(1);
    expect(paid()).toStrictEqual(['PAID']);
    expect((await results()).map((it) => it.status).toSorted()).toStrictEqual(['accepted', 'rejected']);
  });

  it('keeps its process, and what it has fetched, from one invocation to the next', async () => {
    const { lambda, source, ends } = run();
    for (const orderId of ['FIRST', 'SECOND', 'THIRD']) {
      await send(aPayoutJob({ orderId }));
      await source.untilDrained();
    }
    expect(ends).toStrictEqual(
      Array.from({ length: 3 }, () => ({ kind: 'response', payload: { batchItemFailures: [] } })),
    );
    expect(lambda.coldStarts()).toBe(1);
    // The merchant's contract and keys, the worker's own secret and the record of the tables, once each.
    expect(aws.secrets.requests()).toStrictEqual({ GetSecretValue: 4 });
    expect(paid()).toStrictEqual(['FIRST', 'SECOND', 'THIRD']);
  });

  it('fails the invocation when a setting is missing; the batch stays on the queue', async () => {
    await send(aPayoutJob({ orderId: 'KEPT' }));
    const { lambda, source, ends } = run({ environmentOf: () => ({ RESULTS_QUEUE_URL: '' }) });
    await until(() => ends.length === 1);
    await source.stop();
    expect(ends).toMatchObject([
      { kind: 'error', error: { errorMessage: expect.stringContaining('RESULTS_QUEUE_URL is not set') } },
    ]);
    expect(await queueDepth(client, aws.queueUrls.jobs)).toBe(1);
    expect(lambda.coldStarts()).toBe(1);
    expect(gateway.requests().payout).toBe(0);
  });

  it('sends nothing that could not be settled before the deadline Lambda names', async () => {
    await send(aPayoutJob({ orderId: 'TOO-LATE' }));
    const { source, ends } = run({ timeoutMs: 1_800 });
    await until(() => ends.length >= 1);
    await source.stop();
    // It is parked, for an invocation that has the time.
    expect(ends[0]).toStrictEqual({ kind: 'response', payload: { batchItemFailures: [] } });
    expect([await queueDepth(client, aws.queueUrls.jobs), await parked()]).toEqual([0, 1]);
    expect(gateway.requests().payout).toBe(0);
  });

  it.each<[mishap: string, end: End]>([
    ['hang', { kind: 'timed-out' }],
    ['throw', { kind: 'exited', code: 1 }],
    ['exit', { kind: 'exited', code: 3 }],
  ])(
    'dies after the gateway took the order (%s): nothing is deleted, and what comes again is parked',
    async (mishap, end) => {
      await send(aPayoutJob({ orderId: 'CUT-OFF' }));
      const preload = { NODE_OPTIONS: `--import=${mishapModule}`, MISHAP: mishap };
      const { lambda, source, ends, reports } = run({
        environmentOf: (processNumber) => (processNumber === 1 ? preload : {}),
      });
      await until(() => reports.length === 1);
      expect(ends).toStrictEqual([end]);
      expect(reports[0]).toMatchObject({ verdict: { kind: 'threw' }, records: 1, deleted: 0 });
      expect(await queueDepth(client, aws.queueUrls.jobs)).toBe(1);
      expect(await results()).toStrictEqual([]);

      await until(() => reports.length === 2);
      await source.stop();
      expect([await queueDepth(client, aws.queueUrls.jobs), await parked(), await results()]).toEqual([0, 1, []]);
      expect(lambda.coldStarts()).toBe(2);
      expect(paid()).toStrictEqual(['CUT-OFF']);
    },
  );
});
