// Before `payouts submit` asks "yes?": what is unlikely of a file, row by row and as a whole, listed and counted, so that a
// person (or an option) can confirm that it is meant so. Nothing is written anywhere but into the list.
import { createSecretKey } from 'node:crypto';
import { newBlind } from '../../aws/system.ts';
import { type ContentDigests, contentDigests, payeeOf } from '../../batches/content-digest.ts';
import { type EarlierFinding, findEarlier } from '../../batches/earlier-batches.ts';
import type { XmlPlace } from '../../files/bulk-row.ts';
import type { GoodRow } from '../../files/check-rows.ts';
import { isEndedUnpaid, type KnownKind, type KnownRows } from '../../batches/known-orders.ts';
import type { ValueForm, WarningKind } from '../../files/row-findings.ts';
import type { Survey } from '../../batches/survey-rows.ts';
import type { FingerprintKeys } from '../../payout/message/fingerprint.ts';
import { namesOfKey } from '../../payout/order/order.ts';
import { type OrderView, viewOf } from '../../payout/order/projection.ts';
import type { ToolPorts } from '../tool-ports.ts';
import { isRefusalName } from '../../console/part.ts';
import { createProgress } from '../progress.ts';
import { sheetStyle } from '../../files/csv.ts';
import type { BulkRows } from '../../files/bulk-rows.ts';
import type { FileStore } from '../../files/file-store.ts';
import { createRowList } from './row-list.ts';
import { knownText, lookUp } from './submit-known.ts';
import { momentText } from '../quantities.ts';
import type { SurveyedFile, Warnings } from './submit-text.ts';
import type { Money } from '../../gateway/money.ts';
import { dayCapRows } from '../../gateway/profile-limits.ts';
import { dayCapsOf } from '../../payout/operate/caps.ts';

/** The options about warnings. */
export interface PreflightOptions {
  /** Kinds that need no further confirmation. */
  readonly accept: ReadonlySet<WarningKind>;
  /** Days whose batches are looked through for the same payments. */
  readonly lookBack: number;
  readonly dryRun: boolean;
  /** The file is registered already, so it was compared; who approves it may read no secret, and need not. */
  readonly approving?: boolean;
  readonly json: boolean;
}

/** A file that was read, as it is compared. */
interface ReadFile {
  readonly survey: Survey;
  readonly batchId: string;
}

const listHead = ['row', 'column', 'kind', 'warning'];

/** Where a warning belongs; nowhere if it is about the whole file. */
interface WarnedAt {
  readonly row?: number;
  readonly path?: string;
  readonly place?: XmlPlace | undefined;
}

