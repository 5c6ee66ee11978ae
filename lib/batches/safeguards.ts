// A merchant's safeguards: its logins at the gateway, whether two persons release its money, and the largest amounts that it lets through.
// They are a record under a MAC that only approvers can make. A person who writes secrets, registers files or puts jobs can't switch them
// off, lift a cap or pay from another login. A login is one merchant's for ever: otherwise two merchants' orders of one id would be one
// order at the gateway.
import * as v from 'valibot';
import type { Credentials, CredentialsAnswer, CredentialsFailure, MerchantContract } from '../gateway/ports.ts';
import { capsSchema } from '../gateway/profile-limits.ts';
import type { Safeguards } from '../gateway/profile.ts';
import { loginOf } from '../gateway/signed-request.ts';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import { tool } from '../payout/operate/spelling.ts';
import type { Clock, Log } from '../payout/ports.ts';
import { keepNewest } from '../payout/ttl-cache.ts';
import { type ApprovalCheck, type ApprovalMaker, macTextBytesAtMost } from './approval.ts';
import { UsageError } from '../files/usage-error.ts';

/** The safeguards of a merchant, as an approver has set them. */
export interface SafeguardsChange extends Safeguards {
  /** Its logins, present and earlier ones (`loginOf`), and the digests of former spellings of its account. */
  readonly logins: readonly string[];
  /** Counted from 1: each record replaces the one before it. */
  readonly serial: number;
  /** The ARN that AWS gives for the approver's credentials. */
  readonly by: string;
  readonly atMs: number;
  readonly reason?: string;
}

/** A record as it is stored: the very text under the MAC. */
export interface StoredSafeguards {
  readonly text: string;
  /** Base64url. */
  readonly mac: string;
  /** The texts that it has replaced, the newest first; for people, and proven by nothing. */
  readonly earlier: readonly string[];
}

/** The records. Reads see every earlier write; calls reject if they can't be done now. */
export interface SafeguardsStore {
  /** The name of the table: a record is good in its own table alone, so that none comes back with a restored one. */
  readonly place: string;
  read(merchant: string): Promise<StoredSafeguards | undefined>;
  /** False if the record is no longer the one that was read. `atMs`: for the watchers of changes. */
  write(merchant: string, next: StoredSafeguards, atMs: number): Promise<boolean>;
  /** The merchant whose login it is. */
  ownerOf(login: string): Promise<string | undefined>;
  /** Makes the login the merchant's, unless it has an owner; false if that is another one. */
  own(login: string, merchant: string): Promise<boolean>;
}

/** The records for readers. */
export type StoredRecords = Pick<SafeguardsStore, 'place' | 'read'>;

/** Earlier records kept beside the present one. */
const keptEarlier = 20;

const change = {
  serial: v.pipe(v.number(), v.integer(), v.minValue(1)),
  by: v.string(),
  atMs: v.pipe(v.number(), v.integer()),
  reason: v.exactOptional(v.string()),
  logins: v.array(v.string()),
  twoPersonRelease: v.boolean(),
  caps: capsSchema,
};

const record = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({
    is: v.literal('safeguards of a merchant'),
    version: v.literal(1),
    place: v.string(),
    merchant: v.string(),
    ...change,
  }),
);

/** A record's text; throws UsageError if KMS would not take it. */
export function safeguardsText(place: string, merchant: string, its: SafeguardsChange): string {
  const text = JSON.stringify({ is: 'safeguards of a merchant', version: 1, place, merchant, ...its });
  if (Buffer.byteLength(text) > macTextBytesAtMost)
    throw new UsageError(`safeguards have at most ${macTextBytesAtMost} bytes; name fewer currencies or logins`);
  return text;
}

/** The safeguards in a text; undefined if it is no record of this merchant in this place. */
export function safeguardsIn(text: string, place: string, merchant: string): SafeguardsChange | undefined {
  const read = v.safeParse(record, text);
  if (!read.success || read.output.place !== place || read.output.merchant !== merchant) return undefined;
  const { is: _1, version: _2, place: _3, merchant: _4, ...its } = read.output;
  return its;
}

/** The merchant's record, or why there is none that is valid. */
export type FoundSafeguards =
  | { readonly kind: 'hold'; readonly change: SafeguardsChange }
  /** No approver has written any, or none in this table. */
  | { readonly kind: 'absent' }
  /** The record was not written by an approver for this merchant and this table. */
  | { readonly kind: 'forged' };

