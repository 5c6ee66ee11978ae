// GATES: the questions asked of a job before its order may be claimed, as one ordered list. The worker walks it with the
// world's own ports, the plan of a redrive with ports that only read; so the order of the questions exists once. Gates only
// read: what is spent (a cap of the day, the key of a CVV) is spent under the claim. A stop acts only after the ledger was
// read (stop-order.ts): the recorded state of an order that was sent is published, whatever has become of a setting.
import type { MerchantAccess, Credentials } from '../gateway/ports.ts';
import type { Profile } from '../gateway/profile.ts';
import { askControls, type Controls, whyTooFarAhead } from './operate/control.ts';
import type { Failure } from './message/failures.ts';
import type { Job } from './message/job.ts';
import type { Facts } from './order/facts.ts';
import { fold, waitsForLook } from './order/fold.ts';
import { hasUnread, orderKey } from './order/order.ts';
import type { Orders } from './order/orders.ts';
import type { AskBeforeSending } from './inquire/ask-before-sending.ts';
import type { NoTurn, Pacing } from './pace/pacing.ts';
import type { Clock } from './ports.ts';
import type { Turn } from './pace/lane-state.ts';

/**
 * Every gate, in the order in which they are asked. Seals come first: every other gate judges the opened job. Controls come
 * before the secret: a batch that was called off ends, though its merchant's secret is gone. The lane comes last: a turn is
 * taken only for a job that could go; where the job came before, its order is read first. (A turn is leave to send, no claim:
 * an unused one is lost.)
 */
const gateOrder = ['card-data', 'approval', 'expiry', 'controls', 'credentials', 'contract', 'look', 'lane'] as const;

/** The name of a gate. */
export type GateName = (typeof gateOrder)[number];

