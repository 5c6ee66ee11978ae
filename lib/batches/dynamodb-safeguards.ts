// Safeguards in the table of batches, under keys that the policies give to approvers alone: one record per merchant, and one item per
// login, which names its merchant and never changes. A change stays in the index of open work until the sweeper has reported it.
import { type DynamoDbTable, itemAt, N, openWorkItems, S, updateIf } from '../aws/dynamodb-table.ts';
import type { SafeguardsChanges, SafeguardsStore } from './safeguards.ts';

const safeguardsKey = (merchant: string): string => `~safeguards/${merchant}`;
/** No merchant has a slash. Two spellings that differ in case are one login here: a gateway may take them for one. */
const loginKey = (login: string): string => safeguardsKey(login.toLowerCase());

/** The partition of the index that holds changes. */
const changedPartition = 'sg';

/** Records over the table of batches. */
export function createDynamoDbSafeguards(table: DynamoDbTable): SafeguardsStore {
  const { client, tableName } = table;
  return {
    place: tableName,
    async ownerOf(login) {
      return (await itemAt(table, loginKey(login)))?.['record']?.S;
    },
    own: (login, merchant) =>
      updateIf(client, tableName, {
        key: loginKey(login),
        condition: 'attribute_not_exists(pk) OR #record = :record',
        set: { record: S(merchant) },
        values: {},
      }),
    async read(merchant) {
      const item = await itemAt(table, safeguardsKey(merchant));
      const [text, mac] = [item?.['record']?.S, item?.['mac']?.S];
      if (text === undefined || mac === undefined) return undefined;
      return { text, mac, earlier: (item?.['earlier']?.L ?? []).flatMap(({ S }) => S ?? []) };
    },
    write(merchant, { text, mac, earlier }, atMs) {
      const [replaced] = earlier;
      const isUnchanged = { condition: '#record = :before', values: { ':before': S(replaced ?? '') } };
      const nothing = { condition: 'attribute_not_exists(pk)', values: {} };
      return updateIf(client, tableName, {
        key: safeguardsKey(merchant),
        ...(replaced === undefined ? nothing : isUnchanged),
        set: {
          record: S(text),
          mac: S(mac),
          earlier: { L: earlier.map((it) => S(it)) },
          openWork: S(changedPartition),
          openWorkAt: N(atMs),
        },
      });
    },
  };
}

/** Changes over the index of open work. */
export function createDynamoDbSafeguardsChanges({ client, tableName }: DynamoDbTable): SafeguardsChanges {
  return {
    async *unreported(beforeMs) {
      for await (const { pk, openWorkAt } of openWorkItems({ client, tableName }, changedPartition, beforeMs))
        yield { merchant: (pk?.S ?? '').slice(safeguardsKey('').length), atMs: Number(openWorkAt?.N) };
    },
    async reported({ merchant, atMs }) {
      await updateIf(client, tableName, {
        key: safeguardsKey(merchant),
        condition: 'openWorkAt = :reported',
        remove: ['openWork', 'openWorkAt'],
        values: { ':reported': N(atMs) },
      });
    },
  };
}
