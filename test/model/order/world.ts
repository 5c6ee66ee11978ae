// One order, everything that acts on it, and the gateway's own book, which is the judge. Each action is one step between which anything else
// may come. The kernel (order.ts) is given, so that a broken one can be put in its place.
import type { ModelKernel as Kernel, Attempt, Facts, Order, Report, Contract } from './model-kernel.ts';
import { farMs, said, unitMs } from './model-kernel.ts';

export interface Bounds {
  readonly askable: boolean;
  readonly desk: 'newest' | 'any' | 'away';
  readonly trustsNewest: boolean;
  readonly endsDenied: boolean;
  readonly attempts: number;
  readonly callbacks: number;
  readonly asks: number;
  readonly looks: number;
  readonly ticks: number;
  readonly resends: number;
  readonly restores: number;
  readonly strangers: number;
  readonly cards?: boolean;
  readonly ambiguous?: boolean;
  readonly proofs?: 'none';
  readonly erring?: boolean;
  readonly doubles?: boolean;
  readonly fails?: boolean;
  readonly hides?: boolean;
  readonly contents?: boolean;
  readonly draws?: number;
  readonly races?: boolean;
  readonly backs?: 'absent' | 'known';
  readonly verdicts?: boolean;
  readonly honest?: boolean;
  readonly outcomes?: readonly string[];
  readonly rich?: boolean;
  readonly steps: readonly number[];
  readonly amounts?: boolean;
}
export interface Entry {
  gid: string;
  alias?: string;
  attempt?: string;
  state: 'flying' | 'in' | 'paid' | 'declined' | 'filtered';
  landBy: number;
  excused: boolean;
  known: boolean;
  weak?: boolean;
  /** A callback with proof said "paid" and was answered 200. */ proved?: boolean;
  /** Not heard of since the restore. */ stale?: boolean;
  /** Sent anew, unknown to the ledger. */ forgotten?: boolean;
}
/** A callback at the door, with the order as the door's function read it. */
interface Call {
  report: Report;
  gid: string;
  isWeak: boolean;
  read: Order;
}
/** A job: by a name, with newly sealed card data, of a content, first sent at a time. */
interface Asks {
  what?: string;
  more?: string;
  sent?: 'old' | 'anew';
  job: string;
  sentMs: number;
}
interface Look {
  seen: string;
  kind: 'paid' | 'not-paid' | 'cancel';
  erred: string[];
  line?: { account: string; id: string; drawnMs: number };
  sent?: Asks['sent'];
  /** The order as the decision's writer read it. */ read?: Order;
  isStale?: boolean;
}
type Used =
  | 'asks'
  | 'assumed'
  | 'attempts'
  | 'callbacks'
  | 'cancels'
  | 'draws'
  | 'forged'
  | 'lines'
  | 'looks'
  | 'resends'
  | 'restores'
  | 'strangers'
  | 'ticks'
  | 'unsent';

export interface World {
  /** An order that the ledger does not hold has the version `base`. */
  now: number;
  order: Order;
  base: number;
  doors: Call[];
  book: Entry[];
  n: number;
  /** A worker that claims has the order as it read it; one that is clear has written its attempt, and POSTs. */
  claims: { read: Order; asks: Asks; offset: number }[];
  workers: {
    attempt: Attempt;
    offset: number;
    known: string[];
    isProved: boolean;
    written: Order;
    clearMs: number;
    job: string;
  }[];
  carried: { facts: Attempt; gid?: string; written: Order }[];
  asks: { asked: Facts; askedMs: number; answeredMs?: number; found?: Report[]; gids?: string[]; by?: Report }[];
  looks: Look[];
  /** The gateway's report, as a person drew it. */
  drawn?: { atMs: number; lines: { gid: string; kind: 'paid' | 'not-paid' }[] };
  /** When the order's message was first sent, by its sender's clock. */
  sentMs?: number;
  keys: string[];
  names: string[];
  told?: string;
  isTold: boolean;
  results: Record<string, string>;
  saidPaid: boolean;
  used: Partial<Record<Used, number>>;
  backup?: Order;
  breach?: string;
  log?: Facts[];
  restoredAt?: number;
  outdated: string[];
}
export type Action = {
  do: string;
  at?: number;
  what?: string;
  offset?: number;
  more?: string;
  sent?: 'old' | 'anew';
  job?: string;
};
const contract: Contract = {
  skewMs: 3 * unitMs,
  quietMs: 10 * unitMs,
  horizonMs: 30 * unitMs,
  acceptedHorizonMs: 40 * unitMs,
  endsDenied: false,
  visibleMs: 4 * unitMs,
  lostForMs: 45 * unitMs,
};
const lease = 5 * unitMs;
/** Between the claim's answer and the first byte. */
const windowMs = 0;
const account = 'acc';
export const start = (k: Kernel): World => ({
  now: 100 * unitMs,
  order: k.newOrder,
  base: 0,
  doors: [],
  book: [],
  n: 0,
  claims: [],
  workers: [],
  carried: [],
  asks: [],
  looks: [],
  names: [],
  isTold: false,
  results: {},
  saidPaid: false,
  used: {},
  outdated: [],
  keys: [],
});

