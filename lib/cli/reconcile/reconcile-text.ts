// The outcome of a reconciliation, as a person and as a program read it, and the rows that do not agree.
import { formatMinorUnits } from '../../gateway/money.ts';
import type { ClassSums, Judged, OrderInBooks } from '../../reconcile/reconcile.ts';
import { agrees, reconcileClasses } from '../../reconcile/reconcile-classes.ts';
import type { Counted } from './reconcile-inputs.ts';
import { plainTable } from '../plain-table.ts';

/** What came of it. */
export interface Reconciled {
  readonly orders: number;
  readonly disagreeing: number;
  /** In order of precedence; only classes that have orders. */
  readonly classes: readonly ClassSums[];
  readonly read: Readonly<Record<'ledger' | 'results' | 'gateway', Counted>>;
}

/** As one JSON object. */
export function reconciledAsJson({ orders, disagreeing, classes, read }: Reconciled): object {
  return {
    agree: disagreeing === 0,
    orders,
    disagreeing,
    classes: classes.map(({ name, orders: count, money }) => ({
      name,
      agrees: agrees(name),
      orders: count,
      money: [...money].map(([currency, { ledger, gateway }]) => ({
        currency,
        ledger: formatMinorUnits(ledger, currency),
        gateway: formatMinorUnits(gateway, currency),
      })),
    })),
    read,
  };
}

/** As a page. */
export function reconciledAsText(it: Reconciled, outputFile: string | undefined, seconds: number): string {
  const { ledger, results, gateway } = it.read;
  const sources = [`ledger ${ledger.lines}`, `results ${results.lines}`, `gateway ${gateway.lines}`].join(' · ');
  const leftOut = results.leftOut + gateway.leftOut;
  const head = `  ${it.orders} orders in three books: ${sources}${leftOut > 0 ? ` · ${leftOut} lines left out` : ''} · ${seconds.toFixed(1)} s`;
  const rows = it.classes.flatMap(({ name, orders, money }) => {
    const lines = money.size === 0 ? [['', '', ''] as const] : [...money].map(amountsOf);
    return lines.map((amounts, place) => [
      place === 0 ? `${agrees(name) ? '✔' : '✘'} ${name}` : '',
      place === 0 ? orders : '',
      ...amounts,
    ]);
  });
  const table = plainTable(
    ['class', 'orders', 'ledger', 'gateway', 'currency'],
    ['left', 'right', 'right', 'right', 'left'],
    rows,
  );
  const wrong = it.classes.filter(({ name }) => !agrees(name));
  const meanings = wrong.map(({ name }) => `  ${name}: ${reconcileClasses[name].meaning}`);
  const where = outputFile === undefined ? 'say --output FILE to have them listed' : `listed in ${outputFile}`;
  const verdict =
    it.disagreeing === 0
      ? '  ✔ every order is the same in all three'
      : [...meanings, '', `  ✘ ${it.disagreeing} orders do not agree; ${where}`].join('\n');
  return `${[head, leftOutText(it.read), table, verdict].filter((part) => part !== '').join('\n\n')}\n`;
}

function leftOutText(read: Reconciled['read']): string {
  return Object.entries(read)
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
  'ledger_state',
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

/** The row of an order; several lines of the gateway's stand in one cell, one after the other. */
export function disagreeingRow(key: string, { ledger, gateway }: OrderInBooks, { name, newest }: Judged) {
  const slash = key.indexOf('/');
  const ofGateway = (text: (line: (typeof gateway)[number]) => string | undefined) =>
    gateway.map((line) => text(line) ?? '').join(' | ');
  return [
    name,
    key.slice(0, slash),
    key.slice(slash + 1),
    ledger?.state,
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
