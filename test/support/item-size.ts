// The size of an item by DynamoDB's own rules.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Item } from '../../lib/aws/dynamodb-table.ts';
import { attributesOf } from '../../lib/aws/order-item.ts';
import { ledgerTableDefinition } from '../../lib/local/ledger-table.ts';
import type { Order } from '../../lib/payout/order/order.ts';

/** The item of an order. */
export const itemOf = (order: Order): Item =>
  Object.fromEntries(Object.entries(attributesOf(order)).filter(([, value]) => value !== undefined)) as Item;

const { NonKeyAttributes = [] } = ledgerTableDefinition.GlobalSecondaryIndexes?.[0]?.Projection ?? {};

/** The entry of an order in the index of open work; undefined where it has no place in it. */
export function entryOf(order: Order | undefined): Item | undefined {
  const item = order && itemOf(order);
  if (!item?.['openWork']) return undefined;
  return Object.fromEntries(
    ['pk', 'openWork', 'openWorkAt', ...NonKeyAttributes].flatMap((it) => (item[it] ? [[it, item[it]]] : [])),
  );
}

/** DynamoDB's rule: names and values in UTF-8, a number a byte and one for each two digits, three bytes around a map. */
export function bytesOf(item: Item): number {
  const valueBytes = ({ S, N, M, B }: AttributeValue): number => {
    if (S !== undefined) return Buffer.byteLength(S);
    if (B !== undefined) return B.length;
    if (M !== undefined) return 3 + bytesOf(M) + Object.keys(M).length;
    return N === undefined ? 1 : Math.ceil(N.replace('-', '').length / 2) + 1;
  };
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}
