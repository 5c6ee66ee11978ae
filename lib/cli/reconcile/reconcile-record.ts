// What the three books say of orders, as records in temporary files, and back.
import type { ExportedOrder } from '../../reconcile/ledger-export.ts';
import type { GatewayWord, LedgerWord, OrderInBooks, ResultWord } from '../../reconcile/reconcile.ts';

const text = (value: string | undefined) => value ?? '';

/** The fields of the ledger's word. */
export function ledgerFields(it: ExportedOrder): string[] {
  const word = [it.operation, it.state, it.final ? '1' : '', String(it.revision), text(it.amount), text(it.currency)];
  return ['L', ...word, text(it.gatewayOrderId), text(it.failureCode), it.beforehand ? '1' : ''];
}

/** The fields of a result. */
export function resultFields(it: ResultWord): string[] {
  const word = [String(it.revision), it.status, it.final ? '1' : '', text(it.amount), text(it.currency)];
  return ['R', ...word];
}

/** The fields of a line of the gateway's report. */
export function gatewayFields(it: GatewayWord): string[] {
  return ['G', it.meaning, it.status, it.amount, it.currency, text(it.gatewayOrderId)];
}

/** An order of which words are gathered. */
interface Gathering {
  ledger?: LedgerWord;
  readonly results: ResultWord[];
  readonly gateway: GatewayWord[];
}

/** The records of one part as orders, by key. */
export function ordersOfPart(records: Iterable<string>): ReadonlyMap<string, OrderInBooks> {
  const orders = new Map<string, Gathering>();
  for (const record of records) {
    const fields = record.split('\t');
    const [key = '', kind] = fields;
    const order: Gathering = orders.get(key) ?? { results: [], gateway: [] };
    orders.set(key, order);
    if (kind === 'R') order.results.push(resultOf(fields));
    else if (kind === 'G') order.gateway.push(gatewayOf(fields));
    else {
      const word = ledgerOf(fields);
      // An export that was made while orders moved may have one twice.
      if (!order.ledger || order.ledger.revision < word.revision) order.ledger = word;
    }
  }
  return orders;
}

/** Built field by field: copying objects together costs more than all the rest of a million orders. */
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Written by {@link ledgerFields} of this very run, from a line that its schema has judged. */
function ledgerOf(fields: readonly string[]): LedgerWord {
  const [, , operation, state, final, revision, amount, currency, gatewayOrderId, failureCode, beforehand] = fields;
  const word: Writable<LedgerWord> = {
    operation: operation as LedgerWord['operation'],
    state: state as LedgerWord['state'],
    final: final === '1',
    revision: Number(revision),
  };
  if (amount) word.amount = amount;
  if (currency) word.currency = currency;
  if (gatewayOrderId) word.gatewayOrderId = gatewayOrderId;
  if (failureCode) word.failureCode = failureCode;
  if (beforehand === '1') word.beforehand = true;
  return word;
}

function resultOf(fields: readonly string[]): ResultWord {
  const [, , revision, status = '', final, amount, currency] = fields;
  const word: Writable<ResultWord> = { revision: Number(revision), status, final: final === '1' };
  if (amount) word.amount = amount;
  if (currency) word.currency = currency;
  return word;
}

function gatewayOf(fields: readonly string[]): GatewayWord {
  const [, , meaning, status = '', amount = '', currency = '', gatewayOrderId] = fields;
  const word: Writable<GatewayWord> = { meaning: meaning as GatewayWord['meaning'], status, amount, currency };
  if (gatewayOrderId) word.gatewayOrderId = gatewayOrderId;
  return word;
}
