// Least privilege from its other side: the bundles of all functions, each with the rights of its own role and no others,
// work off a file of jobs. What a role lacks shows as a refusal, what it has too much as a right that was never used.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbBatches } from '../../lib/batches/dynamodb-batches.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { type EventSource, startEventSource } from '../../lib/aws/sqs-event-source.ts';
import { systemClock } from '../../lib/aws/system.ts';
import { statementsOfRole } from './policy.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { booksOf, type RunBooks } from '../../lib/local/run-books.ts';
import { jobOf } from '../../lib/local/payments.ts';
import { ledgerOf } from '../../lib/local/run-orders.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { collectResults, sendToJobsQueue, deadLetterIds } from '../../lib/local/jobs-and-results.ts';
import { reportedPayments, startLocalGateway } from '../../lib/local/local-gateway.ts';
import { workerEnvironment } from '../../lib/local/local-environment.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { writeOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { attemptsOf } from '../../lib/payout/order/facts.ts';
import { orderKey } from '../../lib/payout/order/order.ts';
import { putMerchants, sampleSecrets, withSampleExpiry, workerSecret } from '../../lib/local/sample-merchants.ts';
import { runCli } from '../cli/support/cli.ts';
import { bundleFunction } from '../../infra/bundle.ts';
import { packaged } from '../infra/packaged.ts';
import { stackOf } from '../support/stack.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anOrder, begun } from '../support/orders.ts';
import { aJobOf, upload } from '../support/uploaded-batch.ts';
import { unused, usedAtTimes } from './unused-rights.ts';
import { type DeployedFunction, startFunction } from './deployed-function.ts';
import { aLockedJob, askedTwice, aSealedJob, cardSecret, locked, sentTwice } from './odd-jobs.ts';
import { controlKeysOf, type Guard, startGuardOver } from './guard.ts';
import { isLike } from './policy-evaluator.ts';
import { fieldsOf } from '../support/merchant-secrets.ts';

const stack = stackOf(packaged('prod').template);

/** The bundle of a function, in a directory without packages. */
const bundled = async (name: string) =>
  (await bundleFunction(name, await mkdtemp(join(tmpdir(), 'payouts-rights-')))).file;

const names = readdirSync('functions').map((file) => basename(file, '.ts'));
const roleOf = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase());

