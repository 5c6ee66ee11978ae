// The tables of the worker, every test of their contracts, on AWS's own emulator.
import { describe, inject } from 'vitest';

const dynamoDbUrl = inject('dynamoDbLocal');

describe.skipIf(dynamoDbUrl === null)('DynamoDB Local', async () => {
  // The tests make their table wherever this names.
  process.env['DYNAMODB_ENDPOINT'] = dynamoDbUrl ?? '';
  await import('../contract/dynamodb-orders.test.ts');
  await import('../contract/dynamodb-open-work.test.ts');
  await import('../contract/dynamodb-batches.test.ts');
  await import('../contract/dynamodb-card-keys.test.ts');
  await import('../contract/dynamodb-controls.test.ts');
  await import('../contract/dynamodb-lanes.test.ts');
  await import('../contract/dynamodb-waiting.test.ts');
});
