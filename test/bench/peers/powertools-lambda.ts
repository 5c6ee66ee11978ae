// The Powertools design as it would be deployed: DynamoDB persistence, parameters, axios with kept connections. Where
// `CONNECTIONS` is `fresh` each POST opens one of its own, as this worker's does.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { getSecret } from '@aws-lambda-powertools/parameters/secrets';
import { create } from 'axios';
import type { PeerSecret } from './peer-order.ts';
import { createPowertoolsHandler } from './powertools-design.ts';
import { sendingResults } from './results.ts';

const keepAlive = process.env['CONNECTIONS'] !== 'fresh';

/** Called for each batch of the jobs queue. */
export const handler = sendingResults((tell) =>
  createPowertoolsHandler({
    persistenceStore: new DynamoDBPersistenceLayer({ tableName: process.env['IDEMPOTENCY_TABLE'] ?? '' }),
    secretOf: async (merchant) => {
      const secret = await getSecret(`payouts/${merchant}`, { maxAge: 300, transform: 'json' });
      return secret as unknown as PeerSecret;
    },
    http: create({ httpAgent: new HttpAgent({ keepAlive }), httpsAgent: new HttpsAgent({ keepAlive }) }),
    tell,
  }),
);
