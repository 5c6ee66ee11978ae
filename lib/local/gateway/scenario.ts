// The fate of one request at the simulated gateway, as plain data. A scenario is chosen per request.

/** Operations that start something. All but `pan-eligibility` move money. */
export type StartOperation = 'transfer' | 'transfer-by-ref' | 'payout' | 'pan-eligibility';

/** Questions about an order: of the v4 operations, and of eligibility checks. */
export type InquiryOperation = 'status' | 'pan-eligibility-status';

/** Everything the gateway serves. */
export type SimulatedOperation = StartOperation | InquiryOperation;

/** Final are approved, declined, error and filtered; the others may still become anything. */
export type OrderStatus = 'processing' | 'unknown' | 'chain_declined' | 'approved' | 'declined' | 'error' | 'filtered';

/** Whether a fault strikes before the order is committed (no money moves) or after it (money moves, unheard). */
type FaultMoment = 'before' | 'after';

/** A fault between gateway and client. */
export type SimulatedFault =
  | { readonly kind: 'none' }
  /** The connection is reset (RST), closed without a reply, or never answered. */
  | { readonly kind: 'reset' | 'close' | 'stall'; readonly when: FaultMoment }
  /** The headers announce the whole reply, half of it comes, then the connection ends. */
  | { readonly kind: 'truncated-body'; readonly when: FaultMoment }
  /** An HTML page under an error status. */
  | {
      readonly kind: 'http-error';
      readonly status: 401 | 408 | 409 | 500 | 502 | 503 | 504;
      readonly when: FaultMoment;
    }
  | { readonly kind: 'too-many-requests'; readonly retryAfterSeconds: number; readonly when: FaultMoment }
  | { readonly kind: 'empty-200' | 'html-200'; readonly when: FaultMoment }
  /** The reply is JSON under text/html, asked for or not. `before`: a refusal (102), as there is no order to tell of. */
  | { readonly kind: 'json-as-html'; readonly when: FaultMoment }
  /** The reply names another merchant order id. `before`: wholly another's reply, with nothing committed here. */
  | { readonly kind: 'foreign-order-id'; readonly when: FaultMoment }
  /** The reply comes late. `before`: the commit comes late as well, even when the client has hung up by then. */
  | { readonly kind: 'slow'; readonly when: FaultMoment; readonly latencyMs: number };

/** The gateway's decision. A refusal creates no order unless `createsOrder`, and then one with status error. */
export type ScenarioAnswer =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'refused';
      readonly type: 'validation-error' | 'error';
      readonly code: number;
      readonly message: string;
      readonly createsOrder?: boolean;
    };

/** One change of status; `afterMs` counts from the commit of the order, not from the step before. */
export interface LifeStep {
  readonly status: OrderStatus;
  readonly afterMs: number;
}

/** All that happens to one request. For an inquiry only `fault` and a refusing `answer` count. */
export interface Scenario {
  readonly fault: SimulatedFault;
  readonly answer: ScenarioAnswer;
  /** Empty = processing for ever. A final status followed by another one is a reconciliation. */
  readonly life: readonly LifeStep[];
}

/** The request that a scenario is chosen by. Requests that fail authentication never get here. */
export interface ScenarioRequest {
  readonly operation: SimulatedOperation;
  readonly login: string;
  readonly endpointId: string;
  /** The client order id, trimmed; empty when the request has none. */
  readonly orderId: string;
  readonly amount?: string;
  readonly currency?: string;
  /** 1 for the first POST of this order id by this login, 2 for the next. Money, checks, and inquiries count apart. */
  readonly sendNumber: number;
  readonly receivedAtMs: number;
}

/** Decides per request what happens. */
export type ScenarioFunction = (request: ScenarioRequest) => Scenario;

/** Time from acceptance to the final state, unless a scenario says otherwise. */
const settlingMs = 2_000;

/** A scenario that differs from plain approval (accepted, approved after 2 s) in the given parts. */
export function scenarioWith(changes: Partial<Scenario>): Scenario {
  return {
    fault: { kind: 'none' },
    answer: { kind: 'accepted' },
    life: [{ status: 'approved', afterMs: settlingMs }],
    ...changes,
  };
}

/** The default: accepted at once, approved after 2 s. */
export const plainApproval: Scenario = scenarioWith({});

/** Every fault by name, with what the client sees of it. It strikes before or after the order is committed. */
export const faultsByName = {
  reset: { says: 'the connection is reset', fault: { kind: 'reset' } },
  close: { says: 'the connection is closed without a reply', fault: { kind: 'close' } },
  stall: { says: 'no reply ever comes', fault: { kind: 'stall' } },
  truncated: { says: 'half of the reply arrives', fault: { kind: 'truncated-body' } },
  'http-408': { says: 'the answer is 408', fault: { kind: 'http-error', status: 408 } },
  'http-409': { says: 'the answer is 409', fault: { kind: 'http-error', status: 409 } },
  'http-500': { says: 'the answer is 500', fault: { kind: 'http-error', status: 500 } },
  'http-502': { says: 'the answer is 502', fault: { kind: 'http-error', status: 502 } },
  'http-503': { says: 'the answer is 503', fault: { kind: 'http-error', status: 503 } },
  'http-504': { says: 'the answer is 504', fault: { kind: 'http-error', status: 504 } },
  'empty-200': { says: 'the answer is 200 with an empty body', fault: { kind: 'empty-200' } },
  'html-200': { says: 'the answer is 200 with an HTML page', fault: { kind: 'html-200' } },
  'json-as-html': { says: 'the reply is JSON declared as text/html', fault: { kind: 'json-as-html' } },
  'foreign-id': { says: 'the reply names another order', fault: { kind: 'foreign-order-id' } },
} as const satisfies Readonly<Record<string, { readonly says: string; readonly fault: object }>>;

/** The moments of a fault. */
export const faultMoments: readonly FaultMoment[] = ['before', 'after'];
