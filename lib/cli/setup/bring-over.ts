// What versions before December 2026 left in the ledger, brought to the tables of batches and controls: pauses, batches called
// off, lanes, and which batch took which file. Batches stay where they are; it is said which must still be waited for. May be
// run at any time and again: it changes nothing in the ledger, and ends no pause.
import { type AttributeValue, type DynamoDBClient, paginateScan, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { putIfAbsent, updateIf } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { batchOf } from '../../batches/batch-item.ts';
import { registeredDays } from '../../batches/batch.ts';

/** What was brought over, and what keeps the earlier items from being ended. */
export interface BroughtOver {
  /** Items that the tables did not have yet. */
  readonly brought: number;
  /** Batches that are not told yet, or young enough for new files to be compared with them. */
  readonly left: readonly string[];
}

type Item = Record<string, AttributeValue>;
type Tables = Pick<WorkerConfig, 'ledgerTableName' | 'batchesTableName' | 'controlsTableName'>;

/** Reads the whole ledger once. */
export async function bringOver(tables: Tables, client: DynamoDBClient, nowMs: number): Promise<BroughtOver> {
  const left: string[] = [];
  let brought = 0;
  const scan = {
    TableName: tables.ledgerTableName,
    FilterExpression: 'begins_with(pk, :beside)',
    ExpressionAttributeValues: { ':beside': { S: '~' } },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateScan({ client }, scan)) {
    for (const item of Items) {
      if (await bring(item, tables, client)) brought += 1;
      const waiting = waitedFor(item, nowMs);
      if (waiting !== undefined) left.push(waiting);
    }
  }
  return { brought, left: left.toSorted() };
}

/** True where the item was not there yet, or did not say what it says now. */
async function bring(item: Item, { batchesTableName, controlsTableName }: Tables, client: DynamoDBClient) {
  const key = item['pk']?.S ?? '';
  if (key.startsWith('~file/')) return putIfAbsent(client, batchesTableName, item);
  if (key === '~lanes') return nameLanes(item, controlsTableName, client);
  if (/^~(control|batch|lane|learnt)\//.test(key)) {
    if (await putIfAbsent(client, controlsTableName, item)) return true;
    // An older tool may have said it since. Ending a pause is for a person, so what says otherwise here is not brought.
    for (const mark of ['paused', 'cancelled'])
      if (item[mark]?.BOOL === true) return stopToo(item, mark, controlsTableName, client);
  }
  return false;
}

function stopToo(item: Item, mark: string, tableName: string, client: DynamoDBClient): Promise<boolean> {
  const said = Object.entries(item).filter(([name]) => [mark, 'by', 'why', 'at'].includes(name));
  const condition = `attribute_not_exists(${mark}) OR ${mark} = :not`;
  const values = { ':not': { BOOL: false } };
  return updateIf(client, tableName, { key: item['pk']?.S ?? '', condition, set: Object.fromEntries(said), values });
}

async function nameLanes({ lanes }: Item, TableName: string, client: DynamoDBClient): Promise<boolean> {
  if (!lanes) return false;
  await client.send(
    new UpdateItemCommand({
      TableName,
      Key: { pk: { S: '~lanes' } },
      UpdateExpression: 'ADD lanes :lanes',
      ExpressionAttributeValues: { ':lanes': lanes },
    }),
  );
  return false;
}

/** The batch that the item is the header of, while somebody may ask for it: one that newer code wrote, too. */
function waitedFor(item: Item, nowMs: number): string | undefined {
  if (item['batchState'] === undefined) return undefined;
  const batch = batchOf(item);
  const isYoung = batch === undefined || batch.createdAtMs > nowMs - registeredDays * 86_400_000;
  const isLate = (batch?.heldUntilMs ?? nowMs) < nowMs && /^(awaiting-approval|approved)$/.test(batch?.state ?? '');
  const isDone = batch?.state === 'closed' || isLate;
  return isYoung || !isDone ? (item['pk']?.S ?? '').slice('~bulk/'.length) : undefined;
}

/** What is to be done next. */
export function leftText({ brought, left }: BroughtOver): string {
  const first = `${brought} item${brought === 1 ? '' : 's'} brought over; `;
  if (left.length === 0)
    return `${first}nothing is left that must be read: EARLIER_ITEMS may be DISABLED (parameter earlierItems)`;
  const shown = left.slice(0, 20).join(', ');
  const rest = left.length > 20 ? ` and ${left.length - 20} more` : '';
  return `${first}${left.length} batches in the ledger are open or younger than ${registeredDays} days, so earlier items must count on: ${shown}${rest}`;
}
