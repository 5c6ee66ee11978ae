// One look at an attempt at the gateway: signed request, POST, finding. Moves no money, so it may be repeated at will.
import type { Finding } from '../../gateway/finding.ts';
import type { Credentials, Evidence, Gateway, MerchantAccess } from '../../gateway/ports.ts';
import type { Profile } from '../../gateway/profile.ts';
import { matchAccount } from '../order/account.ts';
import type { Content, Order } from '../order/order.ts';
import { recorded } from '../order/record.ts';
import type { Contract } from '../order/time.ts';
import type { Heard, AnswerSign } from '../pace/pacing.ts';
import type { Clock, Random } from '../ports.ts';
import { factsOfFinding, type StatusQuestion } from './finding-facts.ts';

/** The ports of asking. */
export interface AskPorts {
  readonly credentials: Credentials;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
}

/** Asks, and joins what the answer proves to the order. No request starts after `notAfterMs`. */
export async function askedOrder(
  question: Omit<StatusQuestion, 'askedMs'>,
  credentials: MerchantAccess,
  it: Asking & { readonly contract: Contract },
  ports: AskPorts,
): Promise<{ readonly finding: Finding; readonly order: Order; readonly nowMs: number }> {
  const { clock, random } = ports;
  const asked = { ...question, askedMs: clock.nowMs() };
  const finding = await askGateway(asked, credentials, it, ports);
  const nowMs = clock.nowMs();
  const facts = factsOfFinding(asked, finding, nowMs, it.contract);
  return {
    finding,
    order: recorded(question.order, facts, { nowMs, contract: it.contract, endId: random.id() }),
    nowMs,
  };
}

interface Asking {
  readonly notAfterMs: number;
  readonly sends?: () => Heard;
}

/** Asks; once more where the gateway refuses the signature and the secret has moved on. */
export async function askGateway(
  question: StatusQuestion,
  credentials: MerchantAccess,
  it: Asking,
  ports: AskPorts,
): Promise<Finding> {
  const of = { account: question.account, endpointId: question.content.endpointId };
  const match = matchAccount(of, credentials);
  if (match.kind === 'unknown') return sentElsewhere;
  const first = await look(question, match.credentials, it, ports);
  if (first.kind !== 'credentials-refused') return first;
  const fresh = await ports.credentials.refresh(question.order.merchant, credentials);
  // With the same secret it would be the same request, and twice as many of them an hour.
  if (fresh.kind !== 'credentials' || fresh.credentials.version === credentials.version) return first;
  const again = matchAccount(of, fresh.credentials);
  return 'credentials' in again ? look(question, again.credentials, it, ports) : first;
}

/** The answer of another account proves nothing, its "no such order" least of all. */
const sentElsewhere: Finding = { kind: 'unclear', reason: 'it was sent to an account that the secret no longer names' };

async function look(
  { order, content, attempt }: StatusQuestion,
  credentials: MerchantAccess,
  { notAfterMs, sends }: Asking,
  ports: AskPorts,
): Promise<Finding> {
  const { dialect, profile } = credentials;
  const { orderId } = order;
  const { operation, money } = content;
  const [gatewayAlias] = attempt.aliases;
  const [gatewayOrderId = gatewayAlias] = attempt.ids;
  const [gatewayAmount] = attempt.amounts;
  const asked = { operation, orderId, money, gatewayOrderId, gatewayAlias, gatewayAmount };
  const signed = await dialect.status(asked, content.endpointId, credentials, ports);
  if (signed.kind === 'unsignable') return { kind: 'unclear', reason: signed.failure.message };
  const heard = sends?.();
  const evidence = await ports.gateway.post({ ...signed.request, notAfterMs });
  const finding = dialect.judgeStatus(evidence, asked, profile);
  // A request that came too late to be sent shows nothing of the gateway.
  const isSent = evidence.kind !== 'not-sent' || ports.clock.nowMs() <= notAfterMs;
  heard?.(isSent ? signOfLook(evidence, finding, { operation: asked.operation, profile }) : undefined);
  return finding;
}

/**
 * The sign of an inquiry. Only an answer that ends an order shows something of the account; an answered question does not show
 * that orders are taken.
 */
function signOfLook(
  evidence: Evidence,
  finding: Finding,
  { operation, profile }: { readonly operation: Content['operation']; readonly profile: Profile },
): AnswerSign {
  if (evidence.kind === 'not-sent') return { says: 'not-connected' };
  if (evidence.kind === 'no-answer') return { says: 'no-answer' };
  const { httpStatus, retryAfterSeconds } = evidence;
  if (httpStatus === 429) return { says: 'slow-down', retryAfterSeconds };
  if (httpStatus >= 500) return { says: 'server-error', isBusy: httpStatus === 503 };
  if (finding.kind === 'credentials-refused') return { says: 'credentials' };
  const code = finding.kind === 'declined' ? finding.failure.gatewayCode : undefined;
  const isOfAccount = code !== undefined && (profile.accountCodes[operation]?.includes(code) ?? false);
  return isOfAccount ? { says: 'account', code } : { says: 'answered' };
}
