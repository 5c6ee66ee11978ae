// Before `payouts submit` asks "yes?": what is unlikely of a file, row by row and as a whole, listed and counted, so that a
// person (or a word on the command line) can say that it is meant so. Nothing is written anywhere but into the list.
import { createSecretKey } from 'node:crypto';
import { newBlind } from '../../aws/system.ts';
import { type ContentDigests, contentDigests, payeeOf } from '../../batches/content-digest.ts';
import { createDigestTable } from '../../batches/digest-table.ts';
import { findEarlier } from '../../batches/earlier-batches.ts';
import type { XmlPlace } from '../../batches/bulk-row.ts';
import type { GoodRow } from '../../batches/check-rows.ts';
import type { OrdersOfFile } from '../../batches/orders-of-file.ts';
import type { ValueForm, WarningKind } from '../../batches/row-findings.ts';
import type { Survey } from '../../batches/survey-rows.ts';
import { warningsOfWhole } from './submit-totals.ts';
import type { SubmissionPorts } from './batch-ports.ts';
import { createProgress } from './submit-progress.ts';
import { guardedForSheet } from '../csv.ts';
import type { BulkRows } from '../formats/bulk-rows.ts';
import { createRowList } from './row-list.ts';
import { momentText, type Warnings } from './submit-text.ts';

/** What the command line says of warnings. */
export interface PreflightOptions {
  readonly acceptWarnings: boolean;
  /** Kinds that need no further word. */
  readonly accept: ReadonlySet<WarningKind>;
  /** Days whose batches are looked through for the same payments. */
  readonly lookBack: number;
  readonly warnings?: string;
  readonly dryRun: boolean;
  /** The file is registered already, so it was compared; who approves it may read no secret, and need not. */
  readonly approving?: boolean;
  readonly json: boolean;
}

/** Notes rows as they are read, and tells in the end. */
export interface Preflight {
  /** Makes what later files are held against; absent where the worker's keys can't be read. */
  readonly contents?: ContentDigests;
  note(row: GoodRow): Promise<void> | undefined;
  /** Ends the list where a row must be mended first. */
  close(): Promise<Warnings>;
  finish(found: {
    readonly survey: Survey;
    readonly batchId: string;
    readonly orders: OrdersOfFile;
  }): Promise<Warnings>;
}

const listHead = ['row', 'column', 'kind', 'warning'];

/** Where a warning belongs; nowhere where it is about the whole file. */
interface WarnedAt {
  readonly row?: number;
  readonly path?: string;
  readonly place?: XmlPlace | undefined;
}

/** Begins with what is known before the first row. */
export async function startPreflight(
  { listFile, titleOf, delimiter = ',' }: Pick<BulkRows, 'titleOf' | 'delimiter'> & { readonly listFile: string },
  ports: SubmissionPorts | undefined,
  options: PreflightOptions,
): Promise<Preflight> {
  const list = createRowList(options.warnings ?? listFile, listHead, { delimiter, guard: guardedForSheet });
  const kinds: Partial<Record<WarningKind, number>> = {};
  const table = createDigestTable();
  const contents = ports && (await digestsOf(ports));
  const digests = contents ?? strangers();

  async function warn(kind: WarningKind, warning: string, { row, path, place }: WarnedAt = {}): Promise<void> {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    await list.add([row === undefined ? '' : String(row), path ? titleOf(path, place) : '', kind, warning]);
  }

  async function warnOf({ row, job, place, warnings = [] }: GoodRow, first: number | undefined): Promise<void> {
    for (const { kind, warning, path } of warnings) await warn(kind, warning, { row, path, place });
    const text = `is paid the same amount by row ${first}, under another order id`;
    if (first !== undefined) await warn('duplicate', text, { row, place, path: payeeOf(job)?.path ?? '' });
  }

  async function lookBack({ batchId, survey, orders }: Parameters<Preflight['finish']>[0]): Promise<void> {
    if (!ports || options.lookBack === 0 || table.size === 0) return;
    if (!contents) {
      const text =
        "the worker's fingerprint keys can't be read, so the batches of the last days were not looked through";
      return options.dryRun || options.approving ? undefined : warn('not-checked', text);
    }
    const sinceMs = ports.clock.nowMs() - options.lookBack * 86_400_000;
    const merchants = new Set(survey.subtotals.map(({ merchant }) => merchant));
    const progress = createProgress('compared', 0, options.json);
    const search = { batchId, merchants, table, keyId: contents.keyId, sinceMs, hasOrder: orders.has };
    for await (const it of findEarlier(search, ports, progress.add)) {
      if (it.kind === 'not-compared') {
        const text = `${it.parts} parts of batch ${it.batchId} were written under another key; its payments were not compared`;
        await warn('not-checked', text);
        continue;
      }
      const orderId = it.orderKey.slice(it.orderKey.indexOf('/') + 1);
      const text = `is paid the same amount by order ${orderId} of batch ${it.batchId}, registered ${momentText(it.atMs)}`;
      await warn('earlier', text, { row: it.row });
    }
    progress.done();
  }

  async function close(): Promise<Warnings> {
    const file = await list.close();
    return { total: list.count(), kinds, table: list.table(), ...(file !== undefined && { file }) };
  }

  return {
    ...(contents && { contents }),
    note(row) {
      const digest = digests.of(row.job);
      const first = digest && table.firstRow(digest, row.row);
      return first !== undefined || row.warnings ? warnOf(row, first) : undefined;
    },
    close,
    async finish(found) {
      await lookBack(found);
      if (ports) for (const { kind, warning } of await warningsOfWhole(found.survey, ports)) await warn(kind, warning);
      return close();
    },
  };
}

async function digestsOf({ fingerprinting }: SubmissionPorts): Promise<ContentDigests | undefined> {
  try {
    return contentDigests(await fingerprinting.keys());
  } catch {
    return undefined;
  }
}

/** Where nothing is kept, any key tells rows of one file apart. */
function strangers(): ContentDigests {
  return contentDigests({
    current: '-',
    keys: new Map([['-', createSecretKey(Buffer.from(newBlind(), 'base64url'))]]),
  });
}

/** What the titles of columns say of their values. */
export function formsOf(
  columns: readonly { readonly title: string; readonly path?: string }[] = [],
): ReadonlyMap<string, ValueForm> {
  return new Map(
    columns.flatMap(({ title, path }) => {
      const word = /^(iban|bic|swift)/.exec(title.toLowerCase().replace(/[^a-z]/g, ''))?.[1];
      if (word === undefined || path === undefined) return [];
      return [[path, word === 'iban' ? 'iban' : 'bic'] as const];
    }),
  );
}

/** The kinds for which nobody has given a word yet. */
export function withoutWord(
  { kinds }: Warnings,
  { acceptWarnings, accept }: Pick<PreflightOptions, 'acceptWarnings' | 'accept'>,
): WarningKind[] {
  return acceptWarnings
    ? []
    : Object.keys(kinds).filter((kind): kind is WarningKind => !accept.has(kind as WarningKind));
}
