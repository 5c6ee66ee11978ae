// The promises once the faults have stopped and nothing more will happen: every message ended, every order has an
// end or is in honest doubt, and its sender has its result.
import type { SeenOrder, SeenOrders } from './seen.ts';
import { faultOfSettling } from './settled-ending.ts';
import { standingOf } from './ledger-rules.ts';
import { beginningMs } from './timeline.ts';
import type { SentPost } from './truth.ts';
import type { World } from './world.ts';

/** The first broken promise; undefined when all hold. */
export async function faultOfEnding(world: World): Promise<string | undefined> {
  const { truth, queues, waiting, entries } = world;
  if (truth.broken() !== undefined) return truth.broken();
  const [left] = waiting.jobs.values();
  if (left) return `a job of ${left.key} stays parked for ever (${left.because})`;
  if (queues.jobs.length > 0) return `${queues.jobs.length} messages never left the jobs queue`;
  const waited = queues.deadLetters.find(({ attributes, origin }) => {
    const merchant = /^[^/~]*/.exec(truth.messages.get(origin)?.order?.key ?? '')?.[0] ?? '';
    const contract = world.contracts[merchant];
    const entry = entries.get(truth.messages.get(origin)?.order?.key ?? '');
    // The doubt that its message waits for has not been ended.
    if (entry && standingOf(entry) === 'doubtful') return false;
    const mayWait = contract === undefined || contract.doubtLimits !== undefined || contract.caps !== undefined;
    return attributes['reasonCode'] === 'WAITED_TOO_LONG' && !mayWait;
  });
  // A message that is delivered once more after a year has waited too long, whatever was in its way.
  if (waited && world.timeline.nowMs() < beginningMs + 30 * 86_400_000)
    return `${waited.origin} waited for two weeks, and nothing was in its way`;
  const deadOrigins = new Set(queues.deadLetters.map(({ origin }) => origin));
  const deadOrders = new Set([...deadOrigins].map((origin) => truth.messages.get(origin)?.order?.key));
  const isReplaced = (id: string) => truth.messages.get(id)?.place === -1;
  for (const messageId of truth.messages.keys()) {
    if (deadOrigins.has(messageId) || truth.wasTold(messageId)) continue;
    // A mark in the ledger is a promise to the sweeper; where there is one, none may be left (settled-ending.ts).
    if (entries.get(truth.messages.get(messageId)?.order?.key ?? '')?.unpublished) continue;
    return `message ${messageId} ended without a result`;
  }
  // A message that was past its time (or otherwise refused) before a claim never becomes an order, and its sender has that result.
  const refusedMessages = [...truth.messages].filter(([id]) => truth.wasRefused(id));
  const refusedOrders = new Set(refusedMessages.map(([, { order }]) => order?.key));
  for (const { key } of truth.orders.values()) {
    const entry = entries.get(key);
    // An order that was cancelled only after its messages were refused knows of no job that could still get that result.
    // Nor does one that a person or a callback has named before any job became it.
    if ((!entry || entry.beforehand) && refusedOrders.has(key)) continue;
    // The process that ended it died before publishing, and its message came anew, with a new id, to be refused: "failed" was heard.
    if (entry?.state === 'failed' && truth.wasRefused(lastMessageOf(world, key))) continue;
    // A message that waited for a person in vain is a dead letter: the doubt that it waited for must be honest all the same.
    const fault = deadOrders.has(key) ? entry && dishonestDoubt(world, entry) : faultOfOrder(world, key, entry);
    if (fault) return fault;
  }
  const faultOfRows = await world.rows.faultOfRows((id) => !deadOrigins.has(id) && !isReplaced(id));
  return faultOfRows ?? (world.settles ? faultOfSettling(world, deadOrders) : undefined);
}

/** The message that asked for the order last. */
function lastMessageOf({ truth }: World, key: string): string {
  const asked = [...truth.messages].filter(([, { order }]) => order?.key === key);
  return asked.toSorted(([, a], [, b]) => b.place - a.place)[0]?.[0] ?? '';
}

