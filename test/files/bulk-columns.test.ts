// A header read by its names: what is understood, and what is told where nothing may be guessed.
import { describe, expect, it } from 'vitest';
import { type ColumnChoices, layoutOfHeader, mapHeader } from '../../lib/files/bulk-columns.ts';
import { maskedCells, maskedMessage } from '../../lib/files/masked-rows.ts';
import { contractFields, interfaceFields } from '../../lib/gateway/fields.ts';
import { testCards } from '../support/jobs.ts';

const nothing: ColumnChoices = { given: new Set(), columns: new Map() };
const allGiven: ColumnChoices = { ...nothing, given: new Set(['merchant', 'operation', 'endpointId']) };

function pathsOf(header: string, choices: Partial<ColumnChoices> = {}): unknown {
  const mapped = mapHeader(header.split(','), { ...allGiven, ...choices });
  return mapped.kind === 'columns' ? mapped.columns.map(({ path }) => path) : mapped.faults;
}

describe('names', () => {
  it("every field of the gateway is understood by its own name, whichever sign joins the name's parts", () => {
    for (const name of Object.keys({ ...interfaceFields, ...contractFields })) {
      expect(pathsOf(`order_id,${name}`)).toEqual(['orderId', `params.${name}`]);
    }
    expect(pathsOf('Client-Order-ID,AMOUNT,Account_Number')).toEqual([
      'orderId',
      'params.amount',
      'params.account_number',
    ]);
  });

  it('what people call the same thing is understood too', () => {
    expect(pathsOf(' Reference ,Sum,CCY,IBAN,Bank,Description,CVC,Cardholder')).toEqual([
      'orderId',
      'params.amount',
      'params.currency',
      'params.account_number',
      'params.bank_name',
      'params.order_desc',
      'params.cvv2',
      'params.card_printed_name',
    ]);
  });

  it('a column keeps its title, to be shown beside its faults, unless it could be data', () => {
    const mapped = mapHeader([' Reference ', 'Sum', '4111111111111111'], {
      ...allGiven,
      columns: new Map([['4111111111111111', 'account_number']]),
    });
    expect(mapped).toEqual({
      kind: 'columns',
      columns: [
        { title: 'Reference', path: 'orderId' },
        { title: 'Sum', path: 'params.amount' },
        { title: 'column 3', path: 'params.account_number' },
      ],
    });
  });
});

describe('a layout', () => {
  const columns = new Map([
    ['Wer', 'payee_name'],
    ['Betrag', 'amount'],
    ['Notiz', ''],
    ['3', 'order_desc'],
  ]);

  it('says which field a column fills, by its title or its place, and which are left out', () => {
    expect(pathsOf('order_id, Betrag ,2026,Notiz', { columns })).toEqual([
      'orderId',
      'params.amount',
      'params.order_desc',
      undefined,
    ]);
  });

  it('may name columns that the file does not have', () => {
    expect(pathsOf('order_id,Betrag', { columns })).toEqual(['orderId', 'params.amount']);
  });

  it('has first each column of a file, with its field where its title says one', () => {
    expect(layoutOfHeader(['Order ID', 'Betrag', 'IBAN', 'payee', 'context.Due', '4111111111111111'])).toEqual({
      'Order ID': 'orderId',
      Betrag: '',
      IBAN: 'account_number',
      payee: 'payee_name',
      'context.Due': 'context.Due',
      6: '',
    });
  });
});

describe('what is refused', () => {
  it('an unknown column, with what may have been meant', () => {
    expect(pathsOf('order_id,ammount,Notiz')).toEqual([
      'column "ammount" is not known; did you mean "amount"? Else say in a layout what it is: --dry-run --layout FILE writes one',
      'column "Notiz" is not known; say in a layout what it is: --dry-run --layout FILE writes one',
    ]);
  });

  it.each([
    ['currenzie', 'did you mean "currency"? Else say'],
    ['kurrenzi', 'say'],
    ['iq', 'did you mean "ip"? Else say'],
    ['xy', 'say'],
  ])('a column "%s": a third of its letters may be wrong for it to be like a name', (name, hint) => {
    expect(pathsOf(`order_id,${name}`)).toEqual([
      `column "${name}" is not known; ${hint} in a layout what it is: --dry-run --layout FILE writes one`,
    ]);
  });

  it('a column as long as a hostile file makes it, at once', () => {
    const begin = performance.now();
    expect(pathsOf(`order_id,${'x'.repeat(300_000)}`)).toHaveLength(1);
    expect(performance.now() - begin).toBeLessThan(2_000);
  });

  it('never shows the data of a file without a header, nor a nameless column', () => {
    expect(pathsOf('INV-1,4111111111111111,DE89370400440532013000,,<b>')).toHaveLength(1);
    const faults = pathsOf('order_id,amount,4111111111111111,,<b>');
    expect(JSON.stringify(faults)).not.toMatch(/4111|<b>/);
    expect(faults).toContain('column 4 has no name; name it, or remove it');
    expect(faults).toContain('column 3 is not known; say in a layout what it is: --dry-run --layout FILE writes one');
  });
});

// Rows that are written down beside their faults: usable again, and without card data.

const [card = ''] = Object.values(testCards);

it('cells of card columns are masked, and a card number in any other cell; the rest stays', () => {
  const columns = [
    { title: 'order_id', path: 'orderId' },
    { title: 'card', path: 'params.credit_card_number' },
    { title: 'cvv', path: 'params.cvv2' },
    { title: 'year', path: 'params.expire_year' },
    { title: 'iban', path: 'params.account_number' },
    { title: 'note' },
  ];
  const cells = ['INV-1', card, '123', '2030', 'DE89370400440532013000', `paid by ${card}`];
  expect(maskedCells(cells, columns)).toEqual([
    'INV-1',
    `***${card.slice(-4)}`,
    '***',
    '***',
    'DE89370400440532013000',
    'paid by ***',
  ]);
  expect(maskedCells(['INV-1'], columns)).toEqual(['INV-1', '', '', '', '', '']);
  expect(maskedCells(undefined, columns)).toEqual(['', '', '', '', '', '']);
});

it('messages are masked at any depth', () => {
  const params = { amount: '1', cvv2: '123', credit_card_number: card, order_desc: `card ${card}` };
  expect(maskedMessage({ orderId: 'INV-1', params, context: { list: [card, 7, true, null] } })).toEqual({
    orderId: 'INV-1',
    params: { amount: '1', cvv2: '***', credit_card_number: `***${card.slice(-4)}`, order_desc: 'card ***' },
    context: { list: ['***', '7', true, null] },
  });
  expect(maskedMessage(undefined)).toEqual({});
});

describe('a first row of data', () => {
  const noHeader =
    'the first row looks like data and not like a header, which every file needs: write one above it, such as "order id,amount,currency,iban,bank"';

  it.each([
    'JANE DOE,Müllerstr. 7,blue,EUR',
    'R-1,10.42,Smith',
    'R-1,EUR 5,Smith',
    'Smith,Jane,DE89 3704,x',
    '1 000,5,Иванов,Пётр',
    '２０,Иванов,Пётр,x',
  ])('%s: is told as that, and none of its cells is shown', (row) => {
    expect(pathsOf(row)).toEqual([noHeader]);
  });
});
