// The messages of ISO 20022 that are read and written here, before their own published schemas: what the reader's stories
// call right is right, and so is every answer that is written.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { ReportLine } from '../../lib/batches/batch-report.ts';
import type { MessageHeader } from '../../lib/files/bulk-rows.ts';
import { pain002Output } from '../../lib/cli/batches/pain002.ts';
import { failureCodeNames } from '../../lib/payout/message/failures.ts';
import { standingNames } from '../../lib/payout/order/standing.ts';
import { creditTransfers } from '../cli/support/credit-transfers.ts';
import { iso20022Schema } from './emulators/pain001.ts';

const directory = inject('iso20022');

async function errorsOf(xml: string, message: string): Promise<readonly string[]> {
  const schema = iso20022Schema(directory ?? '', message);
  const { valid, errors } = await validateXML({ xml: { fileName: 'it.xml', contents: xml }, schema });
  return valid ? [] : errors.map((it) => it.message);
}

const blocks = [
  {
    transfers: [
      { id: 'A-1', amount: '1250.00', bic: 'COBADEFFXXX', name: 'Ann &amp; Söhne' },
      { id: 'A-2', amount: '0.01', account: '<Othr><Id>000123456</Id></Othr>' },
    ],
  },
  { day: '2026-11-25', transfers: [{ id: 'B-1', amount: '60.5', currency: 'JPY' }] },
];

const told = { gateway_order_id: '9'.repeat(40), note: 'ada: <&> "so" \u0001' };
/** Every standing, and every failure. */
const lines: readonly ReportLine[] = [
  ...standingNames.map((status): ReportLine => ({ status, ...told })),
  ...failureCodeNames.map((code): ReportLine => ({
    status: 'failed',
    failure_code: code,
    failure_message: 'é'.repeat(400),
  })),
];

async function answerTo(version: MessageHeader['version']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-iso-'));
  try {
    const output = join(folder, 'answer.xml');
    const message = { version, messageId: 'MSG-1', createdAt: '2026-11-24T09:00:00', count: '7', sum: '62.52' };
    const columns = ['order_id', 'payouts_block', 'payouts_instruction'].map((title) => ({ title }));
    const out = await pain002Output({ columns, output, message });
    await out.add(lines.map((line, index) => ({ line, cells: [`A-${index}`, index < 3 ? 'ONE' : 'TWO', ''] })));
    await out.close([]);
    return await readFile(output, 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.skipIf(directory === null)('pain.001', () => {
  it.each(['03', '09'] as const)('of version %s, as the stories of its reader write it', async (version) => {
    const xml = creditTransfers(blocks, version);
    expect(await errorsOf(xml, `pain.001.001.${version}`)).toEqual([]);
    expect(await errorsOf(xml.replace('<PmtMtd>TRF', '<PmtMtd>XYZ'), `pain.001.001.${version}`)).not.toEqual([]);
  });

  it('as the example has it', async () => {
    expect(await errorsOf(await readFile('infra/examples/payouts.xml', 'utf8'), 'pain.001.001.03')).toEqual([]);
  });
});

describe.skipIf(directory === null)('pain.002', () => {
  it('as the answer to version 03, whatever became of a payment', async () => {
    const xml = await answerTo('pain.001.001.03');
    expect(await errorsOf(xml, 'pain.002.001.03')).toEqual([]);
    expect(await errorsOf(xml.replace('<TxSts>ACSC', '<TxSts>PAID'), 'pain.002.001.03')).not.toEqual([]);
  });

  // The package has no schema of .10; what is written of it is the same in .12.
  it('as the answer to version 09', async () => {
    const xml = await answerTo('pain.001.001.09');
    expect(xml).toContain('xsd:pain.002.001.10"');
    expect(await errorsOf(xml.replace('pain.002.001.10', 'pain.002.001.12'), 'pain.002.001.12')).toEqual([]);
  });
});
