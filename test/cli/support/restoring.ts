// The steps of a restore as the page has them, on tables that are really deleted and made.
import { type AttributeValue, GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { clientConfigOf } from '../../../lib/local/local-environment.ts';
import { createTable } from '../../support/created-table.ts';
import { createSecretText } from '../../support/secret-text.ts';
import type { anAws } from './aws.ts';
import type { CliEnd } from './cli.ts';

/** The items of a table at a moment. */
type Items = readonly Record<string, AttributeValue>[];

/** What a person does who restores the ledger as the table `copy`. */
export function aRestore(world: ReturnType<typeof anAws>, copy: string) {
  const inCopy = { LEDGER_TABLE_NAME: copy };
  const restore = (...args: string[]): Promise<CliEnd> => world.run(['restore', ...args], inCopy);
  return {
    inCopy,
    restore,
    approve: () => world.run(['approve', 'restore', '--yes'], { ...world.aws().secondOperator, ...inCopy }),
    /** `restore doubt`; answers with its counts. */
    doubt: async (...args: string[]) => JSON.parse((await restore('doubt', ...args, '--json')).stdout) as object,
    /** The worker's process until it has nothing to do, or for so many seconds. */
    work: (seconds: number, more = {}) => world.run(['worker', '--once', String(seconds)], more),
    async itemsOf(TableName: string): Promise<Items> {
      const { Items = [] } = await world.dynamodb().send(new ScanCommand({ TableName }));
      return Items;
    },
    async itemOf(orderId: string) {
      const Key = { pk: { S: `acme-eu/${orderId}` } };
      return (await world.dynamodb().send(new GetItemCommand({ TableName: copy, Key }))).Item;
    },
    /**
     * DynamoDB's restore, which no emulator has: a new table under another name with the items of a moment. "When you delete a table that has
     * point-in-time recovery enabled, DynamoDB automatically creates a backup snapshot called a system backup and retains it for 35 days";
     * "the point-in-time recovery process restores to a new table" (Developer Guide).
     */
    async tableComesBack(items: Items): Promise<void> {
      await createTable(world.dynamodb(), copy);
      for (const Item of items) await world.dynamodb().send(new PutItemCommand({ TableName: copy, Item }));
    },
    /** Half an hour goes by in the pause. */
    async pauseAges(): Promise<void> {
      const secret = createSecretText(clientConfigOf(world.aws(), 'SECRETS_MANAGER'), 'payouts/_ledger');
      const stored = JSON.parse(await secret.read()) as { readonly restoring: { readonly sinceMs: number } };
      const { restoring } = stored;
      const sinceMs = restoring.sinceMs - 30 * 60_000;
      await secret.write(JSON.stringify({ ...stored, restoring: { ...restoring, sinceMs } }));
    },
  };
}
