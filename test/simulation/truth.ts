// The real events, unknown inside the world: the jobs of senders, the gateway's POSTs and commits,
// the ledger's writes over time. Each fact is compared with the promises of test/README.md in the moment in which it comes true.
import { type AskedOrder, faultOfMoney } from './asked-order.ts';
import type { SeenOrder, SeenOrders } from './seen.ts';
import { parseAmount } from '../../lib/gateway/money.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import type { Book } from './gateway-book.ts';
import type { Mood, Post } from './gateway-moods.ts';
import { faultOfWrite } from './ledger-rules.ts';
import type { Contract } from './merchants.ts';
import type { Process } from './process.ts';
import { faultOfResult } from './result-rules.ts';
import { faultOfCaps, faultOfDenial, faultOfDoubt } from './settlement-rules.ts';
import { createVolume } from './volume-rules.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';

/** A POST that left a process. */
export interface SentPost {
  readonly post: Post;
  readonly mood: Mood;
  readonly owner: string;
  readonly sentAtMs: number;
  /** A living process has its evidence. */
  heard: boolean;
  /** Never processed, by the gateway's denial over the quiet period or a person's decision. */
  disproved: boolean;
}

/** A message that a sender put on the jobs queue. */
interface SentMessage {
  readonly order: AskedOrder | undefined;
  /** The end of its order that it names. */
  readonly names: string | undefined;
  /** Its place in the order of everything published and sent. */
  readonly place: number;
}

/** The facts, and the first promise that one of them broke. */
export interface Truth {
  readonly broken: () => string | undefined;
  breaks(promise: string): void;
  /** Counts the changes outside the processes; while the count is the same, one moment cannot be told from another. */
  changes(): number;
  changed(): void;
  readonly orders: ReadonlyMap<string, AskedOrder>;
  readonly messages: ReadonlyMap<string, SentMessage>;
  readonly sentPosts: ReadonlyMap<string, readonly SentPost[]>;
  /** Claims whose process died in the middle, or that landed when it had given them up. */
  readonly lostClaims: ReadonlySet<string>;
  /** Claims whose process may not have heard that they landed. */
  readonly unsureClaims: ReadonlySet<string>;
  /** Orders whose answer neither the ledger nor the worker's own queue would keep. */
  readonly refusedAnswers: ReadonlySet<string>;
  /** The name of the end that was published last, by order. */
  readonly toldEnds: ReadonlyMap<string, string>;
  /** Nothing of the order was paid, or will be. */
  isSafeToResend(order: string): boolean;
  /** The highest revision that was published, by order. */
  readonly toldRevisions: ReadonlyMap<string, number>;
  /** Orders whose sender last heard that they have failed. */
  readonly toldFailed: ReadonlySet<string>;
  sends(messageId: string, order: AskedOrder | undefined, names?: string): void;
  /** Another message has taken the place of this one. */
  isReplaced(messageId: string): void;
  isCommitted(order: string): boolean;
  /** The POSTs of the order that may have moved money, or may yet. */
  livingPosts(order: string): readonly SentPost[];
  /** There is one. */
  mayMoveMoney(order: string): boolean;
  /** A POST of the order is under way that the gateway will commit later. */
  mayStillCommit(order: string): boolean;
  pauses(merchant: string, paused: boolean): void;
  /** The meaning of its denials was changed while orders were open. */
  changesContract(merchant: string): void;
  /** From now on nothing goes wrong any more; or everything may again. */
  weatherIs(fair: boolean): void;
  /** A callback about the order is gone for good: its late end may never be heard of, or of its undoing. */
  losesHint(order: string, about: 'end' | 'undoing'): void;
  isHintLost(order: string, about: 'end' | 'undoing'): boolean;
  /** The gateway itself has named an attempt of the order that is not in its book. */
  namesAnother(order: string): void;
  hasNamedAnother(order: string): boolean;
  /** Another account calls back that it has paid an order of this id, under this id of its own. */
  paysElsewhere(order: string, gatewayOrderId: string): void;
  isPaidElsewhere(order: string): boolean;
  /** The table is another one, restored to an earlier moment. */
  restores(): void;
  isRestored(): boolean;
  /** Compares the orders in doubt with their horizon. */
  inquiriesAboutDoubt(): void;
  posts(post: Post, mood: Mood, process: Process): SentPost;
  hears(sent: SentPost): void;
  /** The gateway is asked about the order. */
  asks(order: string): void;
  willCommit(post: Post): void;
  commits(post: Post, gatewayOrderId: string): void;
  writes(before: SeenOrder | undefined, after: SeenOrder): void;
  tells(result: Result): void;
  losesClaims(owners: ReadonlySet<string>): void;
  losesAnswer(order: string): void;
  doubtsClaims(owner: string | undefined): void;
  /** Nothing of this message is on any queue any more. */
  leaves(messageId: string): void;
  /** A result published since the message was sent, or a refusal of the message itself. */
  wasTold(messageId: string): boolean;
  wasRefused(messageId: string): boolean;
}

