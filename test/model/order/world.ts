// A small world around one order: messages, workers, a gateway, its callbacks, looks at it, people and a restore of the table, each
// move of which may come at any moment. The order is the shipped kernel's; what judges (breach) looks at the gateway's book and at
// what was published alone. Facts of the world, with their sources: test/world/facts.txt.
import type { Attempt, Facts } from '../../../lib/payout/order/facts.ts';
import type { Report } from '../../../lib/payout/order/attribute.ts';
import { newOrder } from '../../../lib/payout/order/order.ts';
import type { Kernel } from './kernel.ts';

/** What may happen, and how often. */
export interface Bounds {
  /** True where the account can be asked about orders. */
  readonly canAsk: boolean;
  readonly endsDenied: boolean;
  readonly attempts: number;
  /** Messages of the job that its sender has sent. */
  readonly messages: number;
  /** Jobs that name an end which was published. */
  readonly resends: number;
  readonly callbacks: number;
  readonly decisions: number;
  readonly restores: number;
  readonly hours: number;
  /** How often the merchant moves between two accounts, whose ids are alike. */
  readonly moves?: number;
  /** A restored table is used before its number is written: no promise is kept then, which shows that the number matters. */
  readonly numberComesLate?: true;
}

type Truth = 'in' | 'paid' | 'refused';

/** One order in the gateway's book. */
interface Booked {
  readonly id: string;
  readonly account: string;
  readonly attempt: string;
  readonly truth: Truth;
  /** False until inquiries show it. */
  readonly visible: boolean;
  /** Nobody could know of it: its gateway answered 429 to what it took and can't be asked, or a person erred about it. */
  readonly excused: boolean;
}

interface Item {
  readonly facts: Facts;
  readonly version: number;
  /** The restores of its table that the item has known. */
  readonly number: number;
  readonly revision: number;
  /** What the last revision said. */
  readonly says: string;
}

interface Message {
  readonly resends?: string;
}

interface Look {
  readonly version: number;
  readonly hour: number;
  readonly refused: readonly string[];
  readonly account: string;
  readonly report?: Report;
}

/** The world at one moment. */
export interface World {
  readonly item: Item;
  /** The account that orders are sent to now. */
  readonly account: string;
  readonly tableNumber: number;
  readonly backup?: Item;
  readonly hour: number;
  readonly messages: readonly Message[];
  /** Claimed, and not posted yet. */
  readonly flying: readonly Attempt[];
  /** Answers on their way to the ledger. */
  readonly carried: readonly Attempt[];
  readonly book: readonly Booked[];
  readonly look?: Look;
  readonly seen?: { readonly version: number; readonly kind: 'not-paid' | 'paid' | 'cancel'; readonly errs?: true };
  readonly used: {
    readonly resends: number;
    readonly callbacks: number;
    readonly decisions: number;
    readonly restores: number;
    readonly moves: number;
    readonly ids: number;
  };
  /** What was published, by revision. */
  readonly published: Readonly<Record<number, string>>;
  /** What was heard of the order's attempts when each end was written. */
  readonly heardAt: Readonly<Record<string, string>>;
  readonly wrong: string;
}

/** One move: its name, and the world after it. */
export type Move = readonly [name: string, after: () => World];

const [first, second] = ['account', 'other'] as const;
const hourMs = 3_600_000;
const nowMs = (hour: number) => hour * hourMs + 60_000;
const leaseMs = 300_000;
/** Quiet for half an hour, asked about for three. */
const contractOf = ({ endsDenied }: Bounds) => ({
  quietPeriodMs: hourMs / 2,
  horizonMs: 3 * hourMs,
  acceptedHorizonMs: Number.MAX_SAFE_INTEGER,
  endsDenied,
});

/** Before anything has happened. */
export function begin(kernel: Kernel, bounds: Bounds): World {
  return {
    item: { facts: kernel.noFacts, version: 0, number: 0, revision: 0, says: '' },
    account: first,
    tableNumber: 0,
    hour: 0,
    messages: Array.from({ length: bounds.messages }, () => ({})),
    flying: [],
    carried: [],
    book: [],
    used: { resends: 0, callbacks: 0, decisions: 0, restores: 0, moves: 0, ids: 0 },
    published: {},
    heardAt: {},
    wrong: '',
  };
}

