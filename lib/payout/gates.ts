// GATES: the questions asked of a job before its order may be claimed, as one ordered list. The worker walks the list with its own ports,
// the plan of a redrive with ports that only read. Gates only read, except the last one, which counts towards the caps of the day. A stop
// takes effect only after the ledger was read (stop-order.ts): if the order was already sent, its recorded state is published instead.
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
import { lineClassOf, type Turn } from './pace/lane-state.ts';

/**
 * Every gate. The gates of one row are asked concurrently; the first of them that stops the job counts. Seals come first, because every
 * other gate judges the opened job. Contract and approval are judged from memory. A turn is permission to send one request, no claim; an
 * unused turn is lost. It may be ten seconds away, so a person's stops are asked again when it has come, mostly from memory. The cap comes
 * last, because it counts.
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
  /** The job as it was received, sealed: its approval was given for this form. */
  readonly received: Job;
  /** The same job, opened and approved by the gates that it has passed. */
  readonly job: Job;
  readonly credentials?: MerchantAccess;
  /** The message was delivered before, so the order may exist. */
  readonly cameBefore?: boolean;
  /** The job waits in the common line, because its lane is unknown. */
  readonly isStray?: boolean;
  /** The turn to send the job in; present from the start if the leader has taken it. */
  readonly turn?: Turn | undefined;
  /** The day (UTC) on which a cap has counted the order. */
  readonly countedOn?: string;
  /** Called when the turn is near, to open the connection while the other calls run. */
  readonly connects?: (access: MerchantAccess) => void;
}

/** True if a job that this gate stops is not proven to be its sender's (seal or approval). Its message ends no order. */
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
  /** The name of the wait, or a failure that can be fixed. */
  readonly because: WaitName | Failure;
  /** Asking again before this moment (epoch ms) is useless; absent if unknown. */
  readonly untilMs?: number;
  /** The wait ends by itself at this moment (epoch ms) at the latest. */
  readonly endsByMs?: number;
  /** Why the job waits, for people. */
  readonly failure?: Failure;
}

/** A verdict that keeps a job from its claim. */
export type StopVerdict = Exclude<Verdict, { kind: 'go' }>;

/** One question about a job. If it rejects, the message comes again. */
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
  /** `job`: opened, if the card-data gate passed it. `turn`: one that was taken and is not used. */
  | {
      readonly kind: 'stopped';
      readonly by: GateName;
      readonly verdict: StopVerdict;
      readonly job: Job;
      readonly turn?: Turn;
    };

/** What is known of a job before its gates are asked. */
type Given = Pick<Candidate, 'cameBefore' | 'isStray' | 'turn' | 'connects'>;

/** Asks the rows of gates in order until a gate stops the job. Throws if all passed and none brought credentials and a turn. */
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

/** True if approval and login of the stopped job are proven, whichever gate has stopped it. */
export async function isProven(
  { by, job }: Pick<Stopped, 'by' | 'job'>,
  { credentials }: { readonly credentials: Credentials },
): Promise<boolean> {
  if (leavesUnproven(by)) return false;
  const answer = await credentials.of(job.merchant);
  return answer.kind === 'credentials' && !lacksApproval(job, answer.credentials.profile);
}

/**
 * A parked job was proven before it was parked. If its approval or the key of its seal has been lost since, the job waits with that reason
 * instead of being refused, and a person sees it.
 */
export function waitIfProofLost(passage: Passage): Passage {
  if (passage.kind !== 'stopped' || passage.verdict.kind !== 'refuse') return passage;
  const { by, verdict } = passage;
  if (!leavesUnproven(by)) return passage;
  const because = by === 'approval' ? 'approval-lost' : 'key-lost';
  return { ...passage, verdict: { kind: 'wait', because, failure: verdict.failure } };
}

/** Asks only the gates that prove whose the job is: seal, contract, approval, credentials. Undefined if all pass. */
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
  /** Absent in a plan, which never asks the gateway. */
  readonly asking?: AskBeforePorts;
}

/** The gates of the kernel. A wrong secret makes a job wait; it never ends the order. */
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

/** Refuses a job whose batch was called off. If the controls can't be read, the pause gate makes the job wait. */
async function askCallOff({ merchant, batchId }: Job, controls: Controls): Promise<Verdict> {
  const control = batchId === undefined ? undefined : await controls.of(merchant, batchId).catch(() => undefined);
  if (!control?.batchCancelled) return { kind: 'go' };
  const failure = { code: 'CALLED_OFF', message: 'the batch was called off before this payout was sent' } as const;
  return { kind: 'refuse', failure };
}

