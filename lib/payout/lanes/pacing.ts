// One worker's share of the lanes. It takes slots for all who ask at the same moment in one write, a few more for those
// who come next, and spends them without one. What it learns goes with the next write; what failed is written at once.
// Where the lanes can't be read or written, slots in hand run out, and then everybody waits.
import {
  type LaneCaps,
  type LaneName,
  type Lanes,
  laneDecision,
  type LaneDecision,
  type LaneState,
  nameOfLane,
  newLane,
  rateOf,
  type LaneAsk,
  type LaneGrant,
  type Slot,
} from './lane.ts';
import type { Sign } from './lane-brake.ts';
import { createLaneTime } from './lane-time.ts';
import { learned } from './lane-pace.ts';
import {
  answerInHand,
  type LaneAsker,
  countSend,
  dropLost,
  hear,
  isGood,
  isUrgent,
  type LaneUnknown,
  newShare,
  nowOf,
  saidSlow,
  type Share,
  spareOf,
  wantsRead,
} from './lane-share.ts';
import { take } from './lane-slots.ts';
import type { Clock, Random } from '../ports.ts';

/** A lane's decision now, and its pace. */
type LaneLook =
  | LaneUnknown
  | { readonly kind: 'known'; readonly decision: LaneDecision; readonly ratePerSecond: number };

/** The questions that a worker's jobs and inquiries ask before they send. */
export interface Pacing {
  /** Resolves when the slot has come, or with the reason to wait. Never rejects. Each slot is reported or given back. */
  ask(lane: LaneName, ask: LaneAsk, caps: LaneCaps): Promise<LaneGrant | LaneUnknown>;
  /** The lane's decision and pace now. Never rejects. */
  look(lane: LaneName, caps: LaneCaps): Promise<LaneLook>;
  /** Slots for the heads of a line, in their order, all at once; they have not come yet. Never rejects. Each is begun, or given back. */
  slice(lane: LaneName, asks: readonly LaneAsk[], caps: LaneCaps): Promise<readonly (LaneGrant | LaneUnknown)[]>;
  /** Resolves when a slot of a slice has come; 'gone' where the lane was closed or slowed down meanwhile. Never rejects. */
  begin(lane: LaneName, slot: Slot): Promise<'come' | 'gone'>;
  /** Reports the sign of a request that was sent in the slot. */
  report(lane: LaneName, slot: Slot, sign: SlotSign): void;
  /** Gives back a slot in which nothing was sent. */
  giveBack(lane: LaneName, slot: Slot): void;
  /** Resolves when all failures are written, or could not be. */
  settled(): Promise<void>;
}

/** A reason that keeps a request from being sent. */
export type LaneVerdict = Exclude<LaneGrant | LaneUnknown, Slot>;

/** A sign without the fields that its slot holds. */
export type SlotSign = Omit<Sign, 'sentAtMs' | 'tookMs' | 'generation' | 'pressed' | 'probe'>;

/** The ports of pacing. */
interface PacingPorts {
  readonly lanes: Pick<Lanes, 'read' | 'write'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'id'>;
  /** Called once a sign of this worker has opened a closed lane: its line may go on. Never rejects. */
  readonly onOpened?: (lane: LaneName) => Promise<void>;
}

/** Writes that lose against others', one after the other, before all askers wait. */
const roundsAtMost = 6;
/** Turns of the event loop's own queue in which all jobs of a batch come to ask. */
const hopsToGather = 40;
/** A worker keeps the signs of so many answers at most, while nothing is written. */
const signsKept = 2_000;

