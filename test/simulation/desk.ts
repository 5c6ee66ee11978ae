// Controls and day totals: the real in-memory ones behind calls that fail as the ledger's do, and the truth about which merchant was
// paused since when.
import { createMemoryControls } from '../support/memory-controls.ts';
import type { Spending } from '../../lib/payout/operate/caps.ts';
import type { ControlsAdmin, Controls } from '../../lib/payout/operate/control.ts';
import type { LedgerFault } from './weather.ts';
import type { Process } from './process.ts';
import type { LedgerSurroundings } from './ledger.ts';

/** The desk, as the world and its operators see it. */
export interface Desk {
  pause(merchant: string, paused: boolean): void;
  cancelBatch(batchId: string): void;
  /** The controls for a reader that only looks. */
  readonly asSeen: Controls;
  portsFor(process: Process): Controls & Spending & Pick<ControlsAdmin, 'recordDoubt'>;
}

const silence = new Error('the table did not answer');

/** A desk on which nothing was set yet. */
export function createDesk({
  timeline,
  weather,
  truth,
  story,
}: Pick<LedgerSurroundings, 'timeline' | 'weather' | 'truth' | 'story'>): Desk {
  const store = createMemoryControls();
  const saying = () => ({ by: 'operator', reason: 'simulated', atMs: timeline.nowMs() });

  function under<T>(fault: LedgerFault, call: () => Promise<T>): Promise<T> {
    const fails = () => Promise.reject<T>(silence);
    if (fault === 'throttled' || fault === 'lands late') return fails();
    return fault === 'answer lost' ? call().then(fails) : call();
  }

  return {
    pause(merchant, paused) {
      story.tell('operator', '', () => `${paused ? 'pauses' : 'resumes'} ${merchant}`);
      truth.pauses(merchant, paused);
      void store.pause(merchant, paused, saying());
    },
    cancelBatch(batchId) {
      story.tell('operator', '', () => `calls off the batch ${batchId}`);
      void store.cancelBatch(batchId, saying());
    },
    asSeen: store,
    portsFor: (process) => ({
      of: (merchant, batchId) =>
        process.effect('controls', '', () => ({
          answer: under(weather().ledger('controls'), () => store.of(merchant, batchId)),
        })),
      count: (day, sum, limits) =>
        process.effect('count', '', () => {
          truth.changed();
          return { answer: under(weather().ledger('count'), () => store.count(day, sum, limits)) };
        }),
      recordDoubt: (doubt, isWhole) =>
        process.effect('doubt', '', () => ({
          answer: under(weather().ledger('doubt'), () => store.recordDoubt(doubt, isWhole)),
        })),
    }),
  };
}