/** Notes rows as they are read, and reports in the end. Begins with what is known before the first row. */
export async function startPreflight(
  {
    listFile,
    titleOf,
    delimiter,
    store,
  }: Pick<BulkRows, 'titleOf' | 'delimiter'> & { readonly listFile: string; readonly store: FileStore },
  ports: ToolPorts | undefined,
  options: PreflightOptions,
) {
  const list = createRowList(listFile, listHead, sheetStyle(delimiter));
  const kinds: Partial<Record<WarningKind, number>> = {};
  const keys = ports && (await keysOf(ports));
  const contents = keys && contentDigests(keys);
  const digests = contents ?? throwAwayKey();

  /** The ledger's orders of the rows; an approver may read none, and they were looked up when the file was registered. */
  async function known(batchId: string): Promise<KnownRows | undefined> {
    if (options.approving || !ports) return undefined;
    const onKnown = async (row: GoodRow, kind: KnownKind, entry: OrderView): Promise<void> => {
      // Rows that this very batch has sent are no news: the same command goes on where it was.
      if (kind !== 'other-content' && entry.batchId === batchId) return;
      await warn(kind, knownText(kind, entry), { row: row.row, path: 'orderId', place: row.place });
    };
    try {
      return await lookUp(store.rows(), ports, keys, onKnown);
    } catch (error) {
      // A reader may not be allowed to read the ledger; a sender must be. Any other failure says nothing about the rows.
      if (!options.dryRun || !(error instanceof Error && isRefusalName(error.name))) throw error;
      await warn('not-checked', "the ledger can't be read; what it knows of the rows is not shown");
      return undefined;
    }
  }

  async function warn(kind: WarningKind, warning: string, { row, path, place }: WarnedAt = {}): Promise<void> {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    await list.add([row === undefined ? '' : String(row), path ? titleOf(path, place) : '', kind, warning]);
  }

  async function warnOf({ row, job, place, warnings = [] }: GoodRow, first: number | undefined): Promise<void> {
    for (const { kind, warning, path } of warnings) await warn(kind, warning, { row, path, place });
    const text = `asks for the same payment as row ${first}, under another order id`;
    if (first !== undefined) await warn('duplicate', text, { row, place, path: payeeOf(job)?.path ?? '' });
  }

  async function close(): Promise<Warnings> {
    const file = await list.close();
    return { total: list.count(), kinds, table: list.table(), file };
  }

  return {
    /** Makes what later files are held against; absent if the worker's keys can't be read. */
    contents,
    note(row: GoodRow): Promise<void> | undefined {
      const digest = digests.of(row.job);
      const first = digest && store.firstOfPayment(digest, row.row);
      return first !== undefined || row.warnings ? warnOf(row, first) : undefined;
    },
    notChecked: (warning: string) => warn('not-checked', warning),
    /** Ends the list where a row must be corrected first. */
    close,
    async finish(found: ReadFile): Promise<Pick<SurveyedFile, 'known'> & { readonly warnings: Warnings }> {
      const its = await known(found.batchId);
      if (ports && options.lookBack > 0) await warnOfEarlier(found, { ports, contents, store, options, warn });
      if (ports) for (const warning of await capWarnings(found.survey, ports)) await warn('cap', warning);
      return { warnings: await close(), known: its };
    },
  };
}

/** The same payments in the batches of the last days. */
async function warnOfEarlier(
  { batchId, survey }: ReadFile,
  it: {
    readonly ports: ToolPorts;
    readonly contents: ContentDigests | undefined;
    readonly store: FileStore;
    readonly options: PreflightOptions;
    readonly warn: (kind: WarningKind, warning: string, at?: WarnedAt) => Promise<void>;
  },
): Promise<void> {
  const { ports, contents, store, options, warn } = it;
  if (!contents) {
    const text = "the worker's fingerprint keys can't be read, so the batches of the last days were not looked through";
    return options.approving ? undefined : warn('not-checked', text);
  }
  const sinceMs = ports.clock.nowMs() - options.lookBack * 86_400_000;
  const merchants = new Set(survey.subtotals.map(({ merchant }) => merchant));
  const progress = createProgress('compared', 0, options.json);
  const { rowOfPayment, hasOrder } = store;
  const search = { batchId, merchants, rowOfPayment, keyId: contents.keyId, sinceMs, hasOrder };
  const same: Extract<EarlierFinding, { kind: 'same-payment' }>[] = [];
  for await (const found of findEarlier(search, ports, progress.add)) {
    if (found.kind === 'not-compared') {
      const text = `${found.parts} parts of batch ${found.batchId} were written under another key; its payments were not compared`;
      await warn('not-checked', text);
      continue;
    }
    same.push(found);
    if (same.length === ordersPerRead) await warnOfLiving(same.splice(0), it);
  }
  await warnOfLiving(same, it);
  progress.done();
}

const ordersPerRead = 100;

/**
 * An earlier order that was declined, or never sent, is what the row may be sent again for: it warns of nothing. One that another
 * batch than its own has asked for since it ended is being opened again.
 */