const isUnderGap = (world: World) => world.item.number !== world.tableNumber;

function written(world: World, item: Partial<Item>): World {
  return { ...world, item: { ...world.item, ...item, version: world.item.version + 1 } };
}

/** The same world where the facts say nothing new. */
function added(kernel: Kernel, world: World, facts: Facts): World {
  const joined = kernel.join(world.item.facts, facts);
  return JSON.stringify(joined) === JSON.stringify(world.item.facts) ? world : written(world, { facts: joined });
}

/** Every move that this world allows. */
export function* moves(kernel: Kernel, bounds: Bounds, world: World): Generator<Move> {
  yield* deliveries(kernel, bounds, world);
  yield* posts(world);
  yield* answers(kernel, world);
  yield* gatewayMoves(world);
  yield* callbacks(kernel, bounds, world);
  yield* looks(kernel, bounds, world);
  yield* conclusions(kernel, bounds, world);
  yield* people(kernel, bounds, world);
  yield* restores(bounds, world);
  const { account, used } = world;
  if (used.moves < (bounds.moves ?? 0))
    yield [
      'the merchant moves to its other account',
      () => ({ ...world, account: account === first ? second : first, used: { ...used, moves: used.moves + 1 } }),
    ];
}

function* deliveries(kernel: Kernel, bounds: Bounds, world: World): Generator<Move> {
  const tried = new Set<string>();
  for (const message of world.messages) {
    const name = `deliver ${message.resends ?? ''}`;
    if (tried.has(name)) continue;
    tried.add(name);
    if (isUnderGap(world)) {
      if (Object.keys(world.item.facts.attempts).length > 0 || world.item.version > 0)
        yield [`${name}: under the gap`, () => lost(kernel, bounds, world)];
      continue;
    }
    const may = kernel.maySend(world.item.facts, message);
    if (may.kind === 'no' || world.used.ids >= bounds.attempts) continue;
    yield [name, () => claimed(kernel, bounds, world, may)];
  }
}

function attemptOf(world: World, bounds: Bounds, more: Partial<Attempt>): Attempt {
  return {
    id: `a${world.used.ids + 1}`,
    number: world.item.version + 1,
    atMs: 0,
    accounts: [world.account],
    askable: bounds.canAsk,
    leaseUntilMs: nowMs(world.hour) + leaseMs,
    ids: [],
    aliases: [],
    reports: [],
    amounts: [],
    negatives: {},
    ...more,
  };
}

function claimed(kernel: Kernel, bounds: Bounds, world: World, { reopens }: { readonly reopens?: string }): World {
  const attempt = attemptOf(world, bounds, {
    ...(reopens !== undefined && { reopens }),
    ...kernel.knownBefore(world.item.facts),
  });
  const last = world.published[world.item.revision] ?? '';
  // Whoever brings the next attempt of a series: its first one was opened by the name of the end that was published.
  const isOpened = reopens !== undefined && last.endsWith(` ${reopens}`);
  const isAgainstPublished =
    /^(declined|failed|cancelled|in-doubt|held unproven|held not-at-gateway|held several)/.test(last) && !isOpened;
  const wrong = isAgainstPublished
    ? `sent by itself, though "${last}" was published`
    : isKnownAlive(kernel, world)
      ? 'sent, though the ledger knows of an order that lives'
      : reopens !== undefined &&
          world.item.facts.ends[reopens] &&
          !Object.values(world.item.facts.attempts).some((it) => it.reopens === reopens) &&
          world.heardAt[reopens] !== heardOf(world.item.facts)
        ? 'opened by the name of an end that a sign of life has outdated'
        : '';
  return {
    ...written(world, { facts: kernel.drop(kernel.join(world.item.facts, kernel.ofAttempt(attempt))) }),
    flying: [...world.flying, attempt],
    used: { ...world.used, ids: world.used.ids + 1 },
    ...(wrong !== '' && { wrong }),
  };
}

/** The write that gives an item the number of its table's restore adds the place of what may be lost. */
function lost(kernel: Kernel, bounds: Bounds, world: World): World {
  const attempt = attemptOf(world, bounds, {
    id: `lost${world.tableNumber}`,
    lost: true,
    accounts: world.used.moves > 0 ? [first, second] : [first],
    leaseUntilMs: nowMs(world.hour),
  });
  return written(world, { facts: kernel.join(world.item.facts, kernel.ofAttempt(attempt)), number: world.tableNumber });
}

