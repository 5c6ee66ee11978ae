// THE LEDGER'S IDENTITY. DynamoDB gives each table an id that no other table ever has, made anew or restored. The ids of all the worker's
// tables are one record outside of them, under an approver's MAC. Every process compares every ten seconds: by tables of other ids
// nothing is sent, asked or written, or an empty ledger would pay each message again.
import * as v from 'valibot';
import { tool } from '../payout/operate/spelling.ts';
import type { Clock } from '../payout/ports.ts';

/** The page for a ledger that is missing or strange. */
export const restorePage = 'infra/docs/procedures/restore-the-ledger.md';

/** The tables, by what they keep. */
const tableKinds = ['ledger', 'batches', 'controls', 'waiting', 'card-keys'] as const;
type TableKind = (typeof tableKinds)[number];

/** A table as DynamoDB tells it now. */
export interface DescribedTable {
  readonly name: string;
  /** Absent: there is no table of that name. */
  readonly id?: string;
}
/** Every table of the worker. */
export type DescribedTables = Readonly<Record<TableKind, DescribedTable>>;

/** The record as it is stored: the very text under the MAC, in base64url. */
export interface StoredTables {
  readonly text: string;
  readonly mac: string;
}

/** Where the tables and their record are. Every call rejects where it can't be answered now. */
export interface TablesSource {
  described(): Promise<DescribedTables>;
  /** Undefined: none was ever stored. */
  stored(): Promise<StoredTables | undefined>;
  store(record: StoredTables): Promise<void>;
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
  }),
);

/** What the comparison says: these are the tables of the record, or why not. */
type TablesVerdict = { readonly kind: 'known' } | { readonly kind: 'unknown'; readonly why: string };

/** The comparison. */
export interface KnownTables {
  /** Ten seconds old at most. Rejects where it was never answered and can't be now: then nothing may be decided. */
  verdict(): Promise<TablesVerdict>;
}

/** Checks MACs of approvers; rejects where it can't now. */
interface Macs {
  isMacOf(text: string, mac: string): Promise<boolean>;
}

/** The ports of the comparison. */
interface ComparingPorts {
  readonly source: Pick<TablesSource, 'described' | 'stored'>;
  readonly macs: Macs;
  readonly nowMs: () => number;
}

const servesMs = 10_000;
/** While the question itself fails, the last answer holds so long: an outage of DynamoDB's descriptions stops no payment before. */
const holdsMs = 15 * 60_000;

/** The comparison of one process. */
export function createKnownTables({ source, macs, nowMs }: ComparingPorts): KnownTables {
  let last: { readonly verdict: TablesVerdict; readonly askedAtMs: number; readonly answeredAtMs: number } | undefined;
  let asking: Promise<TablesVerdict> | undefined;
  let proven: StoredTables | undefined;

  const isProven = async (stored: StoredTables) => {
    if (proven?.text === stored.text && proven.mac === stored.mac) return true;
    const isRight = await macs.isMacOf(stored.text, stored.mac);
    if (isRight) proven = stored;
    return isRight;
  };

  async function ask(): Promise<TablesVerdict> {
    const askedAtMs = nowMs();
    try {
      const [described, stored] = await Promise.all([source.described(), source.stored()]);
      const why = await whyUnknown(described, stored, isProven);
      const verdict: TablesVerdict = why === undefined ? { kind: 'known' } : { kind: 'unknown', why };
      last = { verdict, askedAtMs, answeredAtMs: askedAtMs };
      return verdict;
    } catch (error) {
      if (!last) throw error;
      last = { ...last, askedAtMs };
      return standing(last, askedAtMs);
    }
  }

  return {
    verdict() {
      const now = nowMs();
      if (last && now >= last.askedAtMs && now < last.askedAtMs + servesMs) return Promise.resolve(standing(last, now));
      return (asking ??= ask().finally(() => (asking = undefined)));
    },
  };
}

