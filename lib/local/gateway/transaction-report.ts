// The gateway's own report of transactions: GET, HMAC-SHA1 over the query. Its form is
// documented nowhere; this one is a list in JSON with the gateway's own names.
import type { IncomingMessage } from 'node:http';
import { authenticate, type RegisteredMerchant } from './authentication.ts';
import { type OrderBook, statusAt } from './order-book.ts';
import type { ReplayGuard } from './replay-guard.ts';
import type { SimulatorSettings } from './simulator-options.ts';

/** The source of the report. */
interface ReportDesk {
  readonly settings: Pick<SimulatorSettings, 'nowMs'>;
  readonly merchants: ReadonlyMap<string, RegisteredMerchant>;
  readonly replayGuard: ReplayGuard;
  readonly book: OrderBook;
}

const path = '/paynet-ui/services/transaction-report';

/** True for the report's address. */
export function asksForReport({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return method === 'GET' && url.split('?', 1)[0] === path;
}

/** The transactions of the period, as JSON text; undefined where the signature is not the merchant's. */
export function transactionReport(
  { settings, merchants, replayGuard, book }: ReportDesk,
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): string | undefined {
  const { host = '', authorization } = request.headers;
  const target = request.url ?? '';
  const signed = {
    method: 'GET',
    scheme: 'http' as const,
    host,
    target,
    body: new Uint8Array(),
    ...(authorization !== undefined && { authorization }),
  };
  const rules = { merchants, replayGuard, allowedMethods: ['HMAC-SHA1' as const] };
  const authentication = authenticate(signed, rules);
  if (authentication.kind === 'refused') return undefined;
  const asked = new URL(target, 'http://gateway').searchParams;
  const momentOf = (name: string) => Date.parse(`${asked.get(name)?.replace(' ', 'T')}Z`);
  const [fromMs, toMs] = [momentOf('createdFromDate'), momentOf('createdToDate')];
  const rows = book
    .all()
    .filter((order) => order.login === authentication.login && order.amount !== undefined)
    .filter(({ committedAtMs }) => committedAtMs >= fromMs && committedAtMs < toMs)
    .map((order) => ({
      client_orderid: order.clientOrderId,
      orderid: order.gatewayOrderId,
      amount: order.amount,
      currency: order.currency,
      status: statusAt(order, settings.nowMs()),
      created: new Date(order.committedAtMs).toISOString().slice(0, 19).replace('T', ' '),
    }));
  return JSON.stringify({ transactions: rows });
}