/** Assumed: what was sent before a restore is settled and called back by then. */
export const isPast = (w: World) =>
  w.restoredAt !== undefined && w.now > w.restoredAt + contract.lostForMs - contract.skewMs;
const isAlive = (it: Entry) => it.state === 'flying' || it.state === 'in' || it.state === 'paid';
/** Money that may move, and of which the ledger could know. */
/** Of a stranger nothing is promised but that no more is told than it says: an account belongs to one merchant. */
const counts = (it: Entry, known = it.known) => it.attempt !== undefined && isAlive(it) && !(it.excused && !known);
const levelOf = (it: Entry): Report['level'] =>
  it.state === 'paid'
    ? 'approved'
    : it.state === 'declined'
      ? 'declined'
      : it.state === 'filtered'
        ? 'filtered'
        : 'seen';
/** The one at this place, which is there. */
const nth = <T>(all: readonly T[], at: number): T => all[at] as T;

const breach = (w: World, why: string) => {
  w.breach ??= why;
};
const use = (w: World, what: Used) => {
  w.used[what] = (w.used[what] ?? 0) + 1;
};
const left = (w: World, what: Used, most: number) => (w.used[what] ?? 0) < most;

export const clone = (w: World): World => ({
  ...w,
  doors: w.doors.map((it) => ({ ...it })),
  claims: w.claims.map((it) => ({ ...it })),
  book: w.book.map((it) => ({ ...it })),
  workers: w.workers.map((it) => ({ ...it })),
  carried: [...w.carried],
  asks: w.asks.map((it) => ({ ...it })),
  looks: w.looks.map((it) => ({ ...it })),
  keys: [...w.keys],
  names: [...w.names],
  outdated: [...w.outdated],
  used: { ...w.used },
  results: { ...w.results },
});