const refused = (about: 'order' | 'account' | 'pace', connected: boolean) =>
  ({ kind: 'refused', about, connected, code: about, message: about, atMs: 0 }) as const;

function* posts(world: World): Generator<Move> {
  for (const attempt of world.flying) {
    const left = { ...world, flying: world.flying.filter((it) => it !== attempt) };
    const [account = first] = attempt.accounts;
    const n = world.book.filter((it) => it.account === account).length + 1;
    const id = `90${n}`;
    const book = (visible: boolean, excused = false): readonly Booked[] => [
      ...world.book,
      { id, account, attempt: attempt.id, truth: 'in', visible, excused },
    ];
    const carry = (answer: Attempt['answer'], ids: readonly string[] = []): readonly Attempt[] => [
      ...world.carried,
      { ...attempt, ...(answer && { answer }), ids },
    ];
    const silence: Attempt = { ...attempt, lapsed: { code: 'NO_ANSWER', message: 'no answer' } };
    const name = `post ${attempt.id}`;
    yield [`${name}: taken`, () => ({ ...left, book: book(true), carried: carry({ kind: 'taken', atMs: 0 }, [id]) })];
    yield [`${name}: taken, no answer`, () => ({ ...left, book: book(false), carried: [...world.carried, silence] })];
    yield [`${name}: taken, the worker dies`, () => ({ ...left, book: book(false) })];
    yield [
      `${name}: taken, answered 429`,
      () => ({ ...left, book: book(true, !attempt.askable), carried: carry(refused('pace', true)) }),
    ];
    yield [`${name}: never arrives, no answer`, () => ({ ...left, carried: [...world.carried, silence] })];
    yield [`${name}: the worker dies before`, () => left];
    yield [`${name}: no connection`, () => ({ ...left, carried: carry(refused('pace', false)) })];
    yield [`${name}: 429`, () => ({ ...left, carried: carry(refused('pace', true)) })];
    yield [`${name}: refused`, () => ({ ...left, carried: carry(refused('order', true)) })];
  }
}

function* answers(kernel: Kernel, world: World): Generator<Move> {
  for (const answer of world.carried) {
    const now = added(kernel, world, kernel.factsOfAnswer(world.item.facts, answer));
    // It comes at least once: what was written may be delivered again.
    if (now !== world) yield [`write the answer of ${answer.id}`, () => now];
    else
      yield [
        `the answer of ${answer.id} is done`,
        () => ({ ...world, carried: world.carried.filter((it) => it !== answer) }),
      ];
  }
}

function* gatewayMoves(world: World): Generator<Move> {
  for (const it of world.book) {
    const becomes = (change: Partial<Booked>): World => ({
      ...world,
      book: world.book.map((other) => (other === it ? { ...it, ...change } : other)),
    });
    if (it.truth === 'in') yield [`the gateway pays ${it.id}`, () => becomes({ truth: 'paid' })];
    if (it.truth === 'in') yield [`the gateway declines ${it.id}`, () => becomes({ truth: 'refused' })];
  }
}

const levels = { in: 'seen', paid: 'approved', refused: 'declined' } as const;
const reportOf = ({ id, truth, account }: Booked): Report => ({ id, level: levels[truth], account, atMs: 0 });

/** An account that no attempt was sent to calls back: a sign of life that is no second transaction. */
const elsewhere = (kernel: Kernel, { attempts }: Facts): Facts => ({
  ...kernel.noFacts,
  unattributed: { [kernel.placeOfSaid(kernel.attemptsOf({ attempts }))]: { reports: ['seen'] } },
});

function* callbacks(kernel: Kernel, bounds: Bounds, world: World): Generator<Move> {
  const { facts } = world.item;
  const heard = (said: Facts): World => {
    const next = added(kernel, world, said);
    return { ...next, used: { ...world.used, callbacks: world.used.callbacks + 1 } };
  };
  if (world.used.callbacks >= bounds.callbacks) return;
  const isSentTo = (account: string) =>
    Object.values(facts.attempts).some(({ accounts }) => accounts.includes(account));
  for (const it of world.book)
    // On time, or as it was before.
    for (const report of [reportOf(it), { ...reportOf(it), level: 'seen' as const }].slice(
      0,
      it.truth === 'in' ? 1 : 2,
    ))
      yield [
        `callback ${it.id} ${report.level}`,
        () => heard(isSentTo(report.account) ? kernel.factsOfReport(facts, report) : elsewhere(kernel, facts)),
      ];
  if (world.item.version > 0)
    yield ['an account that no attempt was sent to calls back', () => heard(elsewhere(kernel, facts))];
}

