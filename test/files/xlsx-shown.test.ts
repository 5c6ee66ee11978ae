// A workbook is read as it is shown: what a person does not see is told, what has no text of its own is refused, and a file that is made to
// harm is refused while it is inflated.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBulkFile } from '../../lib/files/bulk-file.ts';
import { bulkRowsOf } from '../../lib/files/readers.ts';
import { all } from '../support/bulk-rows.ts';
import { aDirectory } from '../cli/support/files.ts';
import { number, rawWorkbook, text } from '../cli/support/raw-workbooks.ts';

const files = aDirectory();
const given = { merchant: 'acme-eu', operation: 'payout', endpointId: '39915' };

async function read(bytes: Uint8Array) {
  const path = join(files.path(), 'november.xlsx');
  await writeFile(path, bytes);
  const file = await openBulkFile(path);
  try {
    const rows = await bulkRowsOf(file, { given, columns: new Map() });
    return await all(rows.read(() => {}));
  } finally {
    await file.close();
  }
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const bookOf = (inside: string) => `<workbook xmlns="${main}" xmlns:r="${relations}">${inside}</workbook>`;
const payouts = '<sheet name="Payouts" sheetId="1" r:id="rId1"/>';
const twoSheets = bookOf(`<sheets>${payouts}<sheet name="Old" sheetId="2" r:id="rId1"/></sheets>`);
const head = `<row r="1">${['order id', 'amount', 'currency', 'account', 'details', 'context.due', 'not before'].map((title, index) => text(`${'ABCDEFG'[index]}1`, title)).join('')}</row>`;
const row = (n: number, cells: string, attributes = '') => `<row r="${n}"${attributes}>${cells}</row>`;
const payment = (n: number, attributes = '') =>
  row(
    n,
    text(`A${n}`, `ID-${n}`) + number(`B${n}`, 10.42) + text(`C${n}`, 'EUR') + text(`D${n}`, 'DE89370400440532013000'),
    attributes,
  );

describe('a number in a column of texts is sent as it is shown', () => {
  it.each([
    ['00000000', 123456, '00123456'],
    ['000\\-000\\-00', 1234567, '012-345-67'],
    ['000000"-DE"', 42, '000042-DE'],
    ['General', 123456, '123456'],
    ['@', 4711, '4711'],
    ['0', 123456789012, '123456789012'],
    ['0.00', 12.5, '12.50'],
    ['[$-409]0000;-0000;', 7, '0007'],
    ['[Red]0000', 7, '0007'],
    ['##00', 1234567, '1234567'],
    ['#,##0', 1234567, '1,234,567'],
  ])('in the format %s, %d is %s', async (format, value, shown) => {
    const [read1] = await read(
      rawWorkbook({ formats: ['General', format], rows: head + row(2, number('A2', value, 1)) }),
    );
    expect(read1).toMatchObject({ message: { orderId: shown }, faults: [] });
  });

  it.each([
    ['General', 123456789012],
    ['General', 0.1234567890123],
    ['0', 12.5],
    ['0%', 0.5],
    ['0.00E+00', 123456],
    ['# ?/?', 0.5],
    ['#,##0,', 123000],
    ['[<100]0;00', 7],
    ['0*x', 7],
    ['0:00', 7],
    ['yyyy-mm-dd', 45000],
  ])('or is refused, as %s of %d has no text that is known', async (format, value) => {
    const rows = head + row(2, text('A2', 'A') + number('D2', value, 1));
    const [read1] = await read(rawWorkbook({ formats: ['General', format], rows }));
    expect(read1?.faults).toEqual([
      { path: 'params.account_number', fault: expect.stringMatching(/^is a number that the sheet shows in a form/) },
    ]);
  });

  it.each(['', ';;;', ' ; ; '])('or is refused, as the format %j shows nothing', async (format) => {
    const rows = head + row(2, number('A2', 7, 1));
    const [read1] = await read(rawWorkbook({ formats: ['General', format || ';'], rows }));
    expect(read1?.faults).toMatchObject([{ path: 'orderId', fault: expect.stringMatching(/shows nothing/) }]);
  });

  it('a text whose format shows nothing is refused too', async () => {
    const rows = head + row(2, '<c r="A2" s="1" t="inlineStr"><is><t>A</t></is></c>');
    const [read1] = await read(rawWorkbook({ formats: ['General', ';;;'], rows }));
    expect(read1?.faults).toMatchObject([{ path: 'orderId', fault: expect.stringMatching(/shows nothing/) }]);
  });

  it('of more than fifteen digits has lost the others', async () => {
    const [read1] = await read(rawWorkbook({ formats: ['0'], rows: head + row(2, number('A2', '9007199254740993')) }));
    expect(read1?.message).toMatchObject({ orderId: '9.00719925474099e+15' });
  });
});

describe('what the file does not have is not taken for blank', () => {
  const withBank = head.replace('details', 'bank');

  it.each(['<f>VLOOKUP(D2,Banks!A:B,2)</f>', '<f>VLOOKUP(D2,Banks!A:B,2)</f><v/>'])(
    'a formula that no spreadsheet has worked out: %s',
    async (inside) => {
      const rows = withBank + payment(2).replace('</row>', `<c r="E2">${inside}</c></row>`);
      const [read1] = await read(rawWorkbook({ rows }));
      expect(read1?.faults).toEqual([
        { path: 'params.bank_name', fault: expect.stringMatching(/^is a formula without its value/) },
      ]);
    },
  );

  it.each(['<v>0</v>', '<v>COBADEFFXXX</v>'])(
    'a formula whose value is to be worked out when the workbook is opened: %s',
    async (value) => {
      const book = bookOf(`<sheets>${payouts}</sheets><calcPr calcId="191029" fullCalcOnLoad="1"/>`);
      const type = value === '<v>0</v>' ? '' : ' t="str"';
      const rows =
        withBank + payment(2).replace('</row>', `<c r="E2"${type}><f>VLOOKUP(1,A1:B2,2)</f>${value}</c></row>`);
      const [read1] = await read(rawWorkbook({ rows, part: { 'xl/workbook.xml': book } }));
      expect(read1?.faults).toEqual([
        { path: 'params.bank_name', fault: expect.stringMatching(/^is a formula without its value/) },
      ]);
    },
  );

  it.each(['E2:E3', 'D1:E2'])('rows under cells that are merged over them, as %s', async (ref) => {
    const after = `</sheetData><mergeCells count="1"><mergeCell ref="${ref}"/></mergeCells>`;
    const bytes = rawWorkbook({
      part: {
        'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${withBank}${payment(2)}${payment(3)}${after}</worksheet>`,
      },
    });
    expect((await read(bytes)).at(-1)).toMatchObject({
      cutOff: true,
      faults: [{ path: '', fault: expect.stringContaining(`has merged cells (${ref})`) }],
    });
  });

  it('while cells merged within a row, or in a column that is not read, hide none', async () => {
    const after = `</sheetData><mergeCells count="2"><mergeCell ref="E2:F2"/><mergeCell ref="Z1:Z9"/></mergeCells>`;
    const xml = `<worksheet xmlns="${main}"><sheetData>${withBank}${payment(2)}${after}</worksheet>`;
    expect(await read(rawWorkbook({ part: { 'xl/worksheets/sheet1.xml': xml } }))).toMatchObject([{ faults: [] }]);
  });

  it('a formula whose value is an empty text is blank', async () => {
    const rows = withBank + payment(2).replace('</row>', '<c r="E2" t="str"><f>""</f><v></v></c></row>');
    expect(await read(rawWorkbook({ rows }))).toMatchObject([{ faults: [] }]);
  });
});

describe('an amount is the number of its cell', () => {
  it.each([
    ['#,##0.00', 1234.5, '1234.5'],
    ['"€" #,##0.00', 10, '10'],
    ['0', 10.42, '10.42'],
  ])('in the format %s, %d is %s', async (format, value, amount) => {
    const rows = head + row(2, text('A2', 'A') + number('B2', value, 1));
    expect(await read(rawWorkbook({ formats: ['General', format], rows }))).toMatchObject([
      { faults: [], message: { params: { amount } } },
    ]);
  });

  it.each(['0%', '0.0,', '#,##0,,"M"'])('unless it is shown as another, by the format %s', async (format) => {
    const rows = head + row(2, text('A2', 'A') + number('B2', 0.5, 1));
    const [read1] = await read(rawWorkbook({ formats: ['General', format], rows }));
    expect(read1?.faults).toMatchObject([
      { path: 'params.amount', fault: expect.stringMatching(/^is shown as a percentage/) },
    ]);
  });
});

describe('a day', () => {
  it('is a moment where a time is needed, and a day in what only its sender reads', async () => {
    const rows = head + row(2, text('A2', 'A') + number('F2', 46_351, 1) + number('G2', 46_351.5, 1));
    expect(await read(rawWorkbook({ formats: ['General', 'dd.mm.yyyy hh:mm'], rows }))).toMatchObject([
      { faults: [], message: { context: { due: '2026-11-25' }, notBefore: '2026-11-25T12:00:00.000Z' } },
    ]);
  });

  it('counts from 1904 where its workbook says so', async () => {
    const book = bookOf(`<workbookPr date1904="1"/><sheets>${payouts}</sheets>`);
    const rows = head + row(2, text('A2', 'A') + number('G2', 44_889, 1));
    const bytes = rawWorkbook({ formats: ['General', 'd/m/yy'], rows, part: { 'xl/workbook.xml': book } });
    expect(await read(bytes)).toMatchObject([{ message: { notBefore: '2026-11-25T00:00:00.000Z' } }]);
  });
});

describe('what is not seen is told', () => {
  const rowWarning = { kind: 'hidden', path: '', warning: expect.stringMatching(/^is hidden in the spreadsheet/) };

  it.each([
    ['hidden="1"', ''],
    ["hidden='1'", ''],
    ['hidden="true"', ''],
    ['hidden = "1"', ''],
    ['spans="1:4" outlineLevel="1" hidden="1"', ''],
    ['ht="0" customHeight="1"', ''],
    ['ht="0.75"', ''],
    ['', '<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/>'],
    ['', '<sheetFormatPr defaultRowHeight="0"/>'],
  ])('a row with %j, under %j', async (attributes, before) => {
    const rows = head + payment(2, ' ht="15"') + payment(3, ` ${attributes}`);
    expect((await read(rawWorkbook({ rows, before }))).map(({ warnings }) => warnings)).toEqual([[], [rowWarning]]);
  });

  it.each([
    '<cols><col min="4" max="4" hidden="1" width="10"/></cols>',
    '<cols><col min="2" max="9" width="0" customWidth="1"/></cols>',
    '<sheetFormatPr defaultColWidth="0"/><cols><col min="1" max="3" width="9"/></cols>',
  ])('a column under %s, once', async (before) => {
    const [first, second] = await read(rawWorkbook({ rows: head + payment(2) + payment(3), before }));
    expect(first?.warnings).toContainEqual({
      kind: 'hidden',
      path: 'params.account_number',
      warning: 'is in a column that is hidden in the spreadsheet',
    });
    expect(second?.warnings).toEqual([]);
  });

  it.each(['hidden', 'veryHidden'])('a sheet that is %s', async (state) => {
    const [first] = await read(rawWorkbook({ rows: head + payment(2), state }));
    expect(first?.warnings).toEqual([
      { kind: 'hidden', path: '', warning: 'is on the sheet "Payouts", which is hidden in the spreadsheet' },
    ]);
  });
});

describe('a workbook that two programs would show in two ways', () => {
  it.each<[what: string, rows: string, more?: Parameters<typeof rawWorkbook>[0]]>([
    ['has two rows of one number', head + payment(2) + payment(2)],
    ['has rows out of order', head + payment(3) + payment(2)],
    ['has two cells of one place', head + row(2, text('A2', 'A') + text('A2', 'B'))],
    ['has a cell of another row', head + row(2, text('A3', 'A'))],
    ['has a cell of no known type', head + row(2, '<c r="A2" t="x"><v>A</v></c>')],
    ['has an entity of its own', `${head}&pay;`],
    ['has a format longer than any program takes', head + payment(2), { formats: ['0'.repeat(256)] }],
    ['shows one part as two sheets', head + payment(2), { part: { 'xl/workbook.xml': twoSheets } }],
  ])('is refused: it %s', async (_, rows, more = {}) => {
    await expect(read(rawWorkbook({ rows, ...more }))).rejects.toThrow('november.xlsx is a damaged workbook');
  });

  it('is read without the elements of other namespaces', async () => {
    const strange = row(3, text('A3', 'STRANGE')).replaceAll(/(<\/?)(row|c|is|t)\b/g, '$1x:$2');
    const rows = `${head}${payment(2)}<x:row xmlns:x="urn:x" r="3">${strange}</x:row>${payment(3)}`;
    expect((await read(rawWorkbook({ rows }))).map(({ message }) => message?.['orderId'])).toEqual(['ID-2', 'ID-3']);
  });

  it('is read with the prefixes that it gives its own', async () => {
    const prefixed = (head + payment(2)).replaceAll(/(<\/?)(\w)/g, '$1s:$2');
    const xml = `<s:worksheet xmlns:s="${main}"><s:sheetData>${prefixed}</s:sheetData></s:worksheet>`;
    const bytes = rawWorkbook({ part: { 'xl/worksheets/sheet1.xml': xml } });
    expect((await read(bytes)).map(({ message }) => message?.['orderId'])).toEqual(['ID-2']);
  });
});

describe('a file that inflates without end', () => {
  const many = (piece: string, bytes: number) => piece.repeat(bytes / piece.length);

  it.each([
    ['rows', head + many('<row/>', 24 << 20)],
    ['blanks between rows', head + many(' ', 24 << 20)],
    ['blanks in a cell', head + row(2, text('A2', many(' ', 24 << 20)))],
    ['a comment', `${head}<!--${many('x', 24 << 20)}-->`],
    ['elements in elements', many('<a>', 3 << 20)],
  ])('of %s is refused', async (_, rows) => {
    await expect(read(rawWorkbook({ rows }))).rejects.toThrow(/too large when it is unpacked|is a damaged workbook/);
  });

  it('in many parts, each of them small, is refused', async () => {
    const media = Array.from({ length: 30 }, (_, n) => [`xl/media/${n}.xml`, many(' ', 1 << 20)]);
    const bytes = rawWorkbook({ rows: head + payment(2), part: Object.fromEntries(media) });
    await expect(read(bytes)).rejects.toThrow('too large when it is unpacked');
  });
});
