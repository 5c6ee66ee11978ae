// GATES: the questions asked of a job before its order may be claimed, as one ordered list. The worker walks it with the
// world's own ports, the plan of a redrive with ports that only read; so the order of the questions exists once. Gates only
// read, but for the last one, which counts towards the caps of the day. A stop acts only after the ledger was read (stop-order.ts): the
// recorded state of an order that was sent is published, whatever has become of a setting.
import type { MerchantAccess, Credentials } from '../gateway/ports.ts';
import type { Profile } from '../gateway/profile.ts';
import { aboveSingleCap, countedToday, type Spending } from './operate/caps.ts';
import { type Controls, isAboveDoubtLimit, whyTooFarAhead } from './operate/control.ts';
import type { Failure } from './message/failures.ts';
import type { Job } from './message/job.ts';
import { fold } from './order/fold.ts';
import { contractOf, isLeaseOver, visibleAtMs } from './order/time.ts';
import { orderKey, type Order } from './order/order.ts';
import type { Orders } from './order/orders.ts';
import { type AskBeforePorts, askBeforeSending } from './inquire/ask-before-sending.ts';
import type { Pacing } from './pace/pacing.ts';
import type { WaitName } from './wait/reasons.ts';
import type { Clock } from './ports.ts';
import type { Turn } from './pace/lane-state.ts';

/**
 * Every gate, in the order in which their answers count; those of one row are asked beside each other. Seals come first: every other gate
 * judges the opened job. Then whose the job is, from memory. A turn is leave to send, no claim: it is asked for beside what may stop the
 * job, and one that is not used is lost. A turn may be ten seconds away, so a person's stops are asked again when it has come: mostly
 * from memory. The cap comes last: it counts.
 */
const gateRows = [
  ['card-data'],
  ['contract', 'approval'],
  ['call-off', 'expiry', 'pause', 'credentials', 'turn'],
  ['call-off', 'pause'],
  ['cap'],
] as const;

/** The name of a gate. */
export type GateName = (typeof gateRows)[number][number];

/** A job on its way through the gates, and what they have found out for it. */
interface Candidate {
  /** The job as it lay on the queue: an approval is for that. */
  readonly received: Job;
  /** The same job, opened and approved by the gates that it has passed. */
  readonly job: Job;
  readonly credentials?: MerchantAccess;
  /** The job's message came before, so its order may exist. */
  readonly cameBefore?: boolean;
  /** It is parked in the common line, as its lane has no name. */
  readonly isStray?: boolean;
  /** Leave to send the job; there from the beginning where the leader has taken it. */
  readonly turn?: Turn | undefined;
  /** The day whose cap has counted the order. */
  readonly countedOn?: string;
  /** Called where a turn is near: the connection opens beside the calls that follow. */
  readonly connects?: (access: MerchantAccess) => void;
}

/** True where the gate that stopped a message is one of seal or approval: the message is not proven, and ends no order. */
export const leavesUnproven = (name: GateName): boolean => name === 'card-data' || name === 'approval';

/** The answer of a gate. */
export type Verdict =
  /** The job may pass; the fields that come with it complete the candidate. */
  | ({ readonly kind: 'go' } & Partial<Omit<Candidate, 'received'>>)
  /** The job can't be sent as it is, now or later. */
  | { readonly kind: 'refuse'; readonly failure: Failure }
  /** Not now. */
  | Waiting;

interface Waiting {
  readonly kind: 'wait';
  /** The decision of a person, or a failure that may be mended. */
  readonly because: WaitName | Failure;
  /** Asking again before this moment (epoch ms) is useless; absent if unknown. */
  readonly untilMs?: number;
  /** Something ends it by then (epoch ms). */
  readonly endsByMs?: number;
  /** What keeps it, as a sentence. */
  readonly failure?: Failure;
}

/** A verdict that keeps a job from its claim. */
export type StopVerdict = Exclude<Verdict, { kind: 'go' }>;

/** One question about a job. Rejects only where the candidate may come again. */
export type Gate = (candidate: Candidate) => Promise<Verdict>;

/** Every gate; a wiring that forgets one does not compile. */
export type Gates = Readonly<Record<GateName, Gate>>;

/** The outcome of all gates for a job. */
export type Passage =
  | {
      readonly kind: 'passed';
      readonly job: Job;
      readonly credentials: MerchantAccess;
      readonly turn: Turn;
      readonly countedOn?: string;
    }
  /** `job` as far as it came: opened, where the gate of card data let it pass. `turn`: one that it has now, and does not use. */
  | {
      readonly kind: 'stopped';
      readonly by: GateName;
      readonly verdict: StopVerdict;
      readonly job: Job;
      readonly turn?: Turn;
    };

