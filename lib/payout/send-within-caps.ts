// Sending under a merchant's caps: an order above one is held before anything is sent; the day's total counts an order
// before its POST and gives it back when it is proven that no money moved, so that it can only ever be too careful.
import { aboveDayCap, aboveSingleCap, type DayCap, dayCapOf } from './caps.ts';
import type { Job } from './job.ts';
import type { Failure } from './failures.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import type { Spending } from './control-ports.ts';
import { type Attempt, sendOrder, type SendPorts } from './send-order.ts';

/** What sending under caps needs. */
export interface CappedSendPorts extends SendPorts {
  readonly spending: Spending;
}

/** Sends the claimed order unless a cap holds it. Never rejects once a POST may have left. */
export async function sendWithinCaps(
  job: Job,
  entry: Pick<LedgerEntry, 'attempts'>,
  notAfterMs: number,
  ports: CappedSendPorts,
): Promise<Attempt> {
  const { money } = job;
  if (!money) return sendOrder(job, entry, notAfterMs, ports);
  const answer = await ports.credentials.of(job.merchant);
  // Asked a moment later the secret may be there, and nothing would have been counted.
  if (answer.kind === 'unavailable') return unsent({ kind: 'retryable', failure: answer.failure }, entry);
  const { profile } = answer.credentials;
  const tooMuch = aboveSingleCap(money, profile);
  if (tooMuch) return unsent({ kind: 'capped', failure: tooMuch }, entry);
  const cap = dayCapOf(job.merchant, money, profile, ports.clock.nowMs());
  if (!cap) return sendOrder(job, entry, notAfterMs, ports);

  const counted = await ports.spending.count(cap, money.minorUnits).catch(() => 'no answer' as const);
  if (counted === 'no answer') return unsent({ kind: 'retryable', failure: totalUnknown }, entry);
  if (counted === 'above') return unsent({ kind: 'capped', failure: aboveDayCap(cap) }, entry);
  const attempt = await sendOrder(job, entry, notAfterMs, ports);
  if (movedNoMoney(attempt.outcome)) await giveBack(cap, money.minorUnits, ports);
  return attempt;
}

const totalUnknown: Failure = { code: 'NOT_SENT', message: "the day's total could not be counted" };

function unsent(outcome: Outcome, { attempts }: Pick<LedgerEntry, 'attempts'>): Attempt {
  return { outcome, attempts, statusInquiry: false };
}

function movedNoMoney({ kind }: Outcome): boolean {
  return kind !== 'accepted' && kind !== 'in-doubt';
}

/** Should this fail, the day's total stays too high: orders are held that need not be, none is let through wrongly. */
async function giveBack(cap: DayCap, minorUnits: bigint, { spending }: CappedSendPorts): Promise<void> {
  await spending.giveBack(cap, minorUnits).catch(() => {});
}
