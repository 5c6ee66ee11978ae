// Bugs that the simulation found in the worker, each reduced to its shortest story. They were found by seed; they are
// kept as stories, because a seed means another world as soon as anything about the worlds changes.
import { someCredentials } from '../support/fake-credentials.ts';
import { expect, it } from 'vitest';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import { claimOrder } from '../../lib/payout/claim-order.ts';
import type { Ledger } from '../../lib/payout/ports.ts';
import { takenOver } from '../../lib/payout/claim.ts';
import type { SeenOrder, SeenOrders } from './seen.ts';
import type { Outcome } from '../../lib/payout/outcome.ts';
import { settled } from '../../lib/payout/settlement.ts';
import { createFakeCredentials, createFakeFingerprinting } from '../support/fake-credentials.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { moods } from './gateway-moods.ts';
import { runSchedule, type Schedule, type ScheduleOptions } from './schedules.ts';
import type { Cut, Effect, LedgerFault, Weather } from './weather.ts';
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

it('a claim that lands when nobody waits for it any more is still known to have sent nothing', async () => {
  // After a refused connection the order is claimed again: that write is lost on the way, and the tries after it fail. The
  // copy that knows "nothing was sent" comes before the write lands, its own claim meets it, and it waits for the lease.
  const faults: Partial<Record<Effect, LedgerFault[]>> = {
    claim: ['none', 'none', 'throttled', 'throttled', 'throttled', 'throttled', 'answer lost'],
    advance: ['none', 'lands late'],
  };
  const ledger: Weather['ledger'] = (effect) => faults[effect]?.shift() ?? 'none';
  const posts = [moods['refuses the connection']];
  const mood = () => posts.shift() ?? moods.accepts;
  const weather = { ledger, mood, deliveredTwiceAfterMs: () => undefined };
  expect(await faultOf({ workers: [worker('worker-a')], weather })).toBeUndefined();
});

it('a claim that wins its very last round is a claim', async () => {
  // Four times another worker takes the order over and gives it back between our look and our write; the fifth write wins.
  // It was counted as lost, too: the order was claimed by nobody who knew, and went into doubt with its lease.
  const entries = new SeenOrders();
  const honest = createMemoryLedger(entries);
  const claimant = { owner: 'us', messageId: 'message-1', leaseMs: 100_000, credentials: someCredentials() };
  const anothers = { owner: 'another', messageId: 'message-2', fingerprints: ['k1.other'] as const, nowMs, leaseMs: 1 };
  const givenBack = (entry: SeenOrder) => settled(entry, notSent, { ...undecided, attempts: entry.attempts });
  let races = 0;
  const ledger: Ledger = {
    ...honest,
    async advance(expected, next) {
      if ((races += 1) <= 4) entries.set(next.key, givenBack(takenOver(expected, { ...anothers, job })));
      return honest.advance(expected, next);
    },
  };
  const ports = { ledger, credentials, fingerprinting, clock: { nowMs: () => nowMs, sleep: async () => {} } };

  const first = await claimOrder(job, { ...claimant, owner: 'earlier' }, ports);
  if (first.kind === 'claimed') entries.set(first.entry.key, givenBack(first.entry));
  expect(await claimOrder(job, claimant, ports)).toMatchObject({ kind: 'claimed', entry: { owner: 'us' } });
});

const nowMs = Date.UTC(2026, 10, 21, 10);
const job = jobOf(aPayoutJob());
const notSent: Outcome = { kind: 'retryable', failure: { code: 'NOT_SENT', message: 'no connection' } };
const undecided = { nowMs, statusInquiry: false };
const fingerprinting = createFakeFingerprinting();
const credentials = createFakeCredentials({});
