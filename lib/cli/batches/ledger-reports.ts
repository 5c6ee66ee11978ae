// The reports of batches for the console: the rows of `payouts report`, as they are read, and no more of them in memory than the browser
// takes.
import type { Batch } from '../../batches/batch.ts';
import type { Download, ReportDownloads } from '../../console/downloads.ts';
import { toolPorts } from '../tool-ports.ts';
import { openReport, type ReportSource, writeReport } from './report-command.ts';
import { reportFormats } from './report-output.ts';
import type { RowOutput } from '../row-output.ts';
import { UsageError } from '../../files/usage-error.ts';

const nowhere: RowOutput = { write: async () => {}, close: async () => {} };
/** By the worker's settings, and the files of this machine. */
export const ledgerReports: ReportDownloads = {
  check: (it) =>
    opened(it, async (_, { columns, message }) => {
      // A format that this batch does not have fails with its head.
      await reportFormats[it.format]({ columns, stream: nowhere, message });
    }),
  write: (it, stream) =>
    opened(it, async (batch, source) => void (await writeReport(batch, source, { format: it.format, stream }))),
};

async function opened(
  { batch: batchId, file }: Download,
  work: (batch: Batch, source: ReportSource) => Promise<void>,
): Promise<void> {
  const ports = toolPorts();
  const batch = await ports.batches.find(batchId);
  if (!batch) throw new UsageError(`there is no batch ${batchId}`);
  const source = await openReport(batch, file, ports);
  try {
    await work(batch, source);
  } finally {
    await source.close();
  }
}
