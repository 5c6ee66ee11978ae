// Taking a restored table into service, and putting back into it what was told in the gap. Both may be repeated at will.
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { LedgerEntry } from '../payout/ledger.ts';
import type { DueWork, DueWorkKind } from '../payout/due-work.ts';
import { operationNames } from '../gateway/operations.ts';
import { adopted, underNewId } from './adopted-order.ts';
import { type ReadResult, type Result, resultOf, resultText } from '../payout/result.ts';
import { isFailureCode } from '../payout/failures.ts';
import { type JsonText, memberText } from '../payout/json-text.ts';
import { resultSchema } from '../payout/result-message.ts';
import type { ControlsAdmin, Saying } from '../payout/control.ts';
import type { Clock, Ledger } from '../payout/ports.ts';
import { reopened } from './restored-ledger.ts';
import type { RestoreAdmin } from './dynamodb-restore-admin.ts';

/** What restoring needs: the table itself, not the ledger that keeps to what its table says. */
export interface RestorePorts {
  readonly ledger: Ledger;
  readonly dueWork: DueWork;
  readonly restoreAdmin: RestoreAdmin;
  readonly controlsAdmin: Pick<ControlsAdmin, 'pause'>;
  readonly clock: Clock;
}

const kinds: readonly DueWorkKind[] = ['submitting', 'in-doubt', 'accepted', 'overdue', 'held', 'unpublished'];

/**
 * Every open order goes on with fresh looks and fresh result ids; everybody is paused; and from then on the table is the
 * ledger, in which an order that may have been sent in the gap is not sent. Answers with the number of open orders.
 */
export async function beginRestore(toMs: number, saying: Saying, ports: RestorePorts): Promise<number> {
  // Once each: with its result to be told, an order stands under another kind.
  const seen = new Set<string>();
  for (const kind of kinds) {
    for await (const entry of ports.dueWork.dueWork(kind, Number.MAX_SAFE_INTEGER)) {
      if (seen.has(entry.key)) continue;
      seen.add(entry.key);
      await ports.ledger.advance(entry, reopened(entry, ports.clock.nowMs()));
    }
  }
  await ports.controlsAdmin.pause(undefined, true, saying);
  // Last: until now the table says that it is another's, so that nobody decides anything by it.
  await ports.restoreAdmin.begin({ toMs, sinceMs: ports.clock.nowMs() }, saying);
  return seen.size;
}

/** What became of a line: the order is in the ledger again, was there all along, or the line tells of none. */
export type Adopted = 'adopted' | 'known' | 'nothing';

/** Puts an order back as a result, or a line of the worker's log, tells it. */
export async function adoptLine(line: string, ports: Pick<RestorePorts, 'ledger' | 'clock'>): Promise<Adopted> {
  const { ledger, clock } = ports;
  const told = toldBy(line);
  // A word about a message is none about an order, whether it says so by no revision or by 0.
  if (!told?.revision) return 'nothing';
  const key = told.resultId.slice(0, told.resultId.lastIndexOf('/'));
  for (;;) {
    const found = await ledger.read(key);
    if (found?.kind === 'unreadable') return 'known';
    const asTold = adopted(found?.entry, told, clock.nowMs());
    if (!asTold) return found ? 'known' : 'nothing';
    const isFree = asTold.revision > (found?.entry.revision ?? 0) && tells(asTold, line);
    const id = { told: told.revision, nowMs: clock.nowMs() };
    const next = isFree || told.status === 'failed' ? asTold : underNewId(asTold, found?.entry, id);
    const write = found ? await ledger.advance(found.entry, next) : await ledger.claim(next);
    if (write.kind === 'claimed' || write.kind === 'advanced') return 'adopted';
  }
}

/** True where the order, told again, says what the line says: by its id readers take the two for one. */
function tells(entry: LedgerEntry, line: string): boolean {
  const result = resultOf(entry);
  return result !== undefined && isDeepStrictEqual(JSON.parse(resultText(result)), JSON.parse(line));
}

/** A line of the log that tells where an order stands; it lacks the amount, and says of acceptance only that it was. */
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

const goesOn: ReadonlySet<LedgerEntry['state']> = new Set(['accepted', 'in-doubt', 'held']);

function toldBy(line: string): Result | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const result = v.safeParse(resultSchema, value);
    if (result.success) return ownResult(result.output, memberText(line, 'context'));
    const logged = v.safeParse(logLineSchema, value);
    return logged.success ? resultOfLine(logged.output) : undefined;
  } catch {
    return undefined;
  }
}

function resultOfLine(line: v.InferOutput<typeof logLineSchema>): Result {
  const { time, state, failureCode, gatewayOrderId, event: _event, ...rest } = line;
  return ownResult({
    version: 1,
    ...rest,
    status: state,
    final: !goesOn.has(state),
    occurredAt: time,
    ...(gatewayOrderId !== undefined && { payoutId: gatewayOrderId }),
    ...(failureCode !== undefined && { failure: { code: failureCode, message: 'as the log has it' } }),
  });
}

/** With its context to the letter; what a newer worker said of it stands without a reason that this version does not know. */
function ownResult({ failure, context: _read, ...told }: ReadResult, context?: JsonText): Result {
  const result = { ...told, ...(context !== undefined && { context }) };
  if (failure === undefined || !isFailureCode(failure.code)) return result;
  return { ...result, failure: { ...failure, code: failure.code } };
}
