// Files of pain.001 as stories write them: right ones, of either version, of which each story changes what it is about.

/** One payment of a file. */
interface Transfer {
  readonly id: string;
  readonly amount: string;
  readonly currency?: string;
  readonly name?: string;
  /** XML of the account's identification. */
  readonly account?: string;
  readonly bic?: string;
  /** XML in the place of the remittance. */
  readonly remittance?: string;
}

/** A block of payments. */
export interface Block {
  readonly id?: string;
  readonly day?: string;
  readonly transfers: readonly Transfer[];
}

const iban = '<IBAN>DE89370400440532013000</IBAN>';

/** A file of these blocks, its counts and sums right. */
export function creditTransfers(blocks: readonly Block[], version: '03' | '09' = '03'): string {
  const all = blocks.flatMap(({ transfers }) => transfers);
  const bicOf = (bic: string) => (version === '03' ? `<BIC>${bic}</BIC>` : `<BICFI>${bic}</BICFI>`);
  const dayOf = (day: string) =>
    version === '03' ? day : day.includes('T') ? `<DtTm>${day}</DtTm>` : `<Dt>${day}</Dt>`;
  const transfer = (it: Transfer) => `      <CdtTrfTxInf>
        <PmtId><InstrId>I-${it.id}</InstrId><EndToEndId>${it.id}</EndToEndId></PmtId>
        <Amt><InstdAmt Ccy="${it.currency ?? 'EUR'}">${it.amount}</InstdAmt></Amt>
        ${it.bic === undefined ? '' : `<CdtrAgt><FinInstnId>${bicOf(it.bic)}</FinInstnId></CdtrAgt>`}
        <Cdtr><Nm>${it.name ?? 'Ann Example'}</Nm></Cdtr>
        <CdtrAcct><Id>${it.account ?? iban}</Id></CdtrAcct>
        ${it.remittance ?? `<RmtInf><Ustrd>Invoice ${it.id}</Ustrd></RmtInf>`}
      </CdtTrfTxInf>`;
  const block = ({ id, day = '2026-11-24', transfers }: Block, index: number) => `    <PmtInf>
      <PmtInfId>${id ?? `BLOCK-${index + 1}`}</PmtInfId>
      <PmtMtd>TRF</PmtMtd>
      <NbOfTxs>${transfers.length}</NbOfTxs>
      <CtrlSum>${sumOf(transfers)}</CtrlSum>
      <ReqdExctnDt>${dayOf(day)}</ReqdExctnDt>
      <Dbtr><Nm>Acme</Nm></Dbtr>
      <DbtrAcct><Id>${iban}</Id></DbtrAcct>
      <DbtrAgt><FinInstnId>${bicOf('COBADEFFXXX')}</FinInstnId></DbtrAgt>
${transfers.map(transfer).join('\n')}
    </PmtInf>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.${version}">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>MSG-1</MsgId>
      <CreDtTm>2026-11-24T09:00:00</CreDtTm>
      <NbOfTxs>${all.length}</NbOfTxs>
      <CtrlSum>${sumOf(all)}</CtrlSum>
      <InitgPty><Nm>Acme</Nm></InitgPty>
    </GrpHdr>
${blocks.map(block).join('\n')}
  </CstmrCdtTrfInitn>
</Document>
`;
}

function sumOf(transfers: readonly Transfer[]): string {
  const thousandths = transfers.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 1000), 0);
  return (thousandths / 1000).toFixed(3).replace(/0$/, '');
}
