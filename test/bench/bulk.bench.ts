// A file of payouts: what a million rows cost in memory and time before the first is sent, and how near to the bare
// queue's own rate the sending comes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createMemoryBatches } from '../support/memory-batches.ts';
import { treeOfRows } from '../../lib/batches/approved-rows.ts';
import { type Survey, surveyRows } from '../../lib/batches/survey-rows.ts';
import { createSqsJobSender } from '../../lib/batches/sqs-batch-queues.ts';
import { systemClock, systemRandom } from '../../lib/aws/system.ts';
import { checkRows } from '../../lib/batches/check-rows.ts';
import { uploadBatch } from '../../lib/batches/upload-batch.ts';
import { openBulkFile } from '../../lib/cli/formats/bulk-file.ts';
import { bulkRowsOf } from '../../lib/cli/formats/readers.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { ibanOf } from '../cli/support/ibans.ts';
import { type Benchmark, median, type Measurement } from './harness.ts';
import { runTool } from './surroundings/measured-tool.ts';
import { startServers } from './surroundings/start-servers.ts';

/** All benchmarks of this file; `--jobs` sets the rows. */
export const bulkBenchmarks: readonly Benchmark[] = [
  {
    name: 'bulk-validate',
    description: 'payouts submit --dry-run of a million rows, as a process: peak memory and rows a second',
    run: ({ jobs = 1_000_000 }) => validate(jobs),
  },
  {
    name: 'bulk-pain001',
    description: 'the same of a million payments of pain.001, beside as many rows of CSV: peak memory, and CPU of both',
    run: ({ jobs = 1_000_000 }) => validateXml(jobs),
  },
  {
    name: 'bulk-approve',
    description: 'the tree of a million rows, reading and checking included: rows a second, and what it keeps of them',
    run: ({ jobs = 1_000_000 }) => tree(jobs),
  },
  {
    name: 'bulk-send',
    description: 'rows a second onto the emulated queue, reading and checking included, beside a bare loop of calls',
    run: ({ jobs = 10_000 }) => send(jobs),
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
<PmtInf><PmtInfId>B</PmtInfId><PmtMtd>TRF</PmtMtd><ReqdExctnDt>2026-11-24</ReqdExctnDt>\n`,
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

function validate(rows: number): Promise<Measurement> {
  return withFile(rows, async (path) => {
    const { peakMegabytes, cpuSeconds, wallSeconds } = await dryRun(rows, path);
    const figures = { peakMegabytes, rowsPerSecond: rows / wallSeconds, rowsPerCpuSecond: rows / cpuSeconds };
    return { figures, bounds: [{ kind: 'most', figure: 'peakMegabytes', most: 300 }] };
  });
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
      { kind: 'most', figure: 'peakMegabytes', most: 300 },
      { kind: 'most', figure: 'ofCsvCpu', most: 2 },
    ],
  };
}

function tree(rows: number): Promise<Measurement> {
  return withFile(rows, async (path) => {
    const { file, checked } = await reading(path);
    const survey = await surveyRows(checked(), () => {});
    const blind = Buffer.alloc(32, 7).toString('base64url');
    const began = performance.now();
    const found = await treeOfRows(checked(), { partDigests: survey.partDigests, blind });
    const rowsPerSecond = rows / ((performance.now() - began) / 1000);
    await file.close();
    assert.equal(found?.partRoots.length, Math.ceil(rows / 500));
    return { figures: { rowsPerSecond, keptBytes: 32 * (found?.partRoots.length ?? 0) }, bounds: [] };
  });
}

const parallel = 12;
const rounds = 5;

function send(rows: number): Promise<Measurement> {
  return withFile(rows, async (path) => {
    const servers = await startServers('emulators');
    try {
      const queueUrl = servers.environment['JOBS_QUEUE_URL'] ?? '';
      const endpoint = servers.environment['AWS_ENDPOINT_URL_SQS'] ?? '';
      const credentials = { accessKeyId: 'FAKE-BENCH-KEY-ID', secretAccessKey: 'fake-bench-secret-key' };
      const client = new SQSClient({ region: servers.environment['AWS_REGION'] ?? '', endpoint, credentials });
      const bodies = await bodiesOf(path);
      const survey = await surveyOf(path);
      const rates: { ours: number; bare: number }[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const bare = await rateOf(rows, () => bareLoop(client, queueUrl, bodies));
        const ours = await rateOf(rows, () => upload(client, queueUrl, path, survey));
        rates.push({ ours, bare });
      }
      const figures = {
        rowsPerSecond: median(rates.map(({ ours }) => ours)),
        bareRowsPerSecond: median(rates.map(({ bare }) => bare)),
        ofEmulatorsCeiling: median(rates.map(({ ours, bare }) => ours / bare)),
      };
      return { figures, bounds: [{ kind: 'least', figure: 'ofEmulatorsCeiling', least: 0.5 }] };
    } finally {
      await servers.stop();
    }
  });
}

async function rateOf(rows: number, work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return rows / ((performance.now() - startMs) / 1000);
}

async function reading(path: string) {
  const file = await openBulkFile(path);
  const rows = await bulkRowsOf(file, { given, maps: new Map(), ignored: new Set() });
  return {
    file,
    checked: () =>
      checkRows(
        rows.read(() => {}),
        undefined,
        {},
      ),
  };
}

async function bodiesOf(path: string): Promise<string[]> {
  const { file, checked } = await reading(path);
  const bodies: string[] = [];
  for await (const some of checked()) {
    for (const row of some) if (row.kind === 'job') bodies.push(JSON.stringify({ ...row.message, batchId: 'bench' }));
  }
  await file.close();
  return bodies;
}

async function bareLoop(client: SQSClient, QueueUrl: string, bodies: readonly string[]): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (next < bodies.length) {
        const some = bodies.slice(next, (next += 10));
        const Entries = some.map((MessageBody, index) => ({
          Id: String(index),
          MessageBody,
          MessageGroupId: 'acme-eu',
        }));
        await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      }
    }),
  );
}

/** The second reading as the command makes it; the first is the other benchmark's. */
async function upload(client: SQSClient, queueUrl: string, path: string, survey: Survey): Promise<void> {
  const { file, checked } = await reading(path);
  const batches = createMemoryBatches();
  const content = { batchId: 'bench', fileHash: '', contentHash: '12', rows: survey.rows, totals: survey.totals };
  await batches.register(newBatch({ ...content, by: 'bench', nowMs: systemClock.nowMs() }));
  const sender = createSqsJobSender({ client, queueUrl });
  const ports = { sender, batches, clock: systemClock, random: systemRandom };
  const plan = { batchId: 'bench', partDigests: survey.partDigests, firstPart: 0, firstToNote: 0, parallel };
  const end = await uploadBatch(checked(), plan, ports, { onProgress: () => {}, stop: { aborted: false } });
  assert.deepEqual(end, { kind: 'uploaded', sent: survey.rows });
  await file.close();
}

async function surveyOf(path: string): Promise<Survey> {
  const { file, checked } = await reading(path);
  const survey = await surveyRows(checked(), () => {});
  await file.close();
  return survey;
}
