// What a file is, by its first bytes.
import { describe, expect, it } from 'vitest';
import { tellFormat } from '../../lib/batches/bulk-format.ts';

const told = (content: string | Buffer, name = 'jobs.csv') => tellFormat(Buffer.from(content as string), name);
const why = (content: string | Buffer, name?: string) => {
  const format = told(content, name);
  return format.kind === 'refused' ? format.why : format;
};

describe('CSV', () => {
  it('by whatever separates the header, quotes aside', () => {
    expect(told('order_id,amount\n')).toEqual({ kind: 'csv', delimiter: ',', skipBytes: 0 });
    expect(told('order_id;amount;currency\r\n1,5;2\r\n')).toMatchObject({ delimiter: ';' });
    expect(told('order_id\tamount')).toMatchObject({ delimiter: '\t' });
    expect(told('order_id|amount')).toMatchObject({ delimiter: '|' });
    expect(told('"order, id; the; one";amount')).toMatchObject({ delimiter: ';' });
    expect(told('order_id')).toMatchObject({ delimiter: ',' });
  });

  it("behind a byte order mark, and behind Excel's own first line", () => {
    expect(told('\ufefforder_id;amount')).toEqual({ kind: 'csv', delimiter: ';', skipBytes: 3 });
    expect(told('sep=;\r\norder_id;amount,x,y')).toEqual({ kind: 'csv', delimiter: ';', skipBytes: 7 });
    expect(told('\ufeffsep=|\norder_id|amount')).toEqual({ kind: 'csv', delimiter: '|', skipBytes: 9 });
  });
});

describe('JSON lines', () => {
  it('by the content, or by the name', () => {
    expect(told('{"version":1}\n')).toEqual({ kind: 'jsonl', skipBytes: 0 });
    expect(told('\ufeff {"version":1}')).toEqual({ kind: 'jsonl', skipBytes: 3 });
    expect(told('oops', 'jobs.NDJSON')).toEqual({ kind: 'jsonl', skipBytes: 0 });
    expect(tellFormat(Buffer.from('{a,b'), 'x', 'csv')).toMatchObject({ kind: 'csv' });
  });
});

describe('anything else is refused, with the way to mend it', () => {
  const saveIt = 'save it as "CSV UTF-8 (comma delimited)"';

  it.each([
    ['UTF-16', Buffer.from('\ufefforder_id', 'utf16le'), `is UTF-16; ${saveIt}`],
    ['UTF-16, big end first', Buffer.from([0xfe, 0xff, 0, 0x6f]), `is UTF-16; ${saveIt}`],
    [
      'UTF-16 without a mark',
      Buffer.from('order_id', 'utf16le'),
      `holds zero bytes, so it is not UTF-8 text; ${saveIt}`,
    ],
    ['a workbook', Buffer.from('PK\u0003\u0004…'), `is a spreadsheet or another zip file; ${saveIt}`],
    ['gzip', Buffer.from([0x1f, 0x8b, 8]), 'is compressed; pipe it: `gunzip -c FILE | npx payouts submit - --yes`'],
    ['a JSON array', '\n[{"version":1}]', 'is one JSON array; write one object per line: jq -c ".[]" FILE'],
    ['nothing', ' \r\n', 'is empty'],
  ])('%s', (_name, content, expected) => {
    expect(why(content)).toBe(expected);
  });
});
