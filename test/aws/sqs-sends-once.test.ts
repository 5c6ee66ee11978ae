// SQS that takes what it is sent and answers too late: what would go on twice if it lay there twice is sent once.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSqsOwnQueue, newSqsClient, newSqsClientSendingOnce } from '../../lib/aws/sqs-queues.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';

let [server, taken]: [Server, number] = [createServer(), 0];

beforeEach(async () => {
  taken = 0;
  server = createServer((request) => {
    request.resume();
    request.on('end', () => void (taken += 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** One check on its way to a queue that never answers. */
async function sentBy(newClient: typeof newSqsClient): Promise<void> {
  const limits = { ...defaultLimits, awsRequestTimeoutMs: 400, awsCallTimeoutMs: 2_000 };
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'fake', secretAccessKey: 'fake' };
  const client = newClient({ limits }, { endpoint, region: 'eu-central-1', credentials });
  const queue = createSqsOwnQueue({ client, queueUrl: `${endpoint}/checks` });
  const message = { kind: 'check', key: 'acme-eu/INV-1', leaseMs: 5 } as const;
  await expect(queue.send([{ message, delaySeconds: 0 }])).rejects.toMatchObject({ name: 'TimeoutError' });
  client.destroy();
}

it('a check is sent once', async () => {
  await sentBy(newSqsClientSendingOnce);
  expect(taken).toBe(1);
});

it('a client as others have it would send it again', async () => {
  await sentBy(newSqsClient);
  expect(taken).toBeGreaterThan(1);
});
