// Judging a dead letter: what it would do if it were sent again now, by the answers of the gates that the worker would ask, and by the
// claim's own decision. The gates are the worker's own, walked with ports that only read; a store that does not answer is no
// reason to guess, so it rejects then.
import type { Money } from '../gateway/money.ts';
import type { Credentials, MerchantAccess } from '../gateway/ports.ts';
import { type Gates, type Passage, passGates } from '../payout/gates.ts';
import { endsForGood } from '../payout/message/failures.ts';
import { fingerprints } from '../payout/message/fingerprint.ts';
import { type Job } from '../payout/message/job.ts';
import { readJob } from '../payout/message/read-job.ts';
import { aboveSingleCap, dayCapsOf, type DayTotals } from '../payout/operate/caps.ts';
import { fold } from '../payout/order/fold.ts';
import { mayBeLost } from '../payout/order/restored.ts';
import { type Order, orderKey } from '../payout/order/order.ts';
import type { Orders, ReadOrder } from '../payout/order/orders.ts';
import { viewOf } from '../payout/order/projection.ts';
import { standings } from '../payout/order/standing.ts';
import type { Clock, Fingerprinting } from '../payout/ports.ts';
import { decideClaim } from '../payout/submit/claim.ts';
import { whyLeftAlone } from '../payout/submit/content.ts';
import { type DeadMessage, firstSentOf } from './dead-letter.ts';

/** A cap of the day: what an order counts towards it, and what it still lets through. */
interface DayRoom {
  readonly name: string;
  readonly counts: bigint;
  readonly room: bigint;
}

/** The job of a letter, and all that decides about it now. */
export interface RedriveFacts {
  /** As it came through the gates; its seal stays closed. */
  readonly job: Job;
  readonly passage: Passage;
  /** Current key first. */
  readonly fingerprints: readonly [string, ...string[]];
  readonly read: ReadOrder;
  /** The ledger does not hold the order, and a restore may have lost it. */
  readonly isLost: boolean;
  /** Absent if the merchant's secret can't be read: then nothing is sent. */
  readonly credentials?: MerchantAccess;
  /** The caps of the day that it counts towards. */
  readonly dayCaps: readonly DayRoom[];
  readonly nowMs: number;
}

/** The effect of a redrive of each class, and whether it is worth doing. */
export const redriveClasses = {
  submit: { moves: true, says: 'not sent, or ended unpaid: it is sent to the gateway, once' },
  inquire: { moves: true, says: 'taken or in doubt: the gateway is asked, nothing is sent' },
  hold: { moves: true, says: 'held: a person decides, nothing is sent' },
  end: { moves: true, says: 'past its time or called off: it ends unsent, and a result says so' },
  nothing: { moves: true, says: 'already ended: its result is published again' },
  after: { moves: false, says: 'another dead letter of its order goes first: plan again afterwards' },
  wait: {
    moves: false,
    says: 'its merchant is paused, stopped or at its cap, its secret is missing or faulty, or another worker is sending its order: not now',
  },
  reject: { moves: false, says: 'it would come straight back: correct or discard it' },
} as const satisfies Record<string, { moves: boolean; says: string }>;

/** The effect of sending a dead letter again. */
export type RedriveClass = keyof typeof redriveClasses;

/** A class and what it follows from: a state of the order, a failure code, or a phrase of ours. */
interface RedriveStep {
  readonly class: RedriveClass;
  readonly because: string;
  /** The order would not stay as it is. */
  readonly changes: boolean;
  /** The end in force that its redrive opens: the redriven job names it, and opens no other. */
  readonly resends?: string;
}

/** A letter that was judged alone. */
export interface JudgedDeadLetter extends RedriveStep {
  readonly messageId: string;
  /** The order's key in the ledger; absent if the message can't be read. */
  readonly order?: string;
  readonly batchId?: string;
  readonly money?: Money;
  /** The caps of the day that a submission counts towards. */
  readonly dayCaps?: readonly DayRoom[];
}

