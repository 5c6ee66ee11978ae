// The pause of a restore. One person begins it: everything is paused then. Another one, an approver, ends it, which makes the present tables
// the worker's, with the time at which the pause had taken hold: what was sent before may be lost.
import type { Limits } from '../payout/limits.ts';
import type { Restored } from '../payout/order/restored.ts';
import { clockSkewMs } from '../payout/order/time.ts';
import {
  answersActMs,
  type BeginningPorts,
  type LedgerBegun,
  whyMissing,
  overtaken,
  recordOf,
  refused,
  type Restoring,
} from './known-tables.ts';

interface PausePorts extends Pick<BeginningPorts, 'tables' | 'clock'> {
  readonly limits: Pick<Limits, 'leaseMs' | 'functionTimeoutMs'>;
}

/** The restore: its pause takes hold once no process acts on an answer of before. */
export const restoredBy = ({ sinceMs }: Restoring): Restored => ({ pausedAtMs: sinceMs + answersActMs });

/** From when nothing of before is under way any more: after a lease and a time-out. */
export const quietFromMs = (it: Restoring, { leaseMs, functionTimeoutMs }: PausePorts['limits']): number =>
  restoredBy(it).pausedAtMs + Math.max(leaseMs, functionTimeoutMs) + clockSkewMs;

/** Pauses everything, whatever others write meanwhile. A pause that was begun before goes on. */
export async function beginPause(
  it: { readonly by: string; readonly reason: string },
  { tables, clock }: PausePorts,
): Promise<Restoring> {
  for (let tries = 0; tries < 5; tries += 1) {
    const read = await tables.stored();
    if (read.restoring) return read.restoring;
    const { version: _, ...stored } = read;
    const restoring = { ...it, sinceMs: clock.nowMs() };
    if (await tables.store({ ...stored, restoring }, read)) return restoring;
  }
  throw new Error(overtaken.why);
}

interface EndingPorts extends PausePorts, Pick<BeginningPorts, 'maker' | 'whoAmI'> {
  /** True where these may be one person by their names. */
  readonly maybeOnePerson: (one: string, other: string) => boolean;
  /** Why the ledger is not ready: orders that may have been lost are not in doubt yet, say. */
  readonly whyNotReady: (restored: Restored) => Promise<string | undefined>;
}

/** Ends the pause: the present tables are the worker's. */
export async function endPause(ports: EndingPorts): Promise<LedgerBegun> {
  const { tables, maker, whoAmI, clock, limits, maybeOnePerson, whyNotReady } = ports;
  const [described, read] = await Promise.all([tables.described(), tables.stored()]);
  const { restoring } = read;
  if (!restoring) return refused('no restore was begun');
  const quietMs = quietFromMs(restoring, limits);
  if (clock.nowMs() < quietMs)
    return refused(`what was under way may still be sent: approve after ${new Date(quietMs).toISOString()}`);
  const by = await whoAmI();
  if (maybeOnePerson(restoring.by, by)) return refused('who began the restore and who approves it may be one person');
  const restored = restoredBy(restoring);
  const why = whyMissing(described) ?? (await whyNotReady(restored));
  if (why !== undefined) return refused(why);
  const record = await recordOf(described, { by, atMs: clock.nowMs(), ...restored }, maker);
  if (!(await tables.store({ record }, read))) return overtaken;
  return { kind: 'begun', text: `${described.ledger.name} is the ledger; what waits goes on within ten seconds` };
}
