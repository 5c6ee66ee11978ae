// Files to begin with: two payments that pass every check, in each form that is read.
import { systemClock } from '../../aws/system.ts';
import { openRowOutput } from '../row-output.ts';
import { csvText } from '../csv.ts';
import { UsageError } from '../usage-error.ts';

const titles = ['order_id', 'amount', 'currency', 'payee_name', 'iban', 'description', 'not_before'] as const;
type Payment = Readonly<Record<(typeof titles)[number], string>>;

/** IBANs that their registry gives as examples. */
const payments: readonly Payment[] = [
  {
    order_id: 'EXAMPLE-1',
    amount: '1250.00',
    currency: 'EUR',
    payee_name: 'Ann Example',
    iban: 'DE89370400440532013000',
    description: 'Salary November',
    not_before: '',
  },
  {
    order_id: 'EXAMPLE-2',
    amount: '310.50',
    currency: 'EUR',
    payee_name: 'Bob Example',
    iban: 'FR1420041010050500013M02606',
    description: 'Invoice 4711',
    not_before: '',
  },
];

const cells = () => payments.map((it) => titles.map((title) => it[title]));

/** Forms of templates, each with what makes it. */
export const templates = {
  csv: async () => csvText([titles, ...cells()]),
  xlsx: async () => {
    const { default: writeWorkbook } = await import('write-excel-file/node');
    const head = titles.map((value) => ({ value, type: String, fontWeight: 'bold' as const }));
    const rows = payments.map((it) =>
      titles.map((title) =>
        title === 'amount'
          ? { value: Number(it[title]), type: Number, format: '0.00' }
          : { value: it[title], type: String, format: '@' },
      ),
    );
    return writeWorkbook([head, ...rows], { columns: titles.map(() => ({ width: 28 })) }).toBuffer();
  },
  'pain.001': async () => creditTransfer(),
} as const;

/** Writes one; returns the exit code. Throws UsageError where it can't be written. */
export async function runTemplate(form: keyof typeof templates, { output }: { output?: string }): Promise<number> {
  if (form === 'xlsx' && output === undefined && process.stdout.isTTY)
    throw new UsageError('a workbook is no text: say --output, as in --output payouts.xlsx');
  const out = await openRowOutput(output);
  await out.write(await templates[form]());
  await out.close();
  return 0;
}

/** The sum as the header must say it, in cents, and so exact. */
const total = () => {
  const cents = payments.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n);
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
};

function creditTransfer(): string {
  // To be executed at once: a day of the past is no wait, and one too far ahead would be refused.
  const day = new Date(systemClock.nowMs()).toISOString().slice(0, 10);
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>EXAMPLE-MESSAGE-1</MsgId>
      <CreDtTm>${day}T09:00:00</CreDtTm>
      <NbOfTxs>${payments.length}</NbOfTxs>
      <CtrlSum>${total()}</CtrlSum>
      <InitgPty><Nm>Your company</Nm></InitgPty>
    </GrpHdr>
    <PmtInf>
      <PmtInfId>EXAMPLE-BLOCK-1</PmtInfId>
      <PmtMtd>TRF</PmtMtd>
      <NbOfTxs>${payments.length}</NbOfTxs>
      <CtrlSum>${total()}</CtrlSum>
      <ReqdExctnDt>${day}</ReqdExctnDt>
      <Dbtr><Nm>Your company</Nm></Dbtr>
      <DbtrAcct><Id><IBAN>GB29NWBK60161331926819</IBAN></Id></DbtrAcct>
      <DbtrAgt><FinInstnId><BIC>NWBKGB2LXXX</BIC></FinInstnId></DbtrAgt>
${payments.map(transfer).join('\n')}
    </PmtInf>
  </CstmrCdtTrfInitn>
</Document>
`;
}

const transfer = (it: Payment) => `      <CdtTrfTxInf>
        <PmtId><EndToEndId>${it.order_id}</EndToEndId></PmtId>
        <Amt><InstdAmt Ccy="${it.currency}">${it.amount}</InstdAmt></Amt>
        <Cdtr><Nm>${it.payee_name}</Nm></Cdtr>
        <CdtrAcct><Id><IBAN>${it.iban}</IBAN></Id></CdtrAcct>
        <RmtInf><Ustrd>${it.description}</Ustrd></RmtInf>
      </CdtTrfTxInf>`;
