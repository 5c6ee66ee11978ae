// The way from a job to its POST in virtual time: the worker's own lanes, parked jobs and leader.
import { defaultLimits } from '../../../lib/payout/limits.ts';
import type { LaneName, Turn } from '../../../lib/payout/pace/lane-state.ts';
import { createPacing } from '../../../lib/payout/pace/pacing.ts';
import type { Control } from '../../../lib/payout/operate/control.ts';
import { createKnownLanes } from '../../../lib/payout/wait/park.ts';
import { waitUntilMs, type WaitName, waitsInLine } from '../../../lib/payout/wait/reasons.ts';
import type { Reference } from '../../../lib/payout/wait/references.ts';
import { lead } from '../../../lib/payout/wait/release.ts';
import { beginningMs } from '../../simulation/timeline.ts';
import type { Handling, Place, Waiting } from './workers.ts';

const claimMs = 8;
const minuteMs = 60_000;
const noControl: Control = { paused: false, doubt: {}, batchCancelled: false };

/** What becomes of a job that was sent, or found no turn. */
type After = NonNullable<Waiting['end']>['kind'] | { readonly because: WaitName };

/**
 * Ours: who finds no turn is parked, and one leader releases, by the worker's own code (wait/release.ts). Long: what a worker does, one
 * after the other.
 */
export function ours(place: Place): Handling {
  const { timeline, lanes, sleep, chance, parked, jobOf, post, ended, isOver } = place;
  let ids = 0;
  const mine = (workers += 1);
  const clock = { nowMs: timeline.nowMs, sleep };
  const random = { id: () => `w${mine}.${(ids += 1)}`, chance };
  const log = { write: () => {} };
  const later = (ms: number, run: () => void) => {
    let isOff = false;
    timeline.after(ms, () => void (isOff || run()));
    return () => void (isOff = true);
  };
  const pacing = createPacing({ lanes, clock, later });
  const knownLanes = createKnownLanes(lanes);
  const { jobs, references } = parked.waiting;
  const laneOf = ({ merchant }: Waiting): LaneName => ({ merchant, endpointId: '1' });
  const sinceMs = (job: Waiting) => beginningMs + job.sentAtMs;

  async function taken(job: Waiting): Promise<After> {
    const grant = await pacing.ask(laneOf(job), job.isUrgent ? 'urgent' : 'row', {});
    return 'because' in grant ? { because: 'pace' } : sent(job, grant);
  }

  async function sent(job: Waiting, turn: Turn): Promise<After> {
    await sleep(claimMs);
    const heard = pacing.sends(laneOf(job), turn, job.order);
    const { reply, retryAfterSeconds, isBusy } = await post(job);
    heard({ says: reply, code: reply === 'account' ? '28' : undefined, retryAfterSeconds, isBusy });
    switch (reply) {
      case 'accepted':
        return reply;
      case 'no-answer':
      case 'server-error':
        return 'doubt';
      case 'slow-down':
        return { because: 'too-fast' };
      case 'not-connected':
      case 'credentials':
      case 'account':
        return { because: 'unsent' };
    }
  }

  const waitOf = (job: Waiting, because: WaitName) => ({
    because,
    goAtMs: waitUntilMs(
      because,
      { nowMs: timeline.nowMs(), sinceMs: sinceMs(job), chance: chance() },
      { ...defaultLimits },
    ),
  });

  async function run(reference: Reference): Promise<void> {
    const { key, leaseMs, lane, turn } = reference;
    const job = jobOf(key);
    if (!job) return;
    if (lane && turn && !(await pacing.comes(lane, turn))) {
      await jobs.move(reference, leaseMs, { because: 'pace', goAtMs: reference.sinceMs });
      return;
    }
    const begun = await jobs.begin(reference, leaseMs);
    if (!begun) return;
    const after = turn ? await sent(job, turn) : await taken(job);
    if (typeof after === 'string') {
      ended(job, after);
      return jobs.remove(begun);
    }
    const count = waitsInLine(after.because) ? begun.begun - 1 : 0;
    await jobs.move(begun, leaseMs, { ...waitOf(job, after.because), begun: count });
  }

  /** The event source: as many invocations as there are references for. */
  async function pull(): Promise<void> {
    while (!isOver()) {
      const batch = parked.receive();
      await sleep(batch.length > 0 ? 10 : 50);
      if (batch.length === 0) continue;
      void Promise.all(batch.map(run));
    }
  }
  const questions = { due: async () => [], move: async () => {}, send: async () => new Set<number>() };
  /** The schedule of the sweeper. */
  async function leads(): Promise<void> {
    for (await sleep(Math.floor(chance() * minuteMs)); !isOver(); await sleep(minuteMs)) {
      const controls = { of: async () => noControl };
      void lead({
        waiting: { jobs, references },
        questions,
        lanes,
        pacing,
        controls,
        leader: parked.leader,
        clock,
        random,
        log,
      }).catch(() => {});
    }
  }
  void pull();
  if (mine % 4 === 1) void leads();

  return async (job) => {
    const after = await taken(job);
    if (typeof after === 'string') return after;
    await knownLanes(laneOf(job));
    await jobs.put({
      key: job.order,
      digest: job.order,
      lane: laneOf(job),
      class: job.isUrgent ? 'urgent' : 'row',
      sinceMs: sinceMs(job),
      ...waitOf(job, after.because),
      messageId: job.order,
      sealed: { wrappedKey: '', iv: '', text: '' },
      begun: 0,
    });
    return 'parked';
  };
}
let workers = 0;
