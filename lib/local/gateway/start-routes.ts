// Takes requests that start an order: validate, refuse or commit, reply. The moment of a fault is decided here.
import { type Delivery, deliveryOf, foreignOrderId } from './delivery.ts';
import { type FieldProblem, type Fields, problemOf } from './operation-fields.ts';
import { type BookedOrder, familyOf, type OrderBook } from './order-book.ts';
import type { Reply, ReplyFields, ReplyFormat } from './reply.ts';
import type { Route, StartRoute } from './route.ts';
import type { ScenarioAnswer, Scenario, ScenarioRequest, StartOperation } from './scenario.ts';
import type { SimulatorSettings } from './simulator-options.ts';

/** An authenticated request that is about to be decided. */
export interface DeskRequest<R extends Route = Route> {
  readonly route: R;
  readonly asked: ScenarioRequest;
  readonly fields: Fields;
  readonly format: ReplyFormat;
  /** Identifies this one request. */
  readonly serialNumber: string;
}

/** The ports of a desk. */
export interface Desk {
  readonly settings: SimulatorSettings;
  readonly book: OrderBook;
  /** Real time; ends early, by throwing, when the simulator closes. */
  readonly wait: (durationMs: number) => Promise<void>;
}

/** An id of nothing here. */
export const orderNotFound: FieldProblem = { code: 101, message: 'Order not found' };
const alreadyExists: FieldProblem = { code: 503, message: 'Order with this client order id already exists' };

/** The journey of a start request, with the commit between the two moments of a fault. */
export async function takeStartRequest(
  desk: Desk,
  request: DeskRequest<StartRoute>,
  scenario: Scenario,
): Promise<Delivery> {
  const { fault } = scenario;
  if (fault.kind === 'slow' && fault.when === 'before') await desk.wait(fault.latencyMs);
  else if (fault.kind !== 'none' && fault.when === 'before') {
    return deliveryOf(uncommittedReply(request, scenario), request.format, fault);
  }
  const reply = decide(desk, request, scenario);
  if (fault.kind === 'slow' && fault.when === 'after') await desk.wait(fault.latencyMs);
  return deliveryOf(reply, request.format, fault);
}

/** Validates, then refuses or commits. Runs in one go: two requests at once cannot pass the duplicate check together. */
function decide(desk: Desk, request: DeskRequest<StartRoute>, scenario: Scenario): Reply {
  const { operation } = request.route;
  const problem = problemOf(operation, request.route.checks, request.fields);
  if (problem !== undefined) return refusalReply(request, { ...problem, type: 'validation-error' });
  const { login, orderId: clientOrderId } = request.asked;
  const earlier = desk.book.sharing({ login, family: familyOf(operation), clientOrderId });
  if (desk.settings.duplicateOrderIds === 'refused' && earlier.length > 0) {
    return refusalReply(request, { ...alreadyExists, type: 'validation-error' });
  }
  const { answer } = scenario;
  switch (answer.kind) {
    case 'accepted':
      return acceptance(request, commit(desk, request, scenario));
    case 'refused':
      return refusalReply(request, answer, answer.createsOrder === true ? commit(desk, request, scenario) : undefined);
  }
}

function commit(desk: Desk, request: DeskRequest<StartRoute>, scenario: Scenario): BookedOrder {
  const { login, orderId: clientOrderId, amount, currency } = request.asked;
  return desk.book.commit({
    serialNumber: request.serialNumber,
    login,
    operation: request.route.operation,
    clientOrderId,
    amount,
    currency,
    accepted: scenario.answer.kind === 'accepted',
    life: scenario.life,
  });
}

function acceptance(request: DeskRequest<StartRoute>, order: BookedOrder): Reply {
  const aliases: Partial<Record<StartOperation, string>> = {
    'transfer-by-ref': 'transaction-id',
    payout: 'payout-id',
  };
  const alias = aliases[order.operation];
  return {
    kind: 'success',
    fields: [
      ['type', 'async-response'],
      ...echo(request),
      // A number in JSON start replies and a string in status replies: the gateway really does this.
      ['paynet-order-id', Number(order.gatewayOrderId)],
      ['end-point-id', request.route.endpointId],
      ...(alias === undefined ? [] : [[alias, order.gatewayOrderId] as const]),
    ],
  };
}

/** A refusal in the gateway's words; `order` only when one exists all the same. */
export function refusalReply(
  request: Pick<DeskRequest, 'serialNumber' | 'asked'>,
  problem: FieldProblem & Pick<Extract<ScenarioAnswer, { kind: 'refused' }>, 'type'>,
  order?: BookedOrder,
): Reply {
  return {
    kind: 'refusal',
    fields: [
      ['type', problem.type],
      ...echo(request),
      ...(order === undefined ? [] : [['paynet-order-id', Number(order.gatewayOrderId)] as const]),
      ['error-message', problem.message],
      ['error-code', problem.code],
    ],
  };
}

/** The reply if nothing was committed: a refusal, or the reply of another order. */
function uncommittedReply(request: DeskRequest, scenario: Scenario): Reply {
  if (scenario.fault.kind !== 'foreign-order-id') {
    return refusalReply(request, { type: 'error', code: 102, message: 'Internal error' });
  }
  const fields: ReplyFields = [
    ['type', 'async-response'],
    ['serial-number', request.serialNumber],
    ['merchant-order-id', foreignOrderId],
    ['paynet-order-id', 1_000_001],
  ];
  return { kind: 'success', fields };
}

function echo({ serialNumber, asked }: Pick<DeskRequest, 'serialNumber' | 'asked'>): ReplyFields {
  return [
    ['serial-number', serialNumber],
    ['merchant-order-id', asked.orderId],
  ];
}
