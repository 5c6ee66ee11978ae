// What serves one attempt alone. A CVV may not be kept once its order was sent (PCI DSS 3.3.1), so the claim destroys the
// key that it is sealed under: whatever the attempt comes to, that message can't be sent again.
import type { Failure } from './failures.ts';
import type { Outcome } from './outcome.ts';

/** Why an order waits for its sender: never sent, and what would be needed to send it is gone. */
export function newCardDataNeeded(why: string): Failure {
  return { code: 'NEW_CARD_DATA_NEEDED', message: `${why}; seal the card data anew and send the order again` };
}

/** The outcome of an attempt that took single-use card data: what could be sent again without it no longer can. */
export function afterSingleUse(outcome: Outcome): Outcome {
  if (outcome.kind !== 'retryable' && outcome.kind !== 'not-processed') return outcome;
  const { code, gatewayCode, httpStatus } = outcome.failure;
  const said = { ...(gatewayCode !== undefined && { gatewayCode }), ...(httpStatus !== undefined && { httpStatus }) };
  return { kind: 'spent', failure: { ...newCardDataNeeded(code), ...said } };
}
