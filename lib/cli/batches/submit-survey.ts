// The reading of a file: everything that it asks for, and every fault of it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../../aws/system.ts';
import { type Survey, surveyRows } from '../../batches/survey-rows.ts';
import { type CheckPorts, checkRows, type GoodRow, contractsOf, ContractUnknown } from '../../files/check-rows.ts';
import type { BatchContent } from '../../batches/batch.ts';
import type { FileReading } from '../../files/file-reading.ts';
import { preflight } from '../../files/preflight.ts';
import { makingSecrets } from '../../operate/remedies.ts';
import type { Profile } from '../../gateway/profile.ts';
import { type Job, payeeNameIn } from '../../payout/message/job.ts';
import { type BulkFile, openBulkFile } from '../../files/bulk-file.ts';
import { type FileStore, openFileStore } from '../../files/file-store.ts';
import { createFaultSink } from './bulk-rejects.ts';
import type { BulkRows, ReadingChoices } from '../../files/bulk-rows.ts';
import { bulkRowsOf } from '../../files/readers.ts';
import { choicesOf, isUnsaid, type ReadingOptions, readingOf, writeLayout } from './file-reading.ts';
import { toolPorts, type ToolPorts } from '../tool-ports.ts';
import { knownAsText } from './submit-known.ts';
import { formsOf, type PreflightOptions, startPreflight } from './submit-preflight.ts';
import { say } from '../command-line.ts';
import { createProgress } from '../progress.ts';
import {
  faultsAsText,
  surveyAsJson,
  surveyAsText,
  type SurveyedFile,
  type Warnings,
  warningsAsText,
  commandWordsOf,
  unusedAsText,
} from './submit-text.ts';
import { checkNames, UsageError } from '../../files/usage-error.ts';
import { formatMinorUnits, type Money } from '../../gateway/money.ts';
import { withoutCardData } from '../../gateway/redact.ts';
import { plainTable } from '../plain-table.ts';

/** How a file is looked at. */
export interface SurveyOptions extends PreflightOptions, ReadingOptions {
  readonly batch?: string;
  readonly cardKeys?: string;
  readonly skipInvalid: boolean;
  /** The folder of the lists of faults, warnings and rejects; default the present one. */
  readonly output?: string;
  /** How the file of a registered batch was read. */
  readonly registered?: FileReading;
}

/**
 * Reads the file and does the work with what it found; returns the exit code. The work does not begin where a row must be
 * corrected first. `ports` are absent in a dry run without the worker's settings.
 */
export async function withSurveyedFile(
  path: string,
  options: SurveyOptions,
  work: (file: SurveyedFile & { readonly warnings: Warnings }, ports: ToolPorts | undefined) => Promise<number>,
): Promise<number> {
  // As large as loading the tool has made it; for a million rows V8 would make it ten times that.
  setFlagsFromString('--semi-space-growth-factor=1');
  checkNames({ batchId: options.batch });
  const ports = portsFor(options);
  const file = await openBulkFile(path);
  let store: FileStore | undefined;
  try {
    store = openFileStore(file.name);
    const reading = options.registered ?? (await knownReading(ports, options)) ?? readingOf(options, options.dryRun);
    const rows = await bulkRowsOf(file, { ...choicesOf(reading), ...firstLayout(options) });
    const surveyed = await survey({ path, file, rows, reading, store }, ports, options);
    if (!surveyed) return 2;
    if (!options.json) {
      const known = surveyed.known ? knownAsText(surveyed.known) : '';
      process.stderr.write(warningsAsText(surveyed.warnings) + surveyAsText(surveyed) + known);
    }
    return await work(surveyed, ports);
  } catch (error) {
    if (!(error instanceof ContractUnknown)) throw error;
    process.stderr.write(`payouts: ${error.message}; nothing was sent\n`);
    return 1;
  } finally {
    store?.close();
    await file.close();
  }
}

