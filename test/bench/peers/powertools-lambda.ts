// The Powertools design as it would be deployed: DynamoDB persistence, parameters, axios with kept connections, SQS.
import { Agent } from 'node:http';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { getSecret } from '@aws-lambda-powertools/parameters/secrets';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { create } from 'axios';
import type { PeerSecret } from './peer-order.ts';
import { createPowertoolsHandler } from './powertools-design.ts';

const sqs = new SQSClient({});
const agents = new Agent({ keepAlive: true });

/** Called for each batch of the jobs queue. */
export const handler = createPowertoolsHandler({
  persistenceStore: new DynamoDBPersistenceLayer({ tableName: process.env['IDEMPOTENCY_TABLE'] ?? '' }),
  secretOf: async (merchant) => {
    const secret = await getSecret(`payouts/${merchant}`, { maxAge: 300, transform: 'json' });
    return secret as unknown as PeerSecret;
  },
  http: create({ httpAgent: agents }),
  tell: async (result) => {
    const MessageBody = JSON.stringify(result);
    await sqs.send(new SendMessageCommand({ QueueUrl: process.env['RESULTS_QUEUE_URL'], MessageBody }));
  },
  inParallel: process.env['CONCURRENCY'] !== '1',
});
