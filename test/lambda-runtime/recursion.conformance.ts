// Checks go round by their own queue, under Lambda's loop detection: as this stack is set up, they go on.
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { bundleFunction } from '../../infra/bundle.ts';
import { type EventSource, startEventSource } from '../../lib/aws/sqs-event-source.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { queueDepth } from '../../lib/local/queue-reader.ts';
import { startSampleGateway } from '../cli/support/sample-world.ts';
import { ofType } from '../infra/packaged.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createLambda } from './lambda.ts';
import { admit, longestOf } from './lineage.ts';
import { type LineageQueues, startLineageQueues } from './lineage-queue.ts';
import { fieldsOf, putMerchant } from '../support/merchant-secrets.ts';

const interfaceClient = inject('interfaceClient');
type RecursiveLoop = 'Allow' | 'Terminate';
type Fed = 'submit' | 'inquire';

/** As the stack sets it; what it does not set is AWS's default. */
const shipped = (name: Fed): RecursiveLoop => {
  const [, properties] = ofType('AWS::Lambda::Function').find(([id]) => id.toLowerCase().startsWith(name)) ?? [];
  return (properties?.['RecursiveLoop'] as RecursiveLoop | undefined) ?? 'Terminate';
};

describe.skipIf(interfaceClient === null)("a message that goes round under Lambda's loop detection", () => {
  let aws: EmbeddedAws;
  let queues: LineageQueues;
  let gateway: GatewaySimulator;
  let client: SQSClient;
  let environment: Record<string, string>;
  const closing: (() => Promise<unknown>)[] = [];
  const urlOf = (queue: keyof EmbeddedAws['queueUrls']) => queues.url + new URL(aws.queueUrls[queue]).pathname;

  beforeEach(async () => {
    aws = await startEmbeddedAws();
    queues = await startLineageQueues(aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '');
    const { simulator, secrets } = await startSampleGateway(aws);
    gateway = simulator;
    // One a second: who is behind waits in a line.
    const { profile, ...paced } = fieldsOf(secrets['globex-us']);
    putMerchant(aws.secrets, 'paced', { ...paced, profile: { ...Object(profile), ratePerSecond: 1 } });
    const origin = aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '';
    // Every queue is reached through the one that counts rounds.
    const counted = Object.entries(workerEnvironment(aws, {})).map(([name, it]) => [
      name,
      it.replace(origin, queues.url),
    ]);
    environment = Object.fromEntries(counted);
    client = new SQSClient({ ...clientConfigOf(aws, 'SQS'), endpoint: queues.url });
    closing.push(
      () => aws.close(),
      () => queues.close(),
      () => gateway.close(),
      async () => client.destroy(),
    );
  });

  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  interface Running {
    readonly source: EventSource;
    /** The latest round of each function that Lambda let through. */
    round(): number;
    stopped(): number;
  }

  /** The packaged function behind its queue, and Lambda between them. */
  async function run(name: Fed, queue: 'jobs' | 'checks', recursiveLoop = shipped(name)): Promise<Running> {
    const { file } = await bundleFunction(name);
    const lambda = createLambda({
      interfaceClient: interfaceClient ?? '',
      file,
      functionName: name,
      timeoutMs: 120_000,
      environmentOf: () => environment,
    });
    let round = 0;
    let stopped = 0;
    const source = startEventSource({
      client,
      queueUrl: urlOf(queue),
      async handler(event) {
        const batch = longestOf(event.Records.map(({ messageId }) => queues.lineageOf(messageId)));
        const admission = admit(name, recursiveLoop, batch);
        if (admission.kind === 'stopped') {
          stopped += 1;
          return toDeadLetters(event);
        }
        round = admission.round;
        const end = await lambda.invoke(event, admission.traceId);
        if (end.kind === 'response') return end.payload;
        throw new Error(`${end.kind} ${lambda.output()}`);
      },
      functionName: name,
      functionTimeoutMs: 240_000,
      maximumConcurrency: 1,
      longPollSeconds: 0,
      drainCheckMs: 100,
      nowMs: Date.now,
      newRequestId: () => 'unused',
    });
    closing.push(
      () => lambda.close(),
      () => source.stop(),
    );
    return { source, round: () => round, stopped: () => stopped };
  }

  /** What Lambda does with a batch that it does not let through. */
  async function toDeadLetters({ Records }: SQSEvent): Promise<object> {
    const Entries = Records.map(({ body }, index) => ({ Id: String(index), MessageBody: body }));
    await client.send(new SendMessageBatchCommand({ QueueUrl: urlOf('jobsDeadLetter'), Entries }));
    return { batchItemFailures: [] };
  }

  const send = (job: object) =>
    client.send(new SendMessageCommand({ QueueUrl: urlOf('jobs'), MessageBody: JSON.stringify(job) }));
  const aJob = (orderId: string, merchant: string) => aPayoutJob({ orderId, merchant });

  it('as the stack is set up lets the check of an open order go round a hundred times', async () => {
    await send(aJob('ROUND.processing', 'globex-us'));
    const submit = await run('submit', 'jobs');
    await submit.source.untilDrained();
    const inquire = await run('inquire', 'checks');
    await expect.poll(inquire.round, { timeout: 50_000 }).toBeGreaterThan(100);
    expect(inquire.stopped()).toBe(0);
    await expect.poll(() => queueDepth(client, urlOf('checks'))).toBe(1);
  });
});
