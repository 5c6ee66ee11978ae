// The effect of changes of the table of outcomes: every answer of a wide set is judged by the table as it is and by
// the changed one. A change that no answer can show (two rows that never fit the same answer change places) is no bug.
import { operationNames } from '../../lib/gateway/operations.ts';
import { judge, outcomeTable } from '../../lib/gateway/outcome.ts';
import type { GatewayOutcome } from '../../lib/gateway/gateway-outcome.ts';
import type { Evidence } from '../../lib/gateway/ports.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { statusInDoubt } from './gateway-moods.ts';

type Row = (typeof outcomeTable)[number];

const statuses = [200, 201, 302, 400, 401, 402, 403, 404, 408, 409, 413, statusInDoubt, 422, 425, 429, 499, 500, 503];
const forms = [
  '',
  'malformed',
  'type=async-response',
  'type=async-response&unread',
  'type=error\n',
  'type=error&error-code=8&error-code=9',
  '{"type":"error","error-code":"8","error-me',
  '[{"type":"error","error-code":"8"}]',
  '<html>Forbidden</html>',
  '<html>payout-id: 4711</html>',
];
const codes = ['', '8', '9', '5', '1001', '1005', '503'];
const words = ['no', 'Order already completed', 'Duplicate: already paid', 'Approved, then declined'];
const ofOrder = { 'merchant-order-id': 'order-1' };
const formOf = (fields: Readonly<Record<string, unknown>>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
const objects: readonly Readonly<Record<string, unknown>>[] = [
  { type: 'async-response' },
  { type: 'async-response', ...ofOrder },
  { type: 'async-response', ...ofOrder, odd: { nested: true } },
  ...['paynet-order-id', 'payout-id', 'transaction-id'].flatMap((id) => [
    { type: 'async-response', ...ofOrder, [id]: '4711' },
    { type: 'async-response', 'merchant-order-id': 'another', [id]: '4711' },
    { type: 'async-response', ...ofOrder, [id]: '4711', status: 'declined' },
    { type: 'async-response', ...ofOrder, [id]: '4711', result: { success: false } },
    { [id]: '<id>', 'error-message': 'later' },
  ]),
  ...codes.flatMap((code) =>
    words.flatMap((word) =>
      ['error', 'validation-error'].map((type) => ({ type, ...ofOrder, 'error-code': code, 'error-message': word })),
    ),
  ),
];
const bodies = [...forms, ...objects.map((it) => JSON.stringify(it)), ...objects.map((it) => formOf(it))];

const everyEvidence: readonly Evidence[] = [
  { kind: 'not-sent', reason: 'no connection' },
  { kind: 'no-answer', reason: 'reset' },
  { kind: 'no-answer', reason: 'cut off', httpStatus: 200 },
  ...statuses.flatMap((httpStatus) => [
    { kind: 'answer', httpStatus, body: '', framing: 'delimited', unreadable: 'coded as gzip' } as const,
    ...bodies.flatMap((body) =>
      (['delimited', 'until-close'] as const).map(
        (framing) => ({ kind: 'answer', httpStatus, body, framing }) as const,
      ),
    ),
  ]),
];

const profile = { ...defaultProfile, doubtfulHttpStatuses: [statusInDoubt] };
const everyOrder = operationNames.flatMap((operation) =>
  [false, true].map((earlierAttemptMayLive) => ({ operation, orderId: 'order-1', params: {}, earlierAttemptMayLive })),
);

/** The act on the order; the sentences of the reason are left out. */
function deedOf(outcome: GatewayOutcome): string {
  const { failure: _, ...deed } = { failure: undefined, ...outcome };
  return JSON.stringify(deed);
}

const judged = () => everyOrder.flatMap((order) => everyEvidence.map((evidence) => judge(evidence, order, profile)));
let asItIs: readonly string[] | undefined;

/** The number of answers, over all kinds of order. */
export const answersJudged = everyEvidence.length * everyOrder.length;

/** The number of answers that the changed table judges otherwise: by the act on the order, not by its sentences. */
export function judgedOtherwise(change: (rows: readonly Row[]) => readonly Row[]): number {
  const honest = (asItIs ??= judged().map(deedOf));
  return underTable(change, judged).filter((outcome, at) => deedOf(outcome) !== honest[at]).length;
}

/** The number of answers that each row judges, by its name: a row without any would be taken for one that does not matter. */
export function answersByRow(): ReadonlyMap<string, number> {
  const names = outcomeTable.map(({ name }) => name);
  const counts = new Map(names.map((name) => [name, 0]));
  const signed = (row: Row, at: number): Row => ({
    ...row,
    outcome: () => ({ kind: 'accepted', gatewayOrderId: `${at}` }),
  });
  for (const outcome of underTable((rows) => rows.map(signed), judged)) {
    const name = outcome.kind === 'accepted' ? names[Number(outcome.gatewayOrderId)] : undefined;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Runs under the changed table, in its place: the judge reads this very list. */
function underTable<It>(change: (rows: readonly Row[]) => readonly Row[], work: () => It): It {
  const table = outcomeTable as Row[];
  const kept = [...table];
  try {
    table.splice(0, table.length, ...change(kept));
    return work();
  } finally {
    table.splice(0, table.length, ...kept);
  }
}
