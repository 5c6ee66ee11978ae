// What a file is, by its first bytes.
import { describe, expect, it } from 'vitest';
import { recognizeFormat } from '../../lib/files/bulk-format.ts';

const told = (content: string | Buffer, name = 'jobs.csv') => recognizeFormat(Buffer.from(content as string), name);
const why = (content: string | Buffer, name?: string) => {
  const format = told(content, name);
  return format.kind === 'refused' ? format.why : format;
};

const plain = { encoding: 'utf-8', skipBytes: 0 };

describe('CSV', () => {
  it('by whatever separates the header, quotes aside', () => {
    expect(told('order_id,amount\n')).toEqual({ kind: 'csv', delimiter: ',', ...plain });
    expect(told('order_id;amount;currency\r\n1,5;2\r\n')).toMatchObject({ delimiter: ';' });
    expect(told('order_id\tamount')).toMatchObject({ delimiter: '\t' });
    expect(told('order_id|amount')).toMatchObject({ delimiter: '|' });
    expect(told('"order, id; the; one";amount')).toMatchObject({ delimiter: ';' });
    expect(told('order_id')).toMatchObject({ delimiter: ',' });
  });

  it("behind a byte order mark, and behind Excel's own first line", () => {
    expect(told('\ufefforder_id;amount')).toEqual({ kind: 'csv', delimiter: ';', ...plain, skipBytes: 3 });
    expect(told('sep=;\r\norder_id;amount,x,y')).toEqual({ kind: 'csv', delimiter: ';', ...plain, skipBytes: 7 });
    expect(told('\ufeffsep=|\norder_id|amount')).toEqual({ kind: 'csv', delimiter: '|', ...plain, skipBytes: 9 });
  });
});

describe('JSON lines', () => {
  it('by the content, or by the name', () => {
    expect(told('{"version":1}\n')).toEqual({ kind: 'jsonl', ...plain });
    expect(told('\ufeff {"version":1}')).toEqual({ kind: 'jsonl', ...plain, skipBytes: 3 });
    expect(told('oops', 'jobs.NDJSON')).toEqual({ kind: 'jsonl', ...plain });
  });
});

describe('UTF-16', () => {
  const table = 'order_id;amount\r\nA;1\r\n';

  it('by its mark, or by every other byte being zero', () => {
    const little = Buffer.from(table, 'utf16le');
    const big = Buffer.from(little).swap16();
    const read = { kind: 'csv', delimiter: ';', skipBytes: 0 };
    expect(told(Buffer.concat([Buffer.from([0xff, 0xfe]), little]))).toEqual({ ...read, encoding: 'utf-16le' });
    expect(told(little)).toEqual({ ...read, encoding: 'utf-16le' });
    expect(told(Buffer.concat([Buffer.from([0xfe, 0xff]), big]))).toEqual({ ...read, encoding: 'utf-16be' });
    expect(told(big)).toEqual({ ...read, encoding: 'utf-16be' });
  });

  it("with Excel's own first line, whose length is counted as it will be read", () => {
    expect(told(Buffer.from(`\ufeffsep=;\r\n${table}`, 'utf16le'))).toMatchObject({ delimiter: ';', skipBytes: 7 });
  });
});

const xml = (namespace: string, declaration = '<?xml version="1.0"?>') =>
  `${declaration}\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${namespace}">`;

describe('pain.001', () => {
  it.each(['pain.001.001.03', 'pain.001.001.09'])('of version %s', (version) => {
    expect(told(xml(version), 'x.xml')).toEqual({ kind: 'pain.001', version, ...plain });
    expect(told(`\ufeff${xml(version)}`)).toMatchObject({ kind: 'pain.001', encoding: 'utf-8' });
  });

  it('in the encoding that it names', () => {
    const declared = (name: string) => xml('pain.001.001.03', `<?xml version="1.0" encoding="${name}"?>`);
    expect(told(declared('ISO-8859-1'))).toMatchObject({ encoding: 'windows-1252' });
    expect(told(Buffer.from(declared('UTF-16'), 'utf16le'))).toMatchObject({ encoding: 'utf-16le' });
    expect(why(declared('EBCDIC'))).toBe('is written in EBCDIC, which is not read; have it exported in UTF-8');
  });
});