function* looks(kernel: Kernel, bounds: Bounds, world: World): Generator<Move> {
  if (!bounds.canAsk) return;
  const { facts, version } = world.item;
  const { look } = world;
  if (!look && Object.keys(facts.attempts).length > 0) {
    const refusedNow = Object.values(facts.attempts).flatMap((it) => (it.answer?.kind === 'refused' ? [it.id] : []));
    const sentTo = [...new Set(Object.values(facts.attempts).flatMap(({ accounts }) => accounts))];
    for (const account of sentTo) {
      const asked = { version, hour: world.hour, refused: refusedNow, account };
      const shown = world.book.filter((it) => it.visible && it.account === account);
      // By id where one is known, by the order's own id else: then the gateway names any of those that it has.
      for (const it of shown)
        yield [`look: ${it.id} ${it.truth}`, () => ({ ...world, look: { ...asked, report: reportOf(it) } })];
      if (shown.length === 0) yield [`look: no such order at ${account}`, () => ({ ...world, look: asked })];
    }
  }
  if (look && look.version !== version) yield ['the look is lost', () => withoutLook(world)];
  if (look && look.version === version)
    yield [
      'write the look',
      () => {
        const { report } = look;
        if (report) return added(kernel, withoutLook(world), kernel.factsOfReport(facts, report));
        return added(kernel, withoutLook(world), negativeOf(kernel, facts, look));
      },
    ];
}

function withoutLook({ look: _look, ...world }: World): World {
  return world;
}

/** The account knows none: counted for each attempt of which there is no sign of life. */
function negativeOf(kernel: Kernel, facts: Facts, { hour, refused: read, account }: Look): Facts {
  const atMs = nowMs(hour);
  const attempts = Object.values(facts.attempts)
    .filter((it) => kernel.signOfLife(it) === '' && it.accounts.includes(account))
    .map((it) => {
      const negative = { firstMs: atMs, lastMs: atMs, sinceRefusal: read.includes(it.id), denies: false };
      return [it.id, { ...it, negatives: { [account]: negative } }] as const;
    });
  return { ...kernel.noFacts, attempts: Object.fromEntries(attempts) };
}

/** What time brings, ends, and what is published: written by whoever sees it. */
function* conclusions(kernel: Kernel, bounds: Bounds, world: World): Generator<Move> {
  const { facts } = world.item;
  if (world.hour < bounds.hours)
    yield [
      'an hour passes',
      // No byte leaves after the lease, and what was taken is shown by then.
      () => ({ ...world, hour: world.hour + 1, flying: [], book: world.book.map((it) => ({ ...it, visible: true })) }),
    ];
  const contract = contractOf(bounds);
  const timely = added(kernel, world, kernel.factsOfTime(facts, nowMs(world.hour), contract));
  if (timely !== world) yield ['write what time has brought', () => timely];
  if (isUnderGap(world)) return;
  const end = kernel.endDue(facts, contract);
  if (end)
    yield [
      `end: ${end.reason}`,
      () => {
        const number = world.item.version + 1;
        const it = kernel.endOf(facts, { id: `e${number}`, number, ...end }, nowMs(world.hour));
        const now = added(kernel, world, { ...kernel.noFacts, ends: { [it.id]: it } });
        return judged(kernel, { ...now, heardAt: { ...world.heardAt, [it.id]: heardOf(facts) } }, end.reason);
      },
    ];
  const status = kernel.fold(facts);
  const says = saysOf(status);
  if (says !== '' && says !== world.item.says)
    yield [
      `publish ${says}`,
      () => {
        const revision = nextRevision(kernel, world.item);
        const earlier = world.published[revision];
        const now = {
          ...written(world, { revision, says }),
          published: { ...world.published, [revision]: says },
          ...(earlier !== undefined &&
            earlier !== says && { wrong: `revision ${revision} said "${earlier}", and now "${says}"` }),
        };
        return judged(kernel, now, says);
      },
    ];
}