/** The record of a merchant, its MAC checked. Rejects if that can't be done now. */
export async function findSafeguards(
  merchant: string,
  { store, macs }: { readonly store: StoredRecords; readonly macs: ApprovalCheck },
): Promise<FoundSafeguards> {
  const stored = await store.read(merchant);
  if (!stored) return { kind: 'absent' };
  const its = safeguardsIn(stored.text, store.place, merchant);
  return its && (await macs.isMacOf(stored.text, stored.mac)) ? { kind: 'hold', change: its } : { kind: 'forged' };
}

/** Replaces the record that was read; undefined if another writer was faster, or if a login is another merchant's. Only approvers can. */
export async function writeSafeguards(
  merchant: string,
  next: Omit<SafeguardsChange, 'serial'>,
  { store, maker }: { readonly store: SafeguardsStore; readonly maker: ApprovalMaker },
): Promise<SafeguardsChange | undefined> {
  const stored = await store.read(merchant);
  const before = stored && safeguardsIn(stored.text, store.place, merchant);
  const its = { serial: (before?.serial ?? 0) + 1, ...next };
  const text = safeguardsText(store.place, merchant, its);
  for (const login of its.logins.filter(isLogin)) if (!(await store.own(login, merchant))) return undefined;
  const earlier = stored ? [stored.text, ...stored.earlier].slice(0, keptEarlier) : [];
  const isWritten = await store.write(merchant, { text, mac: await maker.macOf(text), earlier }, next.atMs);
  return isWritten ? its : undefined;
}

/** True for a login; else it is the digest of an account. */
export const isLogin = (it: string): boolean => it.includes('/');

/** The logins and account digests that a contract names and no approver has registered; the login that pays comes first. */
export function unregistered(
  access: MerchantContract,
  { logins }: Pick<SafeguardsChange, 'logins'>,
): readonly string[] {
  const { earlierAccounts = [], sameAccountAs = [] } = access;
  return [...[access, ...earlierAccounts].map(loginOf), ...sameAccountAs].filter((it) => !logins.includes(it));
}

/**
 * What no approver has registered of the merchant, as a sentence; undefined if all is registered, or if the caller may not read the
 * contract.
 */
export async function whyUnregistered(
  merchant: string,
  { credentials, ...its }: Pick<GuardedSources<MerchantContract>, 'credentials' | 'store' | 'macs'>,
): Promise<string | undefined> {
  const found = await findSafeguards(merchant, its);
  if (found.kind !== 'hold') return `${merchant} ${whatOf(found.kind)}: its jobs wait`;
  const contract = await credentials.of(merchant);
  const others = contract.kind === 'credentials' ? unregistered(contract.credentials, found.change) : [];
  if (others.length === 0) return undefined;
  return `no approver has registered ${others.join(', ')} for ${merchant} (\`${tool} safeguards set ${merchant} --login HOST/LOGIN\`)`;
}

/** The access without the accounts that no approver has registered. */
function asRegistered<Access extends MerchantContract>(
  access: Access,
  { logins }: Pick<SafeguardsChange, 'logins'>,
): Access {
  const { earlierAccounts, sameAccountAs } = access;
  const known = earlierAccounts?.filter((it) => logins.includes(loginOf(it)));
  return {
    ...access,
    ...(known && { earlierAccounts: known, ...(known.length < (earlierAccounts?.length ?? 0) && { leavesOut: true }) }),
    ...(sameAccountAs && { sameAccountAs: sameAccountAs.filter((it) => logins.includes(it)) }),
  };
}

/** The sources that credentials are joined with. */
interface GuardedSources<Access extends MerchantContract> {
  readonly credentials: Credentials<Access>;
  readonly store: StoredRecords;
  readonly macs: ApprovalCheck;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** How long a record serves. After a failed read no older record may serve instead. */
  readonly ttlMs: number;
}

/** Records kept at once; the first that was kept goes first. */
const keptAtMost = 500;

/** Records as they are found, kept for a while. */
function keptSafeguards({ store, macs, clock, ttlMs }: Omit<GuardedSources<MerchantContract>, 'credentials'>) {
  const kept = new Map<string, { readonly found: FoundSafeguards; readonly untilMs: number }>();
  const underWay = new Map<string, Promise<FoundSafeguards>>();

  async function read(merchant: string): Promise<FoundSafeguards> {
    const found = await findSafeguards(merchant, { store, macs });
    // The absence of a record is never kept, or a merchant that has just been given one would wait.
    if (found.kind === 'hold') keepNewest(kept, merchant, { found, untilMs: clock.nowMs() + ttlMs }, keptAtMost);
    else kept.delete(merchant);
    return found;
  }

  return async (merchant: string): Promise<FoundSafeguards | 'no answer'> => {
    const known = kept.get(merchant);
    if (known && clock.nowMs() < known.untilMs) return known.found;
    const reading = underWay.get(merchant) ?? read(merchant).finally(() => underWay.delete(merchant));
    underWay.set(merchant, reading);
    return reading.catch(() => 'no answer');
  };
}