export function createWorld(k: Kernel, b: Bounds) {
  const terms: Contract = { ...contract, endsDenied: b.endsDenied };
  const isAbsent = (w: World) => w.order.version === w.base;
  const lostOf = (w: World, leaseUntilMs = w.restoredAt ?? 0): Attempt => ({
    id: `l${w.used.restores}`,
    number: w.order.version + 1,
    accounts: [account],
    askable: b.askable,
    atMs: leaseUntilMs,
    leaseUntilMs,
    lost: true,
    ids: [],
    aliases: [],
    reports: [],
    amounts: [],
    absent: {},
  });
  /** An order that a restored ledger does not hold begins as the kernel says; the message's first sending time is compared by the writer that makes it. */
  const readOf = (w: World, sentMs?: number, offset = 0): Order => {
    if (!isAbsent(w) || w.restoredAt === undefined) return w.order;
    return { ...w.order, facts: k.beginning(lostOf(w), w.now + offset, terms, sentMs) };
  };
  /** The stated risk: no record names the order any more, and the merchant sends it anew. */
  const sendAnew = (w: World, sent: Asks['sent']) => {
    if (sent === 'anew' && isAbsent(w))
      for (const it of w.book)
        if (it.stale) {
          it.excused = true;
          it.known = false;
          it.forgotten = true;
        }
  };

  /** A callback has reached us when it was answered 200, or when its facts are joined. Who hears that a double was filtered has heard that another one lives. */
  const hear = (w: World, gid: string | undefined, call?: Call) => {
    const isDouble = w.book.some((it) => it.gid === gid && it.state === 'filtered');
    for (const it of w.book) {
      if (it.gid !== gid && !(isDouble && it.attempt !== undefined && !(it.forgotten && isPast(w)))) continue;
      if (call?.isWeak && it.gid === gid && !it.known) it.weak = true;
      it.known = true;
      delete it.stale;
      if (
        call &&
        it.gid === gid &&
        call.report.level === 'approved' &&
        call.report.callback === 'proven' &&
        call.report.amount === undefined
      )
        it.proved = true;
    }
  };

  /** The only writer: joins, concludes, writes under the version that was read, and tells what it has written. */
  function write(
    w: World,
    added: Facts | ((facts: Facts, version: number) => Facts),
    offset = 0,
    from = readOf(w, undefined, offset),
    more: { job?: string; verdict?: 'expired' | 'discarded' } = {},
  ) {
    const isBorn = from.version === w.base;
    const made = typeof added === 'function' ? added(from.facts, from.version + 1) : added;
    const facts = isBorn ? k.join(from.facts, made) : made;
    const recorded = (by: typeof more) =>
      k.recorded(isBorn ? { ...from, facts: k.noFacts } : from, facts, {
        nowMs: w.now + offset,
        contract: terms,
        endId: `e${from.version + 1}`,
        ...by,
      });
    const next = recorded(more);
    if (next.version === from.version) return;
    w.log?.push(facts);
    w.order = next;
    if (more.verdict && more.job !== w.order.job && next.told.content !== recorded({}).told.content)
      breach(w, 'a job of other content ends the order');
    if (next.told.revision !== from.told.revision) tell(w, next.told.revision, next.told.content ?? '');
  }
  /** What a report is about is judged in the very version that it is joined to. */
  const join = (w: World, { report }: Call, offset: number, from: Order) =>
    write(w, (facts, version) => k.factsOfReport(facts, report, version), offset, from);

  function tell(w: World, revision: number, content: string) {
    if (w.results[revision] !== undefined && w.results[revision] !== content) breach(w, 'one result has two contents');
    w.results[revision] = content;
    w.told = content;
    w.isTold = true;
    if (w.order.job === undefined) breach(w, 'told of an order that is known by name alone');
    const { status, endId, code } = JSON.parse(content) as { status: string; endId?: string; code?: string };
    if (status === 'held' && !code?.startsWith('HELD_')) breach(w, 'a hold has no code of holds');
    if (endId !== undefined && w.outdated.includes(endId)) breach(w, 'an outdated name is told again');
    w.outdated = w.names.filter((it) => it !== endId);
    if (endId !== undefined && !w.names.includes(endId)) w.names.push(endId);
    if (endId !== undefined && !k.maySend(w.order.facts, { resends: endId }))
      breach(w, 'a name is told that opens nothing');
    const isEnd = !['held', 'accepted', 'approved', 'in-doubt'].includes(status);
    if (isEnd && status !== 'cancelled' && sentOf(w).length >= k.atMost.attempts)
      breach(w, `told ${status} after the bound of attempts`);
    if (isEnd && w.book.some((it) => counts(it))) breach(w, `told ${status} while a payment lives`);
    if (isEnd && status !== 'cancelled' && w.workers.some((it) => w.now + it.offset <= it.attempt.leaseUntilMs))
      breach(w, `told ${status} while a POST is about to leave`);
    if (status === 'approved' && !w.saidPaid && !w.book.some((it) => it.state === 'paid'))
      breach(w, 'told approved, and nothing was paid');
    if (
      status === 'approved' &&
      !w.saidPaid &&
      (!w.used.strangers || b.amounts) &&
      !w.book.some(
        (it) =>
          it.state === 'paid' &&
          it.attempt !== undefined &&
          (w.restoredAt === undefined || it.excused || w.order.facts.attempts[it.attempt]),
      )
    )
      breach(w, 'told approved without an attempt of this ledger');

    if (
      code === 'HELD_TOO_MANY' &&
      w.restoredAt === undefined &&
      (w.used.attempts ?? 0) - (w.used.unsent ?? 0) < k.atMost.attempts &&
      Object.keys(w.order.facts.unknown).length < 9
    )
      breach(w, 'held for too many before the bound');
  }

  const sentOf = (w: World) =>
    k.attemptsOf(w.order.facts).filter(({ answer }) => !(answer?.kind === 'refused' && !answer.connected));
  const answerOf = (attempt: Attempt, more: Partial<Attempt>): Attempt => ({ ...attempt, ...more });
  const refused = (atMs: number, about: 'order' | 'account' | 'pace', connected = true) => ({
    answer: { kind: 'refused' as const, about, connected, code: 'RATE_LIMITED', message: '', atMs },
  });
  /** Of an order that a restored ledger does not hold: by a message of before, or by a new one. */
  const agesOf = (w: World): Asks['sent'][] =>
    isAbsent(w) && w.restoredAt !== undefined
      ? [...(w.sentMs === undefined ? [] : ['old' as const]), 'anew']
      : [undefined];
  const sentMsOf = (w: World, sent: Asks['sent'], offset: number) =>
    sent === 'anew' ? w.now + offset : (w.sentMs ??= w.now + offset);

  /** A cancel of an order that the ledger does not hold brings its job, also where the page was read before the restore. */
  const sentMsOfLook = (w: World, { kind, sent }: Look, offset: number) =>
    kind === 'cancel' && isAbsent(w) && w.restoredAt !== undefined
      ? sentMsOf(w, sent ?? (w.sentMs === undefined ? 'anew' : undefined), offset)
      : undefined;
  const maySendNow = (read: Order, { what, more, job }: Asks) =>
    (read.job ?? job) === job &&
    k.maySend(read.facts, {
      ...(what !== undefined && { resends: what }),
      ...(more !== undefined && { cardKeyId: more }),
    }) !== undefined;

  function actions(w: World): Action[] {
    const all: Action[] = [];
    const status = k.fold(w.order.facts);
    // Claims: a copy of the job, by a name, with newly sealed card data; of an order that a restored ledger does not hold, by an old or a new message.
    if ((w.used.attempts ?? 0) + w.claims.length < b.attempts) {
      const cards = b.cards ? ['c1', 'c2', 'c3', undefined] : [undefined];
      for (const what of [undefined, ...w.names])
        for (const more of cards)
          for (const sent of agesOf(w))
            for (const job of b.contents ? ['A', 'B'] : ['A'])
              if (
                (what === undefined || left(w, 'resends', b.resends)) &&
                (w.order.job ?? job) === job &&
                (k.maySend(w.order.facts, {
                  ...(what !== undefined && { resends: what }),
                  ...(more !== undefined && { cardKeyId: more }),
                }) ||
                  (w.order.job === undefined && !isAbsent(w) && what === undefined))
              )
                all.push({
                  do: 'claim',
                  ...(what !== undefined && { what }),
                  ...(more !== undefined && { more }),
                  ...(sent && { sent }),
                  ...(job !== 'A' && { job }),
                });
      if (b.rich && !isAbsent(w) && left(w, 'assumed', 1)) all.push({ do: 'claim', what: 'assumes it absent' });
    }
    w.claims.forEach((_, at) => {
      all.push({ do: 'write claim', at });
      if (b.rich) all.push({ do: 'unsure claim', at });
    });
    w.workers.forEach((it, at) => {
      if (w.now > it.clearMs + windowMs) all.push({ do: 'post', at, what: 'unconnected' });
      else if (w.now + it.offset <= it.attempt.leaseUntilMs)
        for (const what of b.outcomes
          ? b.outcomes
          : [
              'taken',
              'taken-silent',
              ...(b.honest ? [] : ['taken-refused']),
              'pace',
              'order',
              'silent',
              'dead',
              'unconnected',
              ...(b.rich
                ? [
                    'taken-alias',
                    'taken-two-readings',
                    'taken-no-id',
                    'unread-id',
                    'late',
                    'account',
                    ...(b.honest ? [] : ['taken-account', ...(b.hides ? ['refused-hidden'] : [])]),
                  ]
                : []),
            ])
          all.push({ do: 'post', at, what });
      if (b.rich) all.push({ do: 'die', at });
    });
    w.carried.forEach((it, at) => {
      all.push({ do: 'answer', at });
      if (b.doubles) all.push({ do: 'answer', at, what: 'again' });
      if (b.rich && !it.gid) all.push({ do: 'lose', at });
    });
    w.book.forEach((it, at) => {
      if (it.state === 'flying') all.push({ do: 'land', at });
      if (it.state === 'in')
        for (const what of [
          ...(b.proofs === 'none' ? [] : ['paid']),
          ...(it.attempt !== undefined || b.amounts
            ? [
                'declined',
                ...(b.rich && w.book.some((other) => other !== it && isAlive(other) && other.attempt !== undefined)
                  ? ['filtered']
                  : []),
              ]
            : []),
        ])
          all.push({ do: 'gateway', at, what });
      if (it.state !== 'flying' && left(w, 'callbacks', b.callbacks) && !(it.stale && isPast(w))) {
        if (b.proofs !== 'none') all.push({ do: 'callback', at });
        if (b.rich) all.push({ do: 'callback', at, what: 'alias' });
        if (b.rich && b.amounts) all.push({ do: 'callback', at, what: 'other' });
        if (b.rich && it.state === 'paid' && w.order.facts.attempts[it.attempt ?? '']?.reports.includes('approved'))
          all.push({ do: 'callback', at, what: 'contradicts' });
        if (b.ambiguous) all.push({ do: 'callback', at, what: 'ambiguous' });
      }
    });
    if (b.ambiguous && b.rich && left(w, 'forged', 2))
      for (const what of ['declined', 'approved'])
        for (const more of ['x9', ...w.book.map(({ gid }) => gid)]) all.push({ do: 'forged', what, more });
    if (left(w, 'strangers', b.strangers)) all.push({ do: 'stranger' });
    w.doors.forEach((_, at) => {
      all.push({ do: 'door', at });
      if (b.rich || b.fails) all.push({ do: 'door fails', at, what: '503' }, { do: 'door fails', at, what: 'unsure' });
    });
    if (b.askable && b.desk !== 'away') {
      if (left(w, 'asks', b.asks) && !isAbsent(w) && ['sending', 'in-doubt', 'accepted', 'held'].includes(status.kind))
        all.push({ do: 'ask' });
      w.asks.forEach((it, at) => {
        if (it.found) all.push({ do: 'write inquiry', at });
        else if (b.desk === 'any' && !it.by)
          w.book
            .filter(({ state }) => state !== 'flying')
            .forEach((_, which) => all.push({ do: 'desk', at, what: String(which) }));
        if (!it.found && (b.desk !== 'any' || it.by || !w.book.some(({ state }) => state !== 'flying')))
          all.push({ do: 'desk', at });
      });
      if (b.rich && left(w, 'asks', b.asks))
        for (const it of k.attemptsOf(w.order.facts))
          if (it.ids[0] !== undefined) all.push({ do: 'ask', what: it.ids[0] });
    }
    if (left(w, 'looks', b.looks) && ['in-doubt', 'held', 'accepted', 'sending'].includes(status.kind))
      all.push({ do: 'look' });
    if ((b.rich || b.races) && left(w, 'cancels', 1) && ['new', 'ready', 'over', 'held'].includes(status.kind))
      for (const sent of agesOf(w)) all.push({ do: 'look cancel', ...(sent && { sent }) });
    w.looks.forEach((it, at) => {
      all.push({ do: 'decide', at });
      if ((b.rich || b.races) && !it.read) all.push({ do: 'read', at });
    });
    if (left(w, 'draws', b.draws ?? 0)) all.push({ do: 'draw' });
    w.drawn?.lines.forEach((_, at) => {
      if (left(w, 'lines', 2 * (b.draws ?? 0)) && !isAbsent(w)) all.push({ do: 'line', at });
    });
    if (left(w, 'ticks', b.ticks)) for (const what of b.steps) all.push({ do: 'tick', what: String(what) });
    if (!isAbsent(w)) all.push({ do: 'sweep' });
    if ((b.rich || b.verdicts) && ['new', 'ready', 'held'].includes(status.kind))
      for (const sent of agesOf(w))
        for (const job of b.contents ? ['A', 'B'] : ['A'])
          all.push({
            do: 'verdict',
            what: b.rich && w.n % 2 ? 'discarded' : 'expired',
            ...(sent && { sent }),
            ...(job !== 'A' && { job }),
          });
    if (!w.backup && left(w, 'restores', b.restores) && b.backs !== (isAbsent(w) ? 'known' : 'absent'))
      all.push({ do: 'backup' });
    if (w.backup && left(w, 'restores', b.restores)) all.push({ do: 'restore' });
    return all;
  }

  function act(w: World, action: Action): void {
    const { at = 0, what, more, sent, job = 'A' } = action;
    const offset = (action.offset ?? 0) * unitMs;
    switch (action.do) {
      case 'claim': {
        if (what === 'assumes it absent') {
          use(w, 'assumed');
          w.claims.push({
            read: { ...k.newOrder, version: w.base },
            asks: { job, sentMs: sentMsOf(w, undefined, offset) },
            offset,
          });
          return;
        }
        const sentMs = sentMsOf(w, sent, offset);
        w.claims.push({
          read: readOf(w, sentMs, offset),
          asks: {
            job,
            sentMs,
            ...(what !== undefined && { what }),
            ...(more !== undefined && { more }),
            ...(sent && { sent }),
          },
          offset,
        });
        return;
      }
      case 'write claim':
      case 'unsure claim': {
        const claim = nth(w.claims, at);
        const { read, asks, offset: clock } = claim;
        const wish = {
          ...(asks.what !== undefined && { resends: asks.what }),
          ...(asks.more !== undefined && { cardKeyId: asks.more }),
        };
        if (read.version !== w.order.version) {
          claim.read = readOf(w, asks.sentMs, clock);
          if (!maySendNow(claim.read, asks) && claim.read.job !== undefined) w.claims.splice(at, 1);
          return;
        }
        w.claims.splice(at, 1);
        const may = maySendNow(read, asks) ? k.maySend(read.facts, wish) : undefined;
        // A job that is held: of an order that is known by name alone, or that begins with a lost attempt. It fixes the content.
        if (!may) {
          if (read.version === w.base || read.job === undefined) write(w, k.noFacts, clock, read, { job: asks.job });
          return;
        }
        if (read.version !== w.base && read.job === undefined)
          breach(w, 'a job of an order that is known by name alone is sent');
        sendAnew(w, asks.sent);
        use(w, 'attempts');
        if (asks.what !== undefined) use(w, 'resends');
        const last =
          w.told === undefined ? undefined : (JSON.parse(w.told) as { status: string; code?: string; endId?: string });
        const isCard =
          last?.code === 'HELD_CARD_DATA' &&
          asks.more !== undefined &&
          !sentOf(w).some((it) => it.cardKeyId === asks.more);
        const isByName = asks.what !== undefined && last?.endId === asks.what;
        if (w.isTold && !isByName && !isCard) breach(w, `goes on by itself after it was told ${last?.status}`);
        if (
          k
            .attemptsOf(w.order.facts)
            .some(
              (it) =>
                !it.lost &&
                !it.lapsed &&
                it.answer === undefined &&
                w.workers.some((x) => x.attempt.id === it.id && w.now + x.offset <= it.leaseUntilMs),
            )
        )
          breach(w, 'two POSTs under way');
        if (last?.status === 'cancelled' && w.isTold && w.restoredAt === undefined)
          breach(w, 'a cancelled order is sent');
        w.isTold = false;
        const attempt: Attempt = {
          id: `a${++w.n}`,
          number: read.version + 1,
          accounts: [account],
          askable: b.askable,
          atMs: w.now + clock + lease,
          leaseUntilMs: w.now + clock + lease,
          ...may,
          ...(asks.more !== undefined && { cardKeyId: asks.more }),
          ids: [],
          aliases: [],
          reports: [],
          amounts: [],
          absent: {},
        };
        write(w, k.ofAttempt(attempt), clock, read, { job: asks.job });
        // A worker that cannot tell whether its attempt was written does not POST.
        if (action.do === 'unsure claim') {
          w.carried.push({ facts: answerOf(attempt, refused(w.now + clock, 'pace', false)), written: w.order });
          return;
        }
        // The last look of a claim is its own write: nothing is read after it.
        w.workers.push({
          attempt,
          offset: clock,
          known: w.book.filter((it) => it.known).map(({ gid }) => gid),
          isProved: w.book.some((it) => it.proved),
          written: w.order,
          clearMs: w.now,
          job: asks.job,
        });
        return;
      }
      case 'die': {
        const [it] = w.workers.splice(at, 1);
        if (it?.attempt.cardKeyId !== undefined) w.keys.push(it.attempt.cardKeyId);
        return;
      }
      case 'post': {
        const [{ attempt, known, isProved, written, offset: clock, job: ofJob }] = w.workers.splice(at, 1) as [
          World['workers'][number],
        ];
        const nowMs = w.now + clock;
        // The first byte could not leave in time, or no connection was had.
        if (what === 'unconnected') {
          w.carried.push({ facts: answerOf(attempt, refused(nowMs, 'pace', false)), written });
          return;
        }
        if (attempt.cardKeyId !== undefined) {
          if (w.keys.includes(attempt.cardKeyId)) breach(w, 'spent card data is sent again');
          w.keys.push(attempt.cardKeyId);
        }
        if (ofJob !== w.order.job && w.restoredAt === undefined)
          breach(w, 'a POST of other content than the order has');
        if (w.book.some((it) => counts(it, known.includes(it.gid))))
          breach(w, 'a second payment beside one that lives');
        if (isProved) breach(w, 'a POST, though a callback that proves a payment was answered 200 before its claim');
        const told = w.told === undefined || !w.isTold ? undefined : (JSON.parse(w.told) as { status: string }).status;
        if (told !== undefined && !['held', 'accepted', 'approved', 'in-doubt'].includes(told))
          breach(w, `a POST leaves after ${told} was told`);
        const isTaken =
          what?.startsWith('taken') || what === 'late' || what === 'unread-id' || what === 'refused-hidden';
        const gid = `g${attempt.id.slice(1)}`;
        if (isTaken)
          w.book.push({
            gid,
            alias: `p${attempt.id.slice(1)}`,
            attempt: attempt.id,
            state: what === 'late' || what === 'refused-hidden' ? 'flying' : 'in',
            landBy:
              what === 'refused-hidden'
                ? w.now + contract.visibleMs - 1
                : attempt.leaseUntilMs - clock + contract.quietMs,
            excused:
              !b.askable &&
              ['taken-refused', 'taken-account', 'taken-two-readings', 'refused-hidden'].includes(what ?? ''),
            known: false,
          });
        const carry = (more: Partial<Attempt>, isWord = false) =>
          w.carried.push({ facts: answerOf(attempt, more), written, ...(isWord && { gid }) });
        switch (what) {
          case 'taken':
            carry({ answer: { kind: 'taken', atMs: 0 }, ids: [gid] }, true);
            return;
          case 'taken-two-readings':
            carry(refused(nowMs, 'pace'));
            carry({ answer: { kind: 'taken', atMs: 0 } }, true);
            return;
          case 'taken-alias':
            carry({ answer: { kind: 'taken', atMs: 0 }, aliases: [`p${gid.slice(1)}`] }, true);
            return;
          case 'taken-no-id':
            carry({ answer: { kind: 'taken', atMs: 0 } }, true);
            return;
          case 'unread-id':
            carry({ lapsed: said, ids: [gid] }, true);
            return;
          case 'taken-refused':
          case 'refused-hidden':
          case 'pace':
            carry(refused(nowMs, 'pace'));
            return;
          case 'account':
          case 'taken-account':
            carry(refused(nowMs, 'account'));
            return;
          case 'order':
            carry(refused(nowMs, 'order'));
            return;
          case 'late':
          case 'silent':
          case 'taken-silent':
            carry({ lapsed: said });
            return;
          default:
            return; // dead: nothing is ever written
        }
      }
      case 'answer': {
        const { facts, gid } = nth(w.carried, at);
        if (what !== 'again') w.carried.splice(at, 1);
        if (what !== 'again' && facts.answer?.kind === 'refused' && !facts.answer.connected) use(w, 'unsent');
        hear(w, gid);
        write(w, (now) => k.factsOfAnswer(now, facts), offset);
        return;
      }
      case 'lose':
        w.carried.splice(at, 1);
        return;
      case 'land':
        nth(w.book, at).state = 'in';
        return;
      case 'gateway':
        nth(w.book, at).state = what as Entry['state'];
        return;
      case 'stranger':
        use(w, 'strangers');
        w.book.push({ gid: `s${w.book.length}`, state: 'in', landBy: 0, excused: true, known: false });
        return;
      case 'callback': {
        use(w, 'callbacks');
        const it = nth(w.book, at);
        const names =
          what === 'alias' && it.alias !== undefined
            ? { alias: it.alias }
            : {
                id: it.gid,
                ...(b.rich && it.alias !== undefined && (w.used.callbacks ?? 0) % 2 === 0 && { alias: it.alias }),
              };
        const call: Call = {
          gid: it.gid,
          isWeak: what === 'ambiguous' && it.state === 'paid',
          read: readOf(w),
          report: {
            account,
            ...names,
            level: what === 'contradicts' ? 'declined' : levelOf(it),
            callback: what === 'ambiguous' ? 'ambiguous' : 'proven',
            ...((what === 'other' || it.attempt === undefined || (b.amounts && it.state === 'in')) && {
              amount: '9 EUR',
            }),
          },
        };
        w.doors.push(call);
        return;
      }
      case 'forged':
        use(w, 'forged');
        w.doors.push({
          gid: '',
          isWeak: false,
          read: readOf(w),
          report: { account, id: more ?? '', level: what as Report['level'], callback: 'ambiguous' },
        });
        return;
      case 'door':
      case 'door fails': {
        const call = nth(w.doors, at);
        const isStale = call.read.version !== w.order.version;
        // 503: nothing is stored, and the gateway may repeat it.
        const isRepeated = action.do === 'door fails' && call.gid !== '';
        if (isRepeated) w.used.callbacks = (w.used.callbacks ?? 1) - 1;
        if (what === '503') {
          w.doors.splice(at, 1);
          return;
        }
        // A lost race: read again, judge again.
        if (isStale) {
          call.read = readOf(w, undefined, offset);
          if (isRepeated) use(w, 'callbacks');
          return;
        }
        w.doors.splice(at, 1);
        // An ambiguous proof makes no order.
        if (call.report.callback === 'ambiguous' && isAbsent(w)) return;
        // Unsure: it is written, and the door answers 503 all the same; what is in the ledger is known.
        // The price of one sign: a further ambiguous callback that adds nothing to it is not heard.
        const added = k.join(call.read.facts, k.factsOfReport(call.read.facts, call.report, call.read.version + 1));
        if (
          call.report.callback !== 'ambiguous' ||
          JSON.stringify(k.signsOf(added)) !== JSON.stringify(k.signsOf(call.read.facts))
        )
          hear(w, call.gid, call);
        const signs = JSON.stringify(k.signsOf(w.order.facts));
        const isReplay =
          call.report.amount !== undefined &&
          call.report.id === call.gid &&
          call.report.callback === 'proven' &&
          [
            ...k.attemptsOf(w.order.facts).filter((it) => it.ids.includes(call.gid)),
            w.order.facts.unknown[`${account} ${call.gid}`],
          ].some(
            (it) =>
              it &&
              (call.report.level === 'approved'
                ? it.reports.some((x) => x === 'approved' || x === 'said-paid' || x === 'reversed')
                : it.reports.length > 0),
          );
        join(w, call, offset, call.read);
        if (isReplay && JSON.stringify(k.signsOf(w.order.facts)) !== signs)
          breach(w, 'a replay with another amount is news');
        return;
      }
      case 'ask': {
        use(w, 'asks');
        w.asks.push({
          asked: w.order.facts,
          askedMs: w.now + offset,
          ...(what !== undefined && { by: { account, id: what, level: 'seen' as const } }),
        });
        if (!b.rich && b.desk !== 'any') act(w, { do: 'desk', at: w.asks.length - 1 });
        return;
      }
      case 'desk': {
        const ask = nth(w.asks, at);
        const landed = w.book.filter(({ state }) => state !== 'flying');
        const named = ask.by
          ? w.book.find(({ gid }) => gid === ask.by?.id)
          : b.desk === 'any' && what !== undefined
            ? landed[Number(what)]
            : landed.at(-1);
        ask.answeredMs = w.now + offset;
        ask.found = named
          ? [
              {
                account,
                id: named.gid,
                ...(named.alias !== undefined && { alias: named.alias }),
                level: levelOf(named),
                ...((named.attempt === undefined || (b.amounts && named.state === 'in')) && { amount: '9 EUR' }),
              },
            ]
          : [];
        ask.gids = named ? [named.gid] : [];
        return;
      }
      case 'write inquiry': {
        const [{ askedMs, answeredMs = askedMs, found = [], gids = [], by }] = w.asks.splice(at, 1) as [
          World['asks'][number],
        ];
        for (const gid of gids) hear(w, gid);
        write(
          w,
          (now, version) =>
            by
              ? found.reduce((all, it) => k.join(all, k.factsOfReport(now, it, version)), k.noFacts)
              : k.factsOfInquiry(
                  now,
                  {
                    account,

                    askedMs,
                    answeredMs,
                    found,
                    namesNewest: b.trustsNewest,
                  },
                  terms,
                  version,
                ),
          offset,
        );
        return;
      }
      case 'look': {
        use(w, 'looks');
        const alive = w.book.filter((it) => isAlive(it) && it.state !== 'flying');
        const seen = k.seen(w.order.facts, w.now + offset, terms);
        if (alive.some(({ state }) => state === 'paid') && !(b.erring && alive.every((it) => it.weak))) {
          w.looks.push({ seen, kind: 'paid', erred: [] });
          return;
        }
        if (alive.length === 0) w.looks.push({ seen, kind: 'not-paid', erred: [] });
        else if (
          b.erring &&
          alive.every((it) => !it.known || it.weak) &&
          w.carried.every(({ gid }) => gid === undefined)
        )
          w.looks.push({ seen, kind: 'not-paid', erred: alive.map(({ gid }) => gid) });
        return;
      }
      case 'look cancel': {
        use(w, 'cancels');
        const read = readOf(w, sent ? sentMsOf(w, sent, offset) : undefined, offset);
        w.looks.push({
          seen: k.seen(read.facts, w.now + offset, terms),
          kind: 'cancel',
          erred: [],
          ...(sent && { sent }),
        });
        return;
      }
      case 'draw': {
        use(w, 'draws');
        w.drawn = {
          atMs: w.now + offset,
          lines: w.book
            .filter(({ state }) => state === 'paid' || state === 'declined')
            .map(({ gid, state }) => ({ gid, kind: state === 'paid' ? 'paid' : 'not-paid' })),
        };
        return;
      }
      // The person reads the report's line and the order's page, and nothing else.
      case 'line': {
        use(w, 'lines');
        const drawn = nth([w.drawn], 0) as NonNullable<World['drawn']>;
        const { gid, kind } = nth(drawn.lines, at);
        w.looks.push({
          seen: k.seen(w.order.facts, w.now + offset, terms),
          kind,
          erred: [],
          line: { account, id: gid, drawnMs: drawn.atMs },
        });
        return;
      }
      case 'read': {
        const look = nth(w.looks, at);
        look.read = readOf(w, sentMsOfLook(w, look, offset), offset);
        return;
      }
      case 'decide': {
        const look = nth(w.looks, at);
        const { seen, kind, erred, line } = look;
        // A lost version: read again, and compare the digest again.
        if (look.read && look.read.version !== w.order.version) {
          look.read = readOf(w, sentMsOfLook(w, look, offset), offset);
          return;
        }
        w.looks.splice(at, 1);
        const read = look.read ?? readOf(w, sentMsOfLook(w, look, offset), offset);
        const decided = k.decide(
          read.facts,
          {
            id: `d${w.order.version + 1}`,
            kind,
            seen,
            by: erred.length === 0 ? ['ada', 'ben'] : ['ada', 'ada'],
            ...(line && { line }),
          },
          w.now + offset,
          terms,
        );
        if (typeof decided === 'string') return;
        if (kind === 'paid') w.saidPaid = true;
        for (const it of w.book) if (erred.includes(it.gid) && !it.known) it.excused = true;
        if (kind === 'cancel') sendAnew(w, look.sent);
        write(w, decided, offset, look.read ?? (isAbsent(w) ? read : undefined), kind === 'cancel' ? { job } : {});
        return;
      }
      case 'tick': {
        use(w, 'ticks');
        w.now += Number(what) * unitMs;
        for (const it of w.book) if (it.state === 'flying' && it.landBy < w.now) it.state = 'in';
        // Queues and repeated callbacks remember less long.
        if (isPast(w)) {
          w.carried = w.carried.filter((it) => it.written.version > w.base);
          w.doors = w.doors.filter((it) => !w.book.some(({ gid, stale }) => gid === it.gid && stale));
        }
        return;
      }
      case 'sweep':
        write(w, k.noFacts, offset);
        return;
      case 'verdict': {
        sendAnew(w, sent);
        write(w, k.noFacts, offset, readOf(w, sentMsOf(w, sent, offset), offset), { job, verdict: what as 'expired' });
        return;
      }
      case 'backup':
        w.backup = w.order;
        return;
      case 'restore': {
        // Everything is paused and no call is under way: doors have answered 503. Facts on the worker's own queue stay; callbacks joined since the backup are lost.
        use(w, 'restores');
        const old = nth([w.backup], 0) as Order;
        delete w.backup;
        w.workers = [];
        w.claims = [];
        w.doors = [];
        w.asks = w.asks.filter((it) => it.by);
        w.looks = w.looks.map(({ read: _read, ...it }) => it);
        w.restoredAt = w.now;
        for (const it of w.book) {
          it.stale = true;
          it.proved = false;
        }
        if (w.log) w.log = [old.facts];
        const isKnown = old.version > w.base;
        const revision = w.order.told.revision + 100;
        w.base = w.order.version + 100;
        w.isTold = false;
        // That a key is spent is lost with the attempt; the key itself is destroyed elsewhere.
        w.keys = k.attemptsOf(old.facts).flatMap(({ cardKeyId }) => cardKeyId ?? []);
        // Also an order that this ledger does not hold begins above all versions and revisions that can have been.
        w.order = { ...old, version: w.base + (isKnown ? 1 : 0), told: { ...old.told, revision } };
        if (isKnown) write(w, k.ofAttempt(lostOf(w)));
        return;
      }
      default:
        throw new Error(action.do);
    }
  }

  /** Wherever an order is, time alone brings it to an end or to a person. */
  function checkHorizon(w: World) {
    const { kind } = k.fold(w.order.facts);
    if (!['sending', 'in-doubt', 'ready', 'accepted', 'over'].includes(kind)) return;
    let order = w.order;
    for (let i = 1; i <= 3; i += 1)
      order = k.recorded(order, k.noFacts, { nowMs: w.now + i * farMs, contract: terms, endId: `far${i}` });
    const status = k.fold(order.facts);
    const waits =
      ['sending', 'in-doubt', 'ready'].includes(status.kind) ||
      (status.kind === 'accepted' && b.askable) ||
      (status.kind === 'over' && !status.end);
    if (w.order.job === undefined) return;
    if (waits) breach(w, `waits for ever: ${status.kind}`);
  }
  return { actions, act, checkHorizon, terms, write };
}
