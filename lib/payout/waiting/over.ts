// A waiting row is over when it has expired, its batch was called off, or it has waited for as long as any may: nothing of it is
// sent any more.
import { longestWaitDays } from '../limits.ts';
import type { Controls } from '../operate/control.ts';
import type { Clock } from '../ports.ts';
import type { RowHead } from './waiting-row.ts';

/** True where the row is over. */
export async function isOver(
  { lane, batchId, expiresAtMs = Infinity, sinceMs }: RowHead,
  { controls, clock }: { readonly controls: Controls; readonly clock: Pick<Clock, 'nowMs'> },
): Promise<boolean> {
  const nowMs = clock.nowMs();
  if (nowMs >= expiresAtMs || nowMs - sinceMs >= longestWaitDays * 86_400_000) return true;
  return batchId !== undefined && (await controls.of(lane.merchant, batchId)).batchCancelled;
}
