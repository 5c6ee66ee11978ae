// The states of an order as its results and its history name them.
import type { EndReason } from './facts.ts';

/** The states of an order. */
export const orderStates = [
  'submitting',
  /** Refused, which proves nothing before the gateway was asked since. */
  'verifying',
  'retryable',
  'in-doubt',
  'held',
  'accepted',
  'approved',
  'declined',
  'failed',
  'cancelled',
] as const;

/** The state of an order. */
export type OrderState = (typeof orderStates)[number];

/** The state of an order that ended so. */
export const stateOfEnd = (reason: EndReason): OrderState =>
  reason === 'cancelled' || reason === 'declined' ? reason : 'failed';
