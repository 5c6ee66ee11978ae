// The Powertools design as it would be deployed: DynamoDB persistence, parameters, axios with kept connections, results in tens.
import { Agent } from 'node:http';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { getSecret } from '@aws-lambda-powertools/parameters/secrets';
import { create } from 'axios';
import type { PeerSecret } from './peer-order.ts';
import { createPowertoolsHandler } from './powertools-design.ts';
import { tellingInTens } from './results-in-tens.ts';

const agents = new Agent({ keepAlive: true });

/** Called for each batch of the jobs queue. */
export const handler = tellingInTens((tell) =>
  createPowertoolsHandler({
    persistenceStore: new DynamoDBPersistenceLayer({ tableName: process.env['IDEMPOTENCY_TABLE'] ?? '' }),
    secretOf: async (merchant) => {
      const secret = await getSecret(`payouts/${merchant}`, { maxAge: 300, transform: 'json' });
      return secret as unknown as PeerSecret;
    },
    http: create({ httpAgent: agents }),
    tell,
    inParallel: process.env['CONCURRENCY'] !== '1',
  }),
);