/** A job on its way through the gates, and what they have found out for it. */
interface Candidate {
  /** The job as it lay on the queue: an approval is for that. */
  readonly received: Job;
  /** The same job, opened and approved by the gates that it has passed. */
  readonly job: Job;
  readonly credentials?: MerchantAccess;
  /** The job's message came before, so its order may exist. */
  readonly cameBefore?: true;
  /** Leave to send the job; there from the beginning where the leader has taken it. */
  readonly turn?: Turn | undefined;
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
  | Waiting
  /** Never again: its batch was called off. */
  | { readonly kind: 'cancel' };

/** Why a job waits, where nothing has failed. */
type WaitReason =
  | 'busy'
  | 'not-before'
  | 'paused'
  | 'doubt'
  | 'controls-unknown'
  | 'approval-unknown'
  | NoTurn['because'];

interface Waiting {
  readonly kind: 'wait';
  /** The decision of a person, or a failure that may be mended. */
  readonly because: WaitReason | Failure;
  /** Asking again before this moment (epoch ms) is useless; absent where nobody knows. */
  readonly untilMs?: number;
}

/** A verdict that keeps a job from its claim. */
export type StopVerdict = Exclude<Verdict, { kind: 'go' }>;

/** One question about a job. */
export interface Gate {
  readonly name: GateName;
  /** Rejects only where the candidate may come again. */
  ask(candidate: Candidate): Promise<Verdict>;
}

/** The list, in its order; a wiring that forgets a gate does not compile. */
export function inGateOrder(gates: Readonly<Record<GateName, Gate['ask']>>): readonly Gate[] {
  return gateOrder.map((name) => ({ name, ask: gates[name] }));
}

/** The outcome of all gates for a job. */
export type Passage =
  | { readonly kind: 'passed'; readonly job: Job; readonly credentials: MerchantAccess; readonly turn: Turn }
  /** `job` as far as it came: opened, where the gate of card data let it pass. */
  | { readonly kind: 'stopped'; readonly by: GateName; readonly verdict: StopVerdict; readonly job: Job };

/** Asks one gate after the other until one does not say go. */
export async function passGates(
  received: Job,
  gates: readonly Gate[],
  given: Pick<Candidate, 'cameBefore' | 'turn'> = {},
): Promise<Passage> {
  let candidate: Candidate = { ...given, received, job: received };
  for (const { name, ask } of gates) {
    const verdict = await ask(candidate);
    if (verdict.kind !== 'go') return { kind: 'stopped', by: name, verdict, job: candidate.job };
    const { kind: _, ...found } = verdict;
    candidate = { ...candidate, ...found };
  }
  const { job, credentials, turn } = candidate;
  if (!credentials || !turn) throw new RangeError('no gate has brought credentials and a turn: nothing may be sent');
  return { kind: 'passed', job, credentials, turn };
}

/** True where the stopped job's approval and login have passed, whatever gate has stopped it. */
export async function isProven(
  { by, job }: Extract<Passage, { kind: 'stopped' }>,
  { credentials }: { readonly credentials: Credentials },
): Promise<boolean> {
  if (leavesUnproven(by)) return false;
  const answer = await credentials.of(job.merchant);
  return answer.kind === 'credentials' && !lacksApproval(job, answer.credentials.profile);
}

const provingGates: ReadonlySet<GateName> = new Set(['card-data', 'approval', 'credentials', 'contract']);

/** Asks only whose the job is: its approval, its merchant, its contract. Undefined where all of that is proven. */
export async function stoppedUnproven(
  received: Job,
  gates: readonly Gate[],
): Promise<Extract<Passage, { kind: 'stopped' }> | undefined> {
  let candidate: Candidate = { received, job: received };
  for (const { name, ask } of gates.filter((it) => provingGates.has(it.name))) {
    const verdict = await ask(candidate);
    if (verdict.kind !== 'go') return { kind: 'stopped', by: name, verdict, job: candidate.job };
    const { kind: _, ...found } = verdict;
    candidate = { ...candidate, ...found };
  }
  return undefined;
}

/** The ports of the kernel's gates. */
export interface KernelGatePorts {
  readonly credentials: Credentials;
  readonly controls: Controls;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly pacing: Pick<Pacing, 'ask' | 'suits' | 'learns'>;
  readonly orders: Pick<Orders, 'read'>;
  /** Absent in a plan, which asks nobody. */
  readonly asksFirst?: AskBeforeSending;
}

/** The gates that are the kernel's. None burns an order id: a wrong secret costs a job time, never its order. */
export function kernelGates({
  credentials,
  controls,
  clock,
  pacing,
  orders,
  asksFirst,
}: KernelGatePorts): Record<Exclude<GateName, 'card-data' | 'approval'>, Gate['ask']> {
  return {
    expiry: async ({ job }) => refusedFor(whyTooLate(job, clock.nowMs()) ?? whyTooFarAhead(job, clock.nowMs())),
    async controls({ job }) {
      const verdict = await askControls(job, { controls, credentials, clock });
      // The leader stops by the limits that the lane knows.
      if (verdict.kind === 'wait' && verdict.because === 'doubt') {
        const secret = await credentials.of(job.merchant);
        if (secret.kind === 'credentials') pacing.learns(job, secret.credentials.profile);
      }
      return verdict;
    },
    credentials: ({ job }) => askCredentials(job, credentials),
    contract: async ({ job, credentials }) => refusedFor(credentials && whyNotInContract(job, credentials)),
    look: (candidate) => askWhetherSeen(candidate, { orders, pacing, asksFirst }),
    lane: (candidate) => askLane(candidate, pacing),
  };
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
 * A job that came before, or names an end, takes no turn for an order that is past it; stop-order.ts publishes that order's result. Where
 * the last refusal proves nothing yet, the gateway is asked first: in the turn that the leader took for the job, or in one of its own; the
 * order takes another one after the answer. Where the ledger does not answer, the claim meets that.
 */
async function askWhetherSeen(candidate: Candidate, ports: LookPorts): Promise<Verdict> {
  const { job, cameBefore, turn, credentials } = candidate;
  if (!cameBefore && job.resends === undefined) return { kind: 'go' };
  const { orders, pacing, asksFirst } = ports;
  const read = await orders.read(orderKey(job)).catch(() => undefined);
  if (read?.kind !== 'found') return { kind: 'go' };
  const { facts } = read.order;
  if (!waitsForLook(facts)) return !turn && isPast(facts, job) ? { kind: 'wait', because: 'busy' } : { kind: 'go' };
  if (!asksFirst || !credentials?.profile.statusInquiry || hasUnread(read.order))
    return { kind: 'wait', because: 'busy' };
  const leave = turn ?? (await pacing.ask(job, 'inquiry', credentials.profile));
  if ('because' in leave) return { kind: 'wait', ...leave };
  await asksFirst(read, credentials, leave);
  const now = await orders.read(orderKey(job));
  const isFree = now.kind === 'found' && !waitsForLook(now.order.facts) && !isPast(now.order.facts, job);
  return isFree ? { kind: 'go', turn: undefined } : { kind: 'wait', because: 'busy' };
}

type LookPorts = Pick<KernelGatePorts, 'orders' | 'pacing'> & { readonly asksFirst: AskBeforeSending | undefined };

/** True where the order needs no turn: nothing of this job is sent. */
function isPast(facts: Facts, { resends }: Job): boolean {
  const status = fold(facts);
  switch (status.kind) {
    case 'accepted':
    case 'approved':
    case 'in-doubt':
    case 'cancelled':
      return true;
    case 'declined':
    case 'failed':
      return status.end.id !== resends;
    case 'new':
    case 'ready':
    case 'held':
    case 'submitting':
    case 'ending':
      return false;
    default:
      return status satisfies never;
  }
}

/** The turn to send the job in, once it has come; or when to ask again. */
async function askLane({ job, credentials, turn }: Candidate, pacing: KernelGatePorts['pacing']): Promise<Verdict> {
  const caps = credentials?.profile ?? {};
  if (turn) return pacing.suits(job, turn, caps) ? { kind: 'go', turn } : { kind: 'wait', because: 'pace' };
  const grant = await pacing.ask(job, job.batchId === undefined ? 'urgent' : 'row', caps);
  return 'because' in grant ? { kind: 'wait', ...grant } : { kind: 'go', turn: grant };
}

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
function lacksApproval(job: Job, { twoPersonRelease }: Profile): boolean {
  return twoPersonRelease && job.approvedUntilMs === undefined;
}

/** The failure of a job without an approval that holds. */
export function notApproved(why: string): Failure {
  return { code: 'NOT_APPROVED', message: `two-person release: ${why}` };
}
