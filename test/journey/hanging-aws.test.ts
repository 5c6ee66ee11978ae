// A service of AWS that takes a call and never answers, through the real clients with short limits: it costs time, never
// an answer, and not the other jobs of the batch.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { createSecretsManagerCredentials, newSecretsManagerClient } from '../../lib/aws/secrets-manager-credentials.ts';
import { createSqsResults, newSqsClient } from '../../lib/aws/sqs-queues.ts';
import { systemClock } from '../../lib/aws/system.ts';
import { startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { checkedLimits, defaultLimits } from '../../lib/payout/limits.ts';
import { writeOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import { runOwnWork } from '../../lib/payout/inquire/run-own-work.ts';
import { runJobs } from '../../lib/payout/submit/run-jobs.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { longDescribe } from '../support/long-proof.ts';
import { startRawServer } from '../support/raw-server.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';
import { createTable } from '../support/created-table.ts';

/** The shipped relations at a third of the shipped times: short for a test, long enough for what does answer. */
const limits = checkedLimits({
  ...defaultLimits,
  settleReserveMs: 6_000,
  awsConnectTimeoutMs: 300,
  awsRequestTimeoutMs: 500,
  awsCallTimeoutMs: 950,
});
const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
const at = (endpoint: string) => ({ region: 'eu-central-1', endpoint, credentials });

/** In real time, as real clients wait; Lambda would end the invocation at its deadline. */
async function invoke(records: Parameters<typeof runJobs>[0], ports: Parameters<typeof runJobs>[2]) {
  const startedMs = systemClock.nowMs();
  const { batchItemFailures } = await runJobs(records, startedMs + limits.functionTimeoutMs, ports);
  return { returned: batchItemFailures.map((it) => it.itemIdentifier), tookMs: systemClock.nowMs() - startedMs };
}

/** A table behind a wire; a call that `hangs` is taken and never answered. */
async function startTable() {
  const aws = await startEmbeddedAws();
  const table = new URL(aws.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '');
  let hangs: (call: string, body: string) => boolean = () => false;
  async function pass(asked: IncomingMessage, answer: ServerResponse) {
    const body = await text(asked);
    if (hangs(String(asked.headers['x-amz-target']), body)) return;
    const { hostname: host, port } = table;
    const { method, url: path, headers } = asked;
    request({ host, port, method, path, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
    }).end(body);
  }
  const wire = createServer((asked, answer) => void pass(asked, answer));
  await new Promise<void>((resolve) => void wire.listen(0, '127.0.0.1', resolve));
  const address = wire.address();
  const client = newDynamoDbClient(
    { limits },
    at(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`),
  );
  onTestFinished(async () => {
    client.destroy();
    wire.closeAllConnections();
    wire.close();
    await aws.close();
  });
  await createTable(client, 'ledger');
  const orders = createDynamoDbOrders({ client, tableName: 'ledger' });
  return { orders, hangsAt: (which: typeof hangs) => void (hangs = which) };
}

longDescribe('the settling write hangs', () => {
  it('the answer goes to the own queue within the invocation, and the other nine jobs are unharmed', async () => {
    // given ten payouts, and a table that never answers the write that settles the first
    const { orders, hangsAt } = await startTable();
    hangsAt((call, body) => call.endsWith('UpdateItem') && body.includes('INV-0'));
    const world = aWorld();
    const ports = { ...world.ports, clock: systemClock, orders, limits };
    const records = Array.from({ length: 10 }, (_, n) => aRecord(aPayoutJob({ orderId: `INV-${n}` })));

    // when
    const { returned, tookMs } = await invoke(records, ports);

    // then nine messages are done, and what the gateway said of the tenth lies on the own queue
    expect(returned).toEqual([records[0]?.messageId]);
    expect(world.gateway.posts).toHaveLength(10);
    expect(world.results.taken.map((it) => `${it.orderId} ${it.status}`).toSorted()).toEqual(
      Array.from({ length: 9 }, (_, n) => `INV-${n + 1} accepted`),
    );
    const [answer, ...others] = world.ownQueue.taken.map(({ message }) => message);
    expect(answer).toMatchObject({ kind: 'answer', key: 'acme-eu/INV-0', attempt: { answer: { kind: 'taken' } } });
    expect(others).toEqual([]);
    // and that within the time that is kept for it (no more than a busy machine may add)
    expect(tookMs).toBeLessThan(5 * limits.settleReserveMs);

    // and when the table answers again, it is told, and nothing is sent a second time
    hangsAt(() => false);
    if (!answer) throw new Error('there is no answer');
    const deadlineMs = systemClock.nowMs() + limits.functionTimeoutMs;
    await runOwnWork([aRecord(writeOwnTask(answer))], deadlineMs, ports);
    expect(world.results.taken).toMatchObject(
      Array.from({ length: 10 }, (_, n) => (n < 9 ? {} : { orderId: 'INV-0', status: 'accepted' })),
    );
    expect(world.gateway.postsOf('INV-0')).toBe(1);
  });
});

longDescribe('the results queue hangs', () => {
  it('the order is settled, and what could not be told is marked, so that its message may go', async () => {
    const { url } = await startRawServer('http', () => {});
    const client = newSqsClient({ limits }, at(url));
    onTestFinished(() => client.destroy());
    const world = aWorld();
    const results = createSqsResults({ client, queueUrl: url });
    const { returned, tookMs } = await invoke([aRecord(aPayoutJob(), { messageId: 'm-1' })], {
      ...world.ports,
      clock: systemClock,
      results,
      limits,
    });
    expect(returned).toEqual([]);
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ state: 'accepted', unpublished: true });
    expect(tookMs).toBeLessThan(5 * limits.settleReserveMs);
  });
});

describe('Secrets Manager hangs', () => {
  it('before anything is known of the merchant: the job waits, no order id is burnt', async () => {
    const { url } = await startRawServer('http', () => {});
    const client = newSecretsManagerClient({ limits }, at(url));
    onTestFinished(() => client.destroy());
    const world = aWorld();
    const { log } = world.ports;
    const secrets = createSecretsManagerCredentials({ client, prefix: 'payouts/', ttlMs: 1, clock: systemClock, log });
    const ports = { ...world.ports, clock: systemClock, credentials: secrets, fingerprinting: secrets, limits };
    const { returned } = await invoke([aRecord(aPayoutJob())], ports);
    expect(returned.length + world.waits().length).toBe(1);
    expect(world.entries.size).toBe(0);
    expect(world.gateway.posts).toEqual([]);
    expect(world.results.taken).toEqual([]);
  });
});
