// What a person has said of an order is to reach what waits of it at once: each message is submitted now, whatever its line does, and
// ends by what stands in the ledger.
import type { LinesQueue } from './lines-queue.ts';
import type { WaitingRows } from './waiting-row.ts';

/** What hurrying needs. */
export interface HurryPorts {
  readonly waiting: Pick<WaitingRows, 'ofOrder'>;
  readonly lines: LinesQueue;
}

/**
 * Has what waits of the order looked at; how many messages that are. Best effort, as a decision is never tried again: what is not
 * reached now ends when its line comes to it.
 */
export async function hurryWaiting(key: string, { waiting, lines }: HurryPorts): Promise<number> {
  try {
    const rows = (await waiting.ofOrder(key)).map(({ slot }) => ({ key, slot }));
    if (rows.length === 0) return 0;
    const notTaken = await lines.send([{ message: { kind: 'rows', rows }, delaySeconds: 0 }]);
    return notTaken.size > 0 ? 0 : rows.length;
  } catch {
    return 0;
  }
}
