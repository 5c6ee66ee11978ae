// Discards a dead letter. The message first ends in a result. Its order, if it was never sent, also ends in the ledger, with who and why.
// Only then is the letter deleted. An order that may have been sent keeps its state, and the result says so.
import { identityOf, type Job, type JobIdentity } from '../payout/message/job.ts';
import type { Failure } from '../payout/message/failures.ts';
import { lacksApproval, leavesUnproven } from '../payout/gates.ts';
import { type Facts, noFacts } from '../payout/order/facts.ts';
import { fold } from '../payout/order/fold.ts';
import { orderToWrite } from '../payout/order/lost.ts';
import { recorded, lastResult } from '../payout/order/record.ts';
import { type Order, orderKey } from '../payout/order/order.ts';
import { viewOf } from '../payout/order/projection.ts';
import type { Orders } from '../payout/order/orders.ts';
import { sendResult } from '../payout/publish.ts';
import type { Log, Random, Results } from '../payout/ports.ts';
import { rejection, type Result, reusedOrderId } from '../payout/message/result.ts';
import { readJob, type ReadJob } from '../payout/message/read-job.ts';
import { mayHaveClaimed } from '../payout/submit/claim.ts';
import { bearingBatch, visibleContent, whyLeftAlone } from '../payout/submit/content.ts';
import { redact } from '../gateway/redact.ts';
import { attributeText, firstSentOf, letterView, originOf, type DeadLetters, type DeadMessage } from './dead-letter.ts';
import { factsOf, type JudgePorts, type RedriveFacts } from './judge-dead-letter.ts';

/** The ports of discarding. */
export interface DiscardPorts extends JudgePorts {
  readonly deadLetters: DeadLetters;
  readonly orders: Orders;
  readonly results: Results;
  readonly random: Random;
  readonly log: Log;
}

/** The person who discards it, and the reason. */
interface DiscardSaying {
  readonly by: string;
  readonly reason: string;
}

/** The outcome for one letter. */
export type Discarded =
  | { readonly kind: 'discarded'; readonly result: Result }
  /** Its end is published and written; the letter could not be deleted and may be discarded again. */
  | { readonly kind: 'not-deleted'; readonly result: Result }
  | { readonly kind: 'refused'; readonly why: string };

/** Ends one letter of a walk. */
export async function discardDeadLetter(
  deadLetter: DeadMessage,
  saying: DiscardSaying,
  ports: DiscardPorts,
): Promise<Discarded> {
  const read = readJob(deadLetter.body);
  const ended = await endOf(deadLetter, read, saying, ports);
  if (ended.kind === 'refused') return ended;
  const { result } = ended;
  // Before the deletion: a later search for the message must find who took it away.
  ports.log.write('info', 'dead-letter-discarded', {
    messageId: deadLetter.messageId,
    merchant: result.merchant,
    orderId: result.orderId,
    standing: ended.order ? viewOf(ended.order).standing : 'rejected',
    note: redact(`${saying.by}: ${saying.reason}`, []),
  });
  const notRemoved = await ports.deadLetters.remove([deadLetter]).catch(() => new Set([0]));
  return { kind: notRemoved.size === 0 ? 'discarded' : 'not-deleted', result };
}

type Ended =
  | { readonly kind: 'ended'; readonly result: Result; readonly order?: Order }
  | { readonly kind: 'refused'; readonly why: string };

