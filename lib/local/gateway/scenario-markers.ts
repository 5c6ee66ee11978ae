// Scenarios chosen by the client order id itself: `INV-0042.decline` is declined. The table is the documentation.
import {
  type FaultMoment,
  type LifeStep,
  plainApproval,
  type Scenario,
  type ScenarioAnswer,
  type ScenarioRequest,
  scenarioWith,
  type SimulatedFault,
} from './scenario.ts';

/** A row of the table: the n-th send gets the n-th scenario, later ones the last; the same for inquiries. */
interface ScenarioMarker {
  readonly description: string;
  readonly sends: readonly Scenario[];
  /** Absent = inquiries are answered plainly. */
  readonly inquiries?: readonly Scenario[];
}

const onlyOnce = (fault: SimulatedFault): readonly Scenario[] => [scenarioWith({ fault }), plainApproval];
const life = (...steps: readonly LifeStep[]): readonly Scenario[] => [scenarioWith({ life: steps })];
const broken = (kind: 'reset' | 'close' | 'stall' | 'truncated-body', when: FaultMoment) => onlyOnce({ kind, when });
const odd = (kind: 'empty-200' | 'html-200' | 'json-as-html' | 'foreign-order-id', when: FaultMoment) =>
  onlyOnce({ kind, when });
const http = (status: 408 | 409 | 500 | 502 | 503 | 504, when: FaultMoment) =>
  onlyOnce({ kind: 'http-error', status, when });
const rateLimited: SimulatedFault = { kind: 'too-many-requests', retryAfterSeconds: 1, when: 'before' };
const tryLater: ScenarioAnswer = {
  kind: 'refused',
  type: 'error',
  code: 502,
  message: 'Processing is busy, try later',
};