/** The revision that the shipped writer gives a result that has changed. */
function nextRevision(kernel: Kernel, { facts, version, revision }: Item): number {
  const published = { revision, digest: 'of what was told before', atMs: 0 };
  const content = { operation: 'payout', endpointId: '1', fingerprint: 'k1.x' } as const;
  const order = { ...newOrder('m/o', 0, content), version, facts, published };
  return kernel.published(order, order, { nowMs: 0 }).published.revision;
}

function saysOf(status: ReturnType<Kernel['fold']>): string {
  switch (status.kind) {
    case 'new':
    case 'submitting':
    case 'ready':
    case 'ending':
      return '';
    case 'declined':
    case 'failed':
    case 'cancelled':
      return `${status.kind} ${status.end.id}`;
    case 'held':
      return `held ${status.reason}`;
    default:
      return status.kind;
  }
}

/** Orders of the gateway's by which money may move, or did. */
const alive = ({ book }: World): readonly Booked[] => book.filter(({ truth }) => truth === 'in' || truth === 'paid');

const mayHaveMoved = (world: World): number => alive(world).filter(({ excused }) => !excused).length;

/** What the item holds of what was heard of its attempts. */
function heardOf({ attempts, unattributed }: Facts): string {
  const heard = Object.values(attempts).map(({ id, answer, ids, reports }) => [
    id,
    answer?.kind === 'taken',
    ids,
    reports,
  ]);
  return JSON.stringify([
    heard.filter(([, taken, ids, reports]) => taken === true || [ids, reports].flat().length > 0),
    // That something nobody knows was declined is no sign that money may move.
    Object.entries(unattributed).filter(([, { reports }]) => reports.some((level) => level !== 'declined')),
  ]);
}

/** True where the ledger knows the id of an order by which money may move, and no person has seen all of it. */
function isKnownAlive(kernel: Kernel, world: World): boolean {
  const { facts } = world.item;
  const covered = Object.values(facts.decisions).filter(({ kind }) => kind === 'not-paid');
  const isHeard = ({ id = '', account }: Pick<Report, 'id' | 'account'>) =>
    kernel.placeAt(id, account) in facts.unattributed && covered.length === 0;
  const isAstray = Object.keys(facts.unattributed).some(kernel.isSaidPlace) && covered.length === 0;
  return (
    isAstray ||
    alive(world).some(({ id, account }) => {
      const attempt = Object.values(facts.attempts).findLast(
        (it) => it.accounts.includes(account) && it.ids.includes(id),
      );
      if (!attempt) return isHeard({ id, account });
      const heard = [
        attempt.answer?.kind === 'taken' ? ['taken'] : [],
        attempt.ids,
        attempt.aliases,
        attempt.reports,
        attempt.amounts,
      ];
      const sign = heard.some((it) => it.length > 0) ? heard.map((it) => it.join(',')).join('|') : '';
      return sign !== '' && !covered.some(({ saw }) => saw[attempt.id] === sign);
    })
  );
}

/** What is said against the gateway's book. */
function judged(kernel: Kernel, world: World, says: string): World {
  if (world.wrong !== '') return world;
  const isNoMoney = /^(declined|failed|cancelled|refused|denied|decided)/.test(says);
  if (isNoMoney && mayHaveMoved(world) + world.flying.length > 0)
    return { ...world, wrong: `"${says}", though money may move` };
  if (isNoMoney && isKnownAlive(kernel, world))
    return { ...world, wrong: `"${says}", though the ledger knows of an order that lives` };
  const isDecided = Object.values(world.item.facts.decisions).some(({ kind }) => kind === 'paid');
  if (says.startsWith('approved') && !isDecided && !world.book.some(({ truth }) => truth === 'paid'))
    return { ...world, wrong: '"approved", though nothing was paid' };
  if (says.startsWith('accepted') && world.book.length === 0)
    return { ...world, wrong: '"accepted", though the gateway has no such order' };
  return world;
}

