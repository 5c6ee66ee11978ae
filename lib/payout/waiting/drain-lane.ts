// A LINE IS PULLED: the receiver of the lane's one message takes the right to drain and a slice of pace for the heads, moves
// the cursor over them, passes the message on, and only then submits, each row by the one journey of every job. So as many
// invocations work a lane as its pace needs, and one that dies costs nothing but time: its rows are still in the table.
import type { Credentials } from '../../gateway/ports.ts';
import type { Profile } from '../../gateway/profile.ts';
import { isHeldForLook } from '../gates.ts';
import { type Controls, isAboveDoubtLimit } from '../operate/control.ts';
import { errorFields } from '../log-fields.ts';
import type { LaneCaps, LaneName, LaneAsk, Slot, LineClass } from '../lanes/lane.ts';
import { sqsMaxDelaySeconds } from '../limits.ts';
import type { Log, Random, Clock } from '../ports.ts';
import type { Orders } from '../order/orders.ts';
import type { Pacing } from '../lanes/pacing.ts';
import {
  againAfterMs,
  type DrainRead,
  type DrainRight,
  handedOn,
  isLive,
  isLookedAtAgain,
  isUnderWay,
  movedOver,
  rests,
  takeUp,
} from './drain-right.ts';
import type { Waiting } from './keep-waiting.ts';
import { lineMessage, type LineTask } from './lines-queue.ts';
import { type RowHead, type RowPlace, shardsOf } from './waiting-row.ts';
import { mayWaitForLook } from './waits.ts';

/** The ports of draining. */
interface DrainPorts {
  readonly waiting: Waiting;
  readonly pacing: Pick<Pacing, 'look' | 'slice' | 'giveBack'>;
  readonly orders: Pick<Orders, 'read'>;
  readonly controls: Controls;
  readonly credentials: Credentials;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly log: Log;
}

/** A head that was taken, with leave to send it. */
interface TakenHead extends RowPlace {
  readonly slot: number;
  readonly leave: Slot;
}

/** The rows that were taken, and whether a worker was lost over this line before. */
export interface LineSlice {
  readonly lane: LaneName;
  readonly heads: readonly TakenHead[];
  /** Rows to be looked at without a slot: they may not be sent before a look of theirs. */
  readonly held: readonly RowPlace[];
  /** The lane's caps, by the profile as it was read. */
  readonly caps: LaneCaps;
  readonly isSuspect: boolean;
}

/** A slice of two seconds, and never more than one invocation can hold. */
const sliceSeconds = 2;
const headsAtMost = 100;
/** Where one of them is suspected of taking its worker with it, few are taken. */
const suspectsAtMost = 10;
/** No order is the probe twice running. */
const probesAskedAtMost = 3;
/**
 * A line held up by doubt is looked at again after so long; one held up by a secret, by the key of waiting bodies, or unreadable,
 * sooner.
 */
const heldMs = 60_000;
const [secretMs, unknownMs] = [30_000, 5_000];
/** A probe that opens the lane has the line begin at once; this is for one that does not. */
const afterProbeMs = 15_000;
/** The next slice is taken before this one is spent. */
const aheadMs = 800;
/** An index may show a row so late that the drain that was sent for it finds nothing. */
const lateIndexMs = 3_000;
/** Writes of the right that lose against others', one after the other, before the message comes again. */
const roundsAtMost = 4;
/** Now and then a long line is looked at from its head, for what a wrong clock has put there before the cursor. */
const fromHeadMs = 300_000;

/** `isAgain`: it was received before, by an invocation that never came to its end. */
type LineMessageReceived = LineTask & { readonly kind: 'line'; readonly isAgain?: boolean };

/** Takes the next slice of a line and passes its message on; nothing is submitted here. Rejects where it must come again. */
export async function takeSlice(message: LineMessageReceived, ports: DrainPorts): Promise<LineSlice> {
  for (let round = 0; round < roundsAtMost; round += 1) {
    const slice = await tryToTake(message, ports);
    if (slice) return slice;
  }
  throw new Error('others were faster at the right of the line, again and again');
}

/** Undefined where another worker was faster: it may have ended the line before it could see the cause of this message. */
async function tryToTake(
  { lane, number, isAgain }: LineMessageReceived,
  ports: DrainPorts,
): Promise<LineSlice | undefined> {
  const { waiting, clock } = ports;
  const read = await waiting.rights.read(lane);
  const up = takeUp(read, number, isAgain);
  if (up.kind === 'drop') return { lane, heads: [], held: [], caps: {}, isSuspect: false };
  const access = await accessOf(lane.merchant, ports);
  const profile = access === 'missing' ? {} : access;
  const look = await lookAt(lane, access, ports);
  const atMost = Math.min(look.kind === 'go' ? look.heads : 1, up.isSuspect ? suspectsAtMost : headsAtMost);
  const line = await headsOf(lane, up.cursors, atMost, clock.nowMs(), waiting);
  const taken = look.kind === 'go' ? await slotsFor(lane, line.due, profile, ports) : noneTaken;
  const cursors = movedOver(up.cursors, taken.prefix);
  const next = nextLook({ read, up: up.cursors, line, look, taken, cursors }, clock.nowMs());
  // When the message can be there, which is to be looked at then.
  const inMs = next.inMs === undefined ? undefined : Math.min(next.inMs, sqsMaxDelaySeconds * 1000);
  const right = handedOn(read, { cursors, writer: ports.random.id(), ...next, inMs });
  let isOurs = false;
  try {
    isOurs = await handOn(lane, right, inMs, ports);
  } finally {
    if (!isOurs) for (const { leave } of taken.heads) ports.pacing.giveBack(lane, leave);
  }
  const { heads, held } = taken;
  return isOurs ? { lane, heads, held, caps: profile, isSuspect: up.isSuspect } : undefined;
}

