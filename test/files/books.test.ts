// What goes back to the books: the answer to a bank's file by its own ids, and the journal of a day; both against a ledger
// that holds what the worker would have left.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { creditTransfers } from '../cli/support/credit-transfers.ts';
import { aDirectory } from '../cli/support/files.ts';
import { aLedgerWithBatch, aRow } from '../cli/support/ledger-with-batch.ts';

const directory = aDirectory();
const world = aLedgerWithBatch();

it('a pain.001 is answered by a pain.002: a status a payment, by the ids of that file, in its order', async () => {
  // given
  const transfer = (id: string, amount = '10.42') => ({ id, amount });
  const xml = creditTransfers([
    { id: 'SALARIES', transfers: ['A-1', 'A-2', 'A-3'].map((id) => transfer(id)) },
    { id: 'INVOICES', transfers: [transfer('B-1'), transfer('B-2'), transfer('B-3'), transfer('B-4', '0.00')] },
  ]);
  const file = await directory.file('november.xml', xml);
  const fileHash = createHash('sha256').update(xml).digest('hex');
  const rows = ['A-1', 'A-2', 'A-3', 'B-1', 'B-2', 'B-3'].map((id) => aRow(id));
  await world.upload('november', rows, { fileHash });
  await world.order('november', 'A-1', { standing: 'paid', gatewayOrderId: '9001' });
  await world.order('november', 'A-2', { standing: 'confirming', gatewayOrderId: '9002' });
  const declined = { code: 'GATEWAY_DECLINED', message: 'no <funds> & more', gatewayCode: '51' } as const;
  await world.order('november', 'A-3', { standing: 'declined', failure: declined });
  await world.order('november', 'B-1', { standing: 'held', failure: { code: 'NO_ANSWER', message: 'x'.repeat(120) } });
  await world.order('november', 'B-2', { standing: 'cancelled', by: 'ada', reason: 'called off' });

  // when
  const output = join(directory.path(), 'november.pain002.xml');
  const args = ['--file', file, '--format', 'pain.002', '--output', output];
  const { code } = await world.payouts('report', 'november', ...args);

  // then
  expect(code).toBe(0);
  const answer = await readFile(output, 'utf8');
  expect(answer).toContain('urn:iso:std:iso:20022:tech:xsd:pain.002.001.03');
  expect(answer).toContain(
    '<OrgnlMsgId>MSG-1</OrgnlMsgId>\n<OrgnlMsgNmId>pain.001.001.03</OrgnlMsgNmId>\n<OrgnlCreDtTm>2026-11-24T09:00:00</OrgnlCreDtTm>\n<OrgnlNbOfTxs>7</OrgnlNbOfTxs>\n<OrgnlCtrlSum>62.52</OrgnlCtrlSum>',
  );
  const narrative = (text: string) => `<AddtlInf>${text}</AddtlInf>`;
  const reason = (its: string, text: string) => `<StsRsnInf><Rsn><Cd>${its}</Cd></Rsn>${text}</StsRsnInf>`;
  const payment = (id: string, status: string, rest = '') =>
    `<TxInfAndSts><OrgnlInstrId>I-${id}</OrgnlInstrId><OrgnlEndToEndId>${id}</OrgnlEndToEndId><TxSts>${status}</TxSts>${rest}</TxInfAndSts>\n`;
  const block = (id: string, payments: string) =>
    `<OrgnlPmtInfAndSts>\n<OrgnlPmtInfId>${id}</OrgnlPmtInfId>\n${payments}</OrgnlPmtInfAndSts>\n`;
  expect(answer.slice(answer.indexOf('</OrgnlGrpInfAndSts>\n') + '</OrgnlGrpInfAndSts>\n'.length)).toBe(
    block(
      'SALARIES',
      payment('A-1', 'ACSC', '<AcctSvcrRef>9001</AcctSvcrRef>') +
        payment('A-2', 'ACSP', '<AcctSvcrRef>9002</AcctSvcrRef>') +
        payment('A-3', 'RJCT', reason('MS03', narrative('51 no &lt;funds&gt; &amp; more'))),
    ) +
      block(
        'INVOICES',
        payment('B-1', 'PDNG', reason('NARR', narrative('x'.repeat(105)) + narrative('x'.repeat(15)))) +
          payment('B-2', 'RJCT', reason('DS02', narrative('ada: called off'))) +
          payment('B-3', 'PDNG') +
          payment(
            'B-4',
            'RJCT',
            reason(
              'FF01',
              narrative('line 78, PmtInf[2]/CdtTrfTxInf[4]/Amt/InstdAmt is zero; a payment moves a positive amount'),
            ),
          ),
      ) +
      '</CstmrPmtStsRpt>\n</Document>\n',
  );
});
