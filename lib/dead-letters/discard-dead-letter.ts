// Throwing a dead letter away. Nothing is lost by it: the message ends in a result first, its order (where it was never
// sent) in the ledger too, with who and why; only then is the letter deleted. What may have been sent, and what carries an
// answer that the ledger lacks, is not thrown away.
import { discarded } from './discard.ts';
import { type Job, type JobIdentity, type ParsedJob, parseJob } from '../payout/job.ts';
import type { Failure } from '../payout/failures.ts';
import type { LedgerEntry } from '../payout/ledger.ts';
import type { Passage } from '../payout/gates.ts';
import { decideUnopened } from '../payout/stopped-order.ts';
import { answered, claimOf, type RedriveFacts } from './redrive-facts.ts';
import { saidBy } from '../payout/release.ts';
import {
  calledOffBeforehand,
  identityOf,
  invalidMessage,
  rejection,
  type Result,
  resultOf,
  reusedOrderId,
} from '../payout/result.ts';
import { attributeText, originOf } from './dead-letter.ts';
import type { DeadLetters, DeadMessage } from './dead-letter-ports.ts';
import { factsOf, type JudgePorts } from './plan-redrive.ts';
import { recordRowEnd, type RecordRowEndPorts } from '../payout/settle-order.ts';
import type { Ledger, Log, Random, Results } from '../payout/ports.ts';
import { tell, writeByHand } from '../payout/record-operator-decision.ts';
import { isCancelledBeforehand } from '../payout/fingerprint.ts';

/** What discarding needs. */
export interface DiscardPorts extends JudgePorts, RecordRowEndPorts {
  readonly deadLetters: DeadLetters;
  readonly ledger: Ledger;
  readonly results: Results;
  readonly random: Random;
  readonly log: Log;
}

/** Who throws it away, and why. */
export interface DiscardSaying {
  readonly by: string;
  readonly reason: string;
}

/** What became of one letter. */
export type Discarded =
  | { readonly kind: 'discarded'; readonly result: Result }
  /** Its end is told and written; the letter could not be deleted and may be thrown away again. */
  | { readonly kind: 'not-deleted'; readonly result: Result }
  | { readonly kind: 'refused'; readonly why: string };

/** Ends one letter of a walk. */
export async function discardDeadLetter(
  deadLetter: DeadMessage,
  saying: DiscardSaying,
  ports: DiscardPorts,
): Promise<Discarded> {
  const parsed = parseJob(deadLetter.body);
  const ended = await endOf(deadLetter, parsed, saying, ports);
  if (ended.kind === 'refused') return ended;
  const { result } = ended;
  if (!(await isNoted(deadLetter, parsed.kind === 'job' ? parsed.job : undefined, ended, ports))) return notNoted;
  // Before the deletion: whoever looks for the message later must find who took it away.
  ports.log.write('info', 'dead-letter-discarded', {
    messageId: deadLetter.messageId,
    ...(result.merchant !== undefined && { merchant: result.merchant }),
    ...(result.orderId !== undefined && { orderId: result.orderId }),
    state: result.status,
    note: saidBy(saying.by, saying.reason),
  });
  const notRemoved = await ports.deadLetters.remove([deadLetter]).catch(() => new Set([0]));
  return { kind: notRemoved.size === 0 ? 'discarded' : 'not-deleted', result };
}

type Ended =
  | { readonly kind: 'ended'; readonly result: Result; readonly entry?: LedgerEntry }
  | { readonly kind: 'refused'; readonly why: string };

/** A job of a batch must be found to have ended, or its batch could never close. */
async function isNoted(
  deadLetter: DeadMessage,
  job: Job | undefined,
  { result, entry }: Extract<Ended, { kind: 'ended' }>,
  ports: RecordRowEndPorts,
): Promise<boolean> {
  const message = {
    originMessageId: originOf(deadLetter),
    body: deadLetter.body,
    receiveCount: 1,
    waits: 0,
  };
  const noted = await recordRowEnd({ kind: 'done', result, ...(entry && { entry }) }, job, message, ports);
  return noted.kind === 'done';
}

