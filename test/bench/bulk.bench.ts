// A file of payouts: what a million rows cost in memory and time before the first is sent.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { treeOfRows } from '../../lib/batches/approved-rows.ts';
import { checkRows } from '../../lib/batches/check-rows.ts';
import { openBulkFile } from '../../lib/cli/formats/bulk-file.ts';
import { bulkRowsOf } from '../../lib/cli/formats/readers.ts';
import { ibanOf } from '../cli/support/ibans.ts';
import type { Benchmark, Measurement } from './harness.ts';
import { runTool } from './surroundings/measured-tool.ts';

/** All benchmarks of this file; `--jobs` sets the rows. */
export const bulkBenchmarks: readonly Benchmark[] = [
  {
    name: 'bulk-pain001',
    description:
      'payouts submit --dry-run of a million payments of pain.001, as a process, beside as many rows of CSV: peak memory, and CPU of both',
    run: ({ jobs = 1_000_000 }) => validateXml(jobs),
  },
  {
    name: 'bulk-approve',
    description:
      'the tree of a million rows, reading and checking included: rows a second of CPU, and what it keeps of them',
    run: ({ jobs = 1_000_000 }) => tree(jobs),
  },
];

const given = { merchant: 'acme-eu', operation: 'payout', endpointId: '39915' };

/** The rows of one file, whatever it is written in. */
interface Form {
  readonly name: string;
  readonly head: (rows: number) => string;
  readonly row: (row: { id: string; amount: string; account: string; index: number }) => string;
  readonly end: string;
}

const csv: Form = {
  name: 'rows.csv',
  head: () => 'order_id,amount,currency,description,account_number,bank_name,context.invoice\n',
  row: ({ id, amount, account, index }) => `${id},${amount},EUR,Invoice ${index},${account},Cool bank,${index}\n`,
  end: '',
};

const pain001: Form = {
  name: 'rows.xml',
  head: (rows) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"><CstmrCdtTrfInitn>
<GrpHdr><MsgId>M</MsgId><CreDtTm>2026-11-24T10:00:00</CreDtTm><NbOfTxs>${rows}</NbOfTxs><InitgPty/></GrpHdr>
<PmtInf><PmtInfId>B</PmtInfId><PmtMtd>TRF</PmtMtd><ReqdExctnDt>1999-01-01</ReqdExctnDt>\n`,
  row: ({ id, amount, account, index }) => `<CdtTrfTxInf>
  <PmtId><EndToEndId>${id}</EndToEndId></PmtId>
  <Amt><InstdAmt Ccy="EUR">${amount}</InstdAmt></Amt>
  <CdtrAgt><FinInstnId><BIC>COBADEFFXXX</BIC></FinInstnId></CdtrAgt>
  <Cdtr><Nm>Payee ${index}</Nm></Cdtr>
  <CdtrAcct><Id><IBAN>${account}</IBAN></Id></CdtrAcct>
  <RmtInf><Ustrd>Invoice ${index}</Ustrd></RmtInf>
</CdtTrfTxInf>\n`,
  end: '</PmtInf></CstmrCdtTrfInitn></Document>',
};

async function withFile<T>(rows: number, work: (path: string) => Promise<T>, form = csv): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-bench-'));
  try {
    const path = join(folder, form.name);
    const file = createWriteStream(path);
    file.write(form.head(rows));
    for (let index = 0; index < rows; index += 1) {
      const amount = `${(index % 9_000) + 1}.${String(index % 100).padStart(2, '0')}`;
      const line = form.row({ id: `INV-${index}`, amount, account: ibanOf(String(index)), index });
      if (!file.write(line)) await once(file, 'drain');
    }
    file.end(form.end);
    await once(file, 'close');
    return await work(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function dryRun(rows: number, path: string) {
  const options = ['--merchant', given.merchant, '--operation', given.operation, '--endpoint', given.endpointId];
  const { stdout, ...took } = await runTool('submit', path, '--dry-run', '--json', ...options);
  assert.equal(JSON.parse(stdout).rows, rows);
  return took;
}

async function validateXml(rows: number): Promise<Measurement> {
  const table = await withFile(rows, (path) => dryRun(rows, path));
  const xml = await withFile(rows, (path) => dryRun(rows, path), pain001);
  const figures = {
    peakMegabytes: xml.peakMegabytes,
    cpuSeconds: xml.cpuSeconds,
    cpuSecondsOfCsv: table.cpuSeconds,
    ofCsvCpu: xml.cpuSeconds / table.cpuSeconds,
  };
  return {
    figures,
    bounds: [
      { kind: 'most', figure: 'peakMegabytes', most: 400 },
      { kind: 'most', figure: 'ofCsvCpu', most: 2 },
    ],
  };
}

function tree(rows: number): Promise<Measurement> {
  return withFile(rows, async (path) => {
    const { file, checked } = await reading(path);
    const blind = Buffer.alloc(32, 7).toString('base64url');
    const before = process.cpuUsage();
    const found = await treeOfRows(checked(), { blind });
    const { user, system } = process.cpuUsage(before);
    await file.close();
    assert.equal(found.partRoots.length, Math.ceil(rows / 500));
    const figures = {
      rowsPerCpuSecond: rows / ((user + system) / 1e6),
      keptBytes: 32 * found.partRoots.length,
    };
    return { figures, bounds: [{ kind: 'least', figure: 'rowsPerCpuSecond', least: 8_000 }] };
  });
}

async function reading(path: string) {
  const file = await openBulkFile(path);
  const rows = await bulkRowsOf(file, { given, columns: new Map() });
  return {
    file,
    checked: () =>
      checkRows(
        rows.read(() => {}),
        undefined,
        { firstOfOrder: () => undefined },
      ),
  };
}
