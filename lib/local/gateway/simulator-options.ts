// How a simulated gateway can be set up. Defaults follow test/world/facts.txt; assumptions are switches.
import type { SimulatorMerchant } from './authentication.ts';
import type { ScenarioFunction, ScenarioRequest } from './scenario.ts';
import { scenarioByOrderId } from './scenario-markers.ts';

/** Options of the simulator; all but `merchants` may be left out. */
export interface SimulatorOptions {
  readonly merchants: readonly SimulatorMerchant[];
  /** Default the wall clock. Order states and timestamps go by it; waits use real time. */
  readonly nowMs?: () => number;
  /** Default 403, as the gateway's documents say; 401 in its vendor's own emulator. */
  readonly authFailureStatus?: 401 | 403;
  /** Default 300; null switches off both the timestamp window and the refusal of used nonces. */
  readonly timestampWindowSeconds?: number | null;
  /** Default `accepted`: each accepted send is a payment of its own. `refused` answers code 503. */
  readonly duplicateOrderIds?: 'accepted' | 'refused';
  /** Default `offered`; `absent`: the gateway has no status inquiry. */
  readonly statusInquiry?: 'offered' | 'absent';
  /** Default `both`: how requests must spell the client order id; under another name it is not seen. */
  readonly orderIdField?: 'both' | 'client_orderid' | 'client-order-id';
  /** Default `as-asked`: JSON if Accept names the gateway's media type, else form text. */
  readonly replyFormat?: 'as-asked' | 'form' | 'json';
  /** Default 0: how long status answers 101 for an order that exists. */
  readonly statusVisibilityDelayMs?: number;
  /** Default `newest`: what status by client order id alone answers when several orders share it. */
  readonly statusOfSeveral?: 'newest' | 'error';
  /** Default 0: real time from commit to reply, for every request that passed authentication. */
  readonly latencyMs?: number | ((request: ScenarioRequest) => number);
  /** Default `scenarioByOrderId`. Also asked for every status inquiry. */
  readonly scenario?: ScenarioFunction;
  /** Answers at `/simulator`: the console of a local run looks and acts there. */
  readonly desk?: (body: unknown) => object;
}

/** The same with every default filled in. */
export type SimulatorSettings = Required<Omit<SimulatorOptions, 'desk'>> & Pick<SimulatorOptions, 'desk'>;

/** Fills in the defaults. */
export function settingsOf(options: SimulatorOptions): SimulatorSettings {
  return {
    nowMs: () => Date.now(),
    authFailureStatus: 403,
    timestampWindowSeconds: 300,
    duplicateOrderIds: 'accepted',
    statusInquiry: 'offered',
    orderIdField: 'both',
    replyFormat: 'as-asked',
    statusVisibilityDelayMs: 0,
    statusOfSeveral: 'newest',
    latencyMs: 0,
    scenario: scenarioByOrderId,
    ...options,
  };
}
