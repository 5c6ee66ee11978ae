// The Region of a ledger, written into its table under a key that no order can have. A copy of the table has it too. So it shows that a
// table was a ledger, and that a copy comes from another Region.
import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Saying } from '../payout/operate/control.ts';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import { type DynamoDbTable, isWritten } from '../aws/dynamodb-table.ts';
import type { KnownTables } from './known-tables.ts';

/** The record of one table. */
export interface LedgerRegion {
  /** Marks the table as one of this Region. */
  stamp(): Promise<void>;
  /** True if the table was a ledger, or is the copy of one. */
  wasLedger(): Promise<boolean>;
  /** The Region in which this copy was the ledger; undefined if that is this one, or if the record names none. */
  movedFrom(): Promise<MovedFrom | undefined>;
  /** Records in this copy that no gateway takes a payment from that Region any more, and the proof. */
  noteRefused(region: string, proof: string, saying: Saying): Promise<void>;
}

const Key = { pk: { S: '~ledger' } };

/** The Region of one table. */
export function createLedgerRegion({ client, tableName: TableName }: DynamoDbTable): LedgerRegion {
  const here = () => client.config.region();
  const read = async () => (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item;
  async function update(set: Readonly<Record<string, AttributeValue>>, condition?: string): Promise<void> {
    const names = Object.keys(set);
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}`,
        ConditionExpression: condition,
        ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, set[name] ?? { NULL: true }])),
      }),
    );
  }
  return {
    wasLedger: async () => (await read()) !== undefined,
    async movedFrom() {
      const item = await read();
      const region = item?.['inRegion']?.S;
      if (region === undefined || region === (await here())) return undefined;
      return { region, isRefused: item?.['refusedRegion']?.S === region };
    },
    noteRefused: (region, proof, { by, reason, atMs }) =>
      update({
        refusedRegion: { S: region },
        refusedProof: { S: proof },
        refusedBy: { S: by },
        refusedWhy: { S: reason },
        refusedAt: { N: String(atMs) },
      }),
    async stamp() {
      const inRegion = { S: await here() };
      await isWritten(() => update({ inRegion }, 'attribute_not_exists(inRegion) OR inRegion <> :inRegion'));
    },
  };
}

// The fence between a lost Region and the one that takes over. A Region that comes back has full queues and a ledger of its own. It would
// pay the orders that the other one has begun to pay: copies of a table know nothing of each other, and nothing in AWS prevents it. The
// gateway can prevent it: it refuses the keys that the lost Region signs with, or its addresses. Before that is known the copy does not
// become the ledger, so nothing is sent or asked by it. Then every inquiry comes after the last payment that the lost Region can have made,
// and "no such order" is the truth.

/** The Region that a copy of the ledger comes from. */
interface MovedFrom {
  readonly region: string;
  /** The gateways are known to refuse requests from there. */
  readonly isRefused: boolean;
}

/** True if a copy may become the ledger. */
export const mayTakeOver = (moved: MovedFrom | undefined): boolean => moved === undefined || moved.isRefused;

/** The round that stamps the known ledger, and no other table. */
export function regionRound({ stamp }: Pick<LedgerRegion, 'stamp'>, tables: KnownTables): SweepRound {
  return {
    name: 'region',
    async run() {
      if ((await tables.verdict()).kind === 'known') await stamp();
      return {};
    },
  };
}
