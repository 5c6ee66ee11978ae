// More of the promises (test/README.md), held beside truth.ts: a job that may not be sent takes no order id, an order that the
// gateway refused is not sent again, a refusal that may be about an earlier attempt ends nothing (4.2), each order has one chain of
// checks (4.4), and a denial over the quiet period ends the doubt where the contract lets it.
import type { SeenOrder, SeenOrders } from './seen.ts';
import type { AskedOrder } from './asked-order.ts';
import type { Book } from './gateway-book.ts';
import type { Contract } from './merchants.ts';
import type { Process } from './process.ts';
import { faultOfHolding } from './settlement-rules.ts';
import type { Timeline } from './timeline.ts';
import type { Truth } from './truth.ts';

/** A writer to the ledger. */
export interface Writer {
  readonly name: string;
  /** The time when its invocation began, by its own clock. */
  readonly begunAtMs: number;
}

/** The truth that hears more. */
export interface HeldTruth extends Truth {
  writes(before: SeenOrder | undefined, after: SeenOrder, by?: Writer): void;
  /** The process has a turn of the order's lane for one question. */
  takesTurn(order: string, by: string): void;
  /** The gateway is asked about the order by this process. */
  asks(order: string, by?: string): void;
  /** A living process has heard that the gateway knows no such order. */
  hearsDenial(order: string): void;
  /** A living process has heard that the gateway does not take its signature. */
  hearsRefusedSignature(order: string, by: string): void;
  /** The process has fetched the merchant's secret anew. */
  readsSecretAnew(merchant: string, by: string): void;
}

/** The sources by which the promises are judged. */
interface Sources {
  readonly entries: SeenOrders;
  readonly book: Book;
  readonly contracts: Readonly<Record<string, Contract>>;
  readonly timeline: Timeline;
  readonly skewMs: number;
}

