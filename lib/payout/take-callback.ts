// A callback that the public function has let in and put on the checks queue: its `control` is checked once more, and its
// word is weighed against the ledger. Where the gateway can be asked it is a reason to ask; where not it may end the order.
// Nothing valid is dropped in silence: what surprises is kept on the order, eight different words and then their number.
import { type Callback, readCallback, signersOf } from '../gateway/callback.ts';
import type { Asked, CheckEnd } from './ask-gateway.ts';
import { type Check, withMark } from './due-work.ts';
import { nextTellingSeconds } from './retry-policy.ts';
import { afterInquiry } from './inquiry-step.ts';
import { nextOutOfTurn } from './inquiry-turn.ts';
import { type CallbackVerdict, judgeCallback, judgeOfAnotherAccount, wordOf } from './judge-callback.ts';
import { type LedgerEntry, isAskedAbout } from './ledger.ts';
import { sqsMaxDelaySeconds, surprisesKept } from './limits.ts';
import { type NewWord, newReversal, withWord } from './order-history.ts';
import { matchAccount } from '../gateway/signed-request.ts';
import { redact } from '../gateway/redact.ts';
import type { CredentialsAnswer, MerchantCredentials } from '../gateway/ports.ts';
import { resultOf } from './result.ts';

/** What is to become of the callback: an end of its check, or the number by which its order is asked about now. */
export type TakenCallback = CheckEnd | (Pick<CheckEnd, 'surprise' | 'word'> & { readonly ask: Check });

/** Takes one callback. Rejects when the ledger does not answer; it then comes again. */
export async function takeCallback(entry: LedgerEntry | undefined, asked: Asked): Promise<TakenCallback> {
  const { check, ports } = asked;
  const callback = readCallback(new Map(Object.entries(check.callback ?? {})));
  const merchant = check.orderKey.slice(0, check.orderKey.indexOf('/'));
  if (!callback || check.orderKey !== `${merchant}/${callback.orderId}`) return { surprise: 'forged' };
  const answer = await secretFor(callback, merchant, entry, ports);
  if (answer.kind === 'unavailable') return { ...(entry && { entry }), comesBack: true };
  const { credentials } = answer;
  const signers = signersOf(callback, credentials);
  if (signers.length === 0) return { surprise: 'forged' };
  if (!entry) return { surprise: 'unknown-order' };

  const { profile } = credentials;
  const isOfItsAccount = signers.some((it) => isOfAccount(entry, it, credentials));
  const verdict = isOfItsAccount ? judgeCallback(callback, entry, profile) : judgeOfAnotherAccount(callback);
  switch (verdict.kind) {
    case 'early':
      return { entry, next: { check, delaySeconds: secondsOfLease(entry, ports.clock.nowMs()) } };
    case 'no-news':
      return credentials.profile.statusInquiry && isAskedAbout(entry) ? askAbout(entry) : { entry };
    case 'end':
      return credentials.profile.statusInquiry ? askAbout(entry) : end(entry, verdict.finding, credentials, asked);
    case 'undone':
    case 'another-amount':
    case 'evidence':
    case 'surprise':
      return keep(entry, verdict, wordOf(callback), credentials, asked);
  }
}

/**
 * The secret to judge the word by. A process may have read it minutes ago, before the account moved or its key was changed;
 * the word of an end, which comes once, would then be taken for a stranger's, and the end lost where nobody can be asked.
 * So it is read anew, once, where the word does not fit it; a word that is kept on the order already costs no question.
 */
async function secretFor(
  callback: Callback,
  merchant: string,
  entry: LedgerEntry | undefined,
  { credentials: secrets }: Asked['ports'],
): Promise<CredentialsAnswer> {
  const answer = await secrets.of(merchant);
  if (answer.kind === 'unavailable' || !entry || entry.surprises?.includes(wordOf(callback))) return answer;
  const { credentials } = answer;
  const isStrange =
    signersOf(callback, credentials).length === 0 || matchAccount(entry, credentials).kind === 'unknown';
  return isStrange ? secrets.refresh(merchant, credentials) : answer;
}