/** Pacing of one worker process. Long: its answers, one after the other. */
export function createPacing(ports: PacingPorts): Pacing {
  const { clock, random } = ports;
  const by = random.id();
  const time = createLaneTime(clock);
  const shares = new Map<string, Share>();

  function shareOf(lane: LaneName, caps?: LaneCaps): Share {
    const key = nameOfLane(lane);
    const share = shares.get(key) ?? newShare(lane, time);
    shares.set(key, share);
    if (caps) share.caps = caps;
    return share;
  }

  function write(share: Share): void {
    share.hasNews = true;
    share.writing ??= flush(share, by, ports).finally(() => {
      share.writing = undefined;
      if (share.hasNews) write(share);
    });
  }

  function report(share: Share, slot: Slot, said: SlotSign): void {
    const sign = signOf(share, slot, said);
    share.underWay.delete(slot);
    share.signs.push(sign);
    if (share.signs.length > signsKept) share.signs.shift();
    if (isUrgent(sign, share)) write(share);
  }

  async function asked(share: Share, ask: LaneAsk): Promise<LaneGrant | LaneUnknown> {
    if (wantsRead(share, ask)) await readAnew(share, ports);
    const known = answerInHand(share, ask);
    const grant =
      known ??
      (await new Promise<LaneGrant | LaneUnknown>((resolve) => {
        share.asking.push({ ask, resolve });
        write(share);
      }));
    if (grant.kind !== 'slot') return grant;
    countSend(share);
    if (grant.atMs > nowOf(share)) await hasCome(grant, share, clock);
    // The lane was closed or slowed down while the asker waited: the slot is none any more.
    if (ask.class !== 'inquiry' && !isGood(grant, share)) return asked(share, ask);
    const slot = byOwnClock(grant, share, clock);
    share.underWay.set(slot, { sinceTickMs: time.tickMs(), slot: grant });
    return slot;
  }

  const underWrite = () => [...shares.values()].flatMap(({ writing }) => writing ?? []);

  /** The state that was read, or the one that would be written first. */
  function stateOf(share: Share): LaneState {
    return share.state ?? newLane(share.caps, share.time.nowMs());
  }

  return {
    async look(lane, caps) {
      const share = shareOf(lane, caps);
      const seenTickMs = time.tickMs();
      await readAnew(share, ports);
      const state = stateOf(share);
      if (share.heardTickMs < seenTickMs) return { kind: 'wait', because: 'lane-unknown' };
      const found = laneDecision(state, nowOf(share));
      return { kind: 'known', decision: byOwnClock(found, share, clock), ratePerSecond: rateOf(state, share.caps) };
    },
    async slice(lane, asks, caps) {
      const share = shareOf(lane, caps);
      const grants = await Promise.all(
        asks.map(
          (ask) =>
            new Promise<LaneGrant | LaneUnknown>((resolve) => {
              share.asking.push({ ask, resolve });
              write(share);
            }),
        ),
      );
      return grants.map((grant) => {
        const answer = byOwnClock(saidSlow(grant, share), share, clock);
        if (grant.kind !== 'slot' || answer.kind !== 'slot') return answer;
        const waitMs = Math.max(grant.atMs - nowOf(share), 0);
        share.underWay.set(answer, { sinceTickMs: time.tickMs() + waitMs, slot: grant });
        return answer;
      });
    },
    async begin(lane, slot) {
      const share = shareOf(lane);
      const taken = share.underWay.get(slot);
      if (!taken) return 'gone';
      countSend(share);
      const waitMs = taken.slot.atMs - nowOf(share);
      if (waitMs > 0) await clock.sleep(waitMs);
      if (isGood(taken.slot, share)) {
        share.underWay.set(slot, { sinceTickMs: time.tickMs(), slot: taken.slot });
        return 'come';
      }
      share.underWay.delete(slot);
      return 'gone';
    },
    async ask(lane, ask, caps) {
      const share = shareOf(lane, caps);
      const grant = await asked(share, ask);
      return grant.kind === 'slot' ? grant : byOwnClock(saidSlow(grant, share), share, clock);
    },
    report: (lane, slot, said) => report(shareOf(lane), slot, said),
    giveBack(lane, slot) {
      const share = shareOf(lane);
      const underWay = share.underWay.get(slot);
      if (!underWay) return;
      // Nobody else probes until it is known that nothing came of this probe.
      if (slot.probe) return report(share, slot, { says: 'nothing', order: '' });
      share.underWay.delete(slot);
      if (underWay.slot.untilMs > nowOf(share)) share.slots.unshift(underWay.slot);
    },
    async settled() {
      // A write that is under way takes no sign along that came since: another one follows it.
      for (let writing = underWrite(); writing.length > 0; writing = underWrite()) await Promise.all(writing);
    },
  };
}

/** The grant in the time of the worker's clock: the lanes' time is nobody's but the lanes'. */
function byOwnClock<Grant extends LaneGrant | LaneUnknown | LaneDecision>(
  grant: Grant,
  share: Share,
  clock: Clock,
): Grant {
  const aheadMs = clock.nowMs() - nowOf(share);
  return {
    ...grant,
    ...('atMs' in grant && { atMs: grant.atMs + aheadMs }),
    ...('untilMs' in grant && grant.untilMs !== undefined && { untilMs: grant.untilMs + aheadMs }),
  };
}