/** What is known of a job before its gates are asked. */
type Given = Pick<Candidate, 'cameBefore' | 'isStray' | 'turn' | 'connects'>;

/** Asks one row of gates after the other until one does not say go. */
export async function passGates(received: Job, gates: Gates, given: Given = {}): Promise<Passage> {
  const walked = await walk({ ...given, received, job: received }, gates);
  if ('stopped' in walked) return walked.stopped;
  const { job, credentials, turn, countedOn } = walked.candidate;
  if (!credentials || !turn) throw new RangeError('no gate has brought credentials and a turn: nothing may be sent');
  return { kind: 'passed', job, credentials, turn, countedOn };
}

type Stopped = Extract<Passage, { kind: 'stopped' }>;

async function walk(
  from: Candidate,
  gates: Gates,
  rows: readonly (readonly GateName[])[] = gateRows,
): Promise<{ readonly candidate: Candidate } | { readonly stopped: Stopped }> {
  let candidate = from;
  for (const row of rows) {
    const asked = candidate;
    const verdicts = await Promise.all(row.map(async (name) => ({ name, verdict: await gates[name](asked) })));
    let stop: Pick<Stopped, 'by' | 'verdict'> | undefined;
    for (const { name, verdict } of verdicts) {
      if (verdict.kind === 'go') {
        const { kind: _, ...found } = verdict;
        candidate = { ...candidate, ...found };
      } else stop ??= { by: name, verdict };
    }
    const { job, turn } = candidate;
    if (stop) return { stopped: { kind: 'stopped', ...stop, job, turn } };
  }
  return { candidate };
}

/** True where the stopped job's approval and login have passed, whatever gate has stopped it. */
export async function isProven(
  { by, job }: Pick<Stopped, 'by' | 'job'>,
  { credentials }: { readonly credentials: Credentials },
): Promise<boolean> {
  if (leavesUnproven(by)) return false;
  const answer = await credentials.of(job.merchant);
  return answer.kind === 'credentials' && !lacksApproval(job, answer.credentials.profile);
}

/**
 * What had proven a parked job is gone: its approval, or the key of its seal. The job waits for that with its reason, and a person sees
 * it; only one that was never proven is refused.
 */
export function sinceProven(passage: Passage): Passage {
  if (passage.kind !== 'stopped' || passage.verdict.kind !== 'refuse') return passage;
  const { by, verdict } = passage;
  if (by !== 'approval' && by !== 'card-data') return passage;
  const because = by === 'approval' ? 'approval-lost' : 'key-lost';
  return { ...passage, verdict: { kind: 'wait', because, failure: verdict.failure } };
}

/** Asks only whose the job is: its contract, its approval, its merchant. Undefined where all of that is proven. */
export async function stoppedUnproven(received: Job, gates: Gates): Promise<Stopped | undefined> {
  const rows = [['card-data'], ['contract', 'approval'], ['credentials']] as const;
  const walked = await walk({ received, job: received }, gates, rows);
  return 'stopped' in walked ? walked.stopped : undefined;
}

/** The ports of the kernel's gates. */
export interface KernelGatePorts {
  readonly credentials: Credentials;
  readonly controls: Controls;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly pacing: Pick<Pacing, 'ask' | 'suits' | 'learns' | 'isNear'>;
  readonly orders: Pick<Orders, 'read'>;
  /** Undefined in a plan, which counts nothing. */
  readonly spending: Spending | undefined;
  /** Absent in a plan, which does not ask. */
  readonly asking?: AskBeforePorts;
}

/** The gates that are the kernel's. None burns an order id: a wrong secret costs a job time, never its order. */
export function kernelGates({
  credentials,
  controls,
  clock,
  pacing,
  orders,
  asking,
  spending,
}: KernelGatePorts): Omit<Gates, 'card-data' | 'approval'> {
  return {
    contract: ({ job }) => askContract(job, credentials),
    'call-off': ({ job }) => askCallOff(job, controls),
    expiry: async ({ job }) => refusedFor(whyTooLate(job, clock.nowMs()) ?? whyTooFarAhead(job, clock.nowMs())),
    pause: ({ job }) => askPause(job, { controls, credentials, clock, pacing }),
    credentials: ({ job }) => askCredentials(job, credentials),
    turn: (candidate) => askTurn(candidate, { pacing, orders, clock, asking }),
    cap: (candidate) => askCap(candidate, { spending, clock }),
  };
}

