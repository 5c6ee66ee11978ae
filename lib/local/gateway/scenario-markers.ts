// Scenarios chosen by the client order id itself: `INV-0042.decline` is declined. The table is the documentation.
import {
  faultMoments,
  faultsByName,
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
/** Each fault by its name and moment, as in `stall-after`. */
function faultMarkers(): Readonly<Record<string, ScenarioMarker>> {
  const ends = { before: 'nothing is committed', after: 'the order is committed' };
  const rows = Object.entries(faultsByName).flatMap(([name, { says, fault }]) =>
    faultMoments.map((when) => {
      const description = `${says}, ${ends[when]}`;
      return [`${name}-${when}`, { description, sends: onlyOnce({ ...fault, when }) }] as const;
    }),
  );
  // An answer that cannot be read is one after the commit if no moment is named.
  const bare = ['truncated', 'empty-200', 'html-200', 'json-as-html', 'foreign-id'].flatMap((name) =>
    rows.flatMap(([marker, it]) => (marker === `${name}-after` ? [[name, it] as const] : [])),
  );
  return Object.fromEntries([...rows, ...bare]);
}
const life = (...steps: readonly LifeStep[]): readonly Scenario[] => [scenarioWith({ life: steps })];
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
  ...faultMarkers(),
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
