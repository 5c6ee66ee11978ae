// What each page is drawn from. A page of several sources has a part for each: what AWS refuses leaves the rest.
import type { Payout } from '../batches/batch-payouts.ts';
import { batchStatus } from '../batches/batch-result.ts';
import type { Batch } from '../batches/batch.ts';
import { addTo, isUnderWay, payoutsIn, type Tally } from '../batches/tally.ts';
import type { Operator, Todo } from '../operate/operator.ts';
import { amountFields, minorUnitsOf } from '../gateway/money.ts';
import { reasonToFill, shellWord, tool } from '../payout/operate/spelling.ts';
import { namesOfKey } from '../payout/order/order.ts';
import { waysOutOfLetter } from '../operate/questions.ts';
import { gatewayPage } from './gateway-page.ts';
import { orderPage } from './order-page.ts';
import { part } from './part.ts';
import type { ConsoleScene } from './scene.ts';
import {
  actsOn,
  laneThing,
  letterThing,
  type NeedThing,
  needThing,
  orderAddress,
  parkedThing,
  standingShown,
  sumsOf,
} from './things.ts';

/** What waits for a person is kept for a while: looking at dead letters hides them from others, and open money costs a read an order. */
const keptForMs = 60_000;

/** The look of a session that serves several answers. */
export function createLooks(operator: Operator) {
  let kept: { readonly atMs: number; readonly todo: Promise<Todo> } | undefined;
  let counts: { needs: number; lanes: number; letters: number } | undefined;
  return {
    async todo(): Promise<Todo> {
      if (!kept || operator.nowMs() - kept.atMs >= keptForMs) kept = { atMs: operator.nowMs(), todo: operator.todo() };
      const todo = await kept.todo.catch((error: unknown) => {
        kept = undefined;
        throw error;
      });
      // A part that could not be read is read again next time.
      if (todo.notRead.length > 0) kept = undefined;
      const of = (kind: string) => todo.questions.filter((it) => it.kind === kind).length;
      counts = { needs: todo.questions.length, lanes: of('lane'), letters: of('dead-letter') };
      return todo;
    },
    counts: () => counts,
    /** After an act everything is looked at anew. */
    forget: () => {
      kept = undefined;
    },
  };
}

/** The looks. */
export type Looks = ReturnType<typeof createLooks>;

type Answer = (scene: ConsoleScene, looks: Looks, asked: URLSearchParams) => Promise<unknown>;

/** Rejects if they could not be read, so that no page shows an empty list. */
async function lettersOf(looks: Looks) {
  const { questions, notRead } = await looks.todo();
  const failed = notRead.find(({ part }) => part === 'dead letters');
  if (failed) throw failed.error;
  return questions.flatMap((it) => (it.kind === 'dead-letter' ? [it.letter] : []));
}

/** The parts that could not be read, and why. */
const notReadOf = ({ notRead }: Todo) =>
  Promise.all(notRead.map(async ({ part: name, error }) => ({ name, ...(await part(() => Promise.reject(error))) })));

const newestShown = 8;

/** Open money, a tile for each standing. */
function tilesOf(lines: Todo['money']) {
  const tiles = Map.groupBy(lines, ({ standing }) => standing);
  return [...tiles].map(([standing, its]) => ({
    ...standingShown(standing),
    orders: payoutsIn(its),
    sums: its
      .toSorted((a, b) => b.count - a.count)
      .map(({ currency = '', minorUnits }) => amountFields({ currency, minorUnits })),
  }));
}

const today: Answer = async ({ desk: { operator }, alarms }, looks) => {
  const [todo, itsLanes, itsBatches, inForce] = await Promise.all([
    part(async () => {
      const found = await looks.todo();
      const { questions, money, mayBeMore } = found;
      const rows = questions.slice(0, newestShown).map(needThing);
      return { tiles: tilesOf(money), rows, total: questions.length, mayBeMore, notRead: await notReadOf(found) };
    }),
    part(async () => (await operator.lanes()).map(laneThing).toSorted((a, b) => b.waiting - a.waiting)),
    part(async () => (await operator.batches()).filter(({ state }) => state !== 'closed').map(batchThing)),
    part(alarms),
  ]);
  return { todo, lanes: itsLanes, batches: itsBatches, alarms: inForce };
};

// What needs a person: filtered, sorted and paged here, so that a thousand of it stay quick in the browser.

const rowsAPage = 50;
const words = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** True if every word is in what is shown. */
function hasWords(text: string, ...shown: readonly unknown[]): boolean {
  const all = shown
    .filter((it) => it !== undefined)
    .join(' ')
    .toLowerCase();
  return words(text).every((word) => all.includes(word));
}

