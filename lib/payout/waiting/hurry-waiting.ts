// A person's decision about an order reaches its waiting messages at once: each is submitted now, whatever its line does, and
// ends by the state in the ledger.
import type { LinesQueue } from './lines-queue.ts';
import type { WaitingRows } from './waiting-row.ts';

/** The ports of hurrying. */
export interface HurryPorts {
  readonly waiting: Pick<WaitingRows, 'ofOrder'>;
  readonly lines: LinesQueue;
}

/**
 * Has the order's waiting messages looked at; answers how many those are. Best effort, as a decision is never tried again: a
 * message that is not reached now ends when its line comes to it.
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