/** People: one decides what the gateway's book showed, over the order as it was then; one errs about what lives. */
function* people(kernel: Kernel, bounds: Bounds, world: World): Generator<Move> {
  const { facts, version } = world.item;
  const status = kernel.fold(facts).kind;
  const { seen, used } = world;
  if (!seen && used.decisions < bounds.decisions) {
    const leasesAreOver = Object.values(facts.attempts).every(({ leaseUntilMs }) => nowMs(world.hour) > leaseUntilMs);
    const isOpen = status === 'in-doubt' || status === 'accepted' || status === 'held';
    if (isOpen && leasesAreOver && mayHaveMoved(world) === 0 && world.flying.length === 0 && !isUnderGap(world))
      yield ['a person sees that nothing was paid', () => ({ ...world, seen: { version, kind: 'not-paid' } })];
    if (isOpen && world.book.some(({ truth }) => truth === 'paid'))
      yield ['a person sees that it was paid', () => ({ ...world, seen: { version, kind: 'paid' } })];
    if (isOpen && leasesAreOver && alive(world).length > 0)
      yield ['a person errs: not paid', () => ({ ...world, seen: { version, kind: 'not-paid', errs: true } })];
    yield ['a person reads the order', () => ({ ...world, seen: { version, kind: 'cancel' } })];
  }
  if (!seen) {
    const end = kernel.endInForce(facts);
    if (
      end &&
      used.resends < bounds.resends &&
      world.item.says.endsWith(end.id) &&
      (status === 'declined' || status === 'failed')
    ) {
      yield [
        `resend ${end.id}, twice`,
        () => ({
          ...world,
          messages: [...world.messages, { resends: end.id }],
          used: { ...used, resends: used.resends + 1 },
        }),
      ];
    }
    return;
  }
  const { seen: _, ...rest } = world;
  // Never tried again: a decision is about what its person saw.
  if (seen.version !== version) yield ['the decision is refused', () => rest];
  else
    yield [
      `decide: ${seen.kind}`,
      () => {
        const id = `d${used.decisions + 1}`;
        const saw = Object.fromEntries(Object.values(facts.attempts).map((it) => [it.id, kernel.signOfLife(it)]));
        const decision = {
          id,
          kind: seen.kind,
          by: 'p',
          reason: 'r',
          atMs: 0,
          saw,
          sawUnattributed: kernel.unattributedSign(facts),
        };
        const now = added(kernel, rest, { ...kernel.noFacts, decisions: { [id]: decision } });
        const book = seen.errs ? world.book.map((it) => ({ ...it, excused: true })) : world.book;
        return { ...now, book, used: { ...used, decisions: used.decisions + 1 } };
      },
    ];
}

function* restores(bounds: Bounds, world: World): Generator<Move> {
  const { backup, used, item } = world;
  if (used.restores >= bounds.restores) return;
  if (!backup) yield ['back up', () => ({ ...world, backup: item })];
  else
    yield [
      'restore',
      () => {
        const { backup: _, look: _look, seen: _seen, ...rest } = world;
        const above = item.version + 100;
        const number = bounds.numberComesLate ? world.tableNumber : world.tableNumber + 1;
        return {
          ...rest,
          item: { ...backup, version: above, revision: item.revision + 100 },
          tableNumber: number,
          used: { ...used, restores: used.restores + 1 },
        };
      },
    ];
}

/** The promise that this world breaks, in words; undefined where none. */
export function breach(world: World): string | undefined {
  if (world.wrong !== '') return world.wrong;
  return mayHaveMoved(world) > 1 ? 'paid twice' : undefined;
}

/** All that makes a difference for what may follow; versions count by their order alone. */
export function keyOf(world: World): string {
  const { item, backup, seen, look } = world;
  const numbers = [
    ...new Set(
      [item, backup].flatMap((it) =>
        it
          ? [
              it.version,
              ...Object.values(it.facts.attempts).map(({ number }) => number),
              ...Object.values(it.facts.ends).map(({ number }) => number),
            ]
          : [],
      ),
    ),
  ].toSorted((a, b) => a - b);
  const rank = new Map(numbers.map((it, at) => [it, at]));
  const text = JSON.stringify(
    {
      ...world,
      seen: seen && [seen.kind, seen.version === item.version],
      look: look && { ...look, version: look.version === item.version },
    },
    (key, value: unknown) =>
      (key === 'number' || key === 'version') && typeof value === 'number' ? (rank.get(value) ?? value) : value,
  );
  // Ends are named after versions.
  return text.replaceAll(/"e(\d+)"/g, (_, n: string) => `"e${rank.get(Number(n)) ?? n}"`);
}
