// A check whose turn it is, and nobody to ask: no credentials, or a contract without inquiry. It counts all the same, so
// that the sweeper stays away until the next. Doubt ends for a person even so.
import { inquiriesOf } from './due-work.ts';
import { defaultProfile, type Profile } from '../gateway/profile.ts';
import type { Asked, CheckEnd, InquirePorts } from './ask-gateway.ts';
import { nextInquiryInTimeSeconds, nextTellingSeconds } from './retry-policy.ts';
import { isPastHorizon, withHorizon } from './accepted-rhythm.ts';
import { mayLookAgain, nextCheck, nextLater, nextOutOfTurn, takeTurn } from './inquiry-turn.ts';
import type { Failure } from './failures.ts';
import { type LedgerEntry, moved, isAskedAbout } from './ledger.ts';

const credentialsRetrySeconds = 60;
/** The contract may offer inquiry again; until then an accepted order waits for its callback. */
const withoutInquiryRetrySeconds = 3_600;

/** Nobody can be asked now: what is to become of the check, or why the order is to be held. */
export type Instead = CheckEnd | { readonly held: string };

/** There are no credentials. Whose profile can't be read has the usual horizon. */
export async function withoutCredentials(entry: LedgerEntry, { code }: Failure, asked: Asked): Promise<Instead> {
  const { ports } = asked;
  if (!isAskedAbout(entry)) {
    // An order that has ended has nothing to wait for where its merchant is gone.
    if (code !== 'CREDENTIALS_UNAVAILABLE' || !mayLookAgain(entry)) return { entry };
    return countedOnce(entry, nextTellingSeconds(inquiriesOf(entry)), asked);
  }
  if (entry.state === 'in-doubt' && isPastHorizon(entry, defaultProfile, ports.clock.nowMs()))
    return { held: 'horizon' };
  const marked = withHorizon(entry, defaultProfile, ports.clock.nowMs());
  return countedOnce(marked, withoutSecretSeconds(entry, ports), asked);
}

/** The contract offers no inquiry (any more): doubt waits for a person. */
export async function withoutInquiry(entry: LedgerEntry, profile: Profile, asked: Asked): Promise<Instead> {
  if (!isAskedAbout(entry)) return { entry };
  if (entry.state === 'in-doubt') return { held: 'no-inquiry' };
  return countedOnce(withHorizon(entry, profile, asked.ports.clock.nowMs()), withoutInquiryRetrySeconds, asked);
}

/** It counts as a look that was none: its number dies with it, and the sweeper stays away until the next is due. */
async function countedOnce(entry: LedgerEntry, inSeconds: number, { ports }: Asked): Promise<CheckEnd> {
  const before = inquiriesOf(entry);
  const mine = await takeTurn(entry, { ...before, count: before.count + 1 }, inSeconds, ports);
  if (!mine) return { entry };
  return { entry: mine, ...(isAskedAbout(mine) ? nextCheck(mine, inSeconds) : nextOutOfTurn(mine, inSeconds)) };
}

/** A wait that the sweeper would see is written first, or it would send one check after the other beside this one. */
export async function waitsFor(inSeconds: number, entry: LedgerEntry, asked: Asked): Promise<CheckEnd> {
  if (inSeconds > 60 && isAskedAbout(entry)) return countedOnce(entry, inSeconds, asked);
  return { entry, ...nextLater(entry, asked.check, inSeconds) };
}

/** In the rhythm of any doubt, so that a secret that stays away does not cost a look a minute. */
function withoutSecretSeconds(entry: LedgerEntry, { clock, limits }: InquirePorts): number {
  const it = { nowMs: clock.nowMs(), profile: defaultProfile, rhythm: limits };
  return Math.max(credentialsRetrySeconds, nextInquiryInTimeSeconds(entry, inquiriesOf(entry), it));
}

/** The entry of an order that waits for a person from now on, with what its doubt came from. */
export function heldFor(reason: string, entry: LedgerEntry, nowMs: number): LedgerEntry {
  const { failure } = entry;
  return moved(entry, { state: 'held', final: false, reason, nowMs, ...(failure && { failure }) });
}
