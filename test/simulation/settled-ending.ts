// The promises about every order once faults are over and time has run on, where orders are settled: nothing is left in
// doubt or without its end, nothing is unpublished, and the ledger agrees with the gateway's books.
import { operations } from '../../lib/gateway/operations.ts';
import type { SeenOrder } from './seen.ts';
import type { World } from './world.ts';

/** The first order that is not settled as it must be. */
export function faultOfSettling(world: World, deadOrders: ReadonlySet<string | undefined>): string | undefined {
  if (world.checks.waiting() > 0) return `${world.checks.waiting()} checks never left their queue`;
  for (const entry of world.entries.values()) {
    const fault =
      faultOfEntry(world, entry, deadOrders.has(entry.key)) ?? lieOf(world, entry) ?? faultOfUndoing(world, entry);
    if (fault) return fault;
  }
  return undefined;
}

function faultOfEntry(
  { truth, contracts }: World,
  { key, state, final, unpublished, merchant, operation, revision, beforehand }: SeenOrder,
  isDead: boolean,
): string | undefined {
  // An order that was not sent from here is for a person alone to judge.
  if (beforehand) return undefined;
  if (state === 'sending') return `${key} is still being sent without a worker`;
  if (state === 'in-doubt') return `${key} is still in doubt`;
  if (state === 'accepted' && !final) return `${key} is accepted and never settled`;
  const isKnown = !truth.isHintLost(key, 'end');
  if (state === 'accepted' && isKnown && contracts[merchant]?.statusInquiry && operations[operation].movesMoney)
    return `${key} counts acceptance as its end, though the gateway could be asked`;
  if (unpublished) return `${key} is left with an untold result`;
  const told = truth.toldRevisions.get(key) ?? 0;
  // An order that was cancelled beforehand (and so has no endpoint) is published when a job of it comes: one that came earlier was
  // refused, with that result (ending.ts). A dead letter gets its result when it is redriven.
  const isQuiet = isDead || state === 'ready';
  return isQuiet || told === revision || (truth.isRestored() && told > revision)
    ? undefined
    : `${key} is at revision ${revision}, its sender heard of ${told}`;
}

/**
 * An end that contradicts the gateway's books. If the gateway cannot be asked, a callback moves no order that has ended: it is
 * enough that the contradiction is kept on it, for a person.
 */
function lieOf({ book, truth, contracts }: World, entry: SeenOrder): string | undefined {
  const { key, state, merchant, operation, gatewayOrderId, surprises = [] } = entry;
  const end = book.endOf(key);
  if (
    end === undefined ||
    !operations[operation].movesMoney ||
    state === 'held' ||
    truth.isHintLost(key, 'end') ||
    truth.hasNamedAnother(key)
  )
    return undefined;
  // An order that was accepted under this very id could have been moved.
  const couldMove = state === 'accepted' && gatewayOrderId === book.of(key).at(-1)?.gatewayOrderId;
  const isKept = !couldMove && surprises.some((word) => word.startsWith(`${end} `));
  if (!contracts[merchant]?.statusInquiry && isKept) return undefined;
  const says = state === 'approved' ? 'paid' : 'not paid';
  // An order that was paid once stays paid in the ledger: that the gateway has declined it since is for a person to see.
  const is = book.everWas(key, 'approved') ? 'paid' : 'not paid';
  return says === is ? undefined : `${key} ends as ${state}, though the gateway's books say ${end}`;
}

/** A payment that was undone: its callback was heard, and nothing of it is dropped in silence. */
function faultOfUndoing({ book, truth }: World, entry: SeenOrder): string | undefined {
  const { key, surprises = [], reversal } = entry;
  if (truth.isHintLost(key, 'undoing')) return undefined;
  const types = book.of(key).flatMap(({ undone }) => undone?.types ?? []);
  // One of them is enough for a person.
  const isKept = types.some((type) => reversal?.type === type || surprises.some((it) => it.includes(` ${type} `)));
  return types.length > 0 && !isKept
    ? `${key} was undone by a ${types.join()}, and nothing in the ledger says so`
    : undefined;
}
