// `payouts export`: orders of the ledger as JSON lines. Exit codes: 0 written, 1 there is no such batch, or orders were
// written by newer code and are not in it, 2 bad input.
import { readBatch } from '../../batches/batch-payouts.ts';
import { couldBear } from '../../payout/message/job.ts';
import { type OrderView, viewOf } from '../../payout/order/projection.ts';
import { systemClock } from '../../aws/system.ts';
import { type ExportEnd, type ExportHead, exportedOrder } from '../../reconcile/ledger-export.ts';
import { noBatch } from '../command-line.ts';
import { counted } from '../quantities.ts';
import { openRowOutput } from '../row-output.ts';
import { UsageError } from '../../files/usage-error.ts';
import { type ToolPorts, toolPorts } from '../tool-ports.ts';

/** Options of `payouts export`. */
interface ExportOptions {
  readonly batch?: string;
  readonly merchant?: string;
  readonly since?: string;
  readonly output?: string;
}

/** Orders as they were found; undefined for one that this version can't read. */
type Found = AsyncIterable<readonly (OrderView | undefined)[]>;

/** Runs the command; returns the exit code. */
export async function runExport(options: ExportOptions): Promise<number> {
  const only = filterOf(options);
  const ports = toolPorts();
  const orders = options.batch === undefined ? allOrders(only, ports) : await ordersOfBatch(options.batch, ports);
  if (!orders) return noBatch(options.batch ?? '');
  const out = await openRowOutput(options.output);
  let [written, unreadable] = [0, 0];
  await out.write(lineOf(headOf(options)));
  for await (const some of orders) {
    const known = some.filter((entry) => entry !== undefined);
    await out.write(known.map((entry) => lineOf(exportedOrder(entry))).join(''));
    written += known.length;
    unreadable += some.length - known.length;
  }
  await out.write(lineOf({ version: 1, kind: 'export-end', orders: written, unreadable } satisfies ExportEnd));
  await out.close();
  const left = unreadable > 0 ? `; ${unreadable} were written by a newer version and are NOT in it` : '';
  process.stderr.write(`payouts: ${counted(written, 'order')}${left}\n`);
  return unreadable > 0 ? 1 : 0;
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`;

/** The scope of the export, so that a comparison with other books compares no more. */
function headOf({ batch, merchant, since }: ExportOptions): ExportHead {
  return {
    version: 1,
    kind: 'export',
    madeAt: new Date(systemClock.nowMs()).toISOString(),
    ...(batch !== undefined && { batch }),
    ...(merchant !== undefined && { merchant }),
    ...(since !== undefined && { since: new Date(Date.parse(since)).toISOString() }),
  };
}

function filterOf({ batch, merchant, since }: ExportOptions) {
  if (batch !== undefined && (merchant !== undefined || since !== undefined))
    throw new UsageError('--batch is of all its orders; leave --merchant and --since out');
  if (!couldBear({ ...(merchant !== undefined && { merchant }), ...(batch !== undefined && { batchId: batch }) }))
    throw new UsageError('no job can have this merchant or batch');
  const sinceMs = since === undefined ? undefined : Date.parse(since);
  if (Number.isNaN(sinceMs)) throw new UsageError('--since must be a time such as 2026-11-21T00:00:00Z');
  return { ...(merchant !== undefined && { merchant }), ...(sinceMs !== undefined && { sinceMs }) };
}

async function* allOrders(only: ReturnType<typeof filterOf>, ports: ToolPorts): Found {
  for await (const some of ports.allOrders.scan(only))
    yield some.map((found) => (found.kind === 'found' ? viewOf(found.order) : undefined));
}

/** The orders of a batch's rows; where another batch has taken a row, the order of that one. */
async function ordersOfBatch(batchId: string, ports: ToolPorts): Promise<Found | undefined> {
  const batch = await ports.batches.find(batchId);
  return batch && rowsOfBatch(readBatch(batch, ports));
}

async function* rowsOfBatch(rows: ReturnType<typeof readBatch>): Found {
  for await (const some of rows) {
    yield some.flatMap(({ standing, entry }) => (standing === 'unreadable' ? [undefined] : (entry ?? [])));
  }
}