/** True where the order's present attempt was sent to this account; one without an account is taken for the present's. */
function isOfAccount(entry: LedgerEntry, signer: MerchantCredentials, present: MerchantCredentials): boolean {
  if (entry.account === undefined) return signer === present;
  return matchAccount(entry, signer).kind === 'present';
}

type Odd = Exclude<CallbackVerdict, { kind: 'early' | 'no-news' | 'end' }>;

/** Its word is kept on the order, once; where nobody can be asked, what it proves is published too. */
async function keep(
  entry: LedgerEntry,
  verdict: Odd,
  word: string,
  { profile }: MerchantCredentials,
  asked: Asked,
): Promise<TakenCallback> {
  const { check } = asked;
  const round = !profile.statusInquiry && verdict.kind === 'evidence' ? anotherRound(entry, asked) : {};
  if (entry.surprises?.includes(word)) return { entry, ...(check.inquiries > 0 && round) };
  const contradicts = verdict.kind === 'surprise' && verdict.contradicts;
  const surprise = { surprise: contradicts ? ('contradicts' as const) : ('recorded' as const), word };
  if (profile.statusInquiry) return { ...askAbout(entry), ...surprise };
  const news = newsOf(entry, verdict, asked.ports.clock.nowMs());
  return { ...(news ? await write(entry, news, asked) : { entry, ...round }), ...surprise };
}

/**
 * What of it is new, and published as the next revision. `control` covers neither type nor amount: a stranger who replays a
 * genuine callback with others is heard once about an amount, and no longer once eight of its words are kept.
 */
function newsOf(entry: LedgerEntry, verdict: Odd, nowMs: number): LedgerEntry | undefined {
  const isFull = (entry.surprises ?? []).length >= surprisesKept;
  const word = isFull ? undefined : newWord(entry, verdict, nowMs);
  return word && withWord(entry, word, nowMs);
}

function newWord(entry: LedgerEntry, verdict: Odd, nowMs: number): NewWord | undefined {
  switch (verdict.kind) {
    case 'undone':
      return newReversal(entry, verdict, nowMs);
    case 'another-amount':
      return entry.gatewayAmount === undefined ? { gatewayAmount: redact(verdict.amount, []) } : undefined;
    case 'evidence':
    case 'surprise':
      return undefined;
  }
}

/** Times that a callback without an id to compare is weighed again: the answer to the POST may bring the id late. */
const rounds = 5;

function anotherRound({ key }: LedgerEntry, { check }: Asked): Pick<CheckEnd, 'next'> {
  const inquiries = check.inquiries + 1;
  if (inquiries > rounds) return {};
  const delaySeconds = nextTellingSeconds({ count: check.inquiries, negatives: 0 });
  return { next: { check: { ...check, orderKey: key, inquiries }, delaySeconds } };
}

const askAbout = (entry: LedgerEntry): { readonly ask: Check } => ({ ask: nextOutOfTurn(entry, 0).next.check });

const secondsOfLease = ({ leaseUntilMs }: LedgerEntry, nowMs: number) =>
  Math.min(Math.max(Math.ceil((leaseUntilMs - nowMs) / 1000), 0) + 1, sqsMaxDelaySeconds);

async function end(
  entry: LedgerEntry,
  finding: Parameters<typeof afterInquiry>[1],
  { profile }: MerchantCredentials,
  asked: Asked,
): Promise<CheckEnd> {
  const it = { nowMs: asked.ports.clock.nowMs(), profile, rhythm: asked.ports.limits };
  return { ...(await write(entry, afterInquiry(entry, finding, it).next, asked)), finding: finding.kind };
}

async function write(entry: LedgerEntry, next: LedgerEntry, { ports }: Asked): Promise<CheckEnd> {
  const written = withMark(next, true);
  const { kind } = await ports.ledger.advance(entry, written);
  // Somebody moved the order meanwhile: it is weighed against what stands then.
  if (kind !== 'advanced') return { entry, comesBack: true };
  const result = resultOf(written);
  return { entry: written, ...(result && { result }) };
}
