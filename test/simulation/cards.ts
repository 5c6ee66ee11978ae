// Card data in a world: senders who seal it, the keys of CVVs in their table, and the promises about them. The seals are
// toys that open in the same turn; the holders of each key over time are real.
import type { CardDecrypter } from '../../lib/card-data/open-card-data.ts';
import { type CardKeysByOrder, createMemoryCardKeyStore } from '../support/memory-card-key-store.ts';
import type { SeenOrder, SeenOrders } from './seen.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { CardKey, SealedOrder } from '../../lib/card-data/sealed-params.ts';
import { plainDigest } from '../../lib/payout/message/plain-digest.ts';
import { jobOf } from '../support/jobs.ts';
import type { Post } from './gateway-moods.ts';
import { underFault } from './ledger.ts';
import type { Process } from './process.ts';
import type { Story } from './story.ts';
import type { Truth } from './truth.ts';
import type { Weather } from './weather.ts';
import type { Timeline } from './timeline.ts';

/** The table of card keys, for every caller. */
type CardKeyTable = ReturnType<typeof createMemoryCardKeyStore>;

/** Card data of a line, to be sealed when it is sent. */
export interface LineCard {
  readonly order: SealedOrder;
  readonly orderKey: string;
  /** The CVV, where the job bears one. */
  readonly code?: string;
}

/** The card data of a world. */
export interface Cards {
  /** True while there is still a key of a CVV of an order that was claimed, and may not be taken any more. */
  outlivesClaim(after: SeenOrder | undefined): boolean;
  /** The body as its sender puts it on the queue: sealed, the key of its CVV left before. */
  sealed(line: { readonly body: string; readonly card?: LineCard }): string;
  vaultFor(process: Process): CardDecrypter;
  /** The table of card keys, for the worker and the sweeper. */
  tableFor(process: Process): CardKeyTable;
  /** Shows a write of the ledger: the entry after it. */
  writes(after: SeenOrder | undefined): void;
  /** Shows a POST, as it leaves. */
  posts(post: Post): void;
}

/** The surroundings of card data. */
export interface CardSurroundings {
  readonly timeline: Timeline;
  readonly weather: () => Weather;
  readonly truth: Truth;
  readonly story: Story;
  readonly entries: SeenOrders;
  readonly items: ReadonlyMap<string, Order>;
  /** A key was left for this order. */
  readonly onLeft: (orderKey: string) => unknown;
}

const minuteMs = 60_000;
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());
/** A ciphertext that reads as its content would be card data in the clear. */
const turned = (text = '') => [...text].toReversed().join('');
const toySeal = (header: object, content: unknown) =>
  [encoded(header), '', 'iv', turned(encoded(content)), 'tag'].join('.');
const contentOf = (sealed: string) => decoded(turned(sealed.split('.')[3]));