async function endOf(
  deadLetter: DeadMessage,
  read: ReadJob,
  saying: DiscardSaying,
  ports: DiscardPorts,
): Promise<Ended> {
  // The letter's own time, so that a letter which could not be deleted is told once more under the same id.
  const it = { messageId: originOf(deadLetter), nowMs: deadLetter.sentAtMs };
  const rejected = (identity: JobIdentity, failure: Failure) =>
    publishedAlone(rejection({ ...it, identity, failure }), ports);
  const found = foundUnproven(deadLetter);
  if (read.kind === 'refused') return rejected(read.identity, found ?? read.failure);
  const { job } = read;
  const facts = await factsOf(job, firstSentOf(deadLetter), ports);
  const known = facts.read;
  if (known.kind === 'unreadable') return newerEntry(known.reason);
  const stopped = unprovenBy(facts);
  if (stopped?.kind === 'refuse') return rejected(identityOf(job), stopped.failure);
  if (found) return rejected(identityOf(job), found);
  if (stopped) return refused("its approval can't be judged now: try again");
  if (known.kind === 'none') {
    const content = visibleContent(job, facts.fingerprints[0]);
    const its = { nowMs: ports.clock.nowMs(), content, sentMs: firstSentOf(deadLetter) };
    const { order, lost = noFacts } = await orderToWrite(known, orderKey(job), its, ports);
    return endUnsent(order, lost, saying, ports);
  }
  const { order } = known;
  const leftAlone = whyLeftAlone(order, job, facts.fingerprints);
  if (leftAlone?.kind === 'reused') return rejected(identityOf(job), reusedOrderId);
  if (leftAlone) return newerEntry(leftAlone.reason);
  const status = fold(order.facts);
  // The card is under a seal that stays closed: a job that has not claimed the order may be for another card.
  const unsent = () =>
    job.sealedParams === undefined || mayHaveClaimed(order, job, deadLetter.body)
      ? endUnsent(order, noFacts, saying, ports)
      : rejected(identityOf(job), failureOf(saying));
  switch (status.kind) {
    case 'new':
    case 'ready':
      return unsent();
    case 'sending':
    case 'verifying':
      return refused('a worker is at its order: look again when that has ended');
    case 'held':
      return status.reason === 'card-data' ? unsent() : toldAs(order, ports);
    case 'accepted':
    case 'approved':
    case 'in-doubt':
      return toldAs(order, ports);
    case 'over':
      return status.end && job.resends === status.end.id ? endUnopened(order, job, ports) : toldAs(order, ports);
    default:
      return status satisfies never;
  }
}

/**
 * Why the message is not proven: a broken seal, or no approval. That message ends as a message, and ends no order.
 * What else stops it (a pause, its time, a secret) does not matter to the person who discards it.
 */
function unprovenBy({ passage, credentials }: RedriveFacts) {
  if (passage.kind === 'passed') return undefined;
  // The contract is asked beside the approval: its refusal proves none.
  const isUnproven = leavesUnproven(passage.by) || (credentials && lacksApproval(passage.job, credentials.profile));
  return isUnproven ? passage.verdict : undefined;
}

/** The same by the word of the worker, which has opened the seal, and seen the card data that it cut out. */
function foundUnproven(deadLetter: DeadMessage): Failure | undefined {
  const { from, code } = letterView(deadLetter);
  const found = (['PLAIN_CARD_DATA', 'SEALED_PARAMS_INVALID', 'NOT_APPROVED'] as const).find((it) => it === code);
  return from === 'worker' && found ? { code: found, message: attributeText(deadLetter, 'reason') ?? '' } : undefined;
}

const failureOf = ({ by, reason }: DiscardSaying) =>
  ({ code: 'DISCARDED', message: redact(`${by}: ${reason}`, []) }) as const;

/**
 * The order was never sent: it ends first, with who and why, so that no copy of its message pays after it. One that a restore may have
 * lost is in doubt instead.
 */
async function endUnsent(order: Order, lost: Facts, saying: DiscardSaying, ports: DiscardPorts): Promise<Ended> {
  const verdict = { reason: 'discarded', ...failureOf(saying) } as const;
  const next = recorded(order, lost, { nowMs: ports.clock.nowMs(), endId: ports.random.id(), verdict });
  const written = await ports.orders.write(order, next);
  if (written.kind !== 'written') return movedMeanwhile;
  return toldAs(next, ports);
}

/** The job was to open this very end: the end stays, and is that of the job's batch, which would wait for the job for ever. */
async function endUnopened(order: Order, job: Job, ports: DiscardPorts): Promise<Ended> {
  const borne = bearingBatch(order, job, ports.clock.nowMs());
  if (borne !== order && (await ports.orders.write(order, borne)).kind !== 'written') return movedMeanwhile;
  return toldAs(borne, ports);
}

const publishedAlone = async (result: Result, { results }: DiscardPorts): Promise<Ended> =>
  (await sendResult(result, results)) ? { kind: 'ended', result } : unpublished;

/** The mark of the revision stays: the leader publishes once more, and brings forward what waits of the order. */
async function toldAs(order: Order, ports: DiscardPorts): Promise<Ended> {
  const result = lastResult(order);
  if (!result) return refused('its order has no result yet: redrive it');
  return (await sendResult(result, ports.results)) ? { kind: 'ended', result, order } : unpublished;
}

const newerEntry = (reason: string) => refused(`${reason}: use the version and the keys that wrote it`);
const refused = (why: string) => ({ kind: 'refused', why }) as const;
const movedMeanwhile = refused('its order has changed meanwhile: look at it again');
/** Without a result that was taken the letter stays: it is the promise that there will be one. */
const unpublished = refused('the results queue did not take its result: try again');