const sortKeys: Readonly<Record<string, (it: NeedThing) => number | string>> = {
  kind: (it) => it.kindLabel,
  what: (it) => it.title,
  merchant: (it) => it.merchant ?? '',
  amount: (it) => ('amount' in it && it.amount !== undefined ? Number(it.amount) : 0),
  reason: (it) => it.reason,
  since: (it) => it.sinceMs ?? 0,
};

function sorted(rows: readonly NeedThing[], sort: string): readonly NeedThing[] {
  const key = sortKeys[sort.replace('-', '')];
  if (!key) return rows;
  const sign = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, two] = [key(a), key(b)];
    return (
      sign * (typeof one === 'number' ? one - Number(two) : one.localeCompare(String(two), 'en', { numeric: true }))
    );
  });
}

/** Sums of what rows bear, by currency. */
function sumsShown(rows: readonly object[]) {
  const totals = {};
  for (const { amount, currency } of rows as readonly { readonly amount?: string; readonly currency?: string }[])
    if (amount !== undefined && currency !== undefined)
      addTo(totals, { currency, minorUnits: minorUnitsOf(amount, currency), count: 1 });
  return sumsOf(totals);
}

/** The rows of each value, counted. */
function countedBy<T>(rows: readonly T[], of: (row: T) => { readonly id: string; readonly label: string }) {
  const found = Map.groupBy(rows, (row) => of(row).id);
  return [...found.values()].flatMap((its) => its.slice(0, 1).map((it) => ({ ...of(it), count: its.length })));
}

/** Beyond the last page, the last one: rows may have left meanwhile. */
const pageOf = <T>(rows: readonly T[], asked: URLSearchParams) => {
  const pages = [Number(asked.get('from')) || 0, rows.length - 1].map((at) => Math.max(0, Math.floor(at / rowsAPage)));
  const from = Math.min(...pages) * rowsAPage;
  const next = from + rowsAPage < rows.length ? from + rowsAPage : undefined;
  return { rows: rows.slice(from, from + rowsAPage), from, total: rows.length, next };
};

const needs: Answer = async (_scene, looks, asked) =>
  part(async () => {
    const todo = await looks.todo();
    const all = todo.questions.map(needThing);
    const [kind, merchant, q] = ['kind', 'merchant', 'q'].map((name) => asked.get(name) ?? '');
    const ofMerchant = all.filter((it) => !merchant || it.merchant === merchant);
    const found = ofMerchant.filter(
      (it) =>
        (!kind || it.kind === kind) &&
        hasWords(
          q ?? '',
          it.what,
          it.reason,
          it.code,
          it.kindLabel,
          ...('amount' in it ? [it.amount, it.currency] : []),
        ),
    );
    return {
      ...pageOf(sorted(found, asked.get('sort') ?? 'since'), asked),
      kinds: countedBy(ofMerchant, (it) => ({ id: it.kind, label: it.kindLabel })),
      merchants: [...new Set(all.flatMap((it) => it.merchant ?? []))].toSorted(),
      sums: sumsShown(found),
      mayBeMore: todo.mayBeMore,
      notRead: await notReadOf(todo),
    };
  });

// Batches.

const batchTones: Readonly<Partial<Record<string, string>>> = {
  closed: 'paid',
  uploaded: 'accepted',
  unbalanced: 'failed',
  'awaiting-approval': 'doubt',
  reopened: 'doubt',
  'in-doubt': 'doubt',
};

function batchState(batch: Batch, tally?: Tally) {
  const id = batchStatus(batch, tally);
  return { id, label: id, tone: batchTones[id] ?? 'waiting' };
}

function batchThing(batch: Batch) {
  const { batchId, by, createdAtMs: sinceMs, rows, totals, merchant } = batch;
  return {
    id: batchId,
    what: batchId,
    href: `#/batches/${encodeURIComponent(batchId)}`,
    state: batchState(batch),
    merchant,
    rows,
    sums: sumsOf(totals),
    by,
    sinceMs,
  };
}

const batches: Answer = ({ desk: { operator } }, _looks, asked) =>
  part(async () => {
    const all = (await operator.batches()).map(batchThing);
    const [state, q] = ['state', 'q'].map((name) => asked.get(name) ?? '');
    const found = all.filter((it) => (!state || it.state.id === state) && hasWords(q ?? '', it.id, it.by, it.merchant));
    return { ...pageOf(found, asked), kinds: countedBy(all, (it) => it.state) };
  });