/** Whether the job's batch was called off; where that can't be read, the question of pauses has it wait. */
async function askCallOff({ merchant, batchId }: Job, controls: Controls): Promise<Verdict> {
  const control = batchId === undefined ? undefined : await controls.of(merchant, batchId).catch(() => undefined);
  if (!control?.batchCancelled) return { kind: 'go' };
  const failure = { code: 'CALLED_OFF', message: 'its batch was called off before it was sent' } as const;
  return { kind: 'refuse', failure };
}

/** Whether the job must wait: for its own moment, or for what the controls say; also where they can't be read. */
async function askPause(
  job: Job,
  { controls, credentials, clock, pacing }: Pick<KernelGatePorts, 'controls' | 'credentials' | 'clock' | 'pacing'>,
): Promise<Verdict> {
  const control = await controls.of(job.merchant, job.batchId).catch(() => undefined);
  if (!control) return { kind: 'wait', because: 'controls-unknown' };
  const { notBeforeMs: untilMs = 0 } = job;
  if (clock.nowMs() < untilMs) return { kind: 'wait', because: 'not-before', untilMs };
  if (control.paused) return { kind: 'wait', because: 'paused' };
  // The profile is asked for only if there is doubt to be measured by it.
  if (!job.money || Object.keys(control.doubt).length === 0) return { kind: 'go' };
  const answer = await credentials.of(job.merchant);
  if (answer.kind === 'unavailable' || !isAboveDoubtLimit(control, answer.credentials.profile)) return { kind: 'go' };
  // The leader stops by the limits that the lane knows.
  pacing.learns(job, answer.credentials.profile);
  return { kind: 'wait', because: 'doubt' };
}

/** A secret that can't be had refuses nothing here: the gate of credentials has the job wait. */
async function askContract(job: Job, { of }: Credentials): Promise<Verdict> {
  const answer = await of(job.merchant);
  if (answer.kind === 'unavailable') return { kind: 'go' };
  const { credentials } = answer;
  const failure = whyNotInContract(job, credentials);
  return failure ? { kind: 'refuse', failure } : { kind: 'go', credentials };
}

function refusedFor(failure: Failure | undefined): Verdict {
  return failure ? { kind: 'refuse', failure } : { kind: 'go' };
}

/** Why the job's time is over; undefined while it is not. */
function whyTooLate({ approvedUntilMs, expiresAtMs }: Job, nowMs: number): Failure | undefined {
  if (approvedUntilMs !== undefined && nowMs >= approvedUntilMs)
    return notApproved('the approval expired before it was sent');
  if (expiresAtMs !== undefined && nowMs >= expiresAtMs)
    return { code: 'EXPIRED', message: 'the job was past its expiresAt before it was sent' };
  return undefined;
}

/**
 * A secret that can't be had, or can't sign this job, is mended by a person or by time, and the job waits for it. Only a job of
 * an unknown merchant is given up after a day (stop-order.ts), or its sender would learn of a slip too late.
 */
async function askCredentials(job: Job, { of }: Credentials): Promise<Verdict> {
  const answer = await of(job.merchant);
  if (answer.kind === 'unavailable') return { kind: 'wait', because: answer.failure };
  const { credentials } = answer;
  const failure = credentials.dialect.lacks(job.operation, credentials);
  if (failure) return { kind: 'wait', because: failure };
  // The gate of approvals could not read the secret and let the job pass. Now the secret is there, and asks for an approval.
  if (lacksApproval(job, credentials.profile)) return { kind: 'wait', because: 'approval-unknown' };
  return { kind: 'go', credentials };
}

/**
 * The turn to send the job in, once it has come; or when to ask again. A job that came before, or names an end, takes none before its
 * order was read, and none for an order that is past it, or that another worker is at; stop-order.ts publishes that order's result. Where
 * the last refusal proves nothing yet, the gateway is asked first: in the turn that the leader took for the job, or in one of its own; the
 * order takes another one after the answer. Where the ledger does not answer, the claim meets that.
 */