/** Makes the job wait: for its own moment, for a pause, for too much money in doubt, or because the controls can't be read. */
async function askPause(
  job: Job,
  { controls, credentials, clock, pacing }: Pick<KernelGatePorts, 'controls' | 'credentials' | 'clock' | 'pacing'>,
): Promise<Verdict> {
  const control = await controls.of(job.merchant, job.batchId).catch(() => undefined);
  if (!control) return { kind: 'wait', because: 'controls-unknown' };
  const { notBeforeMs: untilMs = 0 } = job;
  if (clock.nowMs() < untilMs) return { kind: 'wait', because: 'not-before', untilMs };
  if (control.paused) return { kind: 'wait', because: 'paused' };
  // Without doubt there is nothing to measure by the profile.
  if (!job.money || Object.keys(control.doubt).length === 0) return { kind: 'go' };
  const answer = await credentials.of(job.merchant);
  if (answer.kind === 'unavailable' || !isAboveDoubtLimit(control, answer.credentials.profile)) return { kind: 'go' };
  // The leader reads no profile: it stops the lane by the limits stored there.
  pacing.learns(job, answer.credentials.profile);
  return { kind: 'wait', because: 'doubt' };
}

/** If the secret is unavailable, this gate passes the job and the credentials gate makes it wait. */
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

/** Why it is too late to send the job; undefined if it is not. */
function whyTooLate({ approvedUntilMs, expiresAtMs }: Job, nowMs: number): Failure | undefined {
  if (approvedUntilMs !== undefined && nowMs >= approvedUntilMs)
    return notApproved('the approval expired before it was sent');
  if (expiresAtMs !== undefined && nowMs >= expiresAtMs)
    return { code: 'EXPIRED', message: 'the job was past its expiresAt before it was sent' };
  return undefined;
}

/**
 * If the secret is unavailable or can't sign this job, the job waits until a person or time has fixed that. Only a job of an unknown
 * merchant is given up after a day (stop-order.ts), so that its sender learns of a slip in time.
 */
async function askCredentials(job: Job, { of }: Credentials): Promise<Verdict> {
  const answer = await of(job.merchant);
  if (answer.kind === 'unavailable') return { kind: 'wait', because: answer.failure };
  const { credentials } = answer;
  const failure = credentials.dialect.lacks(job.operation, credentials);
  if (failure) return { kind: 'wait', because: failure };
  // The approval gate passed the job because it could not read the secret. The secret is there now, and demands an approval.
  if (lacksApproval(job, credentials.profile)) return { kind: 'wait', because: 'approval-unknown' };
  return { kind: 'go', credentials };
}

/**
 * The turn to send the job in, or when to ask again. If the job came before or names an end, its order is read first. No turn is taken if
 * the order is past this job or another worker is sending it; stop-order.ts then publishes the order's result. If the last refusal still
 * needs an inquiry, the gateway is asked first, in the leader's turn or in one of the inquiry's own; the order then takes another turn. If
 * the ledger does not answer, the gate passes the job: the claim meets the same failure.
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
  // The credentials gate makes the job wait, unless the secret has come back since. Without a secret no lane was asked.
  if (!credentials) return { kind: 'wait', because: 'lane-unknown' };
  const countedOn = order?.countedOn;
  const { profile } = credentials;
  if (turn) {
    if (!pacing.suits(job, turn, profile)) return { kind: 'wait', because: 'pace' };
    connects?.(credentials);
    return { kind: 'go', turn, countedOn };
  }
  if (pacing.isNear(job)) connects?.(credentials);
  const grant = await pacing.ask(job, isStray ? 'stray' : lineClassOf(job), profile);
  return 'because' in grant ? { kind: 'wait', ...grant } : { kind: 'go', turn: grant, countedOn };
}

const busy = { kind: 'wait', because: 'busy' } as const satisfies Verdict;

/** True if the claim would refuse this job now. Asked here, the refusal costs no turn. */
function isPast(order: Order, { resends }: Job, nowMs: number): boolean {
  const status = fold(order.facts);
  if (status.kind === 'sending') return !isLeaseOver(status.attempt, nowMs);
  if (status.kind === 'held') return status.reason !== 'card-data';
  if (status.kind === 'over')
    return status.reason === 'cancelled' || (status.end !== undefined && status.end.id !== resends);
  return status.kind !== 'new' && status.kind !== 'ready';
}

/** Counts the job's money towards the caps of the day. Above a cap the job waits for the next day, a raised cap, or a person. */
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

/**
 * Why the job is outside the merchant's contract. A parameter that the contract does not know would make another request than the sender
 * meant.
 */
function whyNotInContract(job: Job, { dialect, profile }: MerchantAccess): Failure | undefined {
  const message = dialect.outsideContract(job, profile);
  return message === undefined ? undefined : { code: 'FIELD_NOT_IN_CONTRACT', message };
}

/**
 * Why the job must not be sent; undefined if it may. Asked once more right before the bytes leave: time has passed, and a fresh secret may
 * differ.
 */
export function whyUnsendable(job: Job, access: MerchantAccess, nowMs: number): Failure | undefined {
  if (lacksApproval(job, access.profile)) return notApproved('no approval was checked');
  return whyTooLate(job, nowMs) ?? whyNotInContract(job, access);
}

/**
 * True if the merchant demands two-person release and this job has no valid approval. Checks need one too, because they use up an order id.
 */
export function lacksApproval(job: Job, { twoPersonRelease }: Profile): boolean {
  return twoPersonRelease && job.approvedUntilMs === undefined;
}

/** The failure of a job without an approval that holds. */
export function notApproved(why: string): Failure {
  return { code: 'NOT_APPROVED', message: `two-person release: ${why}` };
}
