// The ledger on both real emulators: the port contract on moto (dynamodb-local-ledger has all of it), and the answer
// to a lost claim that dynalite can't give.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDynamoDbLedger } from '../../lib/aws/dynamodb-orders.ts';
import type { Ledger } from '../../lib/payout/ports.ts';
import { describeLedger } from '../contract/ledger-contract.ts';
import { aView } from '../support/orders.ts';
import { createLedgerTable } from './table.ts';

const emulators = [
  ['DynamoDB Local', inject('dynamoDbLocal')],
  ['moto', inject('moto')],
] as const;

async function ledgerAt(endpoint: string): Promise<{ client: DynamoDBClient; ledger: Ledger }> {
  const { client, tableName } = await createLedgerTable(endpoint);
  return { client, ledger: createDynamoDbLedger({ client, tableName }) };
}

const motoUrl = inject('moto');

describe.skipIf(motoUrl === null)('moto', () => {
  describeLedger('DynamoDB on moto', async () => (await ledgerAt(motoUrl ?? '')).ledger);
});

describe.for(emulators)('a claim that comes second, on %s', ([, url]) => {
  describe.skipIf(url === null)('the ledger', () => {
    let client: DynamoDBClient;
    let ledger: Ledger;
    const commands: (string | undefined)[] = [];

    beforeAll(async () => {
      ({ client, ledger } = await ledgerAt(url ?? ''));
      client.middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            commands.push(commandName);
            return next(args);
          },
        { step: 'initialize' },
      );
    });

    afterAll(() => client.destroy());

    it('is told who won by the refusal itself, without a second read', async () => {
      const entry = aView();
      expect(await ledger.claim(entry)).toStrictEqual({ kind: 'claimed' });
      expect(await ledger.claim({ ...entry, owner: 'worker-2' })).toStrictEqual({ kind: 'found', entry });
      expect(commands).toStrictEqual(['PutItemCommand', 'PutItemCommand']);
    });
  });
});
