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

it('what is no list of transactions is left as it came', () => {
  for (const text of ['a;b\n1;2\n', '{"a":[1],"b":[2]}', '"text"', '[1,2]']) expect(asCsv(text)).toEqual({ text });
});