it('a workbook, by the names in the zip', () => {
  expect(told('PK\u0003\u0004…[Content_Types].xml…')).toEqual({ kind: 'xlsx' });
});

describe('anything else is refused by its name, with the way to mend it', () => {
  const saveIt = 'save it as "CSV UTF-8 (comma delimited)"';
  const other = 'export the payments as pain.001, CSV or XLSX';

  it.each([
    ['bytes', Buffer.from('a\0\0\0b'), `holds zero bytes, so it is no text; ${saveIt}`],
    ['a zip', Buffer.from('PK\u0003\u0004…'), 'is a zip file; unpack it, and name the file that is in it'],
    [
      'OpenDocument',
      'PK\u0003\u0004mimetypeapplication/vnd.oasis.opendocument.spreadsheet',
      'is an OpenDocument spreadsheet; save it as XLSX',
    ],
    ['XLS', Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'is an old spreadsheet (xls); save it as XLSX'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8]), 'is compressed; pipe it: `gunzip -c FILE | node . submit - --yes`'],
    ['a JSON array', '\n[{"version":1}]', 'is one JSON array; write one object per line: jq -c ".[]" FILE'],
    ['nothing', ' \r\n', 'is empty'],
    ['pain.008', xml('pain.008.001.02'), 'is a direct debit (pain.008): it takes money from others, and pays none'],
    [
      'another pain.001',
      xml('pain.001.001.12'),
      'is pain.001 of a version that is not read; have it exported as pain.001.001.03 or pain.001.001.09',
    ],
    ['pain.002', xml('pain.002.001.03'), "is a bank's answer (pain.002) to a file of payments, and asks for none"],
    ['pain.007', xml('pain.007.001.09'), 'calls payments back (pain.007), and asks for none'],
    ['pacs', xml('pacs.008.001.08'), `is a message between banks (pacs); ${other}`],
    ['camt', xml('camt.053.001.08'), "is a bank's statement (camt): it tells of payments, and asks for none"],
    ['other XML', '<rows><row/></rows>', `is XML of a kind that is not read; ${other}`],
    ['a web page', '<!DOCTYPE html><html>', `is a web page; ${other}`],
    ['MT101', '{1:F01X}{4:\r\n:20:REF\r\n:28D:1/1\r\n:50H:/1', `is a SWIFT MT101; ${other}`],
    ['MT101 without its envelope', ':20:REF\n:28D:1/1\n', `is a SWIFT MT101; ${other}`],
    ['MT103', '{1:F01X}{4:\n:20:REF\n:32A:261124EUR1,00\n', `is a SWIFT MT103; ${other}`],
    ['MT940', ':20:REF\n:25:1\n:60F:C1', "is a bank's statement (MT940): it tells of payments, and asks for none"],
    ['another SWIFT message', '{1:F01BANKDEFFAXXX}', `is a SWIFT message; ${other}`],
    ['NACHA', `101 ${' 091000019'.padEnd(90, '1')}\n5220`, `is a NACHA (ACH) file; ${other}`],
    ['Bacs', 'VOL1173503', `is a Bacs (Standard 18) file; ${other}`],
    ['DTAUS', '0128CGK1234', `is a DTAUS file, which banks no longer take; ${other}`],
    ['RTF', '{\\rtf1', `is a text document (RTF); ${other}`],
  ])('%s', (_name, content, expected) => {
    expect(why(content)).toBe(expected);
  });

  it('a table is a table, whatever its cells speak of', () => {
    const cells = 'order_id,description\nA,"xsd:pain.008.001 <Document>"\nB,"x\n:20:1\n:28D:1"\n';
    expect(told(cells)).toMatchObject({ kind: 'csv' });
  });
});