/** The sources of the truth. */
export interface TruthSources {
  readonly entries: SeenOrders;
  readonly book: Book;
  readonly timeline: Timeline;
  readonly story: Story;
  readonly contracts: Readonly<Record<string, Contract>>;
  /** Two clocks differ by so much at most. */
  readonly skewMs: number;
}

/** No facts yet. */
export function createTruth({ entries, book, timeline, story, contracts, skewMs }: TruthSources): Truth {
  const orders = new Map<string, AskedOrder>();
  const messages = new Map<string, SentMessage>();
  const sentPosts = new Map<string, SentPost[]>();
  const promised = new Set<string>();
  const [pausedSince, doubtSince] = [new Map<string, number>(), new Map<string, number>()];
  const lostHints = new Set<string>();
  const namedAnother = new Set<string>();
  const paidElsewhere = new Map<string, string>();
  const changedContracts = new Set<string>();
  const volume = createVolume(skewMs);
  let fairSinceMs = Infinity;
  const snapshots = new Map<string, SeenOrder>();
  /** After a restore a result may bear a revision that no item had, above all of before: of each order the states since. */
  const sinceRestore = new Map<string, SeenOrder[]>();
  const toldEnds = new Map<string, string>();
  const toldTexts = new Map<string, string>();
  const [toldPlaces, toldRevisions] = [new Map<string, number>(), new Map<string, number>()];
  const toldFailed = new Set<string>();
  const [lostClaims, refusedAnswers, unsureClaims] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let broken: string | undefined;
  let isRestored = false;
  let [places, changes, doubtSeenMs] = [0, 0, 0];

  function breaks(promise: string): void {
    broken ??= promise;
    story.tell('PROMISE', '', () => `BROKEN: ${promise}`);
  }

  const breaksBy = (fault: string | undefined) => fault !== undefined && breaks(fault);

  const livingPosts = (order: string) =>
    (sentPosts.get(order) ?? []).filter(
      ({ post, mood, heard, disproved }) =>
        !disproved && !(heard && mood.provesNothingMoved) && !isDeclined(order, post),
    );

  /** True while an earlier POST of the order may have moved money, or may yet. */
  const mayMoveMoney = (order: string) => livingPosts(order).length > 0;

  /** The gateway has this very attempt, and its status is that it did not pay it. */
  const isDeclined = (order: string, post: Post) =>
    book.of(order).some((it) => it.post === post && ['declined', 'filtered'].includes(book.statusNow(it) ?? ''));

  /** The gateway has refused this very order: not its sender, its pace or its address. */
  const isAboutTheOrder = (order: string) =>
    (sentPosts.get(order) ?? []).some(({ mood, heard }) => heard && mood.refusesTheOrder);

  /** The order's entry shows that another account has paid it, and no person has decided since about anything. */
  function isKnownElsewhere({ key, surprises = [], order }: SeenOrder): boolean {
    const id = paidElsewhere.get(key);
    const isHeard = id !== undefined && surprises.some((it) => it.startsWith('approved ') && it.includes(` ${id} `));
    return isHeard && Object.keys(order.facts.decisions).length === 0;
  }

  function faultOfPost(post: Post, entry: SeenOrder | undefined, process: Process): string | undefined {
    if (!orders.has(post.order)) return `a POST left for ${post.order}, which has no job`;
    if (!entry) return `a POST left for ${post.order} without a claim`;
    if (entry.state === 'cancelled') return `a POST left for ${post.order}, which was cancelled`;
    if (process.begunAtMs() > (pausedSince.get(entry.merchant) ?? Infinity))
      return `a POST left for ${post.order}, though its merchant was paused before`;
    if (isKnownElsewhere(entry)) return `a POST left for ${post.order}, which another account has paid`;
    if (!entry.owner.startsWith(`${process.name}_`)) return `a POST left for ${post.order} under somebody else's claim`;
    if (process.nowMs() > entry.leaseUntilMs) return `a POST left for ${post.order} after its lease was over`;
    const amount = parseAmount(post.amount, post.currency);
    const units = amount.kind === 'amount' ? amount.minorUnits : undefined;
    if (units !== entry.money?.minorUnits) return `a POST for ${post.order} asked for another amount than the ledger's`;
    if (mayMoveMoney(post.order)) return `a second POST left for ${post.order}, though the first may have moved money`;
    return undefined;
  }

  function faultOfSaying(entry: SeenOrder): string | undefined {
    const { key, state, gatewayOrderId, failure, merchant, history, order } = entry;
    const isOpened = state === 'declined' || state === 'failed' || state === 'ready';
    if (isOpened && isKnownElsewhere(entry)) return `${key} is ${state}, though another account has paid it`;
    // A signed callback may be believed, though the book does not bear it out.
    if (namedAnother.has(key) && (state === 'approved' || state === 'accepted')) return undefined;
    switch (state) {
      case 'declined':
        if (book.everWas(key, 'declined', 'filtered')) return undefined;
        if (book.of(key).length > 0) return `${key} is declined, though the gateway never declined it`;
        if (mayMoveMoney(key)) return `${key} is declined, though its POST may have moved money`;
        return isAboutTheOrder(key) ? undefined : `${key} is declined for what is not about the order`;
      case 'failed':
      case 'ready': {
        const isDenied = failure?.code === 'NOT_AT_GATEWAY';
        const own = contracts[merchant] ?? silent;
        const contract = changedContracts.has(merchant) ? { ...own, resubmitUnknownOrders: true } : own;
        const fault = isDenied && faultOfDenial(entry, book.denials(key), contract, skewMs);
        if (fault) return fault;
        if (isDenied || failure?.code === 'RELEASED_NOT_PAID')
          for (const sent of sentPosts.get(key) ?? []) sent.disproved = true;
        return mayMoveMoney(key) ? `${key} is ${state}, though its POST may have moved money` : undefined;
      }
      case 'approved':
      case 'accepted': {
        const bookings = book.of(key);
        if (bookings.length === 0) return `${key} is ${state}, though the gateway committed nothing`;
        if (
          state === 'approved' &&
          !book.everWas(key, 'approved') &&
          !history.some(({ reason }) => reason === 'released-as-paid')
        )
          return `${key} is approved, though the gateway never approved it`;
        const mayLackId = sentPosts.get(key)?.some(({ mood }) => mood.onlyWithoutIdentity) ?? false;
        if (gatewayOrderId === undefined ? mayLackId : bookings.some((it) => it.gatewayOrderId === gatewayOrderId))
          return undefined;
        // Ids that may belong to several attempts are kept beside them.
        const unknown = Object.values(order.facts.unknown);
        if (gatewayOrderId === undefined && bookings.some((it) => unknown.some(({ id }) => id === it.gatewayOrderId)))
          return undefined;
        return `${key} is ${state} under the id ${gatewayOrderId}, which is not the gateway's`;
      }
      default:
        return undefined;
    }
  }

  const states = (entry: SeenOrder | undefined) => (entry ? [entry] : []);

  const isOpen = (entry: SeenOrder | undefined) =>
    entry !== undefined && (entry.unpublished === true || !ends.has(entry.state));

  const truth: Truth = {
    livingPosts,
    mayMoveMoney,
    broken: () => broken,
    breaks,
    changes: () => changes,
    changed: () => void (changes += 1),
    orders,
    messages,
    sentPosts,
    lostClaims,
    refusedAnswers,
    unsureClaims,
    toldEnds,
    isSafeToResend: (order) =>
      !promised.has(order) &&
      book.of(order).every(({ turns }) => turns.every(({ status }) => status === 'declined' || status === 'filtered')),
    toldRevisions,
    toldFailed,
    sends(messageId, order, names) {
      messages.set(messageId, { order, names, place: (places += 1) });
      changes += 1;
      const sums = orders.get(order?.key ?? '')?.sums ?? [];
      if (order) orders.set(order.key, { key: order.key, sums: [...sums, ...order.sums] });
    },
    isReplaced(messageId) {
      const message = messages.get(messageId);
      if (message) messages.set(messageId, { ...message, place: -1 });
    },
    isCommitted: (order) => book.of(order).length > 0,
    mayStillCommit: (order) => promised.has(order),
    changesContract: (merchant) => void changedContracts.add(merchant),
    pauses(merchant, paused) {
      pausedSince.set(merchant, paused ? timeline.nowMs() : Infinity);
    },
    weatherIs: (fair) => void (fairSinceMs = fair ? timeline.nowMs() : Infinity),
    restores: () => void (isRestored = true),
    isRestored: () => isRestored,
    losesHint: (order, about) => void lostHints.add(`${order} ${about}`),
    namesAnother: (order) => void namedAnother.add(order),
    hasNamedAnother: (order) => namedAnother.has(order),
    paysElsewhere: (order, id) => void paidElsewhere.set(order, id),
    isPaidElsewhere: (order) => paidElsewhere.has(order),
    isHintLost: (order, about) => lostHints.has(`${order} ${about}`),
    inquiriesAboutDoubt() {
      const nowMs = timeline.nowMs();
      if (nowMs < doubtSeenMs + 60_000) return;
      doubtSeenMs = nowMs;
      for (const [key, sinceMs] of doubtSince) {
        const entry = entries.get(key);
        const contract = contracts[entry?.merchant ?? ''] ?? silent;
        const fault = entry && faultOfDoubt(entry, { sinceMs, fairSinceMs, nowMs, contract, skewMs });
        if (fault) truth.breaks(fault);
      }
    },
    posts(post, mood, process) {
      changes += 1;
      const entry = entries.get(post.order);
      breaksBy(faultOfPost(post, entry, process));
      const sentAtMs = timeline.nowMs();
      const sent = { post, mood, owner: entry?.owner ?? '', sentAtMs, heard: false, disproved: false };
      const earlier = sentPosts.get(post.order);
      if (earlier) earlier.push(sent);
      else sentPosts.set(post.order, [sent]);
      breaksBy(faultOfCaps(sent, contracts[entry?.merchant ?? ''], sentPosts));
      return sent;
    },
    hears: (sent) => void (sent.heard = true),
    asks: (order) => breaksBy(volume.asks(order, timeline.nowMs())),
    willCommit({ order }) {
      promised.add(order);
      story.tell('gateway', order, () => 'will commit this order late');
    },
    commits({ order }, gatewayOrderId) {
      changes += 1;
      story.tell('gateway', order, () => `COMMITS the order as ${gatewayOrderId}`);
      // A booking that ended without moving money does not count.
      const paid = book.of(order).some(({ turns }) => turns.some(({ status }) => status === 'approved'));
      if (paid) breaks(`${order} was paid twice`);
    },
    writes(before, after) {
      changes += 1;
      volume.writes(before, after, timeline.nowMs());
      // A callback that is only noted, on an item as the backup has it, decides nothing: it is not acted on before it is read.
      const isNoted = isRestored && before?.order.facts === after.order.facts;
      const fault =
        faultOfWrite(before?.order, after.order, isRestored) ??
        faultOfMoney(after, orders.get(after.key)) ??
        (isNoted ? undefined : faultOfSaying(after));
      if (fault) breaks(fault);
      if (after.state !== 'in-doubt') doubtSince.delete(after.key);
      else if (before?.state !== 'in-doubt') doubtSince.set(after.key, timeline.nowMs());
      if (before?.revision !== after.revision) snapshots.set(`${after.key}/${after.revision}`, after);
      if (isRestored) sinceRestore.set(after.key, [...(sinceRestore.get(after.key) ?? states(before)), after]);
    },
    tells(result) {
      changes += 1;
      const [{ resultId, revision = 0 }, text] = [result, JSON.stringify(result)];
      const order = resultId.slice(0, resultId.lastIndexOf('/'));
      const known = snapshots.get(resultId);
      const since = known
        ? []
        : (sinceRestore.get(order) ?? states(isRestored ? entries.get(order) : undefined)).map((it) => ({
            ...it,
            revision,
          }));
      const faults = [known, ...since].map((it) => faultOfResult(result, it, text, toldTexts.get(resultId)));
      if (!faults.includes(undefined)) breaksBy(faults.at(-1));
      toldTexts.set(resultId, text);
      const about = resultId.startsWith('rejected/') ? resultId.split('/', 2).join('/') : order;
      toldPlaces.set(about, (places += 1));
      if (revision < (toldRevisions.get(order) ?? 0)) return;
      toldRevisions.set(order, revision);
      toldFailed[result.status === 'failed' ? 'add' : 'delete'](order);
      if (result.endId === undefined) toldEnds.delete(order);
      else toldEnds.set(order, result.endId);
    },
    losesClaims(owners) {
      for (const owner of owners) lostClaims.add(owner);
    },
    losesAnswer: (order) => void refusedAnswers.add(order),
    doubtsClaims: (owner) => void unsureClaims.add(owner ?? ''),
    leaves(messageId) {
      const key = messages.get(messageId)?.order?.key;
      if (truth.wasTold(messageId) || isOpen(entries.get(key ?? ''))) return;
      breaks(`message ${messageId}${key ? ` of ${key}` : ''} vanished: no result was told and nothing holds it`);
    },
    wasTold(id) {
      const message = messages.get(id);
      return !message || truth.wasRefused(id) || (toldPlaces.get(message.order?.key ?? '') ?? 0) > message.place;
    },
    wasRefused: (messageId) => toldPlaces.has(`rejected/${messageId}`),
  };
  return truth;
}

const ends: ReadonlySet<string> = new Set(['accepted', 'approved', 'declined', 'failed', 'cancelled']);
const silent: Contract = { statusInquiry: false, duplicateOrderIds: 'accepted' };
