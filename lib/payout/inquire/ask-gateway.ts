// One inquiry about an attempt: signed request, POST, finding. It moves no money, so it may be repeated at will.
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
  asking: Asking & { readonly contract: Contract },
  ports: AskPorts,
): Promise<{ readonly finding: Finding; readonly order: Order; readonly nowMs: number }> {
  const { clock, random } = ports;
  const asked = { ...question, askedMs: clock.nowMs() };
  const finding = await askGateway(asked, credentials, asking, ports);
  const nowMs = clock.nowMs();
  const facts = factsOfFinding(asked, finding, nowMs, asking.contract);
  return {
    finding,
    order: recorded(question.order, facts, { nowMs, contract: asking.contract, endId: random.id() }),
    nowMs,
  };
}

interface Asking {
  readonly notAfterMs: number;
  readonly sends?: () => Heard;
}

/** Asks; once more if the gateway refuses the signature and the secret has changed. */
export async function askGateway(
  question: StatusQuestion,
  credentials: MerchantAccess,
  asking: Asking,
  ports: AskPorts,
): Promise<Finding> {
  const of = { account: question.account, endpointId: question.content.endpointId };
  const match = matchAccount(of, credentials);
  if (match.kind === 'unknown') return sentElsewhere;
  const first = await askOnce(question, match.credentials, asking, ports);
  if (first.kind !== 'credentials-refused') return first;
  const fresh = await ports.credentials.refresh(question.order.merchant, credentials);
  // The same secret would only repeat the request, and so double the requests of an hour.
  if (fresh.kind !== 'credentials' || fresh.credentials.version === credentials.version) return first;
  const again = matchAccount(of, fresh.credentials);
  return 'credentials' in again ? askOnce(question, again.credentials, asking, ports) : first;
}

/** The answer of another account proves nothing, its "no such order" least of all. */
const sentElsewhere: Finding = { kind: 'unclear', reason: 'it was sent to an account that the secret no longer names' };

async function askOnce(
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
  const isLate = evidence.kind === 'not-sent' && evidence.isLate;
  heard?.(isLate ? undefined : signOfInquiry(evidence, finding, { operation, profile }));
  return finding;
}

/**
 * The sign of an inquiry. Only a decline with a code of the account shows something about the account. An answered question does not show
 * that orders are taken.
 */
function signOfInquiry(
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
