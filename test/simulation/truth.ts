// What really happened, known to nobody inside the world: what was asked for, what the gateway was sent and committed,
// what the ledger said when. Each fact is held against the promises of DESIGN 2 in the moment in which it comes true.
import type { LedgerEntry } from '../../lib/domain/ledger.ts';
import { parseAmount } from '../../lib/domain/money.ts';
import type { Result } from '../../lib/domain/result.ts';
import type { Mood, Post } from './gateway-moods.ts';
import { faultOfWrite, isSameMoney } from './ledger-rules.ts';
import type { Process } from './process.ts';
import { faultOfResult } from './result-rules.ts';
import type { Story } from './story.ts';

/** A POST that left a process. */
export interface SentPost {
  readonly post: Post;
  readonly mood: Mood;
  readonly owner: string;
  /** A living process has its evidence. */
  heard: boolean;
}

/** One order as its sender knows it; several contents where an order id was used twice by mistake. */
export interface AskedOrder {
  readonly key: string;
  readonly contents: readonly { readonly currency: string; readonly minorUnits: bigint }[];
}

/** A message that a sender put on the jobs queue. */
interface SentMessage {
  readonly order: AskedOrder | undefined;
  /** Its place in the order of everything told and sent. */
  readonly place: number;
}

/** The facts, and the first promise that one of them broke. */
export interface Truth {
  readonly broken: () => string | undefined;
  breaks(promise: string): void;
  /** Counts what has changed outside the processes; where it stands still, nobody could tell one moment from another. */
  changes(): number;
  changed(): void;
  readonly orders: ReadonlyMap<string, AskedOrder>;
  readonly messages: ReadonlyMap<string, SentMessage>;
  readonly sentPosts: ReadonlyMap<string, readonly SentPost[]>;
  /** Claims whose process died in the middle. */
  readonly lostClaims: ReadonlySet<string>;
  /** Orders whose answer found neither the ledger nor the jobs queue willing. */
  readonly refusedAnswers: ReadonlySet<string>;
  /** The highest revision that was told, by order. */
  readonly toldRevisions: ReadonlyMap<string, number>;
  sends(messageId: string, order: AskedOrder | undefined): void;
  /** Another message has taken over what this one asked for. */
  isReplaced(messageId: string): void;
  isCommitted(order: string): boolean;
  /** Orders that the gateway committed. */
  committedCount(): number;
  posts(post: Post, mood: Mood, process: Process): SentPost;
  hears(sent: SentPost): void;
  willCommit(post: Post): void;
  commits(post: Post, gatewayOrderId: string): void;
  writes(before: LedgerEntry | undefined, after: LedgerEntry | undefined): void;
  tells(result: Result): void;
  losesClaims(owners: ReadonlySet<string>): void;
  refusesAnswerOf(messageId: string): void;
  /** Nothing of this message is on any queue any more. */
  leaves(messageId: string): void;
  /** A result told since the message was sent, or a refusal of the message itself. */
  wasTold(messageId: string): boolean;
}