/** Of a batch that is registered nothing need be said again. */
async function knownReading(ports: ToolPorts | undefined, options: SurveyOptions): Promise<FileReading | undefined> {
  if (!ports || options.batch === undefined || options.dryRun || !isUnsaid(options)) return undefined;
  return (await ports.batches.find(options.batch))?.reading;
}

/** A layout that is not there yet is written by a dry run. */
function firstLayout({ layout, dryRun, json }: SurveyOptions): Pick<ReadingChoices, 'firstLayout'> {
  if (layout === undefined || !dryRun || existsSync(layout)) return {};
  return {
    firstLayout(titles) {
      const columns = writeLayout(layout, titles);
      const left = Object.entries(columns).flatMap(([title, field]) => (field === '' ? [`"${title}"`] : []));
      const open = left.length === 0 ? '' : `; it leaves out ${left.join(', ')}: write there what each of them is`;
      if (!json) process.stderr.write(`the layout ${layout} was written${open}\n`);
      return columns;
    },
  };
}

/** A dry run may do without AWS: the rows are then not compared with the merchants' contracts. */
function portsFor({ dryRun }: SurveyOptions): ToolPorts | undefined {
  try {
    const its = toolPorts();
    return { ...its, credentials: its.guarded };
  } catch (error) {
    if (!dryRun || !(error instanceof UsageError)) throw error;
    process.stderr.write("payouts: without the worker's settings no contract is looked at\n");
    return undefined;
  }
}

/** If a contract can't be read, nothing is sent; a dry run warns by `onUnknown`; of a file that is approved the rows were compared before. */
function contractsFor(
  { credentials, secretPrefix }: ToolPorts,
  { dryRun, approving, json }: SurveyOptions,
  onUnknown: (warning: string) => Promise<void>,
): CheckPorts['contracts'] {
  const read = contractsOf(credentials);
  return async (merchant) => {
    try {
      const contract = await read(merchant);
      if (contract.kind === 'fault' && contract.isMissing && !json)
        process.stderr.write(
          `payouts: contract and keys of ${merchant} are made by\n  ${makingSecrets(secretPrefix, merchant)}\n`,
        );
      return contract;
    } catch (error) {
      if (!(error instanceof ContractUnknown) || (!dryRun && !approving)) throw error;
      if (!approving) await onUnknown(`${error.message}; its rows are not compared with it`);
      return { kind: 'unknown' };
    }
  };
}

interface OpenedFile {
  readonly path: string;
  readonly file: BulkFile;
  readonly rows: BulkRows;
  readonly reading: FileReading;
  readonly store: FileStore;
}

