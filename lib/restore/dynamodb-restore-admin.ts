// What a restore writes into the ledger's table (dynamodb-restoration.ts reads it), and the sweep's part in it: the Region that the
// ledger is in.
import { type AttributeValue, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Saying } from '../payout/operate/control.ts';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import { type DynamoDbTable, isWritten } from '../aws/dynamodb-table.ts';

/** The writers: the sweeper for the Region, an operator for the others. */
export interface RestoreAdmin {
  /** Marks a ledger without a Region as one of this Region. */
  stamp(): Promise<void>;
  /** The Region that this copy was the ledger in; undefined where that is this one, or the record names none. */
  movedFrom(): Promise<MovedFrom | undefined>;
  /** Records in this copy that no gateway takes a payment from that Region any more, and the proof. */
  noteRefused(region: string, proof: string, saying: Saying): Promise<void>;
  /** The table of this id was restored to `toMs`, and that is known since `sinceMs` (epoch ms); orders that it does not know go into doubt. */
  begin(
    restored: { readonly toMs: number; readonly sinceMs: number; readonly tableId: string },
    saying: Saying,
  ): Promise<void>;
  /** Every order of the gap is back: unknown orders are new again. */
  settle(saying: Saying): Promise<void>;
}

const pk = { S: '~ledger' };

/** The writer of one table's record. */
export function createDynamoDbRestoreAdmin({ client, tableName: TableName }: DynamoDbTable): RestoreAdmin {
  async function update(set: Readonly<Record<string, AttributeValue>>, condition?: string): Promise<void> {
    const names = Object.keys(set);
    await client.send(
      new UpdateItemCommand({
        TableName,
        Key: { pk },
        UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}`,
        ...(condition !== undefined && { ConditionExpression: condition }),
        ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, set[name] ?? { NULL: true }])),
      }),
    );
  }

  const here = () => client.config.region();

  return {
    async movedFrom() {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key: { pk }, ConsistentRead: true }));
      const region = Item?.['inRegion']?.S;
      if (region === undefined || region === (await here())) return undefined;
      return { region, isRefused: Item?.['refusedRegion']?.S === region };
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
      await isWritten(() => update({ inRegion }, 'attribute_not_exists(pk)'));
    },
    begin: async ({ toMs, sinceMs, tableId }, saying) =>
      update({
        inRegion: { S: await here() },
        toMs: { N: String(toMs) },
        sinceMs: { N: String(sinceMs) },
        settled: { BOOL: false },
        tableId: { S: tableId },
        ...said(saying),
      }),
    settle: (saying) => update({ settled: { BOOL: true }, ...said(saying) }, 'attribute_exists(sinceMs)'),
  };
}

function said({ by, reason, atMs }: Saying): Record<string, AttributeValue> {
  return { saidBy: { S: by }, why: { S: reason }, saidAt: { N: String(atMs) } };
}

// The fence between a lost Region and the one that takes over. Nothing in AWS keeps a Region that comes back from paying, out of full
// queues and by a ledger of its own, the orders that the other one has begun to pay: copies of a table know nothing of each other. The
// gateway can: it refuses the keys that the lost Region signs with, or its addresses. Before that is known the copy does not become
// the ledger, and by a table that is not the ledger nothing is sent or asked. A later inquiry was then made after the last payment
// that the lost Region can have made, so that "no such order" is the truth.

/** The Region that a copy of the ledger comes from. */
interface MovedFrom {
  readonly region: string;
  /** The gateways are known to refuse requests from there. */
  readonly isRefused: boolean;
}

/** True where a copy may become the ledger. */
export const mayTakeOver = (moved: MovedFrom | undefined): boolean => moved === undefined || moved.isRefused;

/** The round that stamps the table. */
export function restorationRound({ stamp }: Pick<RestoreAdmin, 'stamp'>): SweepRound {
  return {
    name: 'restoration',
    async run() {
      await stamp();
      return {};
    },
  };
}
