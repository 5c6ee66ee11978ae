// `payouts reconcile --apply`: what the gateway's report says of orders in doubt or accepted is decided as `payouts release` decides it, order
// by order, in the name of who runs the command, once that person has seen which.
import { systemClock } from '../../aws/system.ts';
import { UsageError } from '../../files/usage-error.ts';
import { momentOf } from '../../payout/message/inbound.ts';
import type { Operated } from '../../payout/operate/decide.ts';
import { namesOfKey } from '../../payout/order/order.ts';
import { type OrderView, viewOf } from '../../payout/order/projection.ts';
import type { ReportDecision } from '../../reconcile/report-decisions.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { tellMoney } from '../live-money.ts';
import { configured, why } from '../command-line.ts';
import { sentenceOf } from '../../operate/acts.ts';
import { operator } from '../orders/operator-commands.ts';
import { toolPorts } from '../tool-ports.ts';
import { plainTable } from '../plain-table.ts';
import { counted } from '../../payout/operate/spelling.ts';

/** How the decisions are asked for. */
export interface ApplyOptions {
  readonly apply: boolean;
  readonly reason?: string;
  /** When the report was drawn: a moment with its zone. */
  readonly drawn?: string;
  readonly yes: boolean;
  readonly json: boolean;
}

/** One decision, and what came of it. */
interface Applied extends Pick<ReportDecision, 'key' | 'as'> {
  readonly outcome: Operated['kind'] | 'not asked for';
  /** The order's state now. */
  readonly state?: string;
  /** Why nothing was decided. */
  readonly why?: string;
}

/** Orders that are listed before somebody says yes; of more, the first. */
const listedAtMost = 50;

/** Throws UsageError for a command line that could not be carried out: before the long reading. */
export function checkApply(options: ApplyOptions): void {
  if (!options.apply) return;
  why(options);
  drawnMs(options);
  if (!options.yes) requireSomebody('add --yes');
  configured((config) => config);
}

/** The time at which the report was drawn. What came later is not in it. */
function drawnMs({ drawn = '' }: ApplyOptions): number {
  const atMs = momentOf(drawn);
  if (atMs === undefined)
    throw new UsageError('say when the report was drawn: --drawn and a moment with its zone, as 2026-11-22T09:00Z');
  if (atMs > systemClock.nowMs()) throw new UsageError(`--drawn ${drawn} is still to come`);
  return atMs;
}

/** Shows what is decided, asks, and decides; `onDecided` is told each order as it is then. */
export async function applyReport(
  decisions: readonly ReportDecision[],
  options: ApplyOptions,
  onDecided: (entry: OrderView) => void,
): Promise<readonly Applied[]> {
  if (decisions.length === 0) return [];
  process.stderr.write(`${decisionsText(decisions)}\n`);
  await tellMoney(
    decisions.map(({ key }) => namesOfKey(key).merchant),
    toolPorts().credentials,
  );
  if (!options.yes && !(await saysYes(`Decide ${counted(decisions.length, 'order')} so?`)))
    return decisions.map(({ key, as }) => ({ key, as, outcome: 'not asked for' }));
  const desk = operator();
  const applied: Applied[] = [];
  for (const { key, as, compared, gatewayOrderId } of decisions) {
    const decision = {
      as,
      seen: { compared, drawnMs: drawnMs(options) },
      reason: why(options),
      gatewayOrderId,
    };
    const operated = await desk.decide(key, decision);
    if ('order' in operated) onDecided(viewOf(operated.order));
    applied.push(appliedOf({ key, as }, operated));
  }
  return applied;
}

function appliedOf(it: Pick<Applied, 'key' | 'as'>, operated: Operated): Applied {
  const { kind: outcome } = operated;
  if ('order' in operated) return { ...it, outcome, state: viewOf(operated.order).standing };
  return { ...it, outcome, why: sentenceOf(operated) };
}

/** True if the order is decided now. */
export const isDecided = ({ outcome }: Applied): boolean => outcome === 'done';

/** The decisions to be made. */
function decisionsText(decisions: readonly ReportDecision[]): string {
  const rows = decisions
    .slice(0, listedAtMost)
    .map(({ key, as, amount, currency, gatewayOrderId = '' }) => [key, as, amount, currency, gatewayOrderId]);
  const table = plainTable(
    ["by the gateway's report", 'as', 'amount', '', "gateway's id"],
    ['left', 'left', 'right', 'left', 'left'],
    rows,
  );
  const more = decisions.length - rows.length;
  return more > 0 ? `${table}\n  and ${more} more\n` : `${table}\n`;
}

/** The outcome, a line an order. */
export function appliedText(applied: readonly Applied[]): string {
  if (applied.length === 0) return '  no order is decided by this report\n';
  const lines = applied.map((it) => {
    if (it.outcome === 'not asked for') return `  · ${it.key}: nothing was decided`;
    return isDecided(it) ? `  ✔ ${it.key} is ${it.state}` : `  ✘ ${it.key}: ${it.why}`;
  });
  return `${lines.join('\n')}\n`;
}
