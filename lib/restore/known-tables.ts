// THE LEDGER'S IDENTITY. DynamoDB gives each table an id that no other table ever has, made anew or restored. The ids of all the worker's
// tables are one record outside of them, under an approver's MAC. Every process compares every ten seconds. If an id differs, nothing is
// sent, asked or written: an empty ledger would pay each message again.
import * as v from 'valibot';
import { tool } from '../payout/operate/spelling.ts';
import type { Restored } from '../payout/order/restored.ts';
import type { Clock } from '../payout/ports.ts';

/** The page to read if a table is missing or replaced. */
export const restorePage = 'infra/docs/disasters.md';

/** The tables, by what they keep. */
const tableKinds = ['ledger', 'batches', 'controls', 'waiting', 'card-keys'] as const;
type TableKind = (typeof tableKinds)[number];

/** A table as DynamoDB describes it now. */
export interface DescribedTable {
  readonly name: string;
  /** Absent: there is no table of that name. */
  readonly id?: string;
}
/** Every table of the worker. */
export type DescribedTables = Readonly<Record<TableKind, DescribedTable>>;

/** A restore that was begun: until it is approved everything is paused. It needs no proof, as it can only stop. */
export interface Restoring {
  readonly sinceMs: number;
  /** The person's ARN. */
  readonly by: string;
  readonly reason: string;
}

/** The record as it is stored. */
export interface StoredTables {
  /** The very text under the MAC, in base64url; absent: no ledger was ever begun. */
  readonly record?: { readonly text: string; readonly mac: string };
  readonly restoring?: Restoring;
}

/** The record as it was read; its version is absent while nothing was ever stored. */
export interface ReadTables extends StoredTables {
  readonly version?: string;
}

/** Where the tables and their record are. Every call rejects if it can't be answered now. */
export interface TablesSource {
  described(): Promise<DescribedTables>;
  stored(): Promise<ReadTables>;
  /** Replaces what was read; false if another person has written since. */
  store(next: StoredTables, read: ReadTables): Promise<boolean>;
}

const record = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    is: v.literal('tables of the worker'),
    version: v.literal(1),
    ids: v.strictObject(v.entriesFromList(tableKinds, v.string())),
    by: v.string(),
    atMs: v.pipe(v.number(), v.integer()),
    pausedAtMs: v.exactOptional(v.pipe(v.number(), v.integer())),
  }),
);
type Recorded = v.InferOutput<typeof record>;

/** What the comparison says: these are the tables of the record, or why not. */
export type TablesVerdict =
  | { readonly kind: 'known'; readonly restored?: Restored }
  | { readonly kind: 'unknown'; readonly why: string };

/** The comparison. */
export interface KnownTables {
  /** Ten seconds old at most. Rejects if it was never answered and can't be now: then nothing may be decided. */
  verdict(): Promise<TablesVerdict>;
}

/** Checks MACs of approvers; rejects if it can't now. */
interface Macs {
  isMacOf(text: string, mac: string): Promise<boolean>;
}

/** The ports of the comparison. */
interface ComparingPorts {
  readonly source: Pick<TablesSource, 'described' | 'stored'>;
  readonly macs: Macs;
  readonly nowMs: () => number;
}

/** How long an answer serves before the tables are compared again. */
const servesMs = 10_000;
/** How long the last answer holds while the question itself fails: a shorter outage of DynamoDB's descriptions stops no payment. */
const holdsMs = 15 * 60_000;
/** After this long no process acts on an older answer. */
export const answersActMs = holdsMs + servesMs;

/** The comparison of one process. */
export function createKnownTables({ source, macs, nowMs }: ComparingPorts): KnownTables {
  let last: { readonly verdict: TablesVerdict; readonly askedAtMs: number; readonly answeredAtMs: number } | undefined;
  let asking: Promise<TablesVerdict> | undefined;
  let proven: StoredTables['record'];

  const provenIn = async ({ record: its }: StoredTables) => {
    if (!its) return undefined;
    const isKnown = proven?.text === its.text && proven.mac === its.mac;
    if (!isKnown && !(await macs.isMacOf(its.text, its.mac))) return undefined;
    proven = its;
    return recordIn(its);
  };

  async function ask(): Promise<TablesVerdict> {
    const askedAtMs = nowMs();
    try {
      const [described, stored] = await Promise.all([source.described(), source.stored()]);
      const verdict = verdictOf(described, stored, await provenIn(stored));
      last = { verdict, askedAtMs, answeredAtMs: askedAtMs };
      return verdict;
    } catch (error) {
      if (!last) throw error;
      last = { ...last, askedAtMs };
      return asOf(last, askedAtMs);
    }
  }

  return {
    verdict() {
      const now = nowMs();
      if (last && now >= last.askedAtMs && now < last.askedAtMs + servesMs) return Promise.resolve(asOf(last, now));
      return (asking ??= ask().finally(() => (asking = undefined)));
    },
  };
}

/** The last answer while it holds; `unknown` afterwards. */
function asOf(last: { readonly verdict: TablesVerdict; readonly answeredAtMs: number }, now: number): TablesVerdict {
  if (last.verdict.kind === 'unknown' || now < last.answeredAtMs + holdsMs) return last.verdict;
  const why = `AWS has not answered for 15 minutes which tables these are; nothing is sent until it does (${restorePage})`;
  return { kind: 'unknown', why };
}