async function endOf(
  deadLetter: DeadMessage,
  parsed: ParsedJob,
  saying: DiscardSaying,
  ports: DiscardPorts,
): Promise<Ended> {
  const messageId = originOf(deadLetter);
  // Whoever laid it there with a reason has told its sender that reason.
  const isRepeated = attributeText(deadLetter, 'reasonCode') !== undefined;
  const it = { messageId, nowMs: ports.clock.nowMs(), isRepeated };
  const rejected = (identity: JobIdentity, failure: Failure) =>
    toldAs(rejection({ ...it, identity, failure }), undefined, ports);
  if (parsed.kind === 'rejected') return rejected(parsed.identity, invalidMessage(parsed.faults));
  const { job } = parsed;
  const facts = await factsOf(job, deadLetter, ports);
  const { standing } = facts;
  if (standing?.kind === 'unreadable') return newerEntry(standing.reason);
  const unsent = { messageId, facts, saying };
  const next = answered(facts);
  if (!standing) {
    if (next) return refused(answerLacking);
    const closed = closedBy(facts.passage);
    if (closed?.kind === 'refuse') return rejected(identityOf(job), closed.failure);
    return closed ? refused(closed.why) : endUnclaimed(unsent, ports);
  }
  const { entry } = standing;
  if (next) return next === entry ? toldAs(resultOf(entry), entry, ports) : refused(answerLacking);
  const { kind } = decideUnopened(entry, claimOf(facts));
  switch (kind) {
    case 'unreadable':
      return newerEntry('its fingerprint was made under a key that is not among the keys');
    case 'busy':
      return refused('a worker is at its order: look again when that has ended');
    case 'abandoned':
      return refused('the worker at its order never reported: redrive it, and the order is asked about or held');
    case 'reused':
      return rejected(identityOf(job), reusedOrderId);
    case 'ours':
    case 'stands': {
      if (isCancelledBeforehand(entry)) return toldAs(calledOffBeforehand({ ...it, job }), undefined, ports);
      return toldAs(resultOf(entry), entry, ports);
    }
    case 'take-over':
      return endUnsent(entry, unsent, ports);
  }
}

const answerLacking = 'it carries an answer that the ledger lacks: redrive it, and the answer is written';

/**
 * Card data or approval keep the message from becoming an order at all: it ends as a message, and takes no order id. What
 * else stops it (a pause, its time, a secret) does not matter to whoever throws it away.
 */
function closedBy(passage: Passage) {
  if (passage.kind === 'passed' || (passage.by !== 'card-data' && passage.by !== 'approval')) return undefined;
  const { verdict } = passage;
  if (verdict.kind === 'refuse') return verdict;
  const because = verdict.kind === 'wait' ? verdict.because : 'called-off';
  const what = passage.by === 'card-data' ? 'card data' : 'approval';
  const code = typeof because === 'string' ? because : because.code;
  return { kind: 'unknown', why: `its ${what} can't be judged now (${code}): try again` } as const;
}

/** An order that is ended here must be known by its content later, and that may be sealed. */
async function endUnclaimed(unsent: Unsent, ports: DiscardPorts): Promise<Ended> {
  if (unsent.facts.job.sealedParams !== undefined)
    return refused('its card data is sealed and its order was never claimed: cancel the order first');
  return endUnsent(undefined, unsent, ports);
}

interface Unsent {
  readonly messageId: string;
  readonly facts: RedriveFacts & { readonly job: Job };
  readonly saying: DiscardSaying;
}

/** The order was never sent: it ends as failed, with who and why. */
async function endUnsent(
  standing: LedgerEntry | undefined,
  { messageId, facts, saying }: Unsent,
  ports: DiscardPorts,
): Promise<Ended> {
  const { job, fingerprints, nowMs } = facts;
  const request = { job, fingerprints, owner: ports.random.id(), messageId, nowMs };
  const next = discarded(standing, request, { ...saying, nowMs });
  const written = await writeByHand(standing, next, ports);
  if (written.kind === 'refused') return written;
  const { entry, told } = written;
  const result = resultOf(entry);
  return told && result ? { kind: 'ended', result, entry } : untold;
}

async function toldAs(result: Result | undefined, entry: LedgerEntry | undefined, ports: DiscardPorts): Promise<Ended> {
  if (!result) return refused('its order has no result yet: redrive it');
  return (await tell(result, ports)) ? { kind: 'ended', result, ...(entry && { entry }) } : untold;
}

const newerEntry = (reason: string) => refused(`${reason}: use the version and the keys that wrote it`);
const refused = (why: string) => ({ kind: 'refused', why }) as const;
/** Without a result that was taken the letter stays: it is the promise that there will be one. */
const untold = refused('the results queue did not take its result: try again');
const notNoted = refused('its end could not be noted for its batch: try again');