function signOf(share: Share, slot: Slot, said: SlotSign): Sign {
  const nowTickMs = share.time.tickMs();
  const tookMs = nowTickMs - (share.underWay.get(slot)?.sinceTickMs ?? nowTickMs);
  const { generation, pressed, probe } = slot;
  return { ...said, sentAtMs: nowOf(share) - tookMs, tookMs, generation, pressed, ...(probe && { probe }) };
}

/** The slot counts as under way meanwhile, or others would be given more than the profile allows. */
async function hasCome(slot: Slot, share: Share, clock: Clock): Promise<void> {
  const waitMs = slot.atMs - nowOf(share);
  share.underWay.set(slot, { sinceTickMs: share.time.tickMs() + waitMs, slot });
  await clock.sleep(waitMs);
  share.underWay.delete(slot);
}

/** Reads the lane once, however many ask; where it can't be read, it is asked by writing. */
async function readAnew(share: Share, { lanes }: PacingPorts): Promise<void> {
  share.reading ??= lanes
    .read(share.lane)
    .then(({ state, atMs }) => hear(share, atMs, state))
    .catch(() => {})
    .finally(() => (share.reading = undefined));
  await share.reading;
}

/** Takes for all who ask now, and writes the signs that were learned. */
async function flush(share: Share, by: string, ports: PacingPorts): Promise<void> {
  for (let hop = 0; hop < hopsToGather; hop += 1) await Promise.resolve();
  share.hasNews = false;
  const asking = share.asking.splice(0);
  const signs = share.signs.splice(0);
  const taken = await takeWritten(share, asking, signs, by, ports).catch(() => undefined);
  if (!taken) share.signs.unshift(...signs);
  for (const [index, { resolve }] of asking.entries())
    resolve(taken?.grants[index] ?? { kind: 'wait', because: 'lane-unknown' });
  if (taken?.opened) await ports.onOpened?.(share.lane);
}

async function takeWritten(
  share: Share,
  asking: readonly LaneAsker[],
  signs: readonly Sign[],
  by: string,
  { lanes, random }: PacingPorts,
): Promise<{ readonly grants: readonly LaneGrant[]; readonly opened: boolean } | undefined> {
  const { lane, caps } = share;
  for (let round = 0; round < roundsAtMost; round += 1) {
    // Where others write too, a read costs a fifth of a write that would lose.
    if (!share.state || (round === 0 && share.isShared && share.time.tickMs() > share.seenTickMs)) {
      const { state, atMs } = await lanes.read(lane);
      share.isShared = state?.version !== share.state?.version;
      share.time.heard(atMs);
      hear(share, atMs, state ?? newLane(caps, share.time.nowMs()));
    }
    const nowMs = nowOf(share);
    const writer = random.id();
    dropLost(share);
    const inFlight = share.underWay.size + share.slots.length;
    const seen = { ...(share.state ?? newLane(caps, nowMs)), writer };
    const state = signs.length > 0 ? learned(seen, signs, { nowMs, caps }) : seen;
    const asks = asking.map(({ ask }) => ask);
    const taken = take(state, asks, { by, nowMs, caps, inFlight, ...spareOf(share, state, asks) });
    const written = await lanes.write(lane, taken.next);
    const stored = written.kind === 'written' ? taken.next : written.state;
    share.isShared ||= written.kind === 'lost';
    hear(share, written.atMs, stored);
    // A write whose answer was lost is found as the stored state.
    if (stored.writer !== writer) continue;
    share.slots.push(...taken.slots);
    return { grants: taken.grants, opened: seen.closed !== undefined && stored.closed === undefined };
  }
  return undefined;
}

/** Pacing for a plan: an open lane lets everything go, and nothing is taken. */
export function plannedPacing({ lanes, clock }: Omit<PacingPorts, 'random'>): Pick<Pacing, 'ask' | 'begin'> {
  return {
    begin: async () => 'gone',
    async ask(lane) {
      const read = await lanes.read(lane).catch(() => undefined);
      const nowMs = clock.nowMs();
      const decision = read?.state ? laneDecision(read.state, read.atMs) : undefined;
      if (read && decision?.kind === 'wait') {
        const { untilMs } = decision;
        return { ...decision, ...(untilMs !== undefined && { untilMs: untilMs + nowMs - read.atMs }) };
      }
      return { kind: 'slot', atMs: nowMs, untilMs: nowMs, generation: 0, pressed: false };
    },
  };
}
