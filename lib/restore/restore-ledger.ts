// Taking a restored table into service, and putting back published results of the gap, as facts. Both may be repeated at will.
import * as v from 'valibot';
import { operationNames } from '../gateway/operations.ts';
import { parseAmount } from '../gateway/money.ts';
import type { ControlsAdmin, Saying } from '../payout/operate/control.ts';
import { type JsonText, memberText } from '../payout/message/json-text.ts';
import type { EndDue } from '../payout/order/ends.ts';
import { type Attempt, noFacts, ofAttempt } from '../payout/order/facts.ts';
import { fold } from '../payout/order/fold.ts';
import { published as asPublished, recorded } from '../payout/order/record.ts';
import { attemptNumberAt, type Content, newOrder, type Order, orderKey } from '../payout/order/order.ts';
import type { Orders } from '../payout/order/orders.ts';
import type { Clock, Random } from '../payout/ports.ts';
import type { ReadResult } from '../payout/message/result.ts';
import { resultSchema } from '../payout/message/result-message.ts';
import type { RestoreAdmin } from './dynamodb-restore-admin.ts';

/** The ports of a restore: the table itself, not the orders that obey their table's record. */
interface RestorePorts {
  readonly orders: Orders;
  readonly restoreAdmin: RestoreAdmin;
  readonly controlsAdmin: Pick<ControlsAdmin, 'pause'>;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * All merchants are paused, and the restore is written into the table, so that it may become the ledger: an order of it that has not seen
 * the restore is in doubt before it is claimed again, and one that it does not hold waits.
 */
export async function beginRestore(
  restored: { readonly toMs: number; readonly tableId: string },
  saying: Saying,
  ports: RestorePorts,
): Promise<void> {
  await ports.controlsAdmin.pause(undefined, true, saying);
  await ports.restoreAdmin.begin({ ...restored, sinceMs: ports.clock.nowMs() }, saying);
}

/** The outcome of a line: its facts are in the order again, were there all along, or the line has none. */
export type Adopted = 'adopted' | 'known' | 'nothing';

/** Puts back the facts of an order in a result, or in a line of the worker's log. */
export async function adoptLine(
  line: string,
  { orders, clock, random }: Pick<RestorePorts, 'orders' | 'clock' | 'random'>,
): Promise<Adopted> {
  const result = resultOn(line);
  // A result about a message is not about an order, whether it has no revision or 0.
  if (!result?.revision || !result.operation || result.merchant === undefined || result.orderId === undefined)
    return 'nothing';
  const key = orderKey({ merchant: result.merchant, orderId: result.orderId });
  if (result.resultId !== `${key}/${result.revision}`) return 'nothing';
  for (;;) {
    const standing = await orders.read(key);
    if (standing.kind === 'unreadable') return 'known';
    const before =
      standing.kind === 'found'
        ? standing.order
        : newOrder(key, clock.nowMs(), contentOf(result, line), standing.restore);
    const next = withResult(before, result, { nowMs: clock.nowMs(), endId: random.id() });
    if (next === before) return standing.kind === 'found' ? 'known' : 'nothing';
    const write = await orders.write(before, next);
    if (write.kind === 'written') return 'adopted';
  }
}

/** The order with the facts that the result proves of an attempt or of its end; unchanged where they are known. */
function withResult(before: Order, result: ReadResult, it: { readonly nowMs: number; readonly endId: string }): Order {
  const { revision = 0 } = result;
  const attempt = attemptOf(before, result);
  const isNewRevision = revision > before.published.revision;
  const published = { ...before.published, revision: Math.max(revision, before.published.revision), digest: '' };
  const verdict = endOf(result);
  if (!attempt && !verdict) return before;
  const added = attempt ? ofAttempt(attempt) : noFacts;
  const next = recorded({ ...before, published }, added, { ...it, ...(!attempt && verdict && { verdict }) });
  if (next.facts !== before.facts) return next;
  // Known but for its revision: the next result must bear a higher one, and is published so; a mark would have no result to publish else.
  return isNewRevision
    ? asPublished({ ...before, version: before.version + 1, published }, { ...before, published }, it)
    : before;
}

/** The end in the result, which no copy of its job may outlive; it settles no doubt of the ledger's. */
function endOf({ status, failure }: ReadResult): EndDue | undefined {
  if (status !== 'failed' && status !== 'declined' && status !== 'cancelled') return undefined;
  const reason = status === 'failed' ? 'refused' : status;
  const { code = status === 'cancelled' ? 'CANCELLED' : 'NOT_SENT', message = 'put back as its result tells it' } =
    failure ?? {};
  return { reason, code, message };
}

/** The attempt that proves that the gateway had the order, or that it may have. */
function attemptOf({ facts, version, published }: Order, result: ReadResult): Attempt | undefined {
  const id = result.gatewayOrderId;
  const atMs = Date.parse(result.occurredAt);
  const told = `told-${id ?? result.revision ?? 0}`;
  const known = Object.values(facts.attempts).find((it) => it.id === told || (id !== undefined && it.ids.includes(id)));
  const base: Attempt = known ?? {
    id: told,
    number: attemptNumberAt(version),
    atMs,
    accounts: [],
    askable: false,
    leaseUntilMs: atMs,
    ids: id === undefined ? [] : [id],
    aliases: [],
    reports: [],
    amounts: [],
    absent: {},
  };
  switch (result.status) {
    case 'accepted':
      return { ...base, answer: { kind: 'taken', atMs } };
    case 'approved':
      return { ...base, reports: ['approved'], approvedAtMs: atMs };
    case 'in-doubt':
    case 'held': {
      const { code = 'LEDGER_RESTORED', message = 'put back as its result tells it' } = result.failure ?? {};
      if (id !== undefined) return base;
      return isOutdated(result, facts, published) ? undefined : { ...base, lapsed: { code, message } };
    }
    case 'declined':
      return id === undefined ? undefined : { ...base, reports: ['declined'] };
    case 'failed':
    case 'cancelled':
    case 'rejected':
      return undefined;
    default:
      return result.status satisfies never;
  }
}

/** A doubt that was published before the end that the backup itself has, which follows from attempts: that end outlived it. */
function isOutdated({ revision = 0 }: ReadResult, facts: Order['facts'], published: Order['published']): boolean {
  const isEnded = fold(facts).kind === 'over';
  return isEnded && revision < published.revision && Object.keys(facts.attempts).some((id) => !id.startsWith('told-'));
}

/** Nobody knows whether a job asks for the same: the order is published, and never sent. */
function contentOf(result: ReadResult, line: string): Content {
  const { operation = 'payout', endpointId = '', amount, currency, batchId } = result;
  const parsed = amount === undefined || currency === undefined ? undefined : parseAmount(amount, currency);
  const money = parsed?.kind === 'amount' && currency !== undefined && { currency, minorUnits: parsed.minorUnits };
  const context: JsonText | undefined = result.context && memberText(line, 'context');
  return {
    operation,
    endpointId,
    fingerprint: '',
    ...(money && { money }),
    ...(batchId !== undefined && { batchId }),
    ...(context !== undefined && { context }),
  };
}

const json = v.pipe(v.string(), v.parseJson());

/** A line of the log with the state of an order; it lacks the amount. */
const logLineSchema = v.object({
  time: v.string(),
  event: v.picklist(['job', 'check', 'callback']),
  operation: v.picklist(operationNames),
  merchant: v.string(),
  endpointId: v.string(),
  orderId: v.string(),
  resultId: v.string(),
  state: resultSchema.entries.status,
  revision: v.number(),
  attempts: v.number(),
  batchId: v.exactOptional(v.string()),
  failureCode: v.exactOptional(v.string()),
  gatewayOrderId: v.exactOptional(v.string()),
});

function resultOn(line: string): ReadResult | undefined {
  const result = v.safeParse(v.pipe(json, resultSchema), line);
  if (result.success) return result.output;
  const logged = v.safeParse(v.pipe(json, logLineSchema), line);
  return logged.success ? resultOfLine(logged.output) : undefined;
}

function resultOfLine(line: v.InferOutput<typeof logLineSchema>): ReadResult {
  const { time, state, failureCode, event: _event, ...rest } = line;
  return {
    version: 1,
    ...rest,
    status: state,
    final: false,
    occurredAt: time,
    ...(failureCode !== undefined && { failure: { code: failureCode, message: 'as the log has it' } }),
  };
}
