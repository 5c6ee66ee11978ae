// The facts that one inquiry proves.
import type { Finding } from '../../gateway/finding.ts';
import { gatewayIdentityOf, type GatewayIds } from '../../gateway/gateway-outcome.ts';
import { type Attempt, attemptsOf, type Facts, noFacts, type Reversal } from '../order/facts.ts';
import { join } from '../order/join.ts';
import { factsOfReport, type Report } from '../order/reports.ts';
import { bears } from '../order/signs.ts';
import { type Contract, factsOfSilence } from '../order/time.ts';
import type { Content, Order } from '../order/order.ts';
import { whereSet } from '../where-set.ts';

/** The question: the attempt, and the account that is asked about it. */
export interface StatusQuestion {
  readonly order: Order;
  readonly content: Content;
  readonly attempt: Attempt;
  readonly account: string;
  /** Before the question leaves: the answer says what the gateway knew at some moment since. */
  readonly askedMs: number;
}

/** The facts of a finding. They are joined to the very order that the question holds. */
export function factsOfFinding(
  question: StatusQuestion,
  finding: Finding,
  nowMs: number,
  contract: Pick<Contract, 'visibleAfterMs' | 'namesNewest'>,
): Facts {
  const { order, attempt, account } = question;
  const { facts } = order;
  // An answer that names no id is about the id by which the gateway was asked.
  const [askedBy] = attempt.ids;
  const { id = askedBy, alias } = idsOf(finding);
  const named = { id, alias };
  const report = (more: Omit<Report, 'account' | 'atMs'>) => {
    const added = factsOfReport(facts, { account, atMs: nowMs, ...named, ...more }, order.version + 1);
    return join(added, silenceOf(question, named.id, nowMs, contract));
  };
  switch (finding.kind) {
    case 'approved':
      return report({ level: 'approved' });
    case 'declined':
    case 'filtered':
      return report({ level: finding.kind, declined: finding.failure });
    case 'pending':
      return report({ level: 'seen' });
    case 'amount-differs':
      return report({ level: finding.status === 'approved' ? 'approved' : 'seen', amount: finding.amount });
    case 'inconclusive':
      return report({ level: 'seen', unclear: finding.failure });
    case 'reversed':
      return report({
        level: 'reversed',
        reversal: whereSet<Reversal>({
          type: plainWord(finding.transactionType),
          status: plainWord(finding.status),
          amount: finding.totalAmount,
          atMs: nowMs,
        }),
      });
    case 'unknown-order':
      // Asked by an id, the gateway answers about an attempt of which something was heard: no silence.
      return askedBy === undefined ? factsOfSilence(order.facts, silence(question, nowMs), contract) : noFacts;
    case 'credentials-refused':
    case 'unclear':
      return noFacts;
    default:
      return finding satisfies never;
  }
}

const silence = ({ account, askedMs }: StatusQuestion, answeredMs: number) => ({ account, askedMs, answeredMs });

/** If the account names the newest transaction, and names one of an older attempt, it has also answered about the newer attempts. */
function silenceOf(
  question: StatusQuestion,
  id: string | undefined,
  nowMs: number,
  contract: Pick<Contract, 'visibleAfterMs' | 'namesNewest'>,
): Facts {
  const { order, attempt, account } = question;
  if (!contract.namesNewest || attempt.ids.length > 0 || id === undefined) return noFacts;
  const older = attemptsOf(order.facts).findLast((it) => bears(it, account, id));
  return older ? factsOfSilence(order.facts, { ...silence(question, nowMs), names: older.number }, contract) : noFacts;
}

/** A word of the gateway as it may be stored and printed: every other sign becomes "?". */
const plainWord = (text: string): string => text.toLowerCase().replaceAll(/[^\w.+-]/g, '?');

function idsOf(finding: Finding): Pick<Report, 'id' | 'alias'> {
  const ids: GatewayIds = 'gatewayOrderId' in finding ? finding : {};
  return { id: gatewayIdentityOf(ids), alias: ids.gatewayAlias };
}