/** The ports of judging. */
export interface JudgePorts {
  /** The worker's list; its gate of card data opens no seal. */
  readonly gates: Gates;
  readonly orders: Pick<Orders, 'read' | 'restored'>;
  readonly credentials: Credentials;
  readonly fingerprinting: Fingerprinting;
  readonly dayTotals: DayTotals;
  readonly clock: Clock;
}

/** Judges one letter by itself. */
export async function judgeDeadLetter(deadLetter: DeadMessage, ports: JudgePorts): Promise<JudgedDeadLetter> {
  const { messageId } = deadLetter;
  const read = readJob(deadLetter.body);
  if (read.kind === 'refused') return { messageId, class: 'reject', because: read.failure.code, changes: false };
  const { job } = read;
  const facts = await factsOf(job, firstSentOf(deadLetter), ports);
  return {
    messageId,
    ...redriveStep(facts),
    order: orderKey(job),
    batchId: job.batchId,
    money: job.money,
    ...(facts.dayCaps.length > 0 && { dayCaps: facts.dayCaps }),
  };
}

/** Gathers what a redrive of the letter would meet. */
export async function factsOf(job: Job, sentMs: number, ports: JudgePorts): Promise<RedriveFacts> {
  const [keys, read, restored, passage, secret] = await Promise.all([
    ports.fingerprinting.keys(),
    ports.orders.read(orderKey(job)),
    ports.orders.restored(),
    passGates(job, ports.gates),
    ports.credentials.of(job.merchant),
  ]);
  const nowMs = ports.clock.nowMs();
  return {
    job: passage.job,
    passage,
    fingerprints: fingerprints(job, keys),
    read,
    isLost: read.kind === 'none' && mayBeLost(restored, sentMs),
    credentials: secret.kind === 'credentials' ? secret.credentials : undefined,
    dayCaps: await dayRooms(passage, nowMs, ports),
    nowMs,
  };
}

async function dayRooms(passage: Passage, nowMs: number, { dayTotals }: JudgePorts): Promise<readonly DayRoom[]> {
  if (passage.kind === 'stopped' || !passage.job.money) return [];
  const { merchant, money } = passage.job;
  return Promise.all(
    dayCapsOf(merchant, money, passage.credentials.profile, nowMs).map(async (cap) => ({
      name: `${merchant} ${cap.kind} ${cap.currency}`,
      counts: cap.counts,
      room: cap.limit - (await dayTotals.totalOf(cap))[cap.kind],
    })),
  );
}

/** The effect of sending the letter again. */
export function redriveStep(facts: RedriveFacts): RedriveStep {
  const { read, passage } = facts;
  if (read.kind === 'unreadable') return unchanged('reject', 'LEDGER_ENTRY_UNREADABLE');
  if (read.kind === 'none') {
    if (facts.isLost) return { class: 'hold', because: 'LEDGER_RESTORED', changes: true };
    const isNamed = passage.kind === 'passed' && facts.job.resends !== undefined;
    return isNamed ? unchanged('reject', 'END_UNKNOWN') : withoutOrder('new', facts);
  }
  return passage.kind === 'passed' ? claimed(read.order, facts) : stopped(read.order, facts);
}

/** The letter would come to its claim: as it came if it names an end itself, else with the name of the end that its order has. */
function claimed(order: Order, facts: RedriveFacts): RedriveStep {
  const { job, fingerprints, nowMs, passage } = facts;
  if (passage.kind !== 'passed') return unchanged('wait', 'busy');
  const resends = job.resends === undefined ? endOf(order) : undefined;
  const named = resends === undefined ? job : { ...job, resends };
  const { credentials } = passage;
  const decision = decideClaim(order, { job: named, fingerprints, source: '', credentials, nowMs });
  switch (decision.kind) {
    case 'add': {
      if (resends === undefined) return withoutOrder(codeOf(order), facts);
      // Rows that two persons released once are released anew by `payouts retry`.
      if (job.approval !== undefined) return unchanged('reject', 'NOT_APPROVED');
      return { ...withoutOrder(codeOf(order), facts), resends };
    }
    case 'time':
      return { class: 'inquire', because: codeOf(order), changes: true };
    case 'busy':
    case 'rests':
      return unchanged('wait', 'busy');
    case 'reused':
    case 'unreadable':
      return leftAs(decision);
    case 'end-unknown':
      return unchanged('reject', 'END_UNKNOWN');
    case 'unchanged':
      return toldAgain(order);
    default:
      return decision satisfies never;
  }
}

