// Messages of an order that wait beside the ledger. Not everybody who may read orders may read these.
import type { Operator } from '../../operate/operator.ts';
import type { ParkedHead } from '../../payout/wait/parked-job.ts';
import { partAnswer } from '../part-answer.ts';
import { waitingAsText } from './order-text.ts';

/** Asks, and never rejects. */
export async function waitsOfOrder(operator: Pick<Operator, 'waitingOf'>, key: string, nowMs: number) {
  const waiting = await partAnswer(() => operator.waitingOf(key));
  const isRead = waiting.kind === 'found';
  const rows: readonly ParkedHead[] | 'not read' = isRead ? waiting.value : 'not read';
  return {
    /** 'not read' where these credentials may not, or the table did not answer. */
    rows,
    /** The rows in words, or why they could not be read; empty where there are none. */
    lines: isRead
      ? waitingAsText(waiting.value, nowMs)
      : `  whether more of it waits could not be read: ${waiting.why}\n`,
  };
}