function standing(
  last: { readonly verdict: TablesVerdict; readonly answeredAtMs: number },
  now: number,
): TablesVerdict {
  if (last.verdict.kind === 'unknown' || now < last.answeredAtMs + holdsMs) return last.verdict;
  const why = `for 15 minutes AWS has not said which tables these are; nothing is sent until it does (${restorePage})`;
  return { kind: 'unknown', why };
}

const forged = "no approver made the record of the worker's tables";

async function whyUnknown(
  described: DescribedTables,
  stored: StoredTables | undefined,
  isProven: (stored: StoredTables) => Promise<boolean>,
): Promise<string | undefined> {
  if (!stored) {
    const begin = `an approver says on the first day, and once: \`${tool} ledger begin ${described.ledger.name}\``;
    return `no ledger was begun here, and nothing is sent: ${begin}; if payments were made before: ${restorePage}`;
  }
  const read = v.safeParse(record, stored.text);
  if (!read.success || !(await isProven(stored))) return `${forged}: nothing is sent; ${restorePage}`;
  const strange = strangeOf(described, read.output.ids);
  return strange.length === 0 ? undefined : `${strange.join('; ')}: nothing is sent; ${restorePage}`;
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
  /** Rejects where AWS names nobody. */
  readonly whoAmI: () => Promise<string>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /**
   * What was written into this ledger of itself while it was one; a copy bears it too. `restore begin` writes the id: of that very table it
   * is known that it has lost something.
   */
  readonly written: () => Promise<{ readonly tableId?: string } | undefined>;
}

/** The outcome, or what it would be. */
export type LedgerBegun =
  | { readonly kind: 'begun'; readonly text: string }
  | { readonly kind: 'known'; readonly text: string }
  | { readonly kind: 'refused'; readonly why: string };

const refused = (why: string) => ({ kind: 'refused', why }) as const;

/** Names the present tables as the worker's; the caller types the name of the ledger's. */
export async function beginLedger(
  typed: string,
  { tables, macs, maker, whoAmI, clock, written }: BeginningPorts,
): Promise<LedgerBegun> {
  const [described, stored] = await Promise.all([tables.described(), tables.stored()]);
  const { name, id } = described.ledger;
  if (typed !== name) return refused(`the ledger of these settings is ${name}: type its name`);
  const missing = tableKinds.filter((kind) => described[kind].id === undefined);
  if (missing.length > 0) {
    const names = missing.map((kind) => described[kind].name).join(', ');
    return refused(`there is no table ${names}; if it was there before: ${restorePage}`);
  }
  if (stored) {
    const before = v.safeParse(record, stored.text);
    if (!before.success || !(await macs.isMacOf(stored.text, stored.mac))) return refused(`${forged}; ${restorePage}`);
    const { ids, atMs } = before.output;
    if (strangeOf(described, ids).length === 0) return { kind: 'known', text: `${name} is the ledger already` };
    if (ids.ledger !== id && (await written())?.tableId !== id) {
      const begun = new Date(atMs).toISOString();
      return refused(
        `${name} is not the ledger that was begun at ${begun}, and no restore was begun in it: ${restorePage}`,
      );
    }
  } else {
    const its = await written();
    if (its && its.tableId !== id)
      return refused(`${name} was a ledger, or is the copy of one, and no restore was begun in it: ${restorePage}`);
  }
  await tables.store(await recordOf(described, { by: await whoAmI(), atMs: clock.nowMs() }, maker));
  return { kind: 'begun', text: `${name} is the ledger; every worker knows within ten seconds` };
}

/** The record of these tables. Rejects for a caller who may not approve. */
export async function recordOf(
  described: DescribedTables,
  its: { readonly by: string; readonly atMs: number },
  maker: Maker,
): Promise<StoredTables> {
  const ids = Object.fromEntries(tableKinds.map((kind) => [kind, described[kind].id]));
  const text = JSON.stringify({ is: 'tables of the worker', version: 1, ids, ...its });
  return { text, mac: await maker.macOf(text) };
}
