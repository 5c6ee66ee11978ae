// The contract of the ledger, kept without the SDK too: by the way that stands in the bundles of the functions which
// somebody waits for (lib/aws/sdk-on-demand.ts), to the embedded emulator. Whatever went to the SDK fails here.
import { ConditionalCheckFailedException, CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { bounded, clientSettings } from '../../lib/aws/aws-calls.ts';
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-ledger.ts';
import { clientOnDemand, commandOnDemand } from '../../lib/aws/sdk-on-demand.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { ledgerTableDefinition } from '../../lib/local/ledger-table.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { defaultLimits as limits } from '../../lib/payout/limits.ts';
import { describeLedger } from './ledger-contract.ts';

const tableName = 'ledger-without-the-sdk';
let aws: EmbeddedAws;

beforeAll(async () => {
  aws = await startEmbeddedAws();
  const maker = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
  await maker.send(new CreateTableCommand({ TableName: tableName, ...ledgerTableDefinition }));
  maker.destroy();
});

beforeEach(() => {
  for (const [name, value] of Object.entries(aws.environment)) vi.stubEnv(name, value);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

/** Takes the SDK's commands, and throws its class of error, where a bundle has stand-ins for both. */
function clientWithoutSdk(): DynamoDBClient {
  const load = () => Promise.reject(new Error('the SDK was asked for'));
  const client = bounded(new (clientOnDemand('DynamoDBClient', load))(clientSettings(limits)), { limits });
  const send = async (asked: { readonly input: object }) => {
    try {
      return await client.send(new (commandOnDemand(asked.constructor.name))(asked.input));
    } catch (error) {
      const { name, message, Item } = error as Error & Pick<ConditionalCheckFailedException, 'Item'>;
      if (name !== 'ConditionalCheckFailedException') throw error;
      throw new ConditionalCheckFailedException({ message, $metadata: {}, ...(Item && { Item }) });
    }
  };
  return { send } as unknown as DynamoDBClient;
}

describeLedger('DynamoDB without the SDK', () => createDynamoDbLedger({ client: clientWithoutSdk(), tableName }));
