// How fast a lane follows a limit that rises: five a second, then fifty. What is used of it in the three minutes after depends on where the
// lane stands between two words of the gateway at that moment, so the rise comes at several.
import type { Bound, Measurement } from '../harness.ts';
import { ours } from './handlings.ts';
import { between, worstOf } from './other-gateways.ts';
import { run } from './workers.ts';

const minutes = 60_000;
const risesAtMinutes = [8, 8.5, 9, 9.5, 10];
const [before, after] = [5, 50];

const bounds: readonly Bound[] = [
  { kind: 'least', figure: 'leastUsedInThreeMinutes', least: 0.1 },
  { kind: 'most', figure: 'shareRefused', most: 0.03 },
];

/** The worst of them, and what they come to on average. */
export async function rises(): Promise<Measurement> {
  const all: { used: number; shareRefused: number }[] = [];
  for (const minute of risesAtMinutes) {
    const fromMs = minute * minutes;
    const toMs = fromMs + 3 * minutes;
    const spells = [
      { fromMs: 0, perSecond: before },
      { fromMs, perSecond: after },
    ];
    const jobs = Math.ceil(((fromMs * before + 3 * minutes * after) / 1000) * 1.05);
    const { gateways } = await run([{ name: 'one', jobs, spells }], ours, toMs, 1);
    const gateway = gateways.get('one');
    if (!gateway) continue;
    const taken = between(gateway, fromMs, toMs, 'accepted');
    const sent = between(gateway, fromMs, toMs);
    all.push({ used: taken / (after * 180), shareRefused: (sent - taken) / Math.max(sent, 1) });
  }
  const figures = {
    leastUsedInThreeMinutes: Math.min(...all.map(({ used }) => used)),
    usedInThreeMinutes: all.reduce((sum, { used }) => sum + used, 0) / all.length,
    ...worstOf(
      all.map(({ shareRefused }) => ({ shareRefused })),
      bounds,
    ),
  };
  return { figures, bounds };
}
