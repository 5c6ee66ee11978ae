// What the three books say of each order, gathered under its key. A million orders are held in memory, so of each no more
// is held than one short text: what says the same as the ledger (most does) is a text that all such orders share.
import type { ExportedOrder } from '../../reconcile/ledger-export.ts';
import type { GatewayWord, LedgerWord, OrderInBooks, ResultWord } from '../../reconcile/reconcile.ts';

/** The books, opened. The ledger's is read first: the words of the others are held by what they differ in. */
export interface Books {
  addLedger(order: ExportedOrder): void;
  addResult(key: string, word: ResultWord): void;
  addGateway(key: string, word: GatewayWord): void;
  /** Each order once. */
  orders(): Generator<readonly [key: string, OrderInBooks]>;
}

/** In the place of what the ledger says. */
const same = '=';

/** Books in which nothing is written yet. */
export function createBooks(): Books {
  const places = new Map<string, number>();
  // By place: the ledger's fields, and which of the shared texts the other two say. Nothing of an order is written anew.
  const ledger: string[] = [];
  const results: number[] = [];
  const gateway: number[] = [];
  const shared = createSharedTexts();

  function placeOf(key: string): number {
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, ledger.length);
    results.push(0);
    gateway.push(0);
    return ledger.push('') - 1;
  }

  function ledgerAt(place: number): LedgerWord | undefined {
    const [common, amount = '', gatewayOrderId = ''] = (ledger[place] ?? '').split('\t');
    return common ? ledgerOf(shared.text(Number(common)), amount, gatewayOrderId) : undefined;
  }

  const addLine = (book: number[], place: number, fields: readonly string[]) =>
    void (book[place] = shared.numberOf(withLine(shared.text(book[place]), fields)));

  return {
    addLedger(it) {
      const place = placeOf(it.key);
      // An export that was made while orders moved may have one twice.
      if ((ledgerAt(place)?.revision ?? 0) < it.revision) {
        const { amount = '', gatewayOrderId = '' } = it;
        ledger[place] = [shared.numberOf(commonText(it)), amount, gatewayOrderId]
          .map((own) => inOneField(String(own)))
          .join('\t');
      }
    },
    addResult(key, { revision, status, final, amount, currency }) {
      const place = placeOf(key);
      const own = ledgerAt(place);
      const isSame = amount === own?.amount && currency === own?.currency;
      const money = isSame ? [same, same] : [amount ?? '', currency ?? ''];
      addLine(results, place, [String(revision), status, final ? '1' : '', ...money]);
    },
    addGateway(key, { meaning, status, amount, currency, gatewayOrderId = '' }) {
      const place = placeOf(key);
      const own = ledgerAt(place);
      const money = amount === own?.amount && currency === own.currency ? [same, same] : [amount, currency];
      const id = gatewayOrderId !== '' && gatewayOrderId === own?.gatewayOrderId ? same : gatewayOrderId;
      addLine(gateway, place, [meaning, status, ...money, id]);
    },
    *orders() {
      for (const [key, place] of places) {
        const word = ledgerAt(place);
        yield [
          key,
          {
            ...(word && { ledger: word }),
            results: linesOf(shared.text(results[place])).map((fields) => resultOf(fields, word)),
            gateway: linesOf(shared.text(gateway[place])).map((fields) => gatewayOf(fields, word)),
          },
        ];
      }
    },
  };
}

/** Texts by number, each held once; 0 is the empty one. */
function createSharedTexts() {
  const numbers = new Map([['', 0]]);
  const texts = [''];
  return {
    text: (number = 0) => texts[number] ?? '',
    numberOf(text: string): number {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, texts.length);
      return texts.push(text) - 1;
    },
  };
}

function withLine(lines: string, fields: readonly string[]): string {
  const line = fields.map(inOneField).join('\t');
  return lines === '' ? line : `${lines}\n${line}`;
}

/** Names from outside may hold anything. */
const inOneField = (text: string) => (/[\t\n]/.test(text) ? text.replace(/[\t\n]/g, ' ') : text);
const linesOf = (text: string) => (text === '' ? [] : text.split('\n').map((line) => line.split('\t')));

/** What many orders of the ledger have in common. */
function commonText({ operation, state, final, revision, currency = '', failureCode = '', beforehand }: ExportedOrder) {
  const word = [operation, state, final ? '1' : '', String(revision), currency, failureCode, beforehand ? '1' : ''];
  return word.map(inOneField).join('\t');
}

/** Built field by field: copying objects together costs more than all the rest of a million orders. */
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Of what {@link commonText} wrote in this very run, from a line that its schema has judged. */
function ledgerOf(common: string, amount: string, gatewayOrderId: string): LedgerWord {
  const [operation, state, final, revision, currency, failureCode, beforehand] = common.split('\t');
  const word: Writable<LedgerWord> = {
    operation: operation as LedgerWord['operation'],
    state: state as LedgerWord['state'],
    final: final === '1',
    revision: Number(revision),
  };
  if (amount) word.amount = amount;
  if (currency) word.currency = currency;
  if (gatewayOrderId) word.gatewayOrderId = gatewayOrderId;
  if (failureCode) word.failureCode = failureCode as NonNullable<LedgerWord['failureCode']>;
  if (beforehand === '1') word.beforehand = true;
  return word;
}

function resultOf(fields: readonly string[], ledger: LedgerWord | undefined): ResultWord {
  const [revision, status = '', final, amount, currency] = fields;
  const word: Writable<ResultWord> = { revision: Number(revision), status, final: final === '1' };
  const [told, toldCurrency] = amount === same ? [ledger?.amount, ledger?.currency] : [amount, currency];
  if (told) word.amount = told;
  if (toldCurrency) word.currency = toldCurrency;
  return word;
}

function gatewayOf(fields: readonly string[], ledger: LedgerWord | undefined): GatewayWord {
  const [meaning, status = '', amount = '', currency = '', id] = fields;
  const word: Writable<GatewayWord> = {
    meaning: meaning as GatewayWord['meaning'],
    status,
    amount: amount === same ? (ledger?.amount ?? '') : amount,
    currency: currency === same ? (ledger?.currency ?? '') : currency,
  };
  const gatewayOrderId = id === same ? ledger?.gatewayOrderId : id;
  if (gatewayOrderId) word.gatewayOrderId = gatewayOrderId;
  return word;
}