/** The same truth, which breaks by these promises too. */
export function heldToDesign(truth: Truth, { entries, book, contracts, timeline, skewMs }: Sources): HeldTruth {
  const { writes, posts, asks, weatherIs, changesContract } = truth;
  /** Merchants whose contract may leave a denial to a person by now. */
  const changed = new Set<string>();
  const turns = new Set<string>();
  const denials = new Map<string, number[]>();
  /** Orders over which a process's signature was refused, until it writes there again; a new fetch is once in a turn. */
  const refusedSignatures = new Map<string, 'refused' | 'read anew'>();
  let fairSinceMs = Infinity;
  const breaksBy = (fault: string | undefined) => fault !== undefined && truth.breaks(fault);
  /** The time until which any job of the order may be sent. */
  function untilOf(order: string): AskedOrder['until'] {
    let last: AskedOrder['until'];
    for (const message of truth.messages.values()) {
      if (message.order?.key !== order) continue;
      const { until } = message.order;
      if (!until) return undefined;
      if (!last || until.ms > last.ms) last = until;
    }
    return last;
  }
  const clockOf = (process: Process) => process.begunAtMs() + process.nowMs() - timeline.nowMs();

  function faultOfClaim(before: SeenOrder | undefined, after: SeenOrder, by: Writer): string | undefined {
    if (after.state !== 'sending' || before?.owner === after.owner) return undefined;
    const until = untilOf(after.key);
    if (!until || by.begunAtMs <= until.ms) return undefined;
    return `${after.key} was claimed for a job that ${until.why} when its delivery began`;
  }

  /** Until its lease is over, only its owner records its outcome; and an end needs a new request. */
  function faultOfHaste(before: SeenOrder | undefined, after: SeenOrder, by?: Writer): string | undefined {
    const { key } = after;
    const isClaim = before !== undefined && after.attempts > before.attempts && before.owner !== after.owner;
    const isEnd = before?.endId !== undefined;
    if (
      isClaim &&
      isEnd &&
      by?.name !== 'restorer' &&
      ![...truth.messages.values()].some((it) => it.names === before.endId)
    )
      return `${key} had ended as ${before.state}, and is sent again though no job names that end`;
    const isLost = before?.state === 'sending' && after.failure?.code === 'WORKER_LOST';
    const isEarly = isLost && timeline.nowMs() + skewMs < before.leaseUntilMs;
    return isEarly ? `${key} was given up for lost before its lease was over` : undefined;
  }

  function faultOfRefusal({ key, state, owner, failure }: SeenOrder): string | undefined {
    if (state !== 'ready' && state !== 'failed') return undefined;
    const sent = truth.sentPosts.get(key) ?? [];
    const last = sent.at(-1);
    if (!last?.heard || last.owner !== owner) return undefined;
    if (state === 'ready' && sent.length === 1 && last.mood.refusesTheOrder)
      return `${key} waits to be sent again, though the gateway refused this very order`;
    if (!last.mood.mayMeanEarlier || disproving.has(failure?.code)) return undefined;
    const lives = book.of(key).some((it) => !['declined', 'filtered'].includes(book.statusNow(it) ?? ''));
    return lives ? `${key} is ${state}, though an earlier attempt lives that it may have been refused for` : undefined;
  }

  return Object.assign(truth, {
    writes(before: SeenOrder | undefined, after: SeenOrder, by?: Writer) {
      if (by) {
        breaksBy(faultOfClaim(before, after, by));
        if (refusedSignatures.get(`${by.name} ${after.key}`) === 'refused')
          truth.breaks(`${by.name} was refused for its signature over ${after.key}, and did not read the secret anew`);
        // A second send to another account is still the same claim, whose second send is its last.
        if (after.state !== 'sending') refusedSignatures.delete(`${by.name} ${after.key}`);
      }
      writes(before, after);
      breaksBy(faultOfRefusal(after) ?? faultOfHaste(before, after, by));
      const contract = contracts[after.merchant];
      if (contract && !changed.has(after.merchant))
        breaksBy(
          faultOfHolding(before, after, { denials: denials.get(after.key) ?? [], fairSinceMs, contract, skewMs }),
        );
    },
    changesContract(merchant: string) {
      changed.add(merchant);
      changesContract(merchant);
    },
    posts(...asked: Parameters<Truth['posts']>) {
      const [{ order }, , process] = asked;
      const [{ currency, movesMoney }] = asked;
      const entry = entries.get(order);
      const until = untilOf(order);
      if (movesMoney && entry?.money && entry.money.currency !== currency)
        truth.breaks(`a POST for ${order} asked for another currency than the ledger's`);
      if (until && clockOf(process) > until.ms) truth.breaks(`a POST left for ${order}, whose job ${until.why}`);
      return posts(...asked);
    },
    takesTurn: (order: string, by: string) => void turns.add(`${by} ${order}`),
    asks(order: string, by = '') {
      asks(order);
      if (by.startsWith('operator-')) return;
      if (!turns.delete(`${by} ${order}`)) truth.breaks(`${by} asks about ${order} without a turn of its lane`);
    },
    weatherIs(fair: boolean) {
      fairSinceMs = fair ? timeline.nowMs() : Infinity;
      weatherIs(fair);
    },
    hearsRefusedSignature(order: string, by: string) {
      if (!refusedSignatures.has(`${by} ${order}`)) refusedSignatures.set(`${by} ${order}`, 'refused');
    },
    readsSecretAnew(merchant: string, by: string) {
      for (const refused of refusedSignatures.keys())
        if (refused.startsWith(`${by} ${merchant}/`)) refusedSignatures.set(refused, 'read anew');
    },
    hearsDenial: (order: string) => void denials.set(order, [...(denials.get(order) ?? []), timeline.nowMs()]),
  });
}

/** Reasons by which earlier attempts were denied: by the gateway itself, or by a person. */
const disproving: ReadonlySet<string | undefined> = new Set(['NOT_AT_GATEWAY', 'RELEASED_NOT_PAID']);