/** No facts yet. */
export function createTruth(entries: ReadonlyMap<string, LedgerEntry>, story: Story): Truth {
  const orders = new Map<string, AskedOrder>();
  const messages = new Map<string, SentMessage>();
  const sentPosts = new Map<string, SentPost[]>();
  const committed = new Map<string, string>();
  const snapshots = new Map<string, LedgerEntry>();
  const toldTexts = new Map<string, string>();
  const toldPlaces = new Map<string, number>();
  const toldRevisions = new Map<string, number>();
  const lostClaims = new Set<string>();
  const refusedAnswers = new Set<string>();
  let broken: string | undefined;
  let places = 0;
  let changes = 0;

  function breaks(promise: string): void {
    broken ??= promise;
    story.tell('PROMISE', '', () => `BROKEN: ${promise}`);
  }

  /** True while an earlier POST of the order may have moved money, or may yet. */
  const mayMoveMoney = (order: string) =>
    (sentPosts.get(order) ?? []).some(({ mood, heard }) => !(heard && mood.provesNothingMoved));

  function faultOfPost(post: Post, entry: LedgerEntry | undefined, process: Process): string | undefined {
    if (!orders.has(post.order)) return `a POST left for ${post.order}, which nobody asked for`;
    if (!entry) return `a POST left for ${post.order} without a claim`;
    if (!post.movesMoney) return undefined;
    if (!entry.owner.startsWith(`${process.name}.`)) return `a POST left for ${post.order} under somebody else's claim`;
    if (process.nowMs() > entry.leaseUntilMs) return `a POST left for ${post.order} after its lease was over`;
    const amount = parseAmount(post.amount, post.currency);
    const units = amount.kind === 'amount' ? amount.minorUnits : undefined;
    if (units !== entry.money?.minorUnits) return `a POST for ${post.order} asked for another amount than the ledger's`;
    if (mayMoveMoney(post.order)) return `a second POST left for ${post.order}, though the first may have moved money`;
    return undefined;
  }

  function faultOfSaying({ key, state, gatewayOrderId }: LedgerEntry): string | undefined {
    if (key.includes('~check/')) return undefined;
    switch (state) {
      case 'declined':
      case 'failed':
      case 'retryable':
        return mayMoveMoney(key) ? `${key} is ${state}, though its POST may have moved money` : undefined;
      case 'accepted':
      case 'approved': {
        const id = committed.get(key);
        if (id === undefined) return `${key} is ${state}, though the gateway committed nothing`;
        const mayLackId = sentPosts.get(key)?.some(({ mood }) => mood.onlyWithoutIdentity) ?? false;
        if (gatewayOrderId === id || (gatewayOrderId === undefined && mayLackId)) return undefined;
        return `${key} is ${state} under the id ${gatewayOrderId}, which is not the gateway's`;
      }
      default:
        return undefined;
    }
  }

  const isOpen = (entry: LedgerEntry | undefined) =>
    entry !== undefined && (entry.unpublished === true || !['accepted', 'declined', 'failed'].includes(entry.state));

  const truth: Truth = {
    broken: () => broken,
    breaks,
    changes: () => changes,
    changed: () => void (changes += 1),
    orders,
    messages,
    sentPosts,
    lostClaims,
    refusedAnswers,
    toldRevisions,
    sends(messageId, order) {
      messages.set(messageId, { order, place: (places += 1) });
      changes += 1;
      if (order) orders.set(order.key, withContentsOf(orders.get(order.key), order));
    },
    isReplaced(messageId) {
      const message = messages.get(messageId);
      if (message) messages.set(messageId, { ...message, place: -1 });
    },
    isCommitted: (order) => committed.has(order),
    committedCount: () => committed.size,
    posts(post, mood, process) {
      changes += 1;
      const entry = entries.get(post.order);
      const fault = faultOfPost(post, entry, process);
      if (fault) breaks(fault);
      const sent = { post, mood, owner: entry?.owner ?? '', heard: false };
      const earlier = sentPosts.get(post.order);
      if (earlier) earlier.push(sent);
      else sentPosts.set(post.order, [sent]);
      return sent;
    },
    hears: (sent) => void (sent.heard = true),
    willCommit: ({ order }) => story.tell('gateway', order, () => 'will commit this order late'),
    commits({ order, movesMoney }, gatewayOrderId) {
      changes += 1;
      story.tell('gateway', order, () => `COMMITS the order as ${gatewayOrderId}`);
      if (movesMoney && committed.has(order)) breaks(`${order} was paid twice`);
      committed.set(order, gatewayOrderId);
    },
    writes(before, after) {
      if (before === after) return;
      changes += 1;
      const fault =
        faultOfWrite(before, after) ?? (after && before?.revision !== after.revision && faultOfSaying(after));
      if (fault) breaks(fault);
      if (after) snapshots.set(`${after.key}/${after.revision}`, after);
    },
    tells(result) {
      changes += 1;
      const { resultId, revision = 0 } = result;
      const fault = faultOfResult(result, snapshots.get(resultId), toldTexts.get(resultId));
      if (fault) breaks(fault);
      toldTexts.set(resultId, JSON.stringify(result));
      const order = resultId.slice(0, resultId.lastIndexOf('/'));
      const about = resultId.startsWith('rejected/') ? resultId : order;
      toldPlaces.set(about, (places += 1));
      toldRevisions.set(order, Math.max(toldRevisions.get(order) ?? 0, revision));
    },
    losesClaims(owners) {
      for (const owner of owners) lostClaims.add(owner);
    },
    refusesAnswerOf: (messageId) => void refusedAnswers.add(messages.get(messageId)?.order?.key ?? ''),
    leaves(messageId) {
      const key = messages.get(messageId)?.order?.key;
      if (truth.wasTold(messageId) || isOpen(entries.get(key ?? ''))) return;
      breaks(`message ${messageId}${key ? ` of ${key}` : ''} vanished: no result was told and nothing holds it`);
    },
    wasTold(messageId) {
      const message = messages.get(messageId);
      if (!message || toldPlaces.has(`rejected/${messageId}`)) return true;
      return (toldPlaces.get(message.order?.key ?? '') ?? 0) > message.place;
    },
  };
  return truth;
}

function withContentsOf(known: AskedOrder | undefined, order: AskedOrder): AskedOrder {
  const more = order.contents.filter((it) => !known?.contents.some((other) => isSameMoney(it, other)));
  return { key: order.key, contents: [...(known?.contents ?? []), ...more] };
}
