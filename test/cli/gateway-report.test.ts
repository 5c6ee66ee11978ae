// The gateway's own report, asked for: what is made of its answer before anybody compares it.
import { expect, it } from 'vitest';
import { asCsv } from '../../lib/cli/reconcile/gateway-report-command.ts';

it('ids and amounts are texts, whichever digits they have', () => {
  // 9007199254740993 and 20261123000000012345 are no numbers that a double can hold: they would become another order's.
  const json = `{"transactions":[
    {"client_orderid":20261123000000012345,"orderid":9007199254740993,"amount":10.420,"currency":"EUR","status":"approved"},
    {"client_orderid":"007","orderid":9007199254740992,"amount":1e2,"currency":"EUR","status":"approved"}]}`;
  expect(asCsv(json)).toEqual({
    rows: 2,
    text: [
      'client_orderid,orderid,amount,currency,status',
      '20261123000000012345,9007199254740993,10.420,EUR,approved',
      '007,9007199254740992,1e2,EUR,approved',
      '',
    ].join('\n'),
  });
});

it('what is no list of transactions is left as it came, but for control characters', () => {
  for (const text of ['{"a":[1],"b":[2]}', '"text"', '[1,2]', '<html>a;b</html>'])
    expect(asCsv(text)).toEqual({ text });
  expect(asCsv('no \u001b[2Jreport\u202e')).toEqual({ text: 'no [2Jreport' });
});

it('CSV of any separator becomes a table that no spreadsheet runs and no terminal obeys', () => {
  expect(
    asCsv('orderid;order_desc;amount\r\n9000001;=HYPERLINK("evil");-10.42\r\n4111111111111111;\u001b[2Jx;1\r\n'),
  ).toEqual({
    rows: 2,
    text: 'orderid,order_desc,amount\n9000001,"\'=HYPERLINK(""evil"")",-10.42\n4111111111111111,[2Jx,1\n',
  });
  expect(asCsv('[{"desc":"+1","more":{"a":1}}]').text).toBe('desc,more\n\'+1,"{""a"":""1""}"\n');
});

it('card data is cut out of what is no id', () => {
  expect(asCsv('[{"orderid":"9000001","card":"4111 1111 1111 1111"}]').text).not.toMatch(/4111/);
});