const recordIn = ({ text }: { readonly text: string }): Recorded | undefined => {
  const read = v.safeParse(record, text);
  return read.success ? read.output : undefined;
};

const forged = "no approver made the record of the worker's tables";

function verdictOf(described: DescribedTables, stored: StoredTables, proven: Recorded | undefined): TablesVerdict {
  const unknown = (why: string) => ({ kind: 'unknown', why }) as const;
  if (stored.restoring) {
    const since = new Date(stored.restoring.sinceMs).toISOString();
    return unknown(`a restore was begun at ${since}: nothing is sent until an approver ends the pause; ${restorePage}`);
  }
  if (!stored.record) {
    const begin = `on the first day an approver runs, once: \`${tool} ledger begin ${described.ledger.name}\``;
    return unknown(
      `no ledger was begun here, and nothing is sent: ${begin}; if payments were made before: ${restorePage}`,
    );
  }
  if (!proven) return unknown(`${forged}: nothing is sent; ${restorePage}`);
  const strange = strangeOf(described, proven.ids);
  if (strange.length > 0) return unknown(`${strange.join('; ')}: nothing is sent; ${restorePage}`);
  const { pausedAtMs } = proven;
  return { kind: 'known', restored: pausedAtMs === undefined ? undefined : { pausedAtMs } };
}

const strangeOf = (described: DescribedTables, ids: Readonly<Record<TableKind, string>>): readonly string[] =>
  tableKinds.flatMap((kind) => {
    const { name, id } = described[kind];
    if (id === ids[kind]) return [];
    return [
      id === undefined ? `there is no table ${name}` : `the table ${name} is not the one that was used until now`,
    ];
  });

// The record is written by an approver: on the first day, and when a restored table takes over.

interface Maker {
  macOf(text: string): Promise<string>;
}

/** The ports of writing it. */
export interface BeginningPorts {
  readonly tables: TablesSource;
  readonly macs: Macs;
  /** For approvers alone. */
  readonly maker: Maker;
  /** Rejects if AWS names no person. */
  readonly whoAmI: () => Promise<string>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** True if this table was a ledger, or is the copy of one: it holds the name of its Region. */
  readonly wasLedger: () => Promise<boolean>;
}

/** The outcome, or what it would be. */
export type LedgerBegun =
  | { readonly kind: 'begun'; readonly text: string }
  | { readonly kind: 'known'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string };

/** Why it is not begun. */
export const refused = (why: string) => ({ kind: 'refused', why }) as const;

/** Another person has written the record since it was read. */
export const overtaken = refused("another person has written the record of the worker's tables meanwhile: look again");

/**
 * Records the present tables as the worker's: on the first day, or after a table beside the ledger was replaced. `typed`: the name of the
 * ledger, as the caller has typed it.
 */
export async function beginLedger(
  typed: string,
  { tables, macs, maker, whoAmI, clock, wasLedger }: BeginningPorts,
): Promise<LedgerBegun> {
  const [described, stored] = await Promise.all([tables.described(), tables.stored()]);
  const { name, id } = described.ledger;
  if (typed !== name) return refused(`the ledger of these settings is ${name}: type its name`);
  const missing = whyMissing(described);
  if (missing !== undefined) return refused(missing);
  const before = stored.record && (await provenRecord(stored.record, macs));
  if (stored.record && !before) return refused(`${forged}; ${restorePage}`);
  const isKnown = before && strangeOf(described, before.ids).length === 0;
  if (isKnown && !stored.restoring) return { kind: 'known', text: `${name} is the ledger already` };
  const notBegun = `${name} is the copy of a ledger, or was made anew, and only a restore makes it the ledger: ${restorePage}`;
  if (before ? before.ids.ledger !== id : stored.restoring || (await wasLedger())) return refused(notBegun);
  const its = { by: await whoAmI(), atMs: clock.nowMs(), pausedAtMs: before?.pausedAtMs };
  const isStored = await tables.store({ record: await recordOf(described, its, maker) }, stored);
  return isStored ? { kind: 'begun', text: `${name} is the ledger; every worker knows within ten seconds` } : overtaken;
}

/** Why these are not all the tables; undefined if they are. */
export const whyMissing = (described: DescribedTables): string | undefined => {
  const names = tableKinds.map((kind) => described[kind]).filter(({ id }) => id === undefined);
  if (names.length === 0) return undefined;
  return `there is no table ${names.map(({ name }) => name).join(', ')}; if it was there before: ${restorePage}`;
};

async function provenRecord(stored: { readonly text: string; readonly mac: string }, macs: Macs) {
  return (await macs.isMacOf(stored.text, stored.mac)) ? recordIn(stored) : undefined;
}

/** The record of these tables. Rejects for a caller who may not approve. */
export async function recordOf(
  described: DescribedTables,
  its: Pick<Recorded, 'by' | 'atMs' | 'pausedAtMs'>,
  maker: Maker,
): Promise<NonNullable<StoredTables['record']>> {
  const ids = Object.fromEntries(tableKinds.map((kind) => [kind, described[kind].id]));
  const text = JSON.stringify({ is: 'tables of the worker', version: 1, ids, ...its });
  return { text, mac: await maker.macOf(text) };
}
