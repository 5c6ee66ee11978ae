// A card key in the ledger's table: an item in the order's place before there is an order, or two attributes beside an
// entry that may be claimed anew. Whatever is written there next takes it away.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { CardKey } from '../payout/ports.ts';
import { type Item, layoutVersion } from './ledger-item.ts';

/** In the place of an order's state; no entry ever has it. */
export const keyedState = 'keyed';

/** The attributes of a key: its id, and the secret. */
export function cardKeyAttributes({ id, secret }: CardKey): Item {
  return { ji: { S: id }, jk: { S: secret } };
}

/** What an update of the item takes away. */
export const noCardKey: Readonly<Record<string, AttributeValue | undefined>> = { ji: undefined, jk: undefined };

/** The item of a key before there is an order; `expiresAt` is DynamoDB's time to live. */
export function keyedItem(orderKey: string, key: CardKey, expiresAtMs: number): Item {
  return {
    pk: { S: orderKey },
    v: { N: String(layoutVersion) },
    st: { S: keyedState },
    ...cardKeyAttributes(key),
    expiresAt: { N: String(Math.ceil(expiresAtMs / 1000)) },
  };
}

/** True for an item that is a key and no order. */
export function isKeyed(item: Item): boolean {
  return item['st']?.S === keyedState;
}

/** The key in an item, where there is one. */
export function cardKeyOf(item: Item | undefined): CardKey | undefined {
  const [id, secret] = [item?.['ji']?.S, item?.['jk']?.S];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}
