// Bugs that the simulation found in the worker, each reduced to its shortest story. They were found by seed; they are
// kept as stories, because a seed means another world as soon as anything about the worlds changes.
import { expect, it } from 'vitest';
import { moods } from './gateway-moods.ts';
import { runSchedule, type Schedule, type ScheduleOptions } from './schedules.ts';
import type { Cut, Effect, Weather } from './weather.ts';
import type { WorkerTraits } from './worker.ts';

const payout: Schedule = {
  operation: 'payout',
  contract: { statusInquiry: false, duplicateOrderIds: 'accepted' },
  redelivery: 'at once',
  mood: moods.accepts,
  cuts: [],
};
const longFreeze: Cut = { kind: 'freezes', ms: 1_000_000 };

const worker = (name: string, changes: Partial<WorkerTraits> = {}): WorkerTraits => ({
  name,
  version: 'newer',
  skewMs: 0,
  host: 'process',
  batchSize: 1,
  ...changes,
});

/** The first process of worker a meets these at the named boundaries, each once. */
function cutsOfFirst(
  ...cuts: readonly (readonly [when: 'before' | 'after', effect: Effect, cut: Cut])[]
): Weather['cut'] {
  const left = [...cuts];
  return ({ process, when, effect }) => {
    const at = process === 'worker-a-1' ? left.findIndex((it) => it[0] === when && it[1] === effect) : -1;
    return at < 0 ? undefined : left.splice(at, 1)[0]?.[2];
  };
}

async function faultOf(options: ScheduleOptions): Promise<string | undefined> {
  const workers = [worker('worker-a'), worker('worker-b')];
  const { fault, story } = await runSchedule(payout, { workers, ...options, keepsStory: true });
  return fault && [...story, fault].join('\n');
}

it('an order proven never sent, after its doubt was told and acknowledged, is not stranded', async () => {
  // A worker freezes before its POST; another calls the claim lost, tells the doubt and acknowledges the message. The
  // first thaws, is too late to send and gives the order back: nobody had a message left to send it again.
  expect(await faultOf({ weather: { cut: cutsOfFirst(['after', 'connect', longFreeze]) } })).toBeUndefined();
});

it('an end that supersedes a doubt is marked in the same write, so that a death cannot keep it from the sender', async () => {
  // A worker freezes with the answer on its way, and meanwhile its order is held and the message acknowledged. It thaws,
  // writes "accepted" and dies before telling: no message was left to tell it again, and no mark said that it is due.
  const cut = cutsOfFirst(['after', 'POST', longFreeze], ['before', 'results', { kind: 'dies' }]);
  expect(await faultOf({ weather: { cut } })).toBeUndefined();
});

it('a claim that was called lost before its own worker heard of it is not told as doubt', async () => {
  // The ledger's answer to a claim is lost and the worker freezes; another finds the lease over and holds the order. The
  // first repeats its claim, meets its own entry, and alone knows that nothing was ever sent under it.
  let claims = 0;
  const ledger: Weather['ledger'] = (effect) => (effect === 'claim' && (claims += 1) === 1 ? 'answer lost' : 'none');
  expect(await faultOf({ weather: { ledger, cut: cutsOfFirst(['after', 'claim', longFreeze]) } })).toBeUndefined();
});

it('an answer that cannot be written because newer code has written meanwhile is not lost', async () => {
  // An older worker freezes with the answer on its way; a newer one holds the order in a layout that the older one
  // can't read. The older one must not write, and what it heard must wait for newer code to write it.
  const workers = [worker('worker-a', { version: 'older' }), worker('worker-b')];
  const newLayout: Weather['newLayout'] = ({ state }) => state === 'held';
  expect(
    await faultOf({ workers, weather: { newLayout, cut: cutsOfFirst(['after', 'POST', longFreeze]) } }),
  ).toBeUndefined();
});
