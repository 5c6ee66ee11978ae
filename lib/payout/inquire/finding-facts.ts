// The facts that one look proves. A look that brings nothing adds nothing.
import type { Finding } from '../../gateway/finding.ts';
import { gatewayIdentityOf, type GatewayIds } from '../../gateway/gateway-outcome.ts';
import { factsOfReport, type Report } from '../order/attribute.ts';
import {
  type Attempt,
  attemptsOf,
  type Facts,
  join,
  type Negative,
  noFacts,
  ofAttempt,
  signOfLife,
} from '../order/facts.ts';
import { clockSkewMs } from '../order/next.ts';
import { mayHaveLost } from '../order/order.ts';
import type { StatusQuestion } from './ask-gateway.ts';

/** The facts of a finding; `question` as it was before the gateway was asked. */
export function factsOfFinding(
  { order, attempt, account, gap, askedMs }: StatusQuestion,
  finding: Finding,
  nowMs: number,
): Facts {
  const { facts } = order;
  // An answer that names no id is about the id by which the gateway was asked.
  const [askedBy] = attempt.ids;
  const named = { ...(askedBy !== undefined && { id: askedBy }), ...idsOf(finding) };
  const report = (more: Omit<Report, 'account' | 'atMs'>) =>
    factsOfReport(facts, { account, atMs: nowMs, ...named, ...more }, mayHaveLost(order, gap));
  switch (finding.kind) {
    case 'approved':
      return report({ level: 'approved' });
    case 'declined':
      return report({ level: 'declined', declined: finding.failure });
    case 'pending':
      return report({ level: 'seen' });
    case 'amount-differs':
      return report({ level: 'seen', amount: finding.amount });
    case 'inconclusive':
      return report({ level: 'seen', unclear: finding.failure });
    case 'reversed':
      return report({
        level: 'reversed',
        reversal: {
          type: plainWord(finding.transactionType),
          status: plainWord(finding.status),
          ...(finding.totalAmount !== undefined && { amount: finding.totalAmount }),
          atMs: nowMs,
        },
      });
    case 'unknown-order': {
      // An answer by an id is about that attempt; one by the order's own id, about each that has not been heard of.
      const meant = askedBy === undefined ? attemptsOf(facts).filter((it) => it.accounts.includes(account)) : [attempt];
      return negativeOf(meant, account, { askedMs, nowMs });
    }
    case 'credentials-refused':
    case 'unclear':
      return noFacts;
    default:
      return finding satisfies never;
  }
}

/** The text as it may be kept: printed, and so without blanks and signs. */
const plainWord = (text: string): string => text.toLowerCase().replaceAll(/[^\w.+-]/g, '?');

function idsOf(finding: Finding): Pick<Report, 'id' | 'alias'> {
  const ids: GatewayIds = 'gatewayOrderId' in finding ? finding : {};
  const id = gatewayIdentityOf(ids);
  return { ...(id !== undefined && { id }), ...(ids.gatewayAlias !== undefined && { alias: ids.gatewayAlias }) };
}

/**
 * The account knows no such order. It counts towards a denial where it was asked after the end of the lease, by any clock; the gateway
 * looked between question and answer, so that a quiet period lasts from an answer to a question.
 */
function negativeOf(
  meant: readonly Attempt[],
  account: string,
  { askedMs, nowMs }: { readonly askedMs: number; readonly nowMs: number },
): Facts {
  return meant
    .filter((it) => signOfLife(it) === '')
    .reduce<Facts>((facts, attempt) => {
      const counts = askedMs > attempt.leaseUntilMs + clockSkewMs;
      const negative: Negative = {
        ...(counts && { firstMs: nowMs, lastMs: askedMs }),
        sinceRefusal: attempt.answer?.kind === 'refused',
        denies: false,
      };
      return join(facts, ofAttempt({ ...attempt, negatives: { [account]: negative } }));
    }, noFacts);
}
