// Answers status inquiries: the order that is meant, whether it may be seen yet, and its status now.
import { type Delivery, deliveryOf } from './delivery.ts';
import type { FieldProblem } from './operation-fields.ts';
import { type BookedOrder, statusAt } from './order-book.ts';
import type { Reply } from './reply.ts';
import type { InquiryRoute } from './route.ts';
import type { OrderStatus, Scenario } from './scenario.ts';
import { type Desk, type DeskRequest, orderNotFound, refusalReply } from './start-routes.ts';

type StatusDesk = Pick<Desk, 'settings' | 'book' | 'wait'>;

type Finding = { kind: 'found'; order: BookedOrder } | { kind: 'refused'; problem: FieldProblem };

const severalOrders: FieldProblem = { code: 1, message: 'Several orders have this client order id, send orderid too' };

/** By status: the order stage, and the error if there is one. */
const stages: Readonly<Record<OrderStatus, { stage: string; error?: FieldProblem }>> = {
  processing: { stage: 'AUTH_VALIDATED' },
  unknown: { stage: 'AUTH_VALIDATED' },
  chain_declined: { stage: 'AUTH_CHAIN_DECLINED' },
  approved: { stage: 'AUTH_APPROVED' },
  declined: { stage: 'AUTH_DECLINED', error: { code: 28, message: 'Insufficient funds' } },
  filtered: { stage: 'AUTH_DECLINED', error: { code: 24, message: 'Suspect fraud' } },
  error: { stage: 'AUTH_DECLINED', error: { code: 1007, message: 'Checking is failed' } },
};

/** The journey of an inquiry; it changes nothing, so the moment of a fault makes no difference. */
export async function takeStatusRequest(
  desk: StatusDesk,
  request: DeskRequest<InquiryRoute>,
  scenario: Scenario,
): Promise<Delivery> {
  if (scenario.fault.kind === 'slow') await desk.wait(scenario.fault.latencyMs);
  return deliveryOf(statusReply(desk, request, scenario), request.format, scenario.fault);
}

function statusReply(desk: StatusDesk, request: DeskRequest<InquiryRoute>, { answer }: Scenario): Reply {
  if (answer.kind === 'refused') return refusalReply(request, answer);
  const problem = inquiryProblem(request);
  if (problem !== undefined) return refusalReply(request, { ...problem, type: 'validation-error' });
  const finding = findOrder(desk, request);
  if (finding.kind === 'refused') return refusalReply(request, { ...finding.problem, type: 'error' });
  return statusOf(finding.order, request, desk.settings.nowMs());
}

function inquiryProblem({ fields, asked }: DeskRequest<InquiryRoute>): FieldProblem | undefined {
  if (fields.get('login') !== asked.login) return { code: 7, message: 'Field login is missing or not the signer' };
  return asked.orderId === '' ? { code: 1, message: 'Field client_orderid is missing' } : undefined;
}

function findOrder({ settings, book }: StatusDesk, { route, asked, fields }: DeskRequest<InquiryRoute>): Finding {
  const family = route.operation === 'status' ? 'money' : 'eligibility';
  const gatewayOrderId = fields.get('orderid') ?? '';
  const serialNumber = fields.get('by-request-sn') ?? '';
  const candidates = book
    .sharing({ login: asked.login, family, clientOrderId: asked.orderId })
    .filter((order) => settings.nowMs() - order.committedAtMs >= settings.statusVisibilityDelayMs)
    .filter((order) => gatewayOrderId === '' || order.gatewayOrderId === gatewayOrderId)
    .filter((order) => serialNumber === '' || order.serialNumber === serialNumber);
  const newest = candidates.at(-1);
  if (newest === undefined) return { kind: 'refused', problem: orderNotFound };
  if (candidates.length > 1 && settings.statusOfSeveral === 'error') return { kind: 'refused', problem: severalOrders };
  return { kind: 'found', order: newest };
}

function statusOf(order: BookedOrder, request: DeskRequest<InquiryRoute>, nowMs: number): Reply {
  const status = statusAt(order, nowMs);
  const { stage, error } = stages[status];
  return {
    kind: 'success',
    fields: [
      ['type', 'status-response'],
      ['serial-number', request.serialNumber],
      ['merchant-order-id', order.clientOrderId],
      ['paynet-order-id', order.gatewayOrderId],
      ['status', status],
      ...(order.amount === undefined ? [] : [['amount', order.amount] as const]),
      ...(order.currency === undefined ? [] : [['currency', order.currency] as const]),
      ['order-stage', stage],
      ...(status === 'approved' ? [['approval-code', order.gatewayOrderId.slice(-6)] as const] : []),
      ...(error === undefined ? [] : [['error-message', error.message] as const, ['error-code', error.code] as const]),
    ],
  };
}
