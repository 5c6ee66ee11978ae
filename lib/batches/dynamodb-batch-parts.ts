// The parts of batches in the table of batches: five hundred rows an item.
import type { BatchParts } from './batch-ports.ts';
import type { PartContents } from './batch.ts';
import { numberOf, partItem, partKey, partOf } from './dynamodb-batch-item.ts';
import {
  expiryIn,
  type Item,
  itemsPerRead,
  manyItems,
  type ManyItemsSource,
  putIfAbsent,
  S,
} from '../aws/dynamodb-table.ts';

/** The table of the parts, and how long they live. */
export interface DynamoDbPartsOptions extends ManyItemsSource {
  readonly itemLifeDays: number;
  readonly nowMs: () => number;
}

/** Parts read by one call: at their largest they stay far below what an answer may hold. */
const partsPerRead = 20;

/** Parts over the table of batches. */
export function createDynamoDbBatchParts(options: DynamoDbPartsOptions): BatchParts {
  const { client, tableName, itemLifeDays, nowMs } = options;

  const expiry = () => expiryIn(itemLifeDays, nowMs());

  /** The items in the order of the numbers; missing ones are left out. */
  async function* itemsOf(
    numbers: readonly number[],
    keyOf: (n: number) => string,
    perRead: number,
    how: Parameters<typeof manyItems>[2] = { consistent: true },
  ) {
    for (let from = 0; from < numbers.length; from += perRead) {
      const keys = numbers.slice(from, from + perRead).map(keyOf);
      const items = await manyItems(keys, options, how);
      for (const key of keys) {
        const item = items.get(key);
        if (item) yield item;
      }
    }
  }

  const isThere = async (batchId: string, n: number): Promise<boolean> =>
    (await manyItems([partKey(batchId, n)], options, { consistent: true, only: ['pk'] })).size > 0;

  return {
    async putPart(batchId, n, rows, contents) {
      await putIfAbsent(client, tableName, {
        ...partItem(batchId, n, rows),
        ...(contents && contentsAttributes(contents)),
        expiresAt: expiry(),
      });
    },
    async *contents({ batchId, parts }) {
      const numbers = numbersBelow(parts);
      // The rows themselves stay where they are.
      for await (const item of itemsOf(numbers, (n) => partKey(batchId, n), itemsPerRead, { only: contentsNames }))
        yield contentsOf(item);
    },
    nextPart: (batchId) => firstMissing((n) => isThere(batchId, n)),
    async *parts({ batchId, parts }, only = numbersBelow(parts)) {
      for await (const item of itemsOf(only, (n) => partKey(batchId, n), partsPerRead)) yield partOf(item);
    },
  };
}

const contentsNames = ['pk', 'contentsKey', 'contents'];

/** The digests of a part's rows, as text in the part's own item. */
const contentsAttributes = ({ keyId, digests }: PartContents): Item => ({
  contentsKey: S(keyId),
  contents: S(Buffer.from(digests).toString('base64')),
});

/** Reads the digests of a part's rows; a part without them, or with them in another form, is compared with nothing. */
function contentsOf({ pk, contentsKey, contents }: Item): {
  readonly n: number;
  readonly contents?: PartContents;
} {
  const [keyId, text] = [contentsKey?.S, contents?.S];
  return {
    n: numberOf(pk?.S ?? ''),
    ...(keyId !== undefined && text !== undefined && { contents: { keyId, digests: Buffer.from(text, 'base64') } }),
  };
}

const numbersBelow = (count: number) => Array.from({ length: count }, (_, n) => n);

/** The first missing number, if all below it are there: by steps that double, then by halving what is left. */
async function firstMissing(isThere: (n: number) => Promise<boolean>): Promise<number> {
  let below = -1;
  let missing = 0;
  while (await isThere(missing)) {
    below = missing;
    missing = missing * 2 + 1;
  }
  while (missing - below > 1) {
    const middle = Math.floor((below + missing) / 2);
    if (await isThere(middle)) below = middle;
    else missing = middle;
  }
  return missing;
}
