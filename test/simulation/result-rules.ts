// The rules of a result: exactly the ledger's entry at that revision, and the same whenever it is published again.
import type { SeenOrder } from './seen.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { breachOfContract } from '../support/published-result.ts';

/**
 * The fault of a result; undefined where there is none. `snapshot` is the ledger's entry of that very revision, `text`
 * the result as it is sent.
 */
export function faultOfResult(
  result: Result,
  snapshot: SeenOrder | undefined,
  text: string,
  toldBefore: string | undefined,
): string | undefined {
  const { resultId } = result;
  if (text === toldBefore) return undefined;
  const breach = breachOfContract(result);
  if (breach !== undefined) return breach;
  const retold = toldBefore === undefined ? undefined : `result ${resultId} was told differently before`;
  if (resultId.startsWith('rejected/')) return retold ?? faultOfRejection(result);
  if (!snapshot) return `result ${resultId} speaks of a revision that the ledger never had`;
  const named = result.transactionId ?? result.payoutId;
  const said = [result.status, result.revision, result.gatewayOrderId, named, result.attempts, result.final];
  const { state, revision, gatewayOrderId, gatewayAlias = gatewayOrderId, attempts, final } = snapshot;
  const stood = [state, revision, gatewayOrderId, gatewayAlias, attempts, final];
  const different = said.findIndex((it, index) => it !== stood[index]);
  if (different >= 0) return `result ${resultId} says ${said[different]} where the ledger said ${stood[different]}`;
  if (result.status === 'accepted' && result.failure) return `result ${resultId} is accepted and bears a failure`;
  return retold;
}

/**
 * The fault of the result of a refused message, or of one whose order was called off before it came: nothing of it was sent, so it has
 * no attempts, no ids, and supersedes nothing.
 */
function faultOfRejection({ resultId, status, attempts, revision, failure }: Result): string | undefined {
  const refused = status === 'rejected' && failure !== undefined;
  const right = (refused || status === 'cancelled') && attempts === 0 && revision === 0;
  return right ? undefined : `result ${resultId} of a refused message says more than that it was refused`;
}
