// The pause of a restore. One person begins it, which pauses everything. Another person, an approver, ends it. This records the present
// tables as the worker's, with the time at which the pause had taken hold: what was sent before may be lost.
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

/** The restore. Its pause takes hold once no process acts on an earlier answer. */
export const restoredBy = ({ sinceMs }: Restoring): Restored => ({ pausedAtMs: sinceMs + answersActMs });

/** From when nothing that began before the pause is under way (epoch ms): after a lease and a time-out. */
export const quietFromMs = (restoring: Restoring, { leaseMs, functionTimeoutMs }: PausePorts['limits']): number =>
  restoredBy(restoring).pausedAtMs + Math.max(leaseMs, functionTimeoutMs) + clockSkewMs;

/** Pauses everything, also if others write meanwhile. A pause that was begun before goes on. */
export async function beginPause(
  { by, reason }: { readonly by: string; readonly reason: string },
  { tables, clock }: PausePorts,
): Promise<Restoring> {
  for (let tries = 0; tries < 5; tries += 1) {
    const read = await tables.stored();
    if (read.restoring) return read.restoring;
    const { version: _, ...stored } = read;
    // That answer has set the clock of this machine: a pause dated too early would let lost orders be sent again.
    const restoring = { by, reason, sinceMs: clock.nowMs() };
    if (await tables.store({ ...stored, restoring }, read)) return restoring;
  }
  throw new Error(overtaken.why);
}

interface EndingPorts extends PausePorts, Pick<BeginningPorts, 'maker' | 'whoAmI'> {
  /** True if these may be one person by their names. */
  readonly maybeOnePerson: (one: string, other: string) => boolean;
  /** Why the ledger is not ready: for example, orders that may have been lost are not in doubt yet. */
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
  if (maybeOnePerson(restoring.by, by))
    return refused('the person who began the restore and its approver may be one person');
  const restored = restoredBy(restoring);
  const why = whyMissing(described) ?? (await whyNotReady(restored));
  if (why !== undefined) return refused(why);
  const record = await recordOf(described, { by, atMs: clock.nowMs(), ...restored }, maker);
  if (!(await tables.store({ record }, read))) return overtaken;
  return { kind: 'begun', text: `${described.ledger.name} is the ledger; waiting jobs go on within ten seconds` };
}
