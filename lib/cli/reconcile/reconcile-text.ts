// The outcome of a reconciliation, as a person and as a program read it, and the rows that do not agree.
import { formatMinorUnits } from '../../gateway/money.ts';
import { namesOfKey } from '../../payout/order/order.ts';
import type { Judged, OrderInBooks, OrderSums } from '../../reconcile/reconcile.ts';
import type { Comparison } from '../../reconcile/compare.ts';
import { agrees, reconcileClasses } from '../../reconcile/reconcile-classes.ts';
import { outsideReasons, type Scope } from '../../reconcile/scope.ts';
import { type CurrencySummary, moneyParts, type SideSums } from '../../reconcile/summary.ts';
import type { Counted } from './reconcile-inputs.ts';
import { plainTable } from '../plain-table.ts';
import { counted } from '../../payout/operate/spelling.ts';

/** The outcome of a reconciliation. */
interface Reconciled extends Comparison {
  readonly scope: Scope;
  readonly read: Readonly<Record<'results' | 'gateway', Counted>> & { readonly ledger: LedgerRead };
}

/** How much of the ledger was read. */
export interface LedgerRead {
  readonly orders: number;
  /** Orders that newer code wrote, and that are not compared. */
  readonly unreadable: number;
}

/** As one JSON object. */
export function reconciledAsJson(reconciled: Reconciled): object {
  const { orders, disagreeing, decisions, classes, outside, scope, read, ...it } = reconciled;
  const sums = ({ name, orders: count, money }: OrderSums) => ({
    name,
    orders: count,
    money: [...money].map(([currency, { ledger, gateway }]) => ({
      currency,
      ledger: formatMinorUnits(ledger, currency),
      gateway: formatMinorUnits(gateway, currency),
    })),
  });
  return {
    agree: disagreeing === 0 && orders > 0,
    orders,
    disagreeing,
    decidedByReport: decisions.map(({ key, as }) => ({ key, as })),
    scope: scopeAsJson(scope),
    classes: classes.map((one) => ({ ...sums(one), agrees: agrees(one.name) })),
    outside: outside.map(sums),
    money: it.money.map(moneyAsJson),
    addsUp: it.addsUp,
    read,
  };
}

const dayText = (atMs: number) => new Date(atMs).toISOString();

const scopeAsJson = ({ merchants, batches, fromMs, toMs }: Scope) => ({
  merchants: merchants && [...merchants],
  batches: batches && [...batches],
  from: fromMs === undefined ? undefined : dayText(fromMs),
  to: toMs === undefined ? undefined : dayText(toMs),
});

function moneyAsJson({ currency, asked, notSent, ledger, gateway }: CurrencySummary): object {
  const side = (sums: SideSums) =>
    Object.fromEntries(sideColumns.map((name) => [name, formatMinorUnits(sums[name], currency)]));
  const [askedFor, kept] = [asked, notSent].map((it) => formatMinorUnits(it, currency));
  return { currency, asked: askedFor, notSent: kept, ledger: side(ledger), gateway: side(gateway) };
}

const sideColumns = ['sent', ...moneyParts] as const;