/** The name of the order's end, if it may be opened. */
function endOf({ facts }: Order): string | undefined {
  const status = fold(facts);
  return status.kind === 'over' && status.reason !== 'cancelled' ? status.end?.id : undefined;
}

function stopped(order: Order, facts: RedriveFacts): RedriveStep {
  const leftAlone = whyLeftAlone(order, facts.job, facts.fingerprints);
  if (leftAlone) return leftAs(leftAlone);
  const status = fold(order.facts);
  switch (status.kind) {
    case 'new':
    case 'ready':
      return withoutOrder(codeOf(order), facts);
    case 'held':
      return status.reason === 'card-data' ? withoutOrder(codeOf(order), facts) : toldAgain(order);
    case 'over': {
      // A letter that a gate refuses gets no name of an end: the worker publishes its order's result again.
      const isRefused = facts.passage.kind === 'stopped' && facts.passage.verdict.kind === 'refuse';
      const end = endOf(order);
      const { resends = isRefused ? undefined : end } = facts.job;
      return end !== undefined && resends === end ? withoutOrder(codeOf(order), facts) : toldAgain(order);
    }
    case 'sending':
    case 'verifying':
      return unchanged('wait', 'busy');
    case 'accepted':
    case 'approved':
    case 'in-doubt':
      return toldAgain(order);
    default:
      return status satisfies never;
  }
}

const leftAs = ({ kind }: Pick<NonNullable<ReturnType<typeof whyLeftAlone>>, 'kind'>): RedriveStep =>
  kind === 'reused' ? unchanged('nothing', 'ORDER_ID_REUSED') : unchanged('reject', 'LEDGER_ENTRY_UNREADABLE');

function codeOf(order: Order): string {
  const { failure, standing } = viewOf(order);
  return failure?.code ?? standing;
}

/** Nothing of it lives: what becomes of the message alone. */
function withoutOrder(because: string, { passage, job, dayCaps }: RedriveFacts): RedriveStep {
  if (passage.kind === 'passed') {
    const { money } = job;
    const { profile } = passage.credentials;
    const isAbove = dayCaps.some(({ counts, room }) => counts > room);
    const capped = money && (aboveSingleCap(money, profile) !== undefined || isAbove);
    return capped ? unchanged('wait', 'cap') : { class: 'submit', because, changes: true };
  }
  const { verdict } = passage;
  switch (verdict.kind) {
    case 'refuse': {
      const { code: because } = verdict.failure;
      return endsForGood.has(because) ? { class: 'end', because, changes: true } : unchanged('reject', because);
    }
    case 'wait':
      return unchanged('wait', typeof verdict.because === 'string' ? verdict.because : verdict.because.code);
    default:
      return verdict satisfies never;
  }
}

function toldAgain(order: Order): RedriveStep {
  const { standing } = viewOf(order);
  const because = codeOf(order);
  if (standings[standing].needsPerson) return unchanged('hold', because);
  // Its failure is published again, and the message is kept again.
  if (standing === 'failed') return unchanged(endsForGood.has(because) ? 'nothing' : 'reject', because);
  return unchanged(standing === 'in-doubt' || standing === 'confirming' ? 'inquire' : 'nothing', because);
}

function unchanged(kind: RedriveClass, because: string): RedriveStep {
  return { class: kind, because, changes: false };
}
