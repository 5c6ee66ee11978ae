// THE CLAIM: the conditional write that adds an attempt, and the only door to the network. The right to claim is concluded from the order's
// facts each time. If another write was faster, the claim decides again from the new facts.
import { createHash } from 'node:crypto';
import type { MerchantAccess } from '../../gateway/ports.ts';
import {
  type Attempt,
  attemptsOf,
  type Facts,
  isRefusedByGateway,
  noFacts,
  ofAttempt,
  unheard,
} from '../order/facts.ts';
import { fold, maySend } from '../order/fold.ts';
import { recorded } from '../order/record.ts';
import { contractOf, leaseOverAtMs } from '../order/time.ts';
import { fingerprints } from '../message/fingerprint.ts';
import { firstContent, whyLeftAlone, withFirstContent } from './content.ts';
import type { Job } from '../message/job.ts';
import type { Limits } from '../limits.ts';
import type { Clock, Fingerprinting, Random } from '../ports.ts';
import { nextVersionOf, orderKey, type Order } from '../order/order.ts';
import type { Orders, ReadOrder } from '../order/orders.ts';
import { isAskable, orderToWrite } from '../order/lost.ts';

/** The outcome of a claim. */
export type Claim =
  /** The order is ours to send, once, by this attempt. */
  | { readonly kind: 'claimed'; readonly order: Order; readonly attempt: Attempt }
  | Unclaimed
  /** The store did not answer: the claim may or may not be written, but nothing was or will be sent under it. */
  | { readonly kind: 'unavailable' };