/** Undefined if a row must be corrected first; the fault is printed. */
async function survey(
  { path, file, rows, reading, store }: OpenedFile,
  ports: ToolPorts | undefined,
  options: SurveyOptions,
): Promise<(SurveyedFile & { readonly warnings: Warnings }) | undefined> {
  const stem = parse(file.name).name;
  const listed = (ending: string) => join(options.output ?? '', `${stem}.${ending}`);
  const sink = createFaultSink({
    faultsFile: listed('faults.csv'),
    rejectsFile: options.skipInvalid ? listed(`rejects.${rows.rejectsAs}`) : undefined,
    ...rows,
  });
  const rules = { nowMs: systemClock.nowMs(), forms: formsOf(rows.columns) };
  const flight = await startPreflight({ listFile: listed('warnings.csv'), ...rows, store }, ports, options);
  const checks = {
    // Of a registered file that was judged.
    seals: options.approving ? undefined : options.cardKeys !== undefined,
    preflight: (job: Job, profile: Profile | undefined) => preflight(job, profile, rules),
    contracts: ports && contractsFor(ports, options, flight.notChecked),
    firstOfOrder: store.firstOfOrder,
  };

  const hash = createHash('sha256');
  const progress = createProgress('read', file.sizeBytes, options.json);
  const onBytes = (bytes: Buffer) => {
    hash.update(bytes);
    progress.add(bytes.length);
  };
  const preview = createPreview();
  const note = (row: GoodRow) => {
    preview.note(row);
    // Its cells have been shown beside its faults, if it had any.
    const { original: _, ...kept } = row;
    store.add(kept);
    return flight.note(row);
  };
  const checked = checkRows(rows.read(onBytes), options.batch, checks);
  const found = await surveyRows(checked, sink.add, note).finally(progress.done);
  const files = await sink.close();

  const fileHash = hash.digest('hex');
  const batchId = options.batch ?? found.batchId ?? derivedBatchId(stem, fileHash);
  const surveyed = {
    name: file.name,
    batchId,
    path,
    reading,
    words: commandWordsOf(path, options),
    fileHash,
    survey: found,
    preview: preview.text(),
    unused: rows.unused?.(),
    rows: store.rows,
    contents: flight.contents,
  };
  if (!options.json)
    process.stderr.write(unusedAsText(surveyed) + faultsAsText(surveyed, sink, files, options.skipInvalid));
  if (isSendable(found, options)) return { ...surveyed, ...(await flight.finish({ survey: found, batchId })) };
  const warnings = await flight.close();
  if (!options.json) process.stderr.write(warningsAsText(warnings));
  const isEmpty = found.rows + found.rejected === 0 && !found.cutOff;
  if (options.json) {
    const more = { faults: sink.count(), files };
    say(options, surveyAsJson(isEmpty ? 'empty' : 'invalid', { ...surveyed, warnings }, more), '');
  } else if (isEmpty) process.stderr.write(`payouts: ${file.name} has no rows\n`);
  return undefined;
}

function isSendable({ rows, rejected, cutOff }: Survey, { skipInvalid }: SurveyOptions): boolean {
  return rows > 0 && !cutOff && (rejected === 0 || skipInvalid);
}

/** The header of this file's batch. */
export function contentOf({ batchId, fileHash, survey }: SurveyedFile): BatchContent {
  const { contentHash, rows, totals } = survey;
  return { batchId, fileHash, contentHash, rows, totals };
}

/** The file's name and the first digits of its hash: the same file always makes the same batch. */
function derivedBatchId(stem: string, fileHash: string): string {
  const name = stem.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 35);
  return `${name}-${fileHash.slice(0, 12)}`;
}

// The largest payments of a file and their payees, for a person to see before "yes".

const shownOfEach = 3;

type Shown = Pick<GoodRow, 'row'> & { readonly orderId: string; readonly money: Money; readonly payee: string };

/** Notes rows as they are read; none yet. */
function createPreview() {
  const largest = new Map<string, Shown[]>();
  return {
    note({ row, job: { orderId, money, context } }: GoodRow): void {
      if (!money || context === undefined) return;
      const known = largest.get(money.currency) ?? [];
      const least = known.length < shownOfEach ? undefined : known.at(-1);
      if (least && least.money.minorUnits >= money.minorUnits) return;
      const payee = payeeNameIn(context);
      if (payee === undefined) return;
      const all = [...known, { row, orderId, money, payee: withoutCardData(payee, '***') }];
      all.sort((a, b) => Number(b.money.minorUnits - a.money.minorUnits));
      largest.set(money.currency, all.slice(0, shownOfEach));
    },
    /** The largest of each currency; empty if no row names its payee. */
    text(): string {
      if (largest.size === 0) return '';
      const rows = [...largest.values()].flat().map(({ row, orderId, money: { minorUnits, currency }, payee }) => {
        return [row, orderId, formatMinorUnits(minorUnits, currency), currency, payee];
      });
      const head = ['row', 'the largest', 'amount', '', 'payee'];
      return `${plainTable(head, ['right', 'left', 'right', 'left', 'left'], rows)}\n\n`;
    },
  };
}