async function askTurn(
  candidate: Candidate,
  ports: Pick<KernelGatePorts, 'pacing' | 'orders' | 'clock' | 'asking'>,
): Promise<Verdict> {
  const { job, credentials, cameBefore, isStray, connects } = candidate;
  const { pacing, orders, clock, asking } = ports;
  let { turn } = candidate;
  const mayBeThere = cameBefore === true || job.resends !== undefined;
  let read = mayBeThere ? await orders.read(orderKey(job)).catch(() => undefined) : undefined;
  if (read?.kind === 'found' && fold(read.order.facts).kind === 'verifying') {
    if (!asking || !credentials?.profile.statusInquiry) return busy;
    const untilMs = visibleAtMs(read.order.facts, contractOf(credentials.profile));
    if (clock.nowMs() < untilMs) return { ...busy, untilMs };
    const leave = turn ?? (await pacing.ask(job, 'inquiry', credentials.profile));
    if ('because' in leave) return { kind: 'wait', ...leave };
    await askBeforeSending(read.order, credentials, leave, asking);
    turn = undefined;
    read = await orders.read(orderKey(job));
    if (read.kind !== 'found') return busy;
  }
  const order = read?.kind === 'found' ? read.order : undefined;
  if (order && isPast(order, job, clock.nowMs())) return busy;
  // The gate of credentials has it wait, unless the secret has come back since: then no lane was asked.
  if (!credentials) return { kind: 'wait', because: 'lane-unknown' };
  const countedOn = order?.countedOn;
  const { profile } = credentials;
  if (turn) {
    if (!pacing.suits(job, turn, profile)) return { kind: 'wait', because: 'pace' };
    connects?.(credentials);
    return { kind: 'go', turn, countedOn };
  }
  if (pacing.isNear(job)) connects?.(credentials);
  const asker = job.batchId === undefined ? 'urgent' : 'row';
  const grant = await pacing.ask(job, isStray ? 'stray' : asker, profile);
  return 'because' in grant ? { kind: 'wait', ...grant } : { kind: 'go', turn: grant, countedOn };
}

const busy = { kind: 'wait', because: 'busy' } as const satisfies Verdict;

/** True where nothing of this job is sent now: the claim would only find that out after a turn was spent. */
function isPast(order: Order, { resends }: Job, nowMs: number): boolean {
  const status = fold(order.facts);
  if (status.kind === 'sending') return !isLeaseOver(status.attempt, nowMs);
  if (status.kind === 'held') return status.reason !== 'card-data';
  if (status.kind === 'over')
    return status.reason === 'cancelled' || (status.end !== undefined && status.end.id !== resends);
  return status.kind !== 'new' && status.kind !== 'ready';
}

/** Counts the job's money towards the caps of the day. Above one it waits for the next day, a raised cap, or a person. */
async function askCap(
  { job, credentials, countedOn }: Candidate,
  { spending, clock }: Pick<KernelGatePorts, 'spending' | 'clock'>,
): Promise<Verdict> {
  const { merchant, money } = job;
  if (!money || !credentials) return { kind: 'go' };
  const { profile } = credentials;
  const single = aboveSingleCap(money, profile);
  if (single) return { kind: 'wait', because: 'cap', failure: single };
  if (!spending) return { kind: 'go' };
  const nowMs = clock.nowMs();
  const counted = await countedToday(spending, merchant, money, profile, { nowMs, on: countedOn }).catch(
    () => undefined,
  );
  if (!counted) return { kind: 'wait', because: 'controls-unknown' };
  if (counted.kind === 'free') return { kind: 'go' };
  if (counted.kind === 'counted') return { kind: 'go', countedOn: counted.day };
  const endsByMs = (Math.floor(nowMs / dayMs) + 1) * dayMs;
  return { kind: 'wait', because: 'cap', endsByMs, failure: counted.failure };
}

const dayMs = 86_400_000;

/** Parameters that the contract does not know would make another request than the one that the merchant meant. */
function whyNotInContract(job: Job, { dialect, profile }: MerchantAccess): Failure | undefined {
  const message = dialect.outsideContract(job, profile);
  return message === undefined ? undefined : { code: 'FIELD_NOT_IN_CONTRACT', message };
}

/** The reason not to send, asked for once more right before the bytes leave: time has passed, and a fresh secret may differ. */
export function whyUnsendable(job: Job, access: MerchantAccess, nowMs: number): Failure | undefined {
  if (lacksApproval(job, access.profile)) return notApproved('no approval was checked');
  return whyTooLate(job, nowMs) ?? whyNotInContract(job, access);
}

/** True if two persons release each job of the merchant, and no approval of this one holds. A check uses up an order id, so it needs them too. */
export function lacksApproval(job: Job, { twoPersonRelease }: Profile): boolean {
  return twoPersonRelease && job.approvedUntilMs === undefined;
}

/** The failure of a job without an approval that holds. */
export function notApproved(why: string): Failure {
  return { code: 'NOT_APPROVED', message: `two-person release: ${why}` };
}