/** Why an order may not be claimed now. */
type Unclaimed =
  /** The job changes nothing about the order; its result is published again. */
  | { readonly kind: 'unchanged'; readonly order: Order }
  /** Another worker holds it, or an inquiry must come first: look again at `untilMs`, if that is known. */
  | { readonly kind: 'busy'; readonly untilMs?: number; readonly order?: Order }
  /** The order has had its POSTs of this hour. */
  | { readonly kind: 'rests'; readonly untilMs: number; readonly order: Order }
  /** The same order id with other content; the order is left alone. */
  | { readonly kind: 'reused' }
  /** `resends` names an end that the order does not have: nothing is opened or begun. */
  | { readonly kind: 'end-unknown' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The ports of claiming. */
export interface ClaimPorts {
  readonly orders: Orders;
  readonly fingerprinting: Fingerprinting;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Pick<Limits, 'leaseMs'>;
}

/** The request to send an order. */
export interface ClaimRequest {
  readonly job: Job;
  /** When its message was first sent (epoch ms), as far as that is known. */
  readonly sentMs?: number;
  /** Current key first; an order of an older key is recognised by the others. */
  readonly fingerprints: readonly [string, ...string[]];
  /** Digest of the message or the batch that the content comes from. */
  readonly source: string;
  /** The credentials with which it is to be sent. */
  readonly credentials: MerchantAccess;
  readonly nowMs: number;
  /** The limits by which an order rests after refusals. Absent in a plan: a redriven message waits out the rest by itself. */
  readonly rests?: Pick<Limits, 'retryMaxDelaySeconds'>;
  /** The day (UTC) on which a cap has counted the order. */
  readonly countedOn?: string;
}

/** The decision of a claim that finds this order. */
type ClaimDecision =
  | { readonly kind: 'add'; readonly reopens?: string }
  /** Time has brought a fact that is not written yet, or an end. */
  | { readonly kind: 'time' }
  | Unclaimed;

/** Where an order's content came from: the digest of the job's batch, or of the message. */
export const sourceOf = ({ batchId }: Pick<Job, 'batchId'>, body: string): string =>
  digest(batchId === undefined ? `message ${body}` : `batch ${batchId}`);

/** True if the message, or another one of its batch, may have tried to send the order. Attempts whose records are gone may be theirs. */
export function mayHaveClaimed({ facts, content }: Order, job: Job, body: string): boolean {
  const own = sourceOf(job, body);
  const isOfBatch = job.batchId !== undefined && content?.batchId === job.batchId;
  const { believed, proven } = facts.dropped;
  return isOfBatch || believed + proven > 0 || attemptsOf(facts).some(({ source }) => source === own);
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** Decides the claim from the order's facts alone. */
export function decideClaim(order: Order, request: ClaimRequest): ClaimDecision {
  const { job, nowMs, rests } = request;
  const leftAlone = whyLeftAlone(order, job, request.fingerprints);
  if (leftAlone) return leftAlone;
  const status = fold(order.facts);
  switch (status.kind) {
    case 'sending': {
      const untilMs = leaseOverAtMs(status.attempt);
      return nowMs > untilMs ? { kind: 'time' } : { kind: 'busy', untilMs, order };
    }
    case 'verifying':
      // An inquiry comes within seconds, unless the gateway or its secret is unavailable.
      return { kind: 'busy', order };
    case 'over':
    case 'new':
    case 'ready':
    case 'held': {
      if (status.kind === 'over' && !status.end) return { kind: 'time' };
      const may = maySend(order.facts, askOf(job));
      if (!may) {
        const isWaiting = status.kind === 'ready' || status.kind === 'new';
        return job.resends !== undefined && isWaiting ? { kind: 'end-unknown' } : { kind: 'unchanged', order };
      }
      const untilMs = rests && status.kind === 'ready' ? restsUntilMs(order.facts, rests) : 0;
      return untilMs > nowMs ? { kind: 'rests', untilMs, order } : { kind: 'add', ...may };
    }
    case 'accepted':
    case 'approved':
    case 'in-doubt':
      return { kind: 'unchanged', order };
    default:
      return status satisfies never;
  }
}

const askOf = ({ resends, sealedCode }: Job) => ({ resends, cardKeyId: sealedCode?.keyId });

/** The gateway sees two POSTs of an order at most in this many times the longest wait of a message: an hour as shipped. */
const restTimes = 4;

/** Until when an order rests after the last two POSTs that the gateway refused; 0 if it may go. */
export function restsUntilMs(facts: Facts, { retryMaxDelaySeconds }: Pick<Limits, 'retryMaxDelaySeconds'>): number {
  const [before, last] = attemptsOf(facts).filter(isRefusedByGateway).slice(-2);
  return before?.answer && last ? before.answer.atMs + retryMaxDelaySeconds * restTimes * 1000 : 0;
}

/** Races between workers settle in two or three rounds; a worker that loses more often comes back later. */
const roundsAtMost = 6;

/** Claims the order for one send. */
export async function claimOrder(
  job: Job,
  given: Pick<ClaimRequest, 'source' | 'sentMs' | 'credentials' | 'rests' | 'countedOn'>,
  ports: ClaimPorts,
): Promise<Claim> {
  const { orders, clock, random } = ports;
  const prints = fingerprints(job, await ports.fingerprinting.keys());
  const request: ClaimRequest = { ...given, job, fingerprints: prints, nowMs: clock.nowMs() };
  const { nowMs } = request;
  const content = firstContent(job, prints[0]);
  const contract = contractOf(given.credentials.profile);
  const credentials = { of: async () => ({ kind: 'credentials', credentials: given.credentials }) as const };
  const id = random.id();
  const key = orderKey(job);
  // A job that names an end needs an order that is there. It begins one only if a restore may have lost the order.
  const isFirst = job.resends === undefined;
  let read: ReadOrder | undefined;
  for (let round = 0; round < roundsAtMost; round += 1) {
    try {
      const absent = read
        ? undefined
        : await orderToWrite({ kind: 'none' }, key, { ...request, content }, { orders, credentials });
      if (absent && (isFirst || absent.lost)) {
        const { order: empty, lost } = absent;
        // An order that a restore may have lost is not sent: it waits for what the gateway knows, or for a person.
        const first = lost ? undefined : withAttempt(empty, id, {}, request, ports);
        const order = lost ? recorded(empty, lost, { nowMs, contract, endId: random.id() }) : empty;
        const put = await orders.write(empty, first?.order ?? order);
        if (put.kind === 'written' && first) return { kind: 'claimed', ...first };
        read = put.kind === 'written' ? { kind: 'found', order } : put;
      }
      read ??= await orders.read(key);
      const end = await claimRead(read, id, request, ports);
      if (end.kind !== 'again') return end;
      read = end.read;
    } catch {
      // A claim that was written although its answer was lost shows our attempt in the next round.
      read = undefined;
      await clock.sleep(50 * 2 ** round);
    }
  }
  return { kind: 'unavailable' };
}

type Round = Claim | { readonly kind: 'again'; readonly read: ReadOrder };

async function claimRead(read: ReadOrder, id: string, request: ClaimRequest, ports: ClaimPorts): Promise<Round> {
  const { job, credentials, nowMs } = request;
  if (read.kind === 'unreadable') return read;
  if (read.kind === 'none') return { kind: 'end-unknown' };
  const { order } = read;
  const own = order.facts.attempts[id];
  // Our claim is stored. If the attempt has lapsed since, it is not used: only we know that nothing was sent under it.
  if (own) return isUntouched(own) ? { kind: 'claimed', order, attempt: own } : { kind: 'unavailable' };
  const decision = decideClaim(order, request);
  switch (decision.kind) {
    case 'time': {
      const contract = contractOf(credentials.profile);
      const timely = recorded(order, noFacts, { nowMs, contract, endId: ports.random.id() });
      if (timely === order) return { kind: 'busy', order };
      return rewritten(order, timely, ports);
    }
    case 'add': {
      const claimed = withAttempt(order, id, decision, request, ports);
      const write = await ports.orders.write(order, claimed.order);
      if (write.kind === 'written') return { kind: 'claimed', ...claimed };
      return { kind: 'again', read: write };
    }
    case 'unchanged': {
      const known = withFirstContent(order, job, request);
      return known === order ? decision : rewritten(order, known, ports);
    }
    default:
      return decision;
  }
}

async function rewritten(order: Order, next: Order, { orders }: ClaimPorts): Promise<Round> {
  const write = await orders.write(order, next);
  return { kind: 'again', read: write.kind === 'written' ? { kind: 'found', order: next } : write };
}

const isUntouched = (own: Attempt): boolean => !own.answer && !own.lapsed && own.ids.length + own.reports.length === 0;

function withAttempt(
  order: Order,
  id: string,
  { reopens }: { readonly reopens?: string },
  { job, fingerprints: [fingerprint], source, credentials, nowMs, countedOn }: ClaimRequest,
  { limits, random }: Pick<ClaimPorts, 'limits' | 'random'>,
): { readonly order: Order; readonly attempt: Attempt } {
  const attempt: Attempt = {
    id,
    number: nextVersionOf(order),
    atMs: nowMs,
    accounts: [credentials.dialect.accountOf(credentials, job.endpointId)],
    askable: isAskable(credentials, job.operation),
    leaseUntilMs: nowMs + limits.leaseMs,
    reopens,
    source,
    cardKeyId: job.sealedCode?.keyId,
    ...unheard,
  };
  // An order that ended while its job's seal was closed gets its whole content with its first attempt.
  const first = order.content?.fingerprint ? order.content : firstContent(job, fingerprint);
  const content = { ...first, ...(job.batchId !== undefined && { batchId: job.batchId }) };
  const recording = { nowMs, endId: random.id() };
  const counted = { ...order, content, ...(countedOn !== undefined && { countedOn }) };
  return { order: recorded(counted, ofAttempt(attempt), recording), attempt };
}