/** No card data yet. */
export function createCards(surroundings: CardSurroundings): Cards {
  const { timeline, weather, truth, story, entries, items, onLeft } = surroundings;
  const keys: CardKeysByOrder = new Map();
  const table = createMemoryCardKeyStore(keys, items);
  /** Orders of which every transfer bears a CVV. */
  const withCode = new Map<string, string>();
  /** The key that was taken under each claim. */
  const handedTo = new Map<string, string>();
  const handed = new Set<string>();
  let made = 0;

  const freshKey = (): CardKey => ({ id: `key-${(made += 1)}`, secret: `secret-${made}` });

  /** The key under which the sender seals. Leaving it changes the table in this very turn, as a memory depot does. */
  function leaveKey({ order, orderKey }: LineCard): CardKey {
    const fresh = freshKey();
    const how = weather().cardKey();
    if (how === 'is forgotten') return fresh;
    if (how === 'is left by a sender who died') void table.deposit(order, freshKey());
    void table.deposit(order, fresh);
    const standing = keys.get(orderKey);
    onLeft(orderKey);
    story.tell(
      'sender',
      orderKey,
      () => `seals a CVV; its key ${standing ? `${standing.id} is left` : 'is left nowhere'}`,
    );
    if (how === 'is left, and goes') timeline.after(10 * minuteMs, () => goes(orderKey, standing));
    return standing ?? fresh;
  }

  /** The key's time in the table is over. */
  function goes(orderKey: string, key: CardKey | undefined): void {
    if (key && !entries.has(orderKey) && keys.get(orderKey)?.id === key.id) keys.delete(orderKey);
  }

  /** Takes a key, and shows the truth which process received it. */
  async function takes(at: string, id: string): Promise<CardKey | undefined> {
    const key = await table.take(at, id);
    if (!key) return undefined;
    if (handed.has(key.id)) truth.breaks(`the card key of ${at} was handed out twice`);
    if (keys.get(at)?.id === key.id) truth.breaks(`a card key outlived the claim of ${at}`);
    handed.add(key.id);
    handedTo.set(entries.get(at)?.owner ?? '', key.id);
    return key;
  }

  const overdueSince = new Map<string, number>();

  /** The time that the sweeper has had for it: no weather misses sweeps for several hours. */
  function outlivesClaim(entry: SeenOrder | undefined): boolean {
    if (!entry) return false;
    const isDue = keys.has(entry.key) && !mayTakeItsKey(entry, timeline.nowMs());
    if (!isDue) overdueSince.delete(entry.key);
    else if (!overdueSince.has(entry.key)) overdueSince.set(entry.key, timeline.nowMs());
    else if (timeline.nowMs() - (overdueSince.get(entry.key) ?? 0) > 300 * minuteMs)
      truth.breaks(`a card key outlived the claim of ${entry.key}`);
    return isDue;
  }

  return {
    outlivesClaim,
    tableFor: (process) => {
      const call = <T>(at: string, run: () => Promise<T>) =>
        process.effect('CVV key', at, () => underFault(weather().ledger('CVV key'), timeline, run));
      return {
        ...table,
        take: (at, id) => call(at, () => takes(at, id)),
        // A walk through an empty table changes nothing, whatever happens meanwhile.
        next: () => (keys.size === 0 ? table.next() : call('', table.next)),
        destroy: (key) => call(key.orderKey, () => table.destroy(key)),
      };
    },
    sealed({ body, card }) {
      if (!card) return body;
      const { order, orderKey, code } = card;
      const content: Record<string, string> = { 'destination-card-no': '5555555555554444' };
      if (code !== undefined) {
        withCode.set(orderKey, code);
        const { id, secret } = leaveKey(card);
        content['cvv2'] = toySeal({ alg: 'dir', enc: 'A256GCM', kid: id }, { secret, code });
      }
      const clear = JSON.parse(body);
      const plain = plainDigest(jobOf(clear));
      const header = { alg: 'ECDH-ES', enc: 'A256GCM', kid: 'card-key', ...order, plain };
      return JSON.stringify({ ...clear, sealedParams: toySeal(header, content) });
    },
    vaultFor: (process) => ({
      open: (sealed) =>
        process.effect('card keys', '', () => {
          const failure = { code: 'CREDENTIALS_UNAVAILABLE', message: 'Secrets Manager did not answer' } as const;
          const text = JSON.stringify(contentOf(sealed));
          const opened = weather().secretsDown()
            ? { kind: 'unavailable' as const, failure }
            : { kind: 'content' as const, text };
          return { answer: Promise.resolve(opened) };
        }),
      async openCode(sealed, { secret }) {
        const content = contentOf(sealed);
        return content.secret === secret ? content.code : undefined;
      },
    }),
    writes(after) {
      if (!after) return;
      const { key } = after;
      if (waitsForCard(after) && truth.mayMoveMoney(key))
        truth.breaks(`${key} waits for new card data, though its POST may have moved money`);
      if (waitsForCard(after) && !withCode.has(key)) truth.breaks(`${key} waits for a CVV that it never had`);
    },
    posts({ order, operation, code }) {
      const asked = operation === 'transfer' ? withCode.get(order) : undefined;
      if (asked !== undefined && code !== asked) truth.breaks(`a POST left for ${order} without its CVV`);
      if (code !== undefined && !handedTo.has(entries.get(order)?.owner ?? ''))
        truth.breaks(`a POST with a CVV left for ${order} under a claim that was not handed its key`);
    },
  };
}

/** Written a second time, so that a slip in lib/payout does not excuse itself. */
const waitsForCard = ({ state, failure }: SeenOrder) => state === 'held' && failure?.code === 'HELD_CARD_DATA';
/** The holder of the claim, or of a claim that may yet come. */
const mayTakeItsKey = (entry: SeenOrder, nowMs: number) =>
  (entry.state === 'sending' && entry.leaseUntilMs > nowMs) ||
  entry.state === 'ready' ||
  entry.state === 'failed' ||
  entry.state === 'declined' ||
  (entry.attempts === 0 && entry.state !== 'cancelled') ||
  waitsForCard(entry);
