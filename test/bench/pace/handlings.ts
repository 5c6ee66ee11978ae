// What stands between a job and its POST in virtual time: the worker's own lanes and lines.
import type { Credentials } from '../../../lib/gateway/ports.ts';
import type { LaneName, Slot } from '../../../lib/payout/lanes/lane.ts';
import { defaultLimits } from '../../../lib/payout/limits.ts';
import type { Controls } from '../../../lib/payout/operate/control.ts';
import { createPacing } from '../../../lib/payout/lanes/pacing.ts';
import { growingDelaySeconds } from '../../../lib/payout/retry-policy.ts';
import { beginLine, createJoining } from '../../../lib/payout/waiting/begin-line.ts';
import { takeSlice } from '../../../lib/payout/waiting/drain-lane.ts';
import { linesRound } from '../../../lib/payout/waiting/lines-round.ts';
import type { JoinedRow } from '../../../lib/payout/waiting/waiting-row.ts';
import { shortWaitSeconds, waitsInLine, type WaitName } from '../../../lib/payout/waiting/waits.ts';
import { beginningMs } from '../../simulation/timeline.ts';
import type { Reply } from './gateways.ts';
import { shardOf } from './line-store.ts';
import type { Handling, Place, Waiting } from './workers.ts';

const claimMs = 8;

/** So many messages of lines a worker works on at once. */
const linesAtOnce = 3;
/** What rows that one invocation has put have in common. */
const gatherMs = 50;

/**
 * Ours: who finds no slot waits shortly by visibility, or joins its lane's line in the table, which is pulled by the line's message, by
 * the worker's own code (drain-lane.ts, begin-line.ts). The first worker sweeps. Long: what a worker does, one after the other.
 */
export function ours(place: Place): Handling {
  const { timeline, lanes, sleep, chance, line, jobOf, post, ended, isOver } = place;
  let ids = 0;
  const mine = (workers += 1);
  const clock = { nowMs: timeline.nowMs, uptimeMs: timeline.nowMs, sleep };
  const random = { id: () => `w${mine}.${(ids += 1)}`, chance };
  const log = { write: () => {} };
  const begin = { waiting: line.waiting, clock, log };
  const pacing = createPacing({
    lanes,
    clock,
    random,
    onOpened: (lane) => beginLine(lane, begin),
  });
  const controls = { of: async () => noControl } as unknown as Controls;
  const credentials = {
    of: async () => ({ kind: 'credentials', credentials: { profile: {} } }),
  } as unknown as Credentials;
  const orders = { read: async () => ({ kind: 'none' }) as const };
  const drain = { orders, waiting: line.waiting, pacing, controls, credentials, clock, random, log };
  const laneOf = ({ merchant }: Waiting): LaneName => ({ merchant, endpointId: '1' });

  let joining: ReturnType<typeof createJoining> | undefined;
  function joined(row: JoinedRow): void {
    if (!joining) {
      const its = (joining = createJoining(begin));
      void sleep(gatherMs).then(() => {
        joining = undefined;
        return its.sent();
      });
    }
    joining.joined(row);
  }

  async function sent(job: Waiting, slot: Slot): Promise<Reply> {
    await sleep(claimMs);
    const { reply, retryAfterSeconds, isBusy } = await post(job);
    pacing.report(laneOf(job), slot, {
      says: reply,
      order: job.order,
      ...(reply === 'account' && { code: '28' }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(isBusy && { isBusy }),
    });
    return reply;
  }

  async function keep(job: Waiting, goAtMs: number, because: WaitName): Promise<'kept in the table'> {
    const of = job.isUrgent ? 'urgent' : 'row';
    const place = { key: job.order, lane: laneOf(job), class: of, shard: shardOf(job.order), goAtMs } as const;
    const row = { ...place, nonce: random.id(), because };
    const rest = { sinceMs: timeline.nowMs(), digest: job.order, messageId: job.order, waits: 1 };
    await line.waiting.rows.put({ ...row, ...rest, sealed: { wrappedKey: '', iv: '', text: '' } });
    joined(row);
    return 'kept in the table';
  }

  async function runHead({ key, leave }: { readonly key: string; readonly leave: Slot }): Promise<void> {
    const { rows } = line.waiting;
    const [row, job] = [await rows.read({ key, slot: 0 }), jobOf(key)];
    if (!row || !job || row.goAtMs > timeline.nowMs() + 1_000)
      return pacing.giveBack({ merchant: job?.merchant ?? '', endpointId: '1' }, leave);
    if ((await pacing.begin(laneOf(job), leave)) === 'gone') return joined({ ...row, because: 'pace' });
    const after = afterOurs(job, await sent(job, leave), place);
    if (typeof after === 'string') {
      ended(job, after);
      await rows.remove(row);
      return;
    }
    const goAtMs = timeline.nowMs() + after.afterMs;
    await rows.move(row, { goAtMs, because: 'unsent' });
    joined({ ...row, goAtMs, because: 'unsent' });
  }

  async function pull(): Promise<void> {
    while (!isOver()) {
      const word = line.receive();
      await sleep(word ? 10 : 200);
      if (word?.kind !== 'line') continue;
      const fromMs = timeline.nowMs();
      try {
        const slice = await takeSlice(word, drain);
        await Promise.all(slice.heads.map(runHead));
      } catch {
        line.hide(word, 60_000);
      }
      line.worked(timeline.nowMs() - fromMs);
    }
  }
  async function sweep(): Promise<void> {
    const round = linesRound({ waiting: line.waiting, lanes, controls, clock, log });
    for (; !isOver(); await sleep(60_000)) await round.run(Infinity);
  }
  for (let at = 0; at < linesAtOnce; at += 1) void pull();
  if (mine % 4 === 1) void sweep();

  return async (job) => {
    const grant = await pacing.ask(laneOf(job), { class: job.isUrgent ? 'urgent' : 'row', order: job.order }, {});
    const nowMs = timeline.nowMs();
    if (grant.kind === 'wait') {
      const { because } = grant;
      const untilMs = 'untilMs' in grant && grant.untilMs !== undefined ? grant.untilMs : nowMs + 15_000;
      const inLine = waitsInLine(because);
      const isShort = untilMs - nowMs <= shortlyMs(job) && !(inLine && (!job.isUrgent || job.receives > 2));
      return isShort ? { afterMs: untilMs - nowMs } : keep(job, inLine ? nowMs : untilMs, because);
    }
    const after = afterOurs(job, await sent(job, grant), place);
    if (typeof after === 'string' || after.afterMs <= shortlyMs(job)) return after;
    return keep(job, timeline.nowMs() + after.afterMs, 'unsent');
  };
}
let workers = 0;

const noControl = { paused: false, doubt: new Map<string, never>(), batchCancelled: false };
const shortlyMs = ({ isUrgent }: Waiting) => shortWaitSeconds[isUrgent ? 'urgent' : 'row'] * 1000;

type Ended = NonNullable<Waiting['end']>['kind'];

function afterOurs(job: Waiting, reply: Reply, { timeline, chance }: Place): Ended | { readonly afterMs: number } {
  switch (reply) {
    case 'accepted':
      return reply;
    case 'no-answer':
    case 'server-error':
      return 'doubt';
    case 'slow-down':
      return { afterMs: 2_000 };
    case 'not-connected':
    case 'credentials':
    case 'account': {
      const it = { ageSeconds: (timeline.nowMs() - beginningMs - job.sentAtMs) / 1000, chance: chance() };
      return { afterMs: growingDelaySeconds(it, defaultLimits) * 1000 };
    }
  }
}
