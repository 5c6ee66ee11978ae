// One thread of the conformance run: it lives random worlds, and hands back each different life that an order had in the
// ledger, with how often it was lived. A word alone that leaves
// the order where it is, is no move.
import { parentPort } from 'node:worker_threads';
import type { LedgerEntry } from '../../lib/payout/ledger.ts';
import { installStandIns } from '../simulation/stand-ins.ts';
import type { Truth } from '../simulation/truth.ts';

installStandIns();
const { runSeed } = await import('../simulation/random-world.ts');
const { runRestore } = await import('../simulation/restore.ts');

/** Worlds to be lived, `from` and `to` included. */
export interface Worlds {
  readonly from: number;
  readonly to: number;
  readonly jobs: number;
  /** Worlds whose table is restored: their orders do not begin with nothing. */
  readonly restored: boolean;
}

/** Lives as the states that an order went through, from `none` on, and how many orders lived so. */
export interface Lives {
  readonly lives: ReadonlyMap<string, number>;
  /** What a world broke; its lives count for nothing. */
  readonly fault?: string;
}

parentPort?.on('message', (worlds: Worlds) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void live(worlds).then((lives) => parentPort?.postMessage(lives));
});

async function live({ from, to, jobs, restored }: Worlds): Promise<Lives> {
  const lives = new Map<string, number>();
  for (let seed = from; seed <= to; seed += 1) {
    const orders = new Map<string, string[]>();
    const witness = (truth: Truth): Truth => ({
      ...truth,
      writes(before, after) {
        // A restored table has forgotten what came before: there each move stands for itself.
        const key = restored ? `${after?.key} ${after?.revision} ${before?.state}` : after?.key;
        if (after && isMove(before, after)) note(orders, key ?? '', before, after);
        truth.writes(before, after);
      },
    });
    const { fault } = restored
      ? await runRestore(seed, { jobs, witness })
      : await runSeed(seed, { jobs, witness, settled: 0.5 });
    if (fault !== undefined) return { lives, fault: `seed ${seed}: ${fault}` };
    for (const steps of orders.values()) {
      const life = steps.join(' → ');
      lives.set(life, (lives.get(life) ?? 0) + 1);
    }
  }
  return { lives };
}

/** To another state, or an attempt more. */
function isMove(before: LedgerEntry | undefined, after: LedgerEntry): boolean {
  return before?.state !== after.state || (after.state === 'submitting' && before.attempts !== after.attempts);
}

function note(orders: Map<string, string[]>, key: string, before: LedgerEntry | undefined, after: LedgerEntry): void {
  const steps = orders.get(key);
  const isAnothers = before?.state === 'submitting' && after.state === 'submitting' && before.owner !== after.owner;
  const isFound = after.history.at(-1)?.reason === 'found';
  const next = `${after.state}${isFound ? ' (found)' : ''}${isAnothers ? ' (by another claim)' : ''}`;
  if (!steps) orders.set(key, [before?.state ?? 'none', next]);
  else steps.push(next);
}
