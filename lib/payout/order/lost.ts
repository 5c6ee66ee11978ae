// What a restore of the ledger may have lost. One attempt of which nothing is known, `lost`, represents all POSTs of an order that may have
// been forgotten: no report about another attempt closes it. The restore's tool adds it to the orders that the table holds. An order that
// the table does not hold begins with it if its message is older than the pause of the restore.
import { type OperationName, operations } from '../../gateway/operations.ts';
import type { Credentials, MerchantAccess } from '../../gateway/ports.ts';
import { attemptsOf, type Facts, ofAttempt, unheard } from './facts.ts';
import { type Content, newOrder, nextVersionOf, type Order } from './order.ts';
import type { Orders, ReadOrder } from './orders.ts';
import { mayBeLost, type Restored } from './restored.ts';

/**
 * The order that a writer has read; or, if the ledger holds none, a new one, with the facts to add if a restore may have lost it. Each writer
 * that makes an order asks here. `sentMs`: when its message was first sent; absent if no message names it.
 */
export async function orderToWrite(
  read: Extract<ReadOrder, { kind: 'found' | 'none' }>,
  key: string,
  { nowMs, content, sentMs }: { readonly nowMs: number; readonly content?: Content; readonly sentMs?: number },
  { orders, credentials }: { readonly orders: Pick<Orders, 'restored'>; readonly credentials: Pick<Credentials, 'of'> },
): Promise<{ readonly order: Order; readonly lost?: Facts }> {
  if (read.kind === 'found') return read;
  const restored = await orders.restored();
  const order = newOrder(key, nowMs, content, restored);
  return mayBeLost(restored, sentMs) ? { order, lost: await lostFacts(order, restored, credentials) } : { order };
}

/**
 * The lost attempt of this restore, as facts. Its accounts are those that the merchant's secret names now, and those of the order's other
 * attempts.
 */
export async function lostFacts(
  order: Pick<Order, 'merchant' | 'content' | 'facts' | 'version' | 'published'>,
  { pausedAtMs }: Restored,
  credentials: Pick<Credentials, 'of'>,
  endpoint = order.content?.endpointId,
): Promise<Facts> {
  const secret = await credentials.of(order.merchant);
  // "No such order" counts only if every account that it may have been sent to says so.
  const isWhole = secret.kind === 'credentials' && !secret.credentials.leavesOut && endpoint !== undefined;
  const access = isWhole ? secret.credentials : undefined;
  const accesses = access && [access, ...(access.earlierAccounts ?? [])];
  const own = attemptsOf(order.facts).flatMap(({ accounts }) => accounts);
  const { operation = 'payout' } = order.content ?? {};
  return ofAttempt({
    id: lostId({ pausedAtMs }),
    number: nextVersionOf(order),
    atMs: pausedAtMs,
    accounts: accesses ? [...new Set([...accesses.map((it) => it.dialect.accountOf(it, endpoint ?? '')), ...own])] : [],
    askable: access !== undefined && isAskable(access, operation),
    leaseUntilMs: pausedAtMs + inFlightMs,
    lost: true,
    ...unheard,
  });
}

/** Lambda's longest time-out: what was under way when the pause took hold has ended by then. */
const inFlightMs = 900_000;

/** The id of this restore's lost attempt, the same in every order. */
export const lostId = ({ pausedAtMs }: Restored): string => `lost-${pausedAtMs}`;

/** True if the account answers a status inquiry about this operation. None does about a check. */
export const isAskable = ({ profile }: MerchantAccess, operation: OperationName): boolean =>
  profile.statusInquiry && operations[operation].movesMoney;
