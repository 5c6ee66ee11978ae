// What an attempt counted towards the caps of its day is given back once: by the write that proves the attempt unprocessed. That
// is the write of its refusal, or of the look without which its refusal proves nothing. Should giving back fail, the day's
// total stays too high: orders are held that need not be, none is let through wrongly.
import type { Credentials } from '../../gateway/ports.ts';
import { countedCaps, type Spending } from '../operate/control.ts';
import { type Attempt, attemptsOf, awaitsLook, signOfLife } from '../order/facts.ts';
import type { Order } from '../order/order.ts';

/** The ports of giving back. */
export interface GiveBackPorts {
  readonly spending: Spending;
  readonly credentials: Pick<Credentials, 'of'>;
}

type Step = Readonly<Record<'before' | 'after', Order>>;

/** After the write of this answer: `attempt` is its sender's, who alone knows whether it was counted. */
export async function giveBackRefused(attempt: Attempt, { before, after }: Step, ports: GiveBackPorts): Promise<void> {
  // An answer that comes once more may find its attempt kept no longer, as a count of refusals alone.
  const known = before.facts.attempts[attempt.id];
  if (known && !known.answer && isProven(after.facts.attempts[attempt.id])) await giveBack(attempt, after, ports);
}

/** After the write of a look: refusals that waited for it are proven now. They came over a connection, so they were counted. */
export async function giveBackSeen({ before, after }: Step, ports: GiveBackPorts): Promise<void> {
  for (const attempt of attemptsOf(before.facts))
    if (awaitsLook(attempt) && isProven(after.facts.attempts[attempt.id])) await giveBack(attempt, after, ports);
}

/** One that is not kept was dropped as one whose refusal is proven. */
const isProven = (attempt: Attempt | undefined): boolean =>
  !attempt || (attempt.answer?.kind === 'refused' && !awaitsLook(attempt) && signOfLife(attempt) === '');

async function giveBack(
  attempt: Attempt,
  { merchant, content }: Order,
  { spending, credentials }: GiveBackPorts,
): Promise<void> {
  const { answer, counted } = attempt;
  if (!counted || !content?.money || answer?.kind !== 'refused' || answer.about === 'cap') return;
  const secret = await credentials.of(merchant);
  const profile = secret.kind === 'credentials' ? secret.credentials.profile : undefined;
  if (!profile) return;
  for (const cap of countedCaps(merchant, content.money, attempt, profile))
    await spending.giveBack(cap, cap.counts).catch(() => {});
}
