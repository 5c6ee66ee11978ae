// What came of a kill run: the books, what the ledger holds, and what each order cost; the gateway's own counts decide.
import type { Standing } from '../../lib/payout/order/standing.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { booksOf, type ReportedPayment, type RunBooks } from '../../lib/local/run-books.ts';
import type { SentMessage } from '../../lib/local/payments.ts';
import { reportedPayments } from '../../lib/local/local-gateway.ts';
import { leftOver } from './left-over.ts';
import type { Scene } from './kill-scene.ts';

/** What came of it. */
export interface KillReport {
  readonly seed: number;
  readonly orders: number;
  readonly kills: number;
  readonly freezes: number;
  readonly workersStarted: number;
  /** Answers of the ledger that were cut off on their way. */
  readonly ledgerAnswersLost: number;
  /** Results that said more than was true when all was over, at any time of the run. */
  readonly toldWrongly: readonly string[];
  /** POSTs that the gateway received. */
  readonly posts: number;
  /** Orders that a worker took with it: claimed, and never heard of again by that claim. */
  readonly workerLost: number;
  /** Those of them that had been paid: a plain retry would have paid each of them twice. */
  readonly workerLostButPaid: number;
  readonly ledgerStates: Readonly<Partial<Record<Standing, number>>>;
  /** Orders of the ledger that wait for something that never comes. */
  readonly ordersLeftOpen: number;
  /** Results that the ledger holds under their mark when the run ends: the sweeper would tell them. */
  readonly untold: number;
  readonly messages: number;
  readonly deadLetters: number;
  /** Orders that still have a message. */
  readonly waiting: number;
  readonly books: RunBooks;
  readonly elapsedMs: number;
}

/** What was sent and seen. */
export interface Seen {
  readonly kills: number;
  readonly freezes: number;
  readonly sent: readonly SentMessage[];
  readonly results: readonly Result[];
  readonly deadLetterMessageIds: readonly string[];
}

/** Closes the books. */
export async function reportOf(scene: Scene, { kills, freezes, ...seen }: Seen): Promise<KillReport> {
  const { options, startedMs, aws, gateway, ledgerCable, crew } = scene;
  const payments = reportedPayments(gateway.simulator, gateway.secrets);
  const paid = new Set(payments.map((it) => `${it.merchant}/${it.orderId}`));
  const left = await leftOver(aws);
  const ledgerStates: Partial<Record<Standing, number>> = {};
  for (const { standing } of left.orders.values()) ledgerStates[standing] = (ledgerStates[standing] ?? 0) + 1;
  // A lease counts as over a minute late, so most are still under it when the run ends.
  const underWay = [...left.orders].flatMap(([key, { standing }]) => (standing === 'sending' ? [key] : []));
  const lost = new Set([...seen.results.filter((it) => it.failure?.code === 'WORKER_LOST').map(keyOf), ...underWay]);
  const { transfer, payout, ...requests } = gateway.simulator.requests();
  return {
    seed: options.seed,
    orders: options.orders,
    kills,
    freezes,
    workersStarted: crew.started(),
    ledgerAnswersLost: ledgerCable.lostAnswers(),
    toldWrongly: toldWrongly(seen.results, payments),
    posts: transfer + payout + requests['transfer-by-ref'] + requests['pan-eligibility'],
    workerLost: lost.size,
    workerLostButPaid: [...lost].filter((key) => paid.has(key)).length,
    ledgerStates,
    ordersLeftOpen: [...left.orders].filter(([key, { standing }]) => isLeftOpen.has(standing) && !left.waiting.has(key))
      .length,
    untold: left.untold.length,
    messages: seen.sent.length,
    deadLetters: seen.deadLetterMessageIds.length,
    waiting: left.waiting.size,
    books: booksOf(
      { ...seen, orders: left.orders, waiting: new Map([...left.waiting].map((key) => [key, {}])) },
      payments,
    ),
    elapsedMs: Date.now() - startedMs,
  };
}

const isLeftOpen: ReadonlySet<Standing> = new Set(['sending', 'waiting', 'not-started']);

const unpaid: ReadonlySet<string> = new Set(['declined', 'failed', 'cancelled']);

/**
 * Each result that was ever told, held against the gateway's books: no money where it says so, or at last money where it
 * says none. (In between an order may have failed, and been sent again.)
 */
function toldWrongly(results: readonly Result[], payments: readonly ReportedPayment[]): string[] {
  const latest = new Map<string, number>();
  for (const it of results) latest.set(keyOf(it), Math.max(latest.get(keyOf(it)) ?? 0, it.revision ?? 0));
  const listed = Map.groupBy(payments, (it) => `${it.merchant}/${it.orderId}`);
  return results.flatMap((it) => {
    const statuses = (listed.get(keyOf(it)) ?? []).map(({ status }) => status);
    const isMoved = statuses.some((status) => !['declined', 'error', 'filtered'].includes(status));
    const isOrder = (it.revision ?? 0) > 0 && it.currency !== undefined;
    const says = `${it.resultId} says ${it.status}, the gateway lists ${statuses.join(', ') || 'nothing'}`;
    const isLatest = latest.get(keyOf(it)) === it.revision;
    if (isOrder && isLatest && unpaid.has(it.status) && isMoved) return [says];
    return isOrder && (it.status === 'approved' || it.status === 'accepted') && statuses.length === 0 ? [says] : [];
  });
}

const keyOf = ({ merchant, orderId }: Result) => `${merchant}/${orderId}`;
