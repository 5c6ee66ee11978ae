// The DynamoDB ledger, every test of it, on AWS's own emulator.
import { describe, inject } from 'vitest';

const dynamoDbUrl = inject('dynamoDbLocal');

describe.skipIf(dynamoDbUrl === null)('DynamoDB Local', async () => {
  // The tests make their table wherever this names.
  process.env['DYNAMODB_ENDPOINT'] = dynamoDbUrl ?? '';
  await import('../contract/dynamodb-ledger.test.ts');
});
