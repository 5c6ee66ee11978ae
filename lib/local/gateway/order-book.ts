// The orders of the simulated gateway: each commit makes a new one, whatever its client order id.
// Status is a function of the clock, so nothing has to tick.
import type { LifeStep, OrderStatus, StartOperation } from './scenario.ts';

/** The part of an order that is fixed when it is committed. Card data is never part of it. */
interface OrderDraft {
  readonly serialNumber: string;
  readonly login: string;
  readonly operation: StartOperation;
  readonly clientOrderId: string;
  /** Decimal string as it was sent; eligibility checks have none. */
  readonly amount?: string;
  readonly currency?: string;
  /** Whether the gateway's reply was async-response, heard or not. False = refused with an order id. */
  readonly accepted: boolean;
  readonly life: readonly LifeStep[];
}

/** A committed order. */
export interface BookedOrder extends OrderDraft {
  /** Numeric text, unique in this simulator: the gateway's paynet-order-id. */
  readonly gatewayOrderId: string;
  readonly committedAtMs: number;
}

/** Which orders share a client order id: money orders and eligibility checks are apart. */
interface OrderKey {
  readonly login: string;
  readonly family: 'money' | 'eligibility';
  readonly clientOrderId: string;
}

/** The book of orders. */
export type OrderBook = ReturnType<typeof createOrderBook>;

const firstGatewayOrderId = 9_000_001;

/** Makes an empty book. */
export function createOrderBook(nowMs: () => number) {
  const orders: BookedOrder[] = [];
  const ordersByKey = new Map<string, BookedOrder[]>();
  return {
    commit(draft: OrderDraft): BookedOrder {
      const gatewayOrderId = String(firstGatewayOrderId + orders.length);
      const order = { ...draft, gatewayOrderId, committedAtMs: nowMs() };
      orders.push(order);
      const key = keyText({ ...draft, family: familyOf(draft.operation) });
      ordersByKey.set(key, [...(ordersByKey.get(key) ?? []), order]);
      return order;
    },
    /** Every order under one client order id, oldest first. */
    sharing: (key: OrderKey): readonly BookedOrder[] => ordersByKey.get(keyText(key)) ?? [],
    all: (): readonly BookedOrder[] => orders,
  };
}

/** The state of an order at a moment: its last step that has come, else processing (error when it was refused). */
export function statusAt(order: BookedOrder, nowMs: number): OrderStatus {
  const ageMs = nowMs - order.committedAtMs;
  const start = order.accepted ? 'processing' : 'error';
  return order.life.findLast((step) => step.afterMs <= ageMs)?.status ?? start;
}

/** The family that an operation's orders belong to. */
export function familyOf(operation: StartOperation): OrderKey['family'] {
  return operation === 'pan-eligibility' ? 'eligibility' : 'money';
}

function keyText({ login, family, clientOrderId }: OrderKey): string {
  return JSON.stringify([login, family, clientOrderId]);
}