/** A payout of a batch. */
const payoutThing = ({ index, row: { orderKey, money }, standing, failure }: Payout) => ({
  id: String(index),
  number: index + 1,
  what: orderKey,
  title: namesOfKey(orderKey).orderId,
  href: orderAddress(orderKey),
  ...(money && amountFields(money)),
  state: standingShown(standing),
  reason: failure?.message,
  code: failure?.code,
});

const batch: Answer = ({ desk }, _looks, asked) =>
  part(async () => {
    const [id, state, q] = ['batch', 'state', 'q'].map((name) => asked.get(name) ?? '');
    const from = Number(asked.get('from')) || 0;
    const list: ReturnType<typeof payoutThing>[] = [];
    let [found, begin] = [0, 0];
    const take = (it: Payout): void => {
      const payout = payoutThing(it);
      if ((state && payout.state.id !== state) || !hasWords(q ?? '', payout.what, payout.amount, payout.reason)) return;
      found += 1;
      if (list.length === rowsAPage) {
        if (found > from + 1) return;
        [begin, list.length] = [found - 1, 0];
      }
      list.push(payout);
    };
    const read = await desk.operator.batch(id ?? '', take);
    if (!read) return null;
    const { batch: header, tally } = read;
    const name = shellWord(header.batchId);
    return {
      ...batchThing(header),
      state: batchState(header, tally),
      uploaded: payoutsIn(tally),
      ended: payoutsIn(tally.filter(({ standing }) => !isUnderWay(standing))),
      lines: tally.map(({ standing, count, currency, minorUnits }) => ({
        ...standingShown(standing),
        count,
        sum: currency === undefined ? undefined : amountFields({ minorUnits, currency }),
      })),
      payouts: {
        rows: list,
        from: begin,
        total: found,
        next: begin + list.length < found ? begin + list.length : undefined,
      },
      can: await actsOn('batch', { batch: header.batchId }, desk),
      commands: [
        `${tool} batch ${name} --watch`,
        ...(header.state === 'awaiting-approval' ? [`${tool} approve ${name} FILE`] : []),
        `${tool} retry ${name} FILE`,
        `${tool} cancel --batch ${name} --reason "${reasonToFill}"`,
      ],
    };
  });

// Lanes.

const lanes: Answer = ({ desk }, _looks, asked) =>
  part(async () => {
    const all = (await desk.operator.lanes()).toSorted((a, b) => b.waiting - a.waiting);
    const opened = all.find((it) => `${it.merchant}/${it.endpointId}` === asked.get('lane'));
    const everywhere = asked.has('lane') ? [] : await actsOn('everywhere', {}, desk);
    if (!opened) return { rows: all.map(laneThing), can: everywhere };
    const { merchant, endpointId: endpoint } = opened;
    const { rows, mayBeMore } = await desk.operator.whoWaits(opened);
    const line = rows.map(parkedThing);
    const its = { can: await actsOn('lane', { merchant, endpoint }, desk), line, mayBeMore };
    return { rows: all.map(laneThing), opened: { ...laneThing(opened), ...its }, can: [] };
  });

// Dead letters.

const letters: Answer = (_scene, looks, asked) =>
  part(async () => {
    const all = (await lettersOf(looks)).map(letterThing);
    const [plan, q] = ['plan', 'q'].map((name) => asked.get(name) ?? '');
    const found = all.filter(
      (it) => (!plan || it.plan.id === plan) && hasWords(q ?? '', it.what, it.reason, it.code, it.merchant, it.batch),
    );
    return { ...pageOf(found, asked), kinds: countedBy(all, (it) => it.plan), sums: sumsShown(found) };
  });

const letter: Answer = (_scene, looks, asked) =>
  part(async () => {
    const found = (await lettersOf(looks)).find(({ messageId }) => messageId === asked.get('message'));
    if (!found) return null;
    const { originMessageId, order, body } = found;
    const it = letterThing(found);
    const orderHref = order?.startsWith('?') === false ? orderAddress(order) : undefined;
    return { ...it, originMessageId, orderHref, body: indented(body), commands: waysOutOfLetter(found) };
  });

/** JSON for reading; anything else as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}

const order: Answer = (scene, looks, asked) =>
  part(() => orderPage(scene, asked.get('order') ?? '', () => lettersOf(looks)));

const gateway: Answer = ({ simulator }) => part(async () => (simulator ? gatewayPage(simulator) : null));

/** Every page, by the name of its question. */
export const answers: Readonly<Record<string, Answer>> = {
  today,
  needs,
  order,
  batches,
  batch,
  lanes,
  letters,
  letter,
  gateway,
};
