// One order: its standing, its life with the evidence of each attempt, and the acts on it.
import type { LookedLetter } from '../operate/operator.ts';
import { faultOf } from '../operate/act.ts';
import { choosing } from '../operate/acts.ts';
import { lifeText, opensText } from '../operate/order-words.ts';
import { type Attempt, attemptsOf, type Facts } from '../payout/order/facts.ts';
import { namesOfKey } from '../payout/order/order.ts';
import { standings } from '../payout/order/standing.ts';
import type { HistoryLine } from '../payout/order/history.ts';
import { shellWord, tool } from '../payout/operate/spelling.ts';
import { type Part, part } from './part.ts';
import type { ConsoleScene } from './scene.ts';
import { actsOn, letterThing, orderAddress, orderThing, parkedThing, standingShown } from './things.ts';
import { UsageError } from '../files/usage-error.ts';

const time = (ms: number) => new Date(ms).toISOString();

/** All that is known of an attempt, by plain names; never the request or the answer itself. */
function evidenceOf({ answer, lapsed, ...attempt }: Attempt): Readonly<Record<string, string>> {
  const refusal = answer?.kind === 'refused' ? answer : lapsed;
  const facts = {
    attempt: attempt.id,
    'ledger version': String(attempt.number),
    account: attempt.accounts.join(', '),
    'nothing leaves after': time(attempt.leaseUntilMs),
    source: attempt.source,
    'own answer': answer?.kind,
    connected: answer?.kind === 'refused' ? String(answer.connected) : undefined,
    'HTTP status': refusal?.httpStatus === undefined ? undefined : String(refusal.httpStatus),
    'gateway code': refusal?.gatewayCode,
    said: refusal && `${refusal.code}: ${refusal.message}`,
    'gateway ids': [...attempt.ids, ...attempt.aliases].join(', '),
    reports: attempt.reports.join(', '),
    'other amounts': attempt.amounts.join(', '),
    ...Object.fromEntries(
      Object.entries(attempt.absent).map(([account, { firstMs, lastMs, denies }]) => [
        `not known at ${account}`,
        [firstMs, lastMs].flatMap((ms) => (ms === undefined ? [] : [time(ms)])).join(' to ') +
          (denies ? ', a denial' : ''),
      ]),
    ),
    'reopens end': attempt.reopens,
    lost: attempt.lost && 'a restore may have lost others',
  };
  return Object.fromEntries(Object.entries(facts).flatMap(([name, it]) => (it ? [[name, it]] : [])));
}

/** The life of an order, by time. The evidence is at the claim of its attempt; a decision bears its person. */
function timelineOf(history: readonly HistoryLine[], facts: Facts) {
  const attempts = attemptsOf(facts);
  const decisions = Object.values(facts.decisions);
  return history.map((line) => {
    const attempt = attempts.find(({ atMs }) => atMs === line.atMs);
    const told = attempts.flatMap(({ answer, lapsed }) =>
      [answer?.kind === 'refused' ? answer : [], lapsed ?? []].flat(),
    );
    const sentence = told.find(({ code }) => code === line.reason)?.message;
    const decision = decisions.find(({ atMs }) => atMs === line.atMs);
    return {
      atMs: line.atMs,
      title: sentence ?? lifeText(line),
      state: standingShown(line.standing),
      attempt: line.attempts || undefined,
      evidence: attempt && evidenceOf(attempt),
      by: decision?.by,
      says: decision?.reason,
    };
  });
}

/** One order; null if nothing at all is known of it. */
export async function orderPage({ desk }: ConsoleScene, key: string, letters: () => Promise<readonly LookedLetter[]>) {
  if (faultOf(choosing.order, key) !== undefined) return null;
  const [found, parked] = await Promise.all([desk.operator.order(key), part(() => desk.operator.waitingOf(key))]);
  const waits = parked.kind === 'found' ? parked.value.map(parkedThing) : [];
  const notRead = parked.kind === 'found' ? undefined : parked.why;
  if (found.kind === 'unreadable') throw new UsageError(found.reason);
  const command = `${tool} order ${shellWord(key)}`;
  const base = { waits, notRead, command, dead: [] as readonly object[] };
  if (found.kind === 'none') return unclaimed(desk, key, base, await part(letters));
  const { view, order } = found;
  return {
    ...base,
    ...orderThing(view),
    meaning: standings[view.standing].meaning,
    operation: view.operation,
    batch: view.batchId,
    attempts: view.attempts,
    waitsFor: view.waits,
    note: view.note,
    final: view.final,
    opens: opensText(view),
    timeline: timelineOf(view.history, order.facts),
    published: { revision: view.revision, atMs: order.published.atMs, isLate: view.unpublished === true },
    can: await actsOn('order', { order: key }, desk),
  };
}

/** No worker has claimed it: it waits, or a dead letter has it, or its job never came. */
async function unclaimed(
  desk: ConsoleScene['desk'],
  key: string,
  base: { readonly waits: readonly ReturnType<typeof parkedThing>[]; readonly notRead: string | undefined },
  letters: Part<readonly LookedLetter[]>,
) {
  const dead = (letters.kind === 'found' ? letters.value : []).filter(({ order }) => order === key).map(letterThing);
  const notRead = letters.kind === 'found' ? base.notRead : letters.why;
  const { merchant, orderId: title } = namesOfKey(key);
  const [wait] = base.waits;
  const [letter] = dead;
  const standing = wait ? 'waiting' : letter ? 'dead-letter' : undefined;
  const money = wait ?? letter ?? {};
  return {
    ...money,
    ...base,
    id: key,
    what: key,
    title,
    href: orderAddress(key),
    merchant,
    endpoint: wait?.endpoint,
    seen: [],
    state: standing ? standingShown(standing) : { id: 'none', label: 'not known', tone: 'waiting' },
    meaning: standing
      ? standings[standing].meaning
      : notRead === undefined
        ? 'No job of this order is known. If you cancel it now, it is never sent under this id.'
        : 'No worker has claimed it. A job of it may wait, or be a dead letter.',
    batch: wait?.batch ?? letter?.batch,
    timeline: [],
    dead,
    notRead,
    can: (await actsOn('order', { order: key }, desk)).filter(({ why }) => why === undefined),
  };
}
