// The depot of card keys in the ledger's table: a key is put where its order will be claimed, and nothing else is written.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CardKeyStore, Deposit } from './sealed-params.ts';
import { takesCardKey } from '../payout/claim.ts';
import { type LedgerEntry, orderKey } from '../payout/ledger.ts';
import { cardKeyLifeDays } from '../payout/limits.ts';
import type { CardKey } from '../payout/ports.ts';
import { cardKeyAttributes, cardKeyOf, isKeyed, keyedItem } from '../aws/card-key-item.ts';
import { entryOf, type Item } from '../aws/ledger-item.ts';

/** Where the ledger is. */
export interface DynamoDbCardKeyStoreOptions {
  readonly client: DynamoDBClient;
  /** The ledger's table. */
  readonly tableName: string;
  readonly nowMs: () => number;
}

/** Somebody else wrote between a look and a write; more often than this in a row it is no accident. */
const roundsAtMost = 5;

/** A depot over the ledger's table. */
export function createDynamoDbCardKeyStore(options: DynamoDbCardKeyStoreOptions): CardKeyStore {
  const { client, tableName: TableName, nowMs } = options;
  const failed = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

  /** Answers with what stands there instead; AWS returns it with the failed condition, emulators may not. */
  async function unlessStanding(pk: string, write: () => Promise<unknown>): Promise<Item | 'written'> {
    try {
      await write();
      return 'written';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      if (error.Item) return error.Item;
      const { Item } = await client.send(
        new GetItemCommand({ TableName, Key: { pk: { S: pk } }, ConsistentRead: true }),
      );
      return Item ?? {};
    }
  }

  const put = (pk: string, key: CardKey) => {
    const Item = keyedItem(pk, key, nowMs() + cardKeyLifeDays * 86_400_000);
    const it = { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)', ...failed };
    return unlessStanding(pk, () => client.send(new PutItemCommand(it)));
  };

  const layBeside = ({ key: pk, state, revision }: LedgerEntry, key: CardKey) => {
    const { ji = { S: '' }, jk = { S: '' } } = cardKeyAttributes(key);
    const it = {
      TableName,
      Key: { pk: { S: pk } },
      UpdateExpression: 'SET ji = :id, jk = :secret',
      ConditionExpression: 'st = :state AND rv = :revision AND attribute_not_exists(jk)',
      ExpressionAttributeValues: {
        ':id': ji,
        ':secret': jk,
        ':state': { S: state },
        ':revision': { N: String(revision) },
      },
      ...failed,
    };
    return unlessStanding(pk, () => client.send(new UpdateItemCommand(it)));
  };

  return {
    async deposit(order, key): Promise<Deposit> {
      const pk = orderKey(order);
      let standing = await put(pk, key);
      for (let round = 0; round < roundsAtMost; round += 1) {
        if (standing === 'written') return { kind: 'key', key };
        if (!standing['pk']) {
          // A key whose time was over went between the two looks.
          standing = await put(pk, key);
          continue;
        }
        const known = cardKeyOf(standing);
        if (isKeyed(standing)) return known ? { kind: 'key', key: known } : { kind: 'closed' };
        const found = entryOf(standing);
        if (found.kind === 'unreadable' || !takesCardKey(found.entry)) return { kind: 'closed' };
        if (known) return { kind: 'key', key: known };
        standing = await layBeside(found.entry, key);
      }
      throw new Error('the order is written to again and again; deposit its card key later');
    },
  };
}