describe('with the rights of its role alone', () => {
  let aws: EmbeddedAws;
  let guard: Guard;
  let sqs: SQSClient;
  let gateway: Awaited<ReturnType<typeof startLocalGateway>>;
  const functions = new Map<string, DeployedFunction>();
  const sources: EventSource[] = [];
  let books: RunBooks;

  beforeAll(async () => {
    aws = await startEmbeddedAws({
      maxReceiveCount: localWorkerLimits.maxReceiveCount,
      visibilityTimeoutSeconds: 60,
    });
    gateway = await startLocalGateway('none', (gatewayUrl) =>
      sampleSecrets({ gatewayUrl, closedUrl: 'http://127.0.0.1:1' }),
    );
    const { secrets } = gateway;
    putMerchants(aws.secrets, secrets, 'payouts/prod/');
    for (const [name, secret] of Object.entries({
      _worker: workerSecret(),
      _ledger: aws.tablesRecord,
      _card: cardSecret,
      _callback: controlKeysOf(secrets),
    }))
      aws.secrets.put(`payouts/prod/${name}`, secret);
    await aws.registered();
    guard = await startGuardOver(aws, stack, call);
    for (const name of names) {
      const bundle = await bundled(name);
      functions.set(name, startFunction(bundle, { ...environmentOf(name), AWS_LAMBDA_FUNCTION_NAME: name }));
    }
    const credentials = { accessKeyId: 'FAKEPOLLER', secretAccessKey: 'fake' };
    sqs = new SQSClient({
      region: 'eu-central-1',
      endpoint: aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '',
      credentials,
    });
    books = await workOff();
  }, 300_000);

  afterAll(async () => {
    for (const source of sources) await source.stop();
    for (const it of functions.values()) await it.close();
    await guard?.close();
    await gateway?.simulator.close();
    sqs?.destroy();
    await aws?.close();
  });

  function environmentOf(name: string): Record<string, string> {
    const through = (url: string) => guard.url + new URL(url).pathname;
    return {
      ...localWorkerLimits.environment,
      AWS_REGION: 'eu-central-1',
      AWS_ENDPOINT_URL: guard.url,
      APPROVAL_KEY_ID: 'alias/payouts-approvals',
      AWS_ACCESS_KEY_ID: roleOf(name),
      AWS_SECRET_ACCESS_KEY: 'fake',
      JOBS_QUEUE_URL: through(aws.queueUrls.jobs),
      BATCH_JOBS_QUEUE_URL: through(aws.queueUrls.batchJobs),
      DEAD_LETTER_QUEUE_URL: through(aws.queueUrls.jobsDeadLetter),
      RESULTS_QUEUE_URL: through(aws.queueUrls.results),
      CHECKS_QUEUE_URL: through(aws.queueUrls.checks),
      CALLBACK_FUNCTION: 'callback',
      REFERENCES_QUEUE_URL: through(aws.queueUrls.references),
      LEDGER_TABLE_NAME: aws.ledgerTableName,
      CARD_KEYS_TABLE_NAME: aws.cardKeysTableName,
      BATCHES_TABLE_NAME: aws.batchesTableName,
      CONTROLS_TABLE_NAME: aws.controlsTableName,
      WAITING_TABLE_NAME: aws.waitingTableName,
      SECRET_PREFIX: 'payouts/prod/',
    };
  }

  const call = (name: string, event: unknown) => functions.get(name)?.call(event) ?? Promise.reject(new Error(name));

  function source(functionName: string, queueUrl: string): EventSource {
    const handler = (event: SQSEvent) => call(functionName, event) as Promise<SQSBatchResponse>;
    return startEventSource({ client: sqs, queueUrl, handler, functionTimeoutMs: 30_000 });
  }

  /** Calls a scheduled function again and again, until the role has used the right. */
  async function callUntil(name: string, right: string): Promise<void> {
    for (const endsAtMs = Date.now() + 60_000; !guard.seen.has(`${roleOf(name)} ${right}`); await sleep(500)) {
      if (Date.now() > endsAtMs)
        throw new Error(`${name} never came to ${right}: ${functions.get(name)?.output().slice(-500)}`);
      await call(name, {});
    }
  }

  /** Waits until a role has used the right. */
  async function used(right: string): Promise<void> {
    for (const endsAtMs = Date.now() + 60_000; !guard.seen.has(right); await sleep(200))
      if (Date.now() > endsAtMs) throw new Error(`nothing used ${right}`);
  }

  /** An operator pauses a lane, past the guard, or lets it go on: its jobs form a line meanwhile, on the slowest machine as on this one. */
  async function lane(command: 'pause' | 'resume', ...more: string[]): Promise<void> {
    const env = { ...workerEnvironment(aws, localWorkerLimits.environment), SECRET_PREFIX: 'payouts/prod/' };
    const args = [command, 'globex-us', '--endpoint', '40217', ...more];
    expect(await runCli(args, { env })).toMatchObject({ code: 0 });
  }

  /** Jobs that use every right of submit, inquire and sweep. */
  async function workOff(): Promise<RunBooks> {
    const { jobs: jobsUrl, batchJobs, references } = aws.queueUrls;
    for (const queueUrl of [jobsUrl, batchJobs, references]) sources.push(source('submit', queueUrl));
    sources.push(source('inquire', aws.queueUrls.checks));
    const sample = (await readFile('lib/local/sample-jobs.jsonl', 'utf8')).trim().split('\n');
    const jobs = withSampleExpiry(sample, Date.now()).filter((_, index) => index % 3 === 0);
    for (const order of locked) await begun(createDynamoDbOrders(table()), order);
    await lane('pause', '--yes', '--reason', 'a line forms');
    const sent = await sendToJobsQueue(sqs, aws.queueUrls, [
      ...jobs,
      ...jobs.flatMap(asRow),
      ...jobs.slice(0, 20),
      askedTwice,
      sentTwice,
      sentTwice,
      ...asRow(sentTwice),
      ...asRow(sentTwice),
      aLockedJob,
      ...asRow(aLockedJob),
      aStrangersJob,
      ...asRow(aStrangersJob),
      await aSealedJob(table().client, aws.cardKeysTableName),
      ...(await aBatch()),
    ]);
    const drained = () =>
      collectResults(sqs, {
        jobsQueueUrls: [aws.queueUrls.jobs, aws.queueUrls.batchJobs],
        checksQueueUrl: aws.queueUrls.checks,
        resultsQueueUrl: aws.queueUrls.results,
        // Those that are locked never go.
        patienceMs: 90_000,
      });
    await used('Submit dynamodb:PutItem ${WaitingTable.Arn}');
    await lane('resume');
    // A worker remembers the pause for five seconds, and parks jobs behind a line that has been drained: the sweeper releases them.
    await sleep(8_000);
    await call('sweep', {});
    const first = await drained();
    await forgetAnOrder();
    // A key that is left for an order that was sent is of no use any more.
    await aSealedJob(table().client, aws.cardKeysTableName);
    await callUntil('sweep', 'sqs:SendMessage ${ChecksQueue.Arn}');
    const beside = new Set<string | undefined>([forgotten, ...locked].map(({ orderId }) => orderId));
    const results = first.filter(({ orderId }) => !beside.has(orderId));
    await callUntil('sweep', 'sqs:SendMessage ${ResultsQueue.Arn}');
    await callUntil('sweep', 'dynamodb:DeleteItem ${CardKeysTable.Arn}');
    const orders = await ledgerOf(
      aws,
      // The locked ones were laid into the ledger by this test, and nothing is told of them.
      sent.flatMap((message) => jobOf(message) ?? []).filter((job) => !lockedOnesWait.has(orderKey(job))),
    );
    await callBack(results);
    await answerLate();
    const reported = reportedPayments(gateway.simulator, gateway.secrets);
    const deadLetterMessageIds = await deadLetterIds(sqs, aws.queueUrls);
    return booksOf({ sent, results, deadLetterMessageIds, orders, waiting: lockedOnesWait }, reported);
  }

  /** Of a merchant without a secret: laid aside when it has waited for one. */
  const aStrangersJob = JSON.stringify(aPayoutJob({ merchant: 'stranger', orderId: 'LATE-1' }));
  const lockedOnesWait = new Map(locked.map(({ key }) => [key, {}]));

  /** The same job as a row of a batch that somebody else keeps the books of; nothing where it is none. */
  function asRow(body: string): string[] {
    const parsed = parseJob(body);
    if (parsed.kind === 'rejected') return [];
    const job = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return [JSON.stringify({ ...job, orderId: `ROW-${String(job['orderId'])}`, batchId: 'rights' })];
  }

  /** A batch of two, uploaded but not sent: its messages come with the others. */
  async function aBatch(): Promise<string[]> {
    const bodies = ['ROW-1', 'ROW-2'].map((orderId) => aJobOf(orderId));
    await upload(
      {
        batches: createDynamoDbBatches({ ...table(), tableName: aws.batchesTableName }),
        clock: systemClock,
      },
      bodies,
    );
    return bodies.map((body) => JSON.stringify(body));
  }

  const forgotten = anOrder({ orderId: 'FORGOTTEN-1', attempt: { leaseUntilMs: Date.now() - 3_600_000 } });

  /** A claim whose worker died, and whose message is gone. */
  async function forgetAnOrder(): Promise<void> {
    await begun(createDynamoDbOrders(table()), forgotten);
  }

  /** The ledger as an operator reaches it, past the guard. */
  function table() {
    const client = new DynamoDBClient({
      region: 'eu-central-1',
      endpoint: aws.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
      credentials: { accessKeyId: 'FAKEOPERATOR', secretAccessKey: 'fake' },
    });
    return { client, tableName: aws.ledgerTableName, itemLifeDays: 400, ...systemClock };
  }

  /** The gateway calls back for two merchants, for an unknown order, and while callbacks cannot be stored. */
  async function callBack(results: readonly Result[]): Promise<void> {
    for (const merchant of ['acme-eu', 'globex-us']) {
      const told = results.find((it) => it.merchant === merchant && it.payoutId);
      const { orderId = '', amount = '', currency = '', payoutId = '' } = told ?? {};
      await knock(merchant, { orderid: payoutId, client_orderid: orderId, amount, currency });
    }
    const elsewhere = { orderid: '9000777', client_orderid: 'UNHEARD-1', amount: '1.00', currency: 'EUR' };
    await knock('acme-eu', elsewhere);
    const orders = createDynamoDbOrders(table());
    expect(await orders.read('acme-eu/UNHEARD-1')).toMatchObject({ kind: 'found' });
    const bundle = await bundled('door');
    const env = { ...environmentOf('door'), AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    functions.set(cutOff, startFunction(bundle, { ...env, AWS_LAMBDA_FUNCTION_NAME: 'door' }));
    await knock('acme-eu', { ...elsewhere, client_orderid: 'UNHEARD-2' }, cutOff, 503);
    expect(await orders.read('acme-eu/UNHEARD-2')).toEqual({ kind: 'none' });
  }

  /** An answer that could not be written in time, of an order whose item is lost: who writes it may put none. */
  async function answerLate(): Promise<void> {
    const [attempt] = attemptsOf(unwritten.facts);
    if (!attempt) throw new Error('it has one');
    const { key, content } = unwritten;
    const word = { kind: 'answer', key, attempt, ...(content && { content }) } as const;
    await sqs.send(new SendMessageCommand({ QueueUrl: aws.queueUrls.checks, MessageBody: writeOwnTask(word) }));
    const orders = createDynamoDbOrders(table());
    for (const endsAtMs = Date.now() + 60_000; Date.now() < endsAtMs; await sleep(500)) {
      const read = await orders.read(key);
      if (read.kind !== 'found') continue;
      // It was sent long ago, so the writer finds it overdue too.
      // What a table has lost came before all that it numbers.
      expect(read.order.facts).toMatchObject({ attempts: { [attempt.id]: { ...attempt, number: 0 } } });
      return;
    }
    throw new Error('the answer was not written: its order has no item');
  }

  const unwritten = anOrder({
    orderId: 'UNWRITTEN-1',
    attempt: { answer: { kind: 'taken', atMs: Date.now() }, ids: ['9000555'] },
  });

  /** The public door, from which no other function can be reached. */
  const cutOff = 'door, cut off';

  async function knock(
    merchant: string,
    its: Readonly<Record<string, string>>,
    name = 'door',
    statusCode = 200,
  ): Promise<void> {
    const key = String(fieldsOf(gateway.secrets[merchant])['controlKey']);
    const control = createHash('sha1').update(`approved${its['orderid']}${its['client_orderid']}${key}`).digest('hex');
    const event = {
      rawPath: `/${merchant}`,
      rawQueryString: String(new URLSearchParams({ status: 'approved', ...its, control })),
    };
    expect(await call(name, { ...event, isBase64Encoded: false })).toEqual({ statusCode, body: '' });
  }

  it('the books agree', () => {
    expect(books).toMatchObject({ paidTwice: [], disagreements: [], agree: true });
    expect(books.counted.reduce((sum, { orders }) => sum + orders, 0)).toBeGreaterThan(40);
  });

  it('no call was refused', () => {
    expect([...guard.refused]).toEqual([]);
  });

  it('every right was used, but for those named here with their reason', () => {
    const rights = names.flatMap((name) => {
      const role = stack.get(`${roleOf(name)}Role`);
      const allowing = (role ? statementsOfRole(stack, role) : []).filter(({ allows }) => allows);
      return allowing.flatMap(({ actions, resources }) =>
        actions.flatMap((action) => resources.map((resource) => `${roleOf(name)} ${action} ${resource}`)),
      );
    });
    const asked = rights.filter((it) => /(sqs|dynamodb|secretsmanager|lambda):/.test(it.split(' ')[1] ?? ''));
    const used = (right: string) =>
      [...guard.seen].some((it) => it.startsWith(right.replace(/\*$/, '')) || isLike(it, right));
    const atTimes = new Set(usedAtTimes.map(([right]) => right));
    expect([...atTimes].filter((right) => !asked.includes(right))).toEqual([]);
    expect(asked.filter((right) => !used(right) && !atTimes.has(right)).toSorted()).toEqual(
      unused.map(([right]) => right).toSorted(),
    );
  });

  it('the guard is awake: strangers’ queues and keys are refused', async () => {
    const as = (accessKeyId: string) => ({
      region: 'eu-central-1',
      endpoint: guard.url,
      credentials: { accessKeyId, secretAccessKey: 'fake' },
    });
    const [callback, inquire] = [new SQSClient(as('Callback')), new SecretsManagerClient(as('Inquire'))];
    const door = new SecretsManagerClient(as('Door'));
    const QueueUrl = guard.url + new URL(aws.queueUrls.jobs).pathname;
    await expect(callback.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }))).rejects.toThrow('may not');
    const get = (SecretId: string) => inquire.send(new GetSecretValueCommand({ SecretId }));
    await expect(get('payouts/prod/_worker')).rejects.toThrow('may not');
    await expect(get('payouts/prod/keys/acme-eu')).resolves.toMatchObject({ Name: 'payouts/prod/keys/acme-eu' });
    for (const SecretId of ['payouts/prod/keys/acme-eu', 'payouts/prod/_worker', 'payouts/prod/_callback'])
      await expect(door.send(new GetSecretValueCommand({ SecretId }))).rejects.toThrow('may not');
    door.destroy();
    callback.destroy();
    inquire.destroy();
  });
});
