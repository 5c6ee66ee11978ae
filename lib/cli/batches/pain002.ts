// pain.002, the status report of ISO 20022 for a file of pain.001: what became of each of its payments, by the ids of that
// file. Each payment has a status of its own and groups have none: those would be known only once all were read.
import { parse } from 'node:path';
import { systemClock } from '../../aws/system.ts';
import type { ReportLine } from '../../batches/batch-report.ts';
import { openRowOutput } from '../../files/row-output.ts';
import { UsageError } from '../../files/usage-error.ts';
import type { Standing } from '../../payout/order/standing.ts';
import type { Reported, ReportOutput, ReportTarget } from './report-target.ts';
import { xmlText } from './xlsx-output.ts';

type TransactionStatus = 'ACSC' | 'ACSP' | 'PDNG' | 'RJCT';

/** The statuses of a report in pain.002, with the reason where no failure has another. */
const statuses: Readonly<Partial<Record<Standing, { readonly status: TransactionStatus; readonly reason?: string }>>> =
  {
    paid: { status: 'ACSC' },
    accepted: { status: 'ACSP' },
    confirming: { status: 'ACSP' },
    declined: { status: 'RJCT', reason: 'MS03' },
    failed: { status: 'RJCT', reason: 'MS03' },
    cancelled: { status: 'RJCT', reason: 'DS02' },
    rejected: { status: 'RJCT', reason: 'FF01' },
    'id-taken': { status: 'RJCT', reason: 'AM05' },
  };
/** All else is under way, in doubt, or waits for a person: nothing may be booked yet. */
const pending = { status: 'PDNG' } as const;

/** Reasons of our failures in the list of ISO 20022 (ExternalStatusReason1Code); all others are in words (NARR). */
const reasons: Readonly<Record<string, string>> = {
  INVALID_ROW: 'FF01',
  INVALID_MESSAGE: 'FF01',
  ORDER_ID_REUSED: 'AM05',
  EXPIRED: 'DT01',
  FILTERED: 'AG01',
  GATEWAY_REFUSED: 'MS03',
  GATEWAY_DECLINED: 'MS03',
  NOT_AT_GATEWAY: 'ED05',
  DISCARDED: 'DS02',
  RELEASED_NOT_PAID: 'DS02',
};

/** Which pain.002 answers which pain.001. */
const answers: Readonly<Record<string, string>> = {
  'pain.001.001.03': 'pain.002.001.03',
  'pain.001.001.09': 'pain.002.001.10',
};

/** A report as pain.002. Throws UsageError if the batch's file was no pain.001. */
export async function pain002Output({ columns = [], output, stream, message }: ReportTarget): Promise<ReportOutput> {
  const { version = '', messageId = '' } = message ?? {};
  const answer = answers[version];
  if (answer === undefined) throw new UsageError('--format pain.002 answers a pain.001: name it with --file');
  const [blockAt, instructionAt] = ['payouts_block', 'payouts_instruction'].map((it) =>
    columns.findIndex(({ title }) => title === it),
  );
  const out = stream ?? (await openRowOutput(output));
  const nowText = new Date(systemClock.nowMs()).toISOString();
  await out.write(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${answer}">`,
      '<CstmrPmtStsRpt>',
      '<GrpHdr>',
      element('MsgId', `STS-${nowText.replace(/\D/g, '')}`),
      element('CreDtTm', nowText.slice(0, 19)),
      '</GrpHdr>',
      '<OrgnlGrpInfAndSts>',
      element('OrgnlMsgId', messageId),
      element('OrgnlMsgNmId', version),
      element('OrgnlCreDtTm', message?.createdAt),
      element('OrgnlNbOfTxs', message?.count),
      element('OrgnlCtrlSum', message?.sum),
      '</OrgnlGrpInfAndSts>',
      '',
    ].join('\n'),
  );
  let block: string | undefined;
  const endOfBlock = () => (block === undefined ? '' : '</OrgnlPmtInfAndSts>\n');

  function textOf({ cells = [], line }: Reported): string {
    const of = cells[blockAt ?? -1] ?? '';
    const begin = of === block ? '' : `${endOfBlock()}<OrgnlPmtInfAndSts>\n${element('OrgnlPmtInfId', of)}\n`;
    block = of;
    return `${begin}${transaction(cells[0], cells[instructionAt ?? -1], line)}\n`;
  }

  return {
    add: (rows) => out.write(rows.map(textOf).join('')),
    async close() {
      await out.write(`${endOfBlock()}</CstmrPmtStsRpt>\n</Document>\n`);
      await out.close();
      return output === undefined ? [] : [parse(output).base];
    },
  };
}

function transaction(endToEndId: string | undefined, instructionId: string | undefined, line: ReportLine): string {
  const mapped: { readonly status: TransactionStatus; readonly reason?: string } =
    statuses[line.status as Standing] ?? pending;
  const isGood = mapped.status === 'ACSC' || mapped.status === 'ACSP';
  const code = line.failure_code === undefined ? undefined : String(line.failure_code);
  const words = [line.gateway_code, line.failure_message, line.note].filter((it) => it !== undefined).join(' ');
  const reason = isGood ? undefined : code === undefined ? mapped.reason : (reasons[code] ?? 'NARR');
  return [
    '<TxInfAndSts>',
    element('OrgnlInstrId', instructionId),
    element('OrgnlEndToEndId', endToEndId),
    element('TxSts', mapped.status),
    reason === undefined
      ? ''
      : `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn>${additional(words || code || line.status)}</StsRsnInf>`,
    element(
      'AcctSvcrRef',
      line.gateway_order_id === undefined ? undefined : String(line.gateway_order_id).slice(0, 35),
    ),
    '</TxInfAndSts>',
  ].join('');
}

/** Max105Text, as often as it takes; more than a few lines are not read. */
function additional(text: unknown): string {
  const parts = /(?=[\s\S])[\s\S]{0,105}/gu;
  return (String(text).match(parts) ?? [])
    .slice(0, 3)
    .map((it) => element('AddtlInf', it.trim()))
    .join('');
}

function element(name: string, text: string | undefined): string {
  return text === undefined || text === '' ? '' : `<${name}>${xmlText(text.replaceAll(notInXml, ' '))}</${name}>`;
}

// oxlint-disable-next-line no-control-regex -- control characters are what XML has no way to write
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