async function warnOfLiving(
  found: readonly Extract<EarlierFinding, { kind: 'same-payment' }>[],
  { ports, warn }: Pick<Parameters<typeof warnOfEarlier>[1], 'ports' | 'warn'>,
): Promise<void> {
  const orders = await ports.knownOrders.read(found.map(({ orderKey }) => orderKey));
  for (const { row, orderKey, batchId, atMs } of found) {
    const known = orders.get(orderKey)?.order;
    const entry = known && viewOf(known);
    const isRetried = entry !== undefined && entry.batchId !== batchId && atMs > entry.updatedAtMs;
    if (entry && isEndedUnpaid(entry) && !isRetried) continue;
    const order = `order ${namesOfKey(orderKey).orderId} of batch ${batchId}`;
    const state = entry ? `is ${entry.standing}` : 'has not begun';
    const now = entry && isEndedUnpaid(entry) ? `${state} and was asked for once more` : state;
    const text = `asks for the same payment as ${order}, registered ${momentText(atMs)}, which ${now}`;
    await warn('earlier', text, { row });
  }
}

async function keysOf({ fingerprinting }: ToolPorts): Promise<FingerprintKeys | undefined> {
  try {
    return await fingerprinting.keys();
  } catch {
    return undefined;
  }
}

/** Where no digest is kept, any key distinguishes the rows of one file. */
function throwAwayKey(): ContentDigests {
  return contentDigests({
    current: '-',
    keys: new Map([['-', createSecretKey(Buffer.from(newBlind(), 'base64url'))]]),
  });
}

/** The kinds of values by the titles of their columns. */
export function formsOf(
  columns: readonly { readonly title: string; readonly path?: string }[] = [],
): ReadonlyMap<string, ValueForm> {
  return new Map(
    columns.flatMap(({ title, path }) => {
      const kind = /^(iban|bic|swift)/.exec(title.toLowerCase().replace(/[^a-z]/g, ''))?.[1];
      if (kind === undefined || path === undefined) return [];
      return [[path, kind === 'iban' ? 'iban' : 'bic'] as const];
    }),
  );
}

/** The kinds that are not confirmed yet. */
export function unconfirmed({ kinds }: Warnings, { accept }: Pick<PreflightOptions, 'accept'>): WarningKind[] {
  return Object.keys(kinds).filter((kind): kind is WarningKind => !accept.has(kind as WarningKind));
}

// The totals of a file, compared with the caps of the day.

/** The warnings. A merchant whose secret can't be read has none here: its rows have them. */
async function capWarnings(
  { subtotals }: Survey,
  { credentials, dayTotals, clock }: Pick<ToolPorts, 'credentials' | 'dayTotals' | 'clock'>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [merchant, sums] of sumsByMerchant(subtotals)) {
    const answer = await credentials.of(merchant);
    if (answer.kind !== 'credentials') continue;
    const { profile } = answer.credentials;
    for (const money of sums) {
      for (const cap of dayCapsOf(merchant, money, profile, clock.nowMs())) {
        const counted = (await dayTotals.totalOf(cap))[cap.kind];
        if (counted + cap.counts <= cap.limit) continue;
        const { text } = dayCapRows[cap.kind];
        const [asked, limit, before] = [cap.counts, cap.limit, counted].map((it) => text(it, money.currency));
        const warning = `${merchant}: the file asks for ${asked}, the cap of the day is ${limit}, of which ${before} are counted already; what is above would wait for the next day`;
        found.push(warning);
      }
    }
  }
  return found;
}

/** Money of several orders. */
type Sum = Money & { readonly orders: bigint };

/** The sums of all operations that move money. */
function sumsByMerchant(subtotals: Survey['subtotals']): ReadonlyMap<string, readonly Sum[]> {
  const sums = new Map<string, Map<string, Sum>>();
  for (const { merchant, currency, minorUnits, count } of subtotals) {
    if (currency === undefined) continue;
    const of = sums.get(merchant) ?? new Map<string, Sum>();
    const before = of.get(currency) ?? { minorUnits: 0n, orders: 0n };
    const sum = { minorUnits: before.minorUnits + minorUnits, orders: before.orders + BigInt(count) };
    sums.set(merchant, of.set(currency, { currency, ...sum }));
  }
  return new Map([...sums].map(([merchant, of]) => [merchant, [...of.values()]]));
}
