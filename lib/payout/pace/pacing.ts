// LANES as one process uses them. All requests for turns and all signs of one moment go in one compare-and-swap. Good signs wait for the
// next write, or two seconds; trouble is written at once. If a lane can't be read or written, its jobs wait.
import { isDeepStrictEqual } from 'node:util';
import {
  capsOf,
  isFarBelowUsual,
  type LaneCaps,
  type LaneName,
  type LaneState,
  nameOfLane,
  newLane,
  type Sign,
  type Turn,
  type TurnWindow,
} from './lane-state.ts';
import { asWritten, type Grant, isGood, isWithin, isTurn, type Lanes, learned, room, take, unsent } from './lane.ts';
import type { Clock } from '../ports.ts';

/** How far ahead each may take a turn, which it then waits for in its process (ms from now). */
const windows = {
  urgent: { fromMs: 0, toMs: 10_000 },
  row: { fromMs: 0, toMs: 1_000 },
  inquiry: { fromMs: 0, toMs: 10_000, isInquiry: true },
  /** A parked job in the common line: no leader looks there, so the job itself may be the probe. */
  stray: { fromMs: 0, toMs: 10_000, isLeader: true },
  /** The leader's: until its next round, and the time that a reference takes to its worker. */
  leader: { fromMs: 300, toMs: 2_600, isLeader: true },
  leaderAsks: { fromMs: 300, toMs: 2_600, isLeader: true, isInquiry: true },
} as const satisfies Readonly<Record<string, TurnWindow>>;

/** The kinds of askers: a job without a batch, a row of one, an inquiry, a job in the common line, or the leader for what is parked. */
type Asker = keyof typeof windows;

/** What the leader takes turns for: a parked job, or a question that is due. */
export type Released = 'leader' | 'leaderAsks';

/** Why nothing may be sent now. */
interface NoTurn {
  readonly because: 'pace' | 'lane-slow' | 'lane-closed' | 'lane-paused' | 'lane-unknown';
  /** Without a time: until a person decides otherwise. */
  readonly untilMs?: number;
}

/** A sign without the fields that the turn and the sending give. */
export type AnswerSign = Omit<Sign, 'turn' | 'order' | 'sentAtMs' | 'tookMs'>;

/** Called with the sign of a sent request; without one if nothing was sent. */
export type Heard = (sign?: AnswerSign) => void;

/** The questions that a worker's jobs and inquiries ask before they send. */
export interface Pacing {
  /** Resolves when the turn has come, or with the reason to wait. Never rejects. */
  ask(lane: LaneName, asker: Exclude<Asker, Released>, caps: LaneCaps): Promise<Turn | NoTurn>;
  /** False if the turn was taken without knowing the profile's caps; the lane learns them. */
  suits(lane: LaneName, turn: Turn, caps: LaneCaps): boolean;
  /** Stores the profile's caps in the lane; true if they are new. */
  learns(lane: LaneName, caps: LaneCaps): boolean;
  /** True if this process knows that a turn can be had within a second: then the connection may be opened before. */
  isNear(lane: LaneName): boolean;
  /** True once the turn of a reference has come; false if it is over, or void. Never rejects. */
  comes(lane: LaneName, turn: Turn): Promise<boolean>;
  /** Must be called right before a request is sent in the turn. */
  sends(lane: LaneName, turn: Turn, order: string, how?: Pick<Turn, 'isInquiry'>): Heard;
  /** Gives back a turn in which nothing was sent. Does nothing for a turn that `sends` has used. */
  unused(lane: LaneName, turn: Turn): void;
  /** For the leader: how many turns of each kind there are until its next round. Rejects if the lane can't be read. */
  room(lane: LaneName): Promise<Readonly<Record<Released, number>>>;
  /** For the leader: takes these turns at once, in this order. `urgentLeft`: more urgent jobs are due. Never rejects. */
  release(lane: LaneName, wanted: readonly Released[], urgentLeft: boolean): Promise<readonly (Turn | undefined)[]>;
  /** Resolves when all trouble is written, or could not be. */
  settled(): Promise<void>;
}

/** The ports of pacing. */
interface PacingPorts {
  readonly lanes: Pick<Lanes, 'read' | 'write'>;
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>;
  /** Runs `run` after `ms`, unless the returned function is called before. */
  readonly later: (ms: number, run: () => void) => () => void;
}

/** Lost writes in a row before all askers wait. */
const roundsAtMost = 6;
/** Microtasks within which all jobs of a batch come to ask. */
const hopsToGather = 40;
/** A state that was read counts as fresh for this long. */
const freshMs = 500;
/** Rounds in which a turn that proved void is taken anew. */
const voidAtMost = 3;
/** A turn is over this long after its moment. */
const overMs = 1_000;
/** Good signs wait for a write this long; less while no limit is known, as the rate may double twice a second. */
const [holdMs, holdUnknownMs] = [2_000, 200];
/** A request without an answer for this long counts as unanswered already. */
const late = { leastMs: 3_000, mostMs: 10_000, timesUsual: 5 };
/** When to ask again for a lane that could not be read or written. */
const unknownMs = 5_000;
/** The signs that a worker keeps at most while nothing can be written. */
const signsKept = 2_000;
/** While parked urgent jobs are due, newcomers leave turns for them until the leader's round after the next. */
const urgentServesMs = 4_500;