/**
 * The profile; 'missing' where the secret can't be had or read. Jobs of an unknown merchant are given up after a day, so its
 * line is looked at all the same.
 */
async function accessOf(merchant: string, { credentials }: DrainPorts): Promise<Partial<Profile> | 'missing'> {
  const answer = await credentials.of(merchant).catch(() => undefined);
  if (answer?.kind === 'credentials') return answer.credentials.profile;
  return answer?.failure.code === 'MERCHANT_UNKNOWN' ? {} : 'missing';
}

type Look =
  /** Until a person decides otherwise. */
  | { readonly kind: 'rests' }
  | { readonly kind: 'later'; readonly inMs: number }
  | { readonly kind: 'go'; readonly heads: number; readonly isProbe: boolean };

/** Whether any row of the line may go, so that none of it is touched while the lane is stopped. */
async function lookAt(
  lane: LaneName,
  access: Partial<Profile> | 'missing',
  { pacing, controls, clock, waiting }: DrainPorts,
): Promise<Look> {
  const control = await controls.of(lane.merchant).catch(() => undefined);
  if (!control) return { kind: 'later', inMs: unknownMs };
  if (control.paused) return { kind: 'rests' };
  if (access === 'missing' || !(await waiting.dataKeys.answers())) return { kind: 'later', inMs: secretMs };
  const { doubtLimits } = access;
  if (doubtLimits && isAboveDoubtLimit(control, { doubtLimits })) return { kind: 'later', inMs: heldMs };
  const look = await pacing.look(lane, access);
  if (look.kind !== 'known') return { kind: 'later', inMs: unknownMs };
  const { decision, ratePerSecond } = look;
  switch (decision.kind) {
    case 'go':
      return { kind: 'go', heads: Math.ceil(ratePerSecond * sliceSeconds) + 1, isProbe: false };
    case 'probe':
      return { kind: 'go', heads: probesAskedAtMost, isProbe: true };
    case 'wait':
      return decision.untilMs === undefined
        ? { kind: 'rests' }
        : { kind: 'later', inMs: Math.max(decision.untilMs - clock.nowMs(), 0) + 1_000 };
    default:
      return decision satisfies never;
  }
}

interface LineHeads {
  /** Rows that may go, urgent ones first, each by the moment from which it may. */
  readonly due: readonly RowHead[];
  /** From when on the next one may. */
  readonly nextGoAtMs?: number;
}

async function headsOf(
  lane: LaneName,
  cursors: DrainRight['cursors'],
  atMost: number,
  nowMs: number,
  { rows }: Waiting,
): Promise<LineHeads> {
  const of = async (name: LineClass) => {
    const asked = shardsOf(lane, name).map((it) => rows.heads(it, cursors[name][it.shard] ?? undefined, atMost));
    const heads = (await Promise.all(asked)).flat().toSorted((a, b) => a.goAtMs - b.goAtMs);
    return { due: heads.filter((it) => it.goAtMs <= nowMs), later: heads.find((it) => it.goAtMs > nowMs) };
  };
  const urgent = await of('urgent');
  const row = urgent.due.length < atMost ? await of('row') : { due: [], later: undefined };
  const later = [urgent.later, row.later].flatMap((it) => (it ? [it.goAtMs] : []));
  const due = [...urgent.due, ...row.due].slice(0, atMost);
  return { due, ...(later.length > 0 && { nextGoAtMs: Math.min(...later) }) };
}

interface TakenSlots {
  readonly heads: readonly TakenHead[];
  readonly held: readonly RowPlace[];
  /** Rows before the first that got no slot: the cursor moves over them. */
  readonly prefix: readonly RowHead[];
  readonly lastAtMs?: number;
  /** When one that got no slot may ask again. */
  readonly againAtMs?: number;
}

const noneTaken: TakenSlots = { heads: [], held: [], prefix: [] };

