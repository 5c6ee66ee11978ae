// More urgent jobs than the gateway takes, beside a file: they wait parked, the leader releases them first, and the file gets what is left.
import type { Bound, Measurement } from '../harness.ts';
import { ours } from './handlings.ts';
import { between, worstOf } from './other-gateways.ts';
import { run } from './workers.ts';

const minutes = 60_000;
const [perSecond, comePerSecond, comeForMs] = [5, 10, 2 * minutes];
/** All of them, as fast as the gateway takes them. */
const leastMs = (comeForMs * comePerSecond) / perSecond;
const untilMs = 8 * minutes;

const bounds: readonly Bound[] = [
  { kind: 'most', figure: 'notEndedUrgent', most: 0 },
  { kind: 'most', figure: 'lastUrgentOfIdeal', most: 1.1 },
  { kind: 'least', figure: 'shareOfLimitUsed', least: 0.95 },
  { kind: 'most', figure: 'shareRefused', most: 0.02 },
  { kind: 'most', figure: 'rowsBeforeThem', most: 0.1 },
];

/** The worst of so many orders of events. */
export async function urgent(seeds: number): Promise<Measurement> {
  const all: Record<string, number>[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const one = {
      name: 'one',
      jobs: 3_000,
      urgentEachMs: 1_000 / comePerSecond,
      urgentUntilMs: comeForMs,
      spells: [{ fromMs: 0, perSecond }],
    };
    const { jobs, gateways } = await run([one], ours, untilMs, seed);
    const ends = jobs.filter(({ isUrgent }) => isUrgent).map(({ end }) => end?.atMs ?? untilMs);
    const rows = jobs.filter(({ isUrgent, end }) => !isUrgent && end && end.atMs > minutes && end.atMs < leastMs);
    const gateway = gateways.get('one');
    const [fromMs, toMs] = [2 * minutes, untilMs - minutes];
    const taken = gateway ? between(gateway, fromMs, toMs, 'accepted') : 0;
    all.push({
      notEndedUrgent: ends.filter((atMs) => atMs >= untilMs).length,
      lastUrgentOfIdeal: Math.max(...ends) / leastMs,
      shareOfLimitUsed: taken / (((toMs - fromMs) / 1_000) * perSecond),
      shareRefused: gateway ? 1 - taken / between(gateway, fromMs, toMs) : 1,
      rowsBeforeThem: rows.length / (((leastMs - minutes) / 1_000) * perSecond),
    });
  }
  return { figures: worstOf(all, bounds), bounds };
}