interface Ask {
  readonly window: TurnWindow;
  readonly resolve: (grant: Grant | 'unknown') => void;
}

interface Share {
  readonly lane: LaneName;
  caps: LaneCaps | undefined;
  state: LaneState | undefined;
  readAtMs: number;
  wroteAtMs: number;
  asks: Ask[];
  changes: ((state: LaneState, nowMs: number) => LaneState)[];
  isUrgent: boolean;
  working?: Promise<void> | undefined;
}

/** Pacing of one worker process. Long: all functions share its lanes. */
export function createPacing({ lanes, clock, later }: PacingPorts): Pacing {
  const shares = new Map<string, Share>();
  const used = new WeakSet<Turn>();

  function shareOf(lane: LaneName, caps?: LaneCaps): Share {
    const key = nameOfLane(lane);
    const { merchant, endpointId } = lane;
    const share = shares.get(key) ?? {
      lane: { merchant, endpointId },
      caps,
      state: undefined,
      readAtMs: -Infinity,
      wroteAtMs: -Infinity,
      asks: [],
      changes: [],
      isUrgent: false,
    };
    shares.set(key, share);
    if (caps) share.caps = caps;
    return share;
  }

  async function fresh(share: Share, atMostMs = freshMs): Promise<LaneState> {
    if (!share.state || clock.nowMs() - share.readAtMs > atMostMs) {
      share.state = await lanes.read(share.lane);
      share.readAtMs = clock.nowMs();
    }
    return withCaps(share.state ?? newLane(share.caps ?? {}), share.caps);
  }

  /** One compare-and-swap for all requests for turns and all signs. */
  async function exchange(share: Share): Promise<void> {
    for (let hop = 0; hop < hopsToGather; hop += 1) await Promise.resolve();
    const [asks, changes] = [share.asks.splice(0), share.changes.splice(0)];
    share.isUrgent = false;
    // An older state is enough for a write, which fails if the state has changed. It is never enough to refuse a turn.
    let isKnown = true;
    for (let round = 0; round < roundsAtMost; round += 1) {
      try {
        const before = await fresh(share, isKnown ? Infinity : freshMs);
        const nowMs = clock.nowMs();
        let next = changes.reduce((state, change) => change(state, nowMs), before);
        const grants = asks.map(({ window }) => {
          const { fromMs, toMs, ...how } = window;
          const taken = take(next, nowMs, { ...how, fromMs: nowMs + fromMs, toMs: nowMs + toMs });
          next = taken.state;
          return taken.grant;
        });
        if (next !== before) {
          const state = asWritten(next, before, nowMs);
          const written = await lanes.write(share.lane, state);
          share.state = written === 'written' ? state : written;
          share.readAtMs = clock.nowMs();
          if (written !== 'written') continue;
          share.wroteAtMs = clock.nowMs();
        } else if (isKnown && nowMs - share.readAtMs > freshMs) {
          isKnown = false;
          continue;
        }
        for (const [at, { resolve }] of asks.entries()) resolve(grants[at] ?? 'unknown');
        return;
      } catch {
        isKnown = false;
        share.readAtMs = -Infinity;
      }
    }
    share.changes.unshift(...changes);
    share.changes.splice(0, share.changes.length - signsKept);
    for (const { resolve } of asks) resolve('unknown');
  }

  function work(share: Share): void {
    share.working ??= exchange(share).finally(() => {
      share.working = undefined;
      if (share.asks.length > 0 || share.isUrgent) work(share);
    });
  }

  const taken = (share: Share, window: TurnWindow) =>
    new Promise<Grant | 'unknown'>((resolve) => {
      share.asks.push({ window, resolve });
      work(share);
    });

  function hears(share: Share, change: Share['changes'][number], isUrgent: boolean): void {
    share.changes.push(change);
    share.isUrgent ||= isUrgent;
    const hold = share.state?.ceilingPerSecond === undefined ? holdUnknownMs : holdMs;
    if (isUrgent || clock.nowMs() - share.wroteAtMs > hold) work(share);
  }

  /** Frees the probe, or the place, that the turn holds. */
  function givesBack(share: Share, turn: Turn): void {
    if (turn.probe || share.caps?.concurrency !== undefined) hears(share, (state) => unsent(state, turn), true);
  }

  /** Waits until the turn has come, and looks at the lane once more. */
  async function comes(share: Share, turn: Turn): Promise<boolean> {
    // Until an answer has set its clock, the process might sleep too long.
    if (share.readAtMs === -Infinity) await fresh(share).catch(() => {});
    const inMs = turn.atMs - clock.nowMs();
    if (inMs > 0) await clock.sleep(inMs);
    if (clock.nowMs() > turn.atMs + overMs) return false;
    const state = await fresh(share).catch(() => undefined);
    return state !== undefined && isGood(turn, state, clock.nowMs());
  }

  function reasonOf(share: Share, grant: Exclude<Grant, Turn>): NoTurn {
    const { state } = share;
    const untilMs = grant.waitUntilMs;
    if (state?.paused) return { because: 'lane-paused' };
    if (state?.closed) return { because: 'lane-closed', untilMs };
    return { because: state && isFarBelowUsual(state) ? 'lane-slow' : 'pace', untilMs };
  }

  function learns(lane: LaneName, caps: LaneCaps): boolean {
    const share = shareOf(lane, caps);
    const isNews = !isDeepStrictEqual(capsOf(caps), share.state?.caps ?? {});
    if (isNews) hears(share, (state) => ({ ...state }), true);
    return isNews;
  }

  return {
    async ask(lane, asker, caps) {
      const share = shareOf(lane, caps);
      for (let round = 0; round < voidAtMost; round += 1) {
        const grant = await taken(share, windows[asker]);
        if (grant === 'unknown') return { because: 'lane-unknown', untilMs: clock.nowMs() + unknownMs };
        if (!isTurn(grant)) return reasonOf(share, grant);
        if (await comes(share, grant)) return grant;
      }
      return { because: 'pace', untilMs: clock.nowMs() + overMs };
    },
    suits(lane, turn, caps) {
      const isNews = learns(lane, caps);
      return isWithin(turn, { ratePerSecond: Infinity, caps }) && (caps.concurrency === undefined || !isNews);
    },
    learns,
    isNear(lane) {
      const { state } = shareOf(lane);
      if (!state || state.paused || state.closed) return false;
      return Math.max(state.nextFreeMs, state.notBeforeMs) <= clock.nowMs() + windows.row.toMs;
    },
    comes: (lane, turn) => comes(shareOf(lane), turn),
    sends(lane, taken, order, how) {
      const share = shareOf(lane);
      used.add(taken);
      const turn = { ...taken, ...how };
      const sentAtMs = clock.nowMs();
      const usualMs = share.state?.latency?.usualMs ?? 0;
      const longMs = Math.min(Math.max(late.leastMs, late.timesUsual * usualMs), late.mostMs);
      let isLate = false;
      const report = (sign: AnswerSign) => {
        const whole: Sign = { ...sign, turn, order, sentAtMs, tookMs: clock.nowMs() - sentAtMs };
        hears(
          share,
          (state, nowMs) => learned(state, whole, nowMs),
          isTrouble(whole) || share.caps?.concurrency !== undefined,
        );
      };
      const callOff = later(longMs, () => {
        isLate = true;
        report({ says: 'no-answer' });
      });
      return (sign) => {
        callOff();
        if (!sign) return givesBack(share, turn);
        if (!isLate || sign.says !== 'no-answer') report(sign);
      };
    },
    unused(lane, turn) {
      if (!used.has(turn)) givesBack(shareOf(lane), turn);
    },
    async room(lane) {
      const nowMs = clock.nowMs();
      const state = await fresh(shareOf(lane), 0);
      const roomOf = ({ fromMs, toMs, ...how }: TurnWindow) =>
        room(state, nowMs, { ...how, fromMs: nowMs + fromMs, toMs: nowMs + toMs });
      return { leader: roomOf(windows.leader), leaderAsks: roomOf(windows.leaderAsks) };
    },
    async release(lane, wanted, urgentLeft) {
      const share = shareOf(lane);
      const asked = wanted.map((it) => taken(share, windows[it]));
      if (urgentLeft)
        hears(share, (state, nowMs) => ({ ...state, urgentUntilMs: nowMs + urgentServesMs }), wanted.length === 0);
      const grants = await Promise.all(asked);
      return grants.map((it) => (it !== 'unknown' && isTurn(it) ? it : undefined));
    },
    async settled() {
      const underWay = () => [...shares.values()].flatMap(({ working }) => working ?? []);
      // A write that is under way does not include later signs: another one follows it.
      for (let working = underWay(); working.length > 0; working = underWay()) await Promise.all(working);
    },
  };
}

const isTrouble = ({ says, turn }: Sign) =>
  turn.probe === true || (says !== 'accepted' && says !== 'answered' && says !== 'refused');

/** The state with the profile's caps, if this process knows them. */
function withCaps(state: LaneState, caps: LaneCaps | undefined): LaneState {
  if (!caps) return state;
  const own = capsOf(caps);
  return isDeepStrictEqual(own, state.caps) ? state : { ...state, caps: own };
}

/** Pacing for a plan: an open lane lets everything go, and nothing is taken. */
export function plannedPacing({
  lanes,
  clock,
}: Omit<PacingPorts, 'later'>): Pick<Pacing, 'ask' | 'suits' | 'learns' | 'isNear'> {
  return {
    isNear: () => false,
    suits: () => true,
    learns: () => false,
    async ask(lane, asker) {
      const nowMs = clock.nowMs();
      const state = await lanes.read(lane).catch(() => undefined);
      const { grant } = take(state ?? newLane({}), nowMs, { ...windows[asker], fromMs: nowMs, toMs: Infinity });
      if (isTurn(grant)) return grant;
      return state?.paused ? { because: 'lane-paused' } : { because: 'lane-closed', untilMs: grant.waitUntilMs };
    },
  };
}
