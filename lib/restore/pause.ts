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

/** Pauses everything. A pause that was begun before goes on. */
export async function beginPause(
  it: { readonly by: string; readonly reason: string },
  { tables, clock }: PausePorts,
): Promise<Restoring> {
  const stored = await tables.stored();
  const restoring = stored.restoring ?? { ...it, sinceMs: clock.nowMs() };
  if (!stored.restoring) await tables.store({ ...stored, restoring });
  return restoring;
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
  const [described, { restoring }] = await Promise.all([tables.described(), tables.stored()]);
  if (!restoring) return refused('no restore was begun');
  const quietMs = quietFromMs(restoring, limits);
  if (clock.nowMs() < quietMs)
    return refused(`what was under way may still be sent: approve after ${new Date(quietMs).toISOString()}`);
  const by = await whoAmI();
  if (maybeOnePerson(restoring.by, by)) return refused('who began the restore and who approves it may be one person');
  const restored = restoredBy(restoring);
  const why = whyMissing(described) ?? (await whyNotReady(restored));
  if (why !== undefined) return refused(why);
  await tables.store({ record: await recordOf(described, { by, atMs: clock.nowMs(), ...restored }, maker) });
  return { kind: 'begun', text: `${described.ledger.name} is the ledger; what waits goes on within ten seconds` };
}
