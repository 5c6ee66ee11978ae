// The same payment under another id, in a batch that was registered in the last days: the digests of its parts are compared with those of
// the file. The search warns, and locks nothing. Of two files that are submitted at the same moment neither sees the other, and a batch
// that was registered a moment ago may not be seen yet.
import type { BatchHeaders, BatchParts } from './batch-ports.ts';
import { digestBytes } from './content-digest.ts';

/** The search. */
interface EarlierSearch {
  /** The batch of the file itself: its earlier sends are no second payment. */
  readonly batchId: string;
  readonly merchants: ReadonlySet<string>;
  /** The row of the file that asks for this payment. */
  readonly rowOfPayment: (digest: Uint8Array) => number | undefined;
  /** The key that the file's digests were made under. */
  readonly keyId: string;
  readonly sinceMs: number;
  /** The file has this order itself: then it is the same order, sent before. */
  readonly hasOrder: (orderKey: string) => boolean;
}

/** The findings of the search. */
export type EarlierFinding =
  /** Row of the file, and the order that paid the same payee the same amount. */
  | {
      readonly kind: 'same-payment';
      readonly row: number;
      readonly batchId: string;
      readonly orderKey: string;
      readonly atMs: number;
    }
  /** Parts whose digests are of another key, or that have none. */
  | { readonly kind: 'not-compared'; readonly batchId: string; readonly parts: number };

/** The ports of the search. */
interface EarlierPorts {
  readonly batches: Pick<BatchHeaders, 'find' | 'registeredSince'> & Pick<BatchParts, 'parts' | 'contents'>;
}

/** Searches all batches; `onRows` gets the number of compared rows. */
export async function* findEarlier(
  search: EarlierSearch,
  { batches }: EarlierPorts,
  onRows: (rows: number) => void,
): AsyncGenerator<EarlierFinding> {
  for await (const batchId of batches.registeredSince(search.sinceMs)) {
    if (batchId === search.batchId) continue;
    const batch = await batches.find(batchId);
    if (!batch || (batch.merchant !== undefined && !search.merchants.has(batch.merchant))) continue;
    let notCompared = 0;
    for await (const { n, contents } of batches.contents(batch)) {
      if (contents?.keyId !== search.keyId) {
        notCompared += 1;
        continue;
      }
      onRows(contents.digests.length / digestBytes);
      const matches = matchesIn(contents.digests, search.rowOfPayment);
      if (matches.length === 0) continue;
      for await (const { rows } of batches.parts(batch, [n])) {
        for (const { index, row } of matches) {
          const orderKey = rows[index]?.orderKey;
          if (orderKey === undefined || search.hasOrder(orderKey)) continue;
          yield { kind: 'same-payment', row, batchId, orderKey, atMs: batch.createdAtMs };
        }
      }
    }
    if (notCompared > 0) yield { kind: 'not-compared', batchId, parts: notCompared };
  }
}

function matchesIn(
  digests: Uint8Array,
  rowOf: EarlierSearch['rowOfPayment'],
): { readonly index: number; readonly row: number }[] {
  const found: { index: number; row: number }[] = [];
  for (let index = 0; index * digestBytes < digests.length; index += 1) {
    const row = rowOf(digests.subarray(index * digestBytes, (index + 1) * digestBytes));
    if (row !== undefined) found.push({ index, row });
  }
  return found;
}