/** As a page. */
export function reconciledAsText(it: Reconciled, outputFile: string | undefined, seconds: number): string {
  const { ledger, results, gateway } = it.read;
  const sources = [`ledger ${ledger.orders}`, `results ${results.lines}`, `gateway ${gateway.lines}`].join(' · ');
  const leftOut = results.leftOut + gateway.leftOut;
  const head = `  ${counted(it.orders, 'order')} in three books${scopeText(it.scope)}: ${sources}${leftOut > 0 ? ` · ${counted(leftOut, 'line')} left out` : ''} · ${seconds.toFixed(1)} s`;
  const table = sumsTable(
    'class',
    it.classes.map((one) => ({ ...one, name: `${agrees(one.name) ? '✔' : '✘'} ${one.name}` })),
  );
  const outside =
    it.outside.length === 0
      ? ''
      : sumsTable(
          'outside, not compared',
          it.outside.map((one) => ({ ...one, name: outsideReasons[one.name] })),
        );
  const parts = [head, leftOutText(it.read), outside, table, moneyTable(it), verdictText(it, outputFile)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function scopeText({ merchants, batches, fromMs, toMs }: Scope): string {
  const parts = [
    ...(merchants ? [`of ${[...merchants].join(', ')}`] : []),
    ...(batches ? [`of batch ${[...batches].join(', ')}`] : []),
    ...(fromMs === undefined ? [] : [`from ${dayText(fromMs)}`]),
    ...(toMs === undefined ? [] : [`before ${dayText(toMs)}`]),
  ];
  return parts.length === 0 ? '' : ` ${parts.join(' ')}`;
}

function sumsTable(title: string, sums: readonly OrderSums[]): string {
  const rows = sums.flatMap(({ name, orders, money }) => {
    const lines = money.size === 0 ? [['', '', ''] as const] : [...money].map(amountsOf);
    return lines.map((amounts, place) => [place === 0 ? name : '', place === 0 ? orders : '', ...amounts]);
  });
  return plainTable(
    [title, 'orders', 'ledger', 'gateway', 'currency'],
    ['left', 'right', 'right', 'right', 'left'],
    rows,
  );
}

/** Each line adds up: asked for is not sent and sent, and sent is the sum of the columns behind it. */
function moneyTable({ money, addsUp }: Reconciled): string {
  if (money.length === 0) return '';
  const titles = ['money', '', 'asked for', 'not sent', 'sent', ...moneyParts];
  const rows = money.flatMap(({ currency, asked, notSent, ledger, gateway }) => {
    const text = (units: bigint) => formatMinorUnits(units, currency);
    const side = (sums: SideSums) => sideColumns.map((name) => text(sums[name]));
    return [
      [currency, 'ledger', text(asked), text(notSent), ...side(ledger)],
      ['', 'gateway', '', '', ...side(gateway)],
    ];
  });
  const table = plainTable(titles, ['left', 'left', ...Array.from({ length: 8 }, () => 'right' as const)], rows);
  return addsUp ? table : `${table}\n  ✘ a line does not add up: this is a bug, tell its maintainers`;
}

function verdictText(it: Reconciled, outputFile: string | undefined): string {
  const { unreadable } = it.read.ledger;
  const newer = unreadable > 0 ? [`  ✘ ${counted(unreadable, 'order')} of newer code NOT compared`, ''] : [];
  if (it.orders === 0)
    return [...newer, '  ✘ nothing was compared: no order is of these merchants, batches and days'].join('\n');
  if (it.disagreeing === 0) return [...newer, '  ✔ every order is the same in all three'].join('\n');
  const wrong = it.classes.filter(({ name }) => !agrees(name));
  const meanings = wrong.map(({ name }) => `  ${name}: ${reconcileClasses[name].meaning}`);
  const where = outputFile === undefined ? 'add --output FILE to have them listed' : `listed in ${outputFile}`;
  const count = it.decisions.length;
  const decided =
    count > 0
      ? [`  ${counted(count, 'order')} of these the report decides: \`--apply --drawn … --reason "…"\` does it`]
      : [];
  const disagreeing = `${counted(it.disagreeing, 'order')} ${it.disagreeing === 1 ? 'does' : 'do'} not agree`;
  return [...newer, ...meanings, '', `  ✘ ${disagreeing}; ${where}`, ...decided].join('\n');
}

function leftOutText(read: Reconciled['read']): string {
  const { ledger: _, ...files } = read;
  return Object.entries(files)
    .flatMap(([book, { leftOutFor }]) =>
      Object.entries(leftOutFor).map(([why, { count, firstLines }]) => {
        const more = count > firstLines.length ? ', …' : '';
        return `  left out of ${book}: ${count} × ${why} (line ${firstLines.join(', ')}${more})`;
      }),
    )
    .join('\n');
}

function amountsOf([currency, sums]: readonly [string, { readonly ledger: bigint; readonly gateway: bigint }]) {
  const { ledger, gateway } = sums;
  return [formatMinorUnits(ledger, currency), formatMinorUnits(gateway, currency), currency] as const;
}

/** Columns of the file of orders that do not agree. */
export const disagreeingColumns = [
  'class',
  'merchant',
  'order_id',
  'ledger_standing',
  'ledger_revision',
  'ledger_amount',
  'ledger_currency',
  'ledger_gateway_order_id',
  'result_status',
  'result_revision',
  'gateway_status',
  'gateway_amount',
  'gateway_currency',
  'gateway_order_id',
] as const;

/** The row of an order; several lines of the gateway's report share a cell, in their order. */
export function disagreeingRow(key: string, { ledger, gateway }: OrderInBooks, { name, newest }: Judged) {
  const { merchant, orderId } = namesOfKey(key);
  const ofGateway = (text: (line: (typeof gateway)[number]) => string | undefined) =>
    gateway.map((line) => text(line) ?? '').join(' | ');
  return [
    name,
    merchant,
    orderId,
    ledger?.standing,
    ledger?.revision,
    ledger?.amount,
    ledger?.currency,
    ledger?.gatewayOrderId,
    newest?.status,
    newest?.revision,
    ofGateway(({ status }) => status),
    ofGateway(({ amount }) => amount),
    ofGateway(({ currency }) => currency),
    ofGateway(({ gatewayOrderId }) => gatewayOrderId),
  ];
}
