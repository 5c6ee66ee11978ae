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
export type FaultMoment = 'before' | 'after';

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