/** Credentials for sending: their profile has the merchant's safeguards. Unavailable while no approver has registered their login. */
export function guardedCredentials<Access extends MerchantContract>({
  credentials,
  ...sources
}: GuardedSources<Access>): Credentials<Access> {
  const found = keptSafeguards(sources);

  async function guarded(
    merchant: string,
    asked: Promise<CredentialsAnswer<Access>>,
  ): Promise<CredentialsAnswer<Access>> {
    const [answer, its] = await Promise.all([asked, found(merchant)]);
    if (answer.kind === 'unavailable') return answer;
    if (its === 'no answer') return unread;
    if (its.kind !== 'hold') return unknownAccount(merchant, whatOf(its.kind));
    const { twoPersonRelease, caps, logins } = its.change;
    const { credentials: open } = answer;
    if (!logins.includes(loginOf(open))) return unknownAccount(merchant, 'uses a login that is not registered');
    const profile = { ...open.profile, twoPersonRelease, caps };
    return { kind: 'credentials', credentials: { ...asRegistered(open, its.change), profile } };
  }

  return {
    of: (merchant) => guarded(merchant, credentials.of(merchant)),
    refresh: (merchant, stale) => guarded(merchant, credentials.refresh(merchant, stale)),
  };
}

/** Credentials for inquiries and callbacks: an account beside the present one counts only if an approver has registered it. */
export function registeredCredentials<Access extends MerchantContract>({
  credentials,
  ...sources
}: GuardedSources<Access>): Credentials<Access> {
  const found = keptSafeguards(sources);

  async function registered(merchant: string, answer: CredentialsAnswer<Access>): Promise<CredentialsAnswer<Access>> {
    if (answer.kind === 'unavailable') return answer;
    const { earlierAccounts, sameAccountAs } = answer.credentials;
    if (!earlierAccounts && !sameAccountAs) return answer;
    const its = await found(merchant);
    if (its === 'no answer') return unread;
    const { logins } = its.kind === 'hold' ? its.change : { logins: [] };
    return { kind: 'credentials', credentials: asRegistered(answer.credentials, { logins }) };
  }

  return {
    of: async (merchant) => registered(merchant, await credentials.of(merchant)),
    refresh: async (merchant, stale) => registered(merchant, await credentials.refresh(merchant, stale)),
  };
}

type Unavailable = { readonly kind: 'unavailable'; readonly failure: CredentialsFailure };

const unread: Unavailable = {
  kind: 'unavailable',
  failure: { code: 'CREDENTIALS_UNAVAILABLE', message: "the merchant's safeguards could not be read" },
};

/** Why safeguards don't hold, as a verb and its object. */
export const whatOf = (kind: 'absent' | 'forged'): string =>
  kind === 'absent' ? 'has no safeguards' : 'has safeguards that no approver wrote';

function unknownAccount(merchant: string, what: string): Unavailable {
  const remedy = `an approver runs \`${tool} safeguards set ${merchant} --login HOST/LOGIN\``;
  return { kind: 'unavailable', failure: { code: 'ACCOUNT_UNKNOWN', message: `${merchant} ${what}; ${remedy}` } };
}

/** Changes that are not reported yet. */
export interface SafeguardsChanges {
  unreported(beforeMs: number): AsyncIterable<{ readonly merchant: string; readonly atMs: number }>;
  /** Marks a change as reported; one that was made since is reported again. */
  reported(change: { readonly merchant: string; readonly atMs: number }): Promise<void>;
}

/** The round of the sweeper over changes of safeguards: each is reported once, by a line of the log and a count. */
export const safeguardsRound =
  (
    changes: SafeguardsChanges,
    { clock, log }: { readonly clock: Pick<Clock, 'nowMs'>; readonly log: Log },
  ): SweepRound =>
  async () => {
    let changed = 0;
    for await (const change of changes.unreported(clock.nowMs() + 1)) {
      changed += 1;
      log.write('warn', 'safeguards-changed', { merchant: change.merchant });
      await changes.reported(change);
    }
    return { safeguardsChanged: changed };
  };