/** Every marker by name. Faults strike the first send only, so that a resend shows what it did. */
export const scenarioMarkers: Readonly<Record<string, ScenarioMarker>> = {
  approve: { description: 'accepted, approved after 2 s', sends: [plainApproval] },
  decline: { description: 'accepted, then declined', sends: life({ status: 'declined', afterMs: 2_000 }) },
  'decline-once': {
    description: 'accepted, then declined; a second send is approved',
    sends: [...life({ status: 'declined', afterMs: 2_000 }), plainApproval],
  },
  filtered: {
    description: 'accepted, then declined by fraud control',
    sends: life({ status: 'filtered', afterMs: 2_000 }),
  },
  error: { description: 'accepted, then ends in error', sends: life({ status: 'error', afterMs: 2_000 }) },
  processing: { description: 'accepted, never ends', sends: life() },
  unknown: { description: 'accepted, stays unknown (not final)', sends: life({ status: 'unknown', afterMs: 2_000 }) },
  'unknown-then-approved': {
    description: 'accepted, unknown for a while, then approved',
    sends: life({ status: 'unknown', afterMs: 1_000 }, { status: 'approved', afterMs: 6_000 }),
  },
  'unknown-then-declined': {
    description: 'accepted, unknown for a while, then declined',
    sends: life({ status: 'unknown', afterMs: 1_000 }, { status: 'declined', afterMs: 6_000 }),
  },
  'chain-declined-then-approved': {
    description: 'the first processor declines, the cascade goes on and approves',
    sends: life({ status: 'chain_declined', afterMs: 1_000 }, { status: 'approved', afterMs: 6_000 }),
  },
  'chain-declined-then-declined': {
    description: 'every processor of the cascade declines',
    sends: life({ status: 'chain_declined', afterMs: 1_000 }, { status: 'declined', afterMs: 6_000 }),
  },
  'approved-then-declined': {
    description: 'reconciliation turns a final approval into a decline',
    sends: life({ status: 'approved', afterMs: 2_000 }, { status: 'declined', afterMs: 20_000 }),
  },
  'declined-then-approved': {
    description: 'reconciliation turns a final decline into an approval',
    sends: life({ status: 'declined', afterMs: 2_000 }, { status: 'approved', afterMs: 20_000 }),
  },
  'validation-error': {
    description: 'refused as invalid (code 29), nothing created',
    sends: [
      scenarioWith({ answer: { kind: 'refused', type: 'validation-error', code: 29, message: 'Amount is invalid' } }),
    ],
  },
  'validation-error-once': {
    description: 'refused as invalid (code 29) once, then accepted',
    sends: [
      scenarioWith({ answer: { kind: 'refused', type: 'validation-error', code: 29, message: 'Amount is invalid' } }),
      plainApproval,
    ],
  },
  refused: {
    description: 'refused with type=error (code 21), nothing created',
    sends: [scenarioWith({ answer: { kind: 'refused', type: 'error', code: 21, message: 'Not allowed' } })],
  },
  'refused-with-id': {
    description: 'refused with type=error, but an order with status error exists and its id is named',
    sends: [
      scenarioWith({
        answer: { kind: 'refused', type: 'error', code: 21, message: 'Not allowed', createsOrder: true },
        life: [],
      }),
    ],
  },
  'try-later': {
    description: 'always refused with the temporary code 502',
    sends: [scenarioWith({ answer: tryLater })],
  },
  'try-later-once': {
    description: 'refused once with the temporary code 502, then accepted',
    sends: [scenarioWith({ answer: tryLater }), plainApproval],
  },
  'rate-limited': { description: 'always 429 with Retry-After: 1', sends: [scenarioWith({ fault: rateLimited })] },
  'rate-limited-once': { description: '429 once, then accepted', sends: onlyOnce(rateLimited) },
  'reset-before': { description: 'connection reset, nothing committed', sends: broken('reset', 'before') },
  'reset-after': { description: 'committed, then the connection is reset', sends: broken('reset', 'after') },
  'close-before': { description: 'closed without a reply, nothing committed', sends: broken('close', 'before') },
  'close-after': { description: 'committed, then closed without a reply', sends: broken('close', 'after') },
  'stall-before': { description: 'never answered, nothing committed', sends: broken('stall', 'before') },
  'stall-after': { description: 'committed, never answered', sends: broken('stall', 'after') },
  truncated: { description: 'committed, half of the reply arrives', sends: broken('truncated-body', 'after') },
  'truncated-before': {
    description: 'half of a refusal arrives, nothing committed',
    sends: broken('truncated-body', 'before'),
  },
  'http-408-after': { description: 'committed, answered 408', sends: http(408, 'after') },
  'http-409-after': { description: 'committed, answered 409', sends: http(409, 'after') },
  'http-500-before': { description: 'answered 500, nothing committed', sends: http(500, 'before') },
  'http-500-after': { description: 'committed, answered 500', sends: http(500, 'after') },
  'http-502-before': { description: 'answered 502, nothing committed', sends: http(502, 'before') },
  'http-502-after': { description: 'committed, answered 502', sends: http(502, 'after') },
  'http-503-before': { description: 'answered 503, nothing committed', sends: http(503, 'before') },
  'http-503-after': { description: 'committed, answered 503', sends: http(503, 'after') },
  'http-504-after': { description: 'committed, answered 504', sends: http(504, 'after') },
  'empty-200': { description: 'committed, answered 200 with an empty body', sends: odd('empty-200', 'after') },
  'empty-200-before': { description: 'empty 200, nothing committed', sends: odd('empty-200', 'before') },
  'html-200': { description: 'committed, answered 200 with an HTML page', sends: odd('html-200', 'after') },
  'html-200-before': { description: 'HTML under 200, nothing committed', sends: odd('html-200', 'before') },
  'json-as-html': {
    description: 'accepted, answered in JSON declared as text/html',
    sends: odd('json-as-html', 'after'),
  },
  'foreign-id': {
    description: 'committed, but the reply names another merchant order id',
    sends: odd('foreign-order-id', 'after'),
  },
  'foreign-id-before': {
    description: 'the reply of another order, nothing committed',
    sends: odd('foreign-order-id', 'before'),
  },
  slow: {
    description: 'accepted at once, answered after 5 s',
    sends: onlyOnce({ kind: 'slow', when: 'after', latencyMs: 5_000 }),
  },
  'late-commit': {
    description: 'committed and answered after 60 s: the client has given up, the order comes all the same',
    sends: onlyOnce({ kind: 'slow', when: 'before', latencyMs: 60_000 }),
  },
  'slow-status': {
    description: 'approved, but each status inquiry takes 5 s',
    sends: [plainApproval],
    inquiries: [scenarioWith({ fault: { kind: 'slow', when: 'before', latencyMs: 5_000 } })],
  },
  'status-500': {
    description: 'approved, but the first status inquiry is answered 500',
    sends: [plainApproval],
    inquiries: onlyOnce({ kind: 'http-error', status: 500, when: 'before' }),
  },
};

/** The default scenario: what the marker after the last dot of the order id says; none or an unknown one = approve. */
export function scenarioByOrderId(request: Pick<ScenarioRequest, 'operation' | 'orderId' | 'sendNumber'>): Scenario {
  const name = request.orderId.slice(request.orderId.lastIndexOf('.') + 1);
  if (!request.orderId.includes('.') || !Object.hasOwn(scenarioMarkers, name)) return plainApproval;
  const marker = scenarioMarkers[name];
  const isInquiry = request.operation === 'status' || request.operation === 'pan-eligibility-status';
  const scenarios = (isInquiry ? marker?.inquiries : marker?.sends) ?? [];
  return scenarios[request.sendNumber - 1] ?? scenarios.at(-1) ?? plainApproval;
}
