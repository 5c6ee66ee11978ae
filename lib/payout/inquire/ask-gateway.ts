// One look at an attempt at the gateway: signed request, POST, finding. Moves no money, so it may be repeated at will.
import type { Finding } from '../../gateway/finding.ts';
import type { Credentials, Evidence, Gateway, MerchantAccess } from '../../gateway/ports.ts';
import type { Profile } from '../../gateway/profile.ts';
import { matchAccount } from '../order/account.ts';
import type { Attempt } from '../order/facts.ts';
import type { Content, Order } from '../order/order.ts';
import type { Heard, SaidSign } from '../pace/pacing.ts';
import type { Clock, Random } from '../ports.ts';

/** The ports of asking. */
export interface AskPorts {
  readonly credentials: Credentials;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
}

/** The question: the attempt, and the account that is asked about it. */
export interface StatusQuestion {
  readonly order: Order;
  readonly content: Content;
  readonly attempt: Attempt;
  readonly account: string;
  /** Before the question leaves: the answer says what the gateway knew at some moment since. */
  readonly askedMs: number;
}

/** Asks; once more where the gateway refuses the signature and the secret has moved on. No request starts after `notAfterMs`. */
export async function askGateway(
  question: StatusQuestion,
  credentials: MerchantAccess,
  it: { readonly notAfterMs: number; readonly sends?: () => Heard },
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
  { notAfterMs, sends }: { readonly notAfterMs: number; readonly sends?: () => Heard },
  ports: AskPorts,
): Promise<Finding> {
  const { dialect, profile } = credentials;
  const { orderId } = order;
  const [gatewayOrderId] = attempt.ids;
  const [gatewayAlias] = attempt.aliases;
  const [gatewayAmount] = attempt.amounts;
  const asked = {
    operation: content.operation,
    orderId,
    ...(content.money && { money: content.money }),
    ...((gatewayOrderId ?? gatewayAlias) !== undefined && { gatewayOrderId: gatewayOrderId ?? gatewayAlias ?? '' }),
    ...(gatewayAlias !== undefined && { gatewayAlias }),
    ...(gatewayAmount !== undefined && { gatewayAmount }),
  };
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
): SaidSign {
  if (evidence.kind === 'not-sent') return { says: 'not-connected' };
  if (evidence.kind === 'no-answer') return { says: 'no-answer' };
  const { httpStatus, retryAfterSeconds } = evidence;
  if (httpStatus === 429) return { says: 'slow-down', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  if (httpStatus >= 500) return { says: 'server-error', ...(httpStatus === 503 && { isBusy: true }) };
  if (finding.kind === 'credentials-refused') return { says: 'credentials' };
  const code = finding.kind === 'declined' ? finding.failure.gatewayCode : undefined;
  const isOfAccount = code !== undefined && (profile.accountCodes[operation]?.includes(code) ?? false);
  return isOfAccount ? { says: 'account', code } : { says: 'answered' };
}