function faultOfOrder(world: World, key: string, entry: SeenOrder | undefined): string | undefined {
  const { truth } = world;
  if (!entry) return `${key} never came to the ledger and is kept nowhere`;
  const standing = standingOf(entry);
  // A delivery that was asleep may claim an order that was ended as failed meanwhile, and find itself too late: its sender has
  // heard the end, and nothing was sent since.
  if (entry.state === 'ready' && truth.toldFailed.has(key)) return undefined;
  if (standing === 'open') return `${key} is stranded as ${entry.state}: no message is left to bring it on`;
  const told = truth.toldRevisions.get(key) ?? 0;
  if (told !== entry.revision && !entry.unpublished && !truth.isRestored()) {
    return `${key} is ${entry.state}, revision ${entry.revision}, but its sender last heard of revision ${told}`;
  }
  return dishonestDoubt(world, entry);
}

function dishonestDoubt({ truth, book }: World, entry: SeenOrder): string | undefined {
  const { key } = entry;
  if (standingOf(entry) !== 'doubtful' || truth.hasNamedAnother(key) || truth.isPaidElsewhere(key)) return undefined;
  return book.everWas(key, 'error') ? undefined : honestDoubt(entry, truth.sentPosts.get(key) ?? [], truth);
}

/**
 * An order whose status at the gateway is `error` is in honest doubt: the status proves nothing. Otherwise doubt is
 * honest when an answer was unclear or unheard, or when the process died in the middle of its claim, or when
 * both the ledger and the queue refused to keep an answer. A worker that lived and knew must not leave doubt behind.
 */
function honestDoubt(
  { key, state, owner, failure, attempts, order }: SeenOrder,
  posts: readonly SentPost[],
  { lostClaims, unsureClaims, refusedAnswers, isRestored, isHintLost }: World['truth'],
): string | undefined {
  // The ledger may have lost that it was sent.
  if (order.facts.attempts[owner]?.lost) return undefined;
  // An order that a restore has lost: its POST left under the claim that was lost with it.
  if (isRestored() && owner.startsWith('lost-')) return undefined;
  if (lostClaims.has(owner) || refusedAnswers.has(key)) return undefined;
  // A later inquiry got a status that proves nothing, and a person must find out.
  if (state === 'held' && failure?.code === 'HELD_INCONCLUSIVE') return undefined;
  // A genuine callback was replayed with another amount, if the gateway cannot be asked: a person must find out.
  if (state === 'held' && failure?.code === 'HELD_AMOUNT_DIFFERS' && isHintLost(key, 'end')) return undefined;
  const last = posts.findLast((it) => it.owner === owner);
  if (!last && unsureClaims.has(owner)) return undefined;
  if (!last) return `${key} is ${state}, though no POST left under its claim and no process died`;
  if (last.mood.mayMeanEarlier && attempts > 1) return undefined;
  // An acceptance without an id leaves open whose a callback is that names one: the earlier attempt has none either, and may live.
  const namesNone = last.mood.onlyWithoutIdentity === true && attempts > 1;
  if (state === 'held' && failure?.code === 'HELD_SEVERAL' && namesNone) return undefined;
  // A proxy before the gateway may have refused it: that proves nothing until a look, and at its horizon a person decides.
  const { answer, overdue, absent = {} } = order.facts.attempts[owner] ?? {};
  const isOfFilter = answer?.kind === 'refused' && answer.connected && answer.about !== 'order';
  if (state === 'held' && isOfFilter && overdue && Object.keys(absent).length === 0) return undefined;
  const isClear = last.mood.provesNothingMoved ?? last.mood.isAcceptance;
  return last.heard && isClear
    ? `${key} is ${state}, though a living process heard that the gateway ${last.mood.name}`
    : undefined;
}

/** The number of orders at each end, for the reader. */
export function countStandings(entries: SeenOrders): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { state, failure } of entries.values()) {
    const standing = standingOf({ state, ...(failure && { failure }) });
    const name = standing.startsWith('held ') ? standing : state;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