async function slotsFor(
  lane: LaneName,
  due: readonly RowHead[],
  profile: Partial<Profile>,
  ports: DrainPorts,
): Promise<TakenSlots> {
  const held = await heldBack(due, ports);
  const asking = due.filter((it) => !held.includes(it));
  const asks = asking.map((it): LaneAsk => ({ class: it.class, order: it.key, fromLine: true }));
  const grants = asks.length > 0 ? await ports.pacing.slice(lane, asks, profile) : [];
  const heads = asking.flatMap(({ key, slot }, at): TakenHead[] => {
    const grant = grants[at];
    return grant?.kind === 'slot' ? [{ key, slot, leave: grant }] : [];
  });
  const first = asking.find((_, at) => grants[at]?.kind !== 'slot');
  const isProbe = heads.some(({ leave }) => leave.probe);
  const waits = grants.flatMap((it) => ('untilMs' in it && it.kind === 'wait' && it.untilMs ? [it.untilMs] : []));
  return {
    heads,
    held: held.map(({ key, slot }) => ({ key, slot })),
    // The probing row keeps its place: should the probe fail, it waits as before.
    prefix: isProbe ? [] : due.slice(0, first ? due.indexOf(first) : due.length),
    ...(heads.length > 0 && { lastAtMs: Math.max(...heads.map(({ leave }) => leave.atMs)) }),
    ...(waits.length > 0 && { againAtMs: Math.min(...waits) }),
  };
}

/** The rows of orders whose refusals wait for their looks. */
async function heldBack(due: readonly RowHead[], { orders }: DrainPorts): Promise<readonly RowHead[]> {
  const known = due.filter(({ because }) => mayWaitForLook(because));
  const isHeld = await Promise.all(known.map(({ key }) => isHeldForLook(key, orders)));
  return known.filter((_, at) => isHeld[at]);
}

interface Found {
  readonly read: DrainRead;
  /** The cursors from which the line was looked at. */
  readonly up: DrainRight['cursors'];
  readonly line: LineHeads;
  readonly look: Look;
  readonly taken: TakenSlots;
  readonly cursors: DrainRight['cursors'];
}

/**
 * The time of the line's next look, and of the next from its head. The line is over once it was found empty twice, the second
 * time from its head.
 */
function nextLook({ read, up, line, look, taken, cursors }: Found, nowMs: number) {
  const { right, atMs } = read;
  const isEmpty = line.due.length === 0;
  const due = right?.againAtMs !== undefined && right.againAtMs > atMs ? right.againAtMs : undefined;
  // A message before the set time was sent for a row that the index may not show yet.
  const isSentFor = !right || !isLive(right, atMs) || atMs + 1_000 < right.nextAtMs;
  const onceMoreAtMs = Math.min(due ?? Infinity, atMs + againAfterMs);
  if (isEmpty && !isUnderWay(up) && line.nextGoAtMs === undefined) {
    if (!isSentFor && isLookedAtAgain(read)) return { inMs: undefined };
    return { inMs: isSentFor ? lateIndexMs : onceMoreAtMs - atMs, againAtMs: onceMoreAtMs };
  }
  if (look.kind === 'rests') return { inMs: 0, isResting: true };
  if (look.kind === 'later') return { inMs: look.inMs, againAtMs: right?.againAtMs };
  if (!isEmpty) {
    const againAtMs = isUnderWay(cursors) ? (due ?? atMs + fromHeadMs) : undefined;
    // No row asked for a slot: the rows behind these may.
    if (taken.held.length === line.due.length) return { inMs: 1_000, againAtMs };
    if (look.isProbe) return { inMs: afterProbeMs, againAtMs };
    const atNextMs =
      taken.lastAtMs === undefined
        ? Math.max(taken.againAtMs ?? nowMs + unknownMs, nowMs + 1_000)
        : taken.lastAtMs - aheadMs;
    return { inMs: Math.max(atNextMs - nowMs, 0), againAtMs };
  }
  const againAtMs = isUnderWay(up) || isSentFor ? onceMoreAtMs : due;
  const inMs = Math.min(
    line.nextGoAtMs === undefined ? Infinity : line.nextGoAtMs - nowMs,
    againAtMs === undefined ? Infinity : againAtMs - atMs,
    isSentFor ? lateIndexMs : Infinity,
  );
  // Not before it may go, or it would be asked for in vain.
  return { inMs: Math.max(Math.ceil(inMs / 1000), 1) * 1000, againAtMs };
}

/** False where another worker has the right now. Where the message could not be sent, the rows that were taken go on all the same. */
async function handOn(
  lane: LaneName,
  right: DrainRight,
  inMs: number | undefined,
  { waiting, log }: DrainPorts,
): Promise<boolean> {
  const { merchant, endpointId } = lane;
  if (!(await writeRight(lane, right, waiting))) return false;
  if (inMs === undefined || rests(right)) return true;
  const notTaken = await waiting.lines.send([lineMessage(lane, right, inMs)]).catch((error: unknown) => {
    log.write('warn', 'line-failed', { merchant, endpointId, ...errorFields(error) });
  });
  if (notTaken && notTaken.size > 0) log.write('warn', 'line-failed', { merchant, endpointId });
  return true;
}

/** A write whose answer was lost is found to be ours. Rejects where nobody can say. */
async function writeRight(lane: LaneName, right: DrainRight, { rights }: Waiting): Promise<boolean> {
  try {
    return (await rights.write(lane, right)).kind === 'written';
  } catch {
    return (await rights.read(lane)).right?.writer === right.writer;
  }
}
