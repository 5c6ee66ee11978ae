// The gateway calls back when an order has come to an end, or to another: soon, late, twice, before the POST was
// answered, and again and again until it hears 200. Between them come forged ones.
import { createHash } from 'node:crypto';
import type { DoorHandler } from '../../lib/aws/lambda-handler.ts';
import type { Book, Booking } from './gateway-book.ts';
import { type CodeVersion, createProcess, type Process, type Surroundings } from './process.ts';
import type { Fault } from './fault-kinds.ts';
import type { Merchants } from './merchants.ts';
import type { Truth } from './truth.ts';
import type { Forgery } from './weather.ts';

/** The surroundings of callbacks. */
export interface CallbackSurroundings extends Surroundings {
  readonly truth: Truth;
  readonly book: Book;
  readonly version: () => CodeVersion;
  readonly handlerOf: (process: Process) => DoorHandler;
  readonly merchants: Pick<Merchants, 'controlKeyAt' | 'originBefore'>;
  readonly witness: (fault: Fault) => void;
}

/** The odds of a call. */
interface Odds {
  readonly forged?: Forgery;
  readonly amount?: string;
  /** The type of a later transaction. */
  readonly type?: string;
}

const minuteMs = 60_000;
/** Pauses between calls that were not answered by 200. */
const repeatsAfterMs = [1, 5, 10, 15, 30, 60, 60, 120, 240, 480].map((minutes) => minutes * minuteMs);
const functionTimeoutMs = 30_000;

/** Calls back for every order that enters the books. */
export function createCallbacks(surroundings: CallbackSurroundings): (merchant: string, booking: Booking) => void {
  const { timeline, weather, story, truth, book, handlerOf, merchants, witness } = surroundings;
  let calls = 0;

  /** The gateway's query: the order's status when the call was due, however late it comes. */
  function queryOf(
    merchant: string,
    { post, gatewayOrderId: id }: Booking,
    status: string,
    { forged, type, amount: replayed }: Odds = {},
  ): string {
    const gatewayOrderId =
      forged === 'attempt' ? `${id}7` : forged === 'sale' ? `${id}6` : forged === 'elsewhere' ? `${id}8` : id;
    const before = forged === 'elsewhere' ? merchants.originBefore(merchant) : undefined;
    const key = forged === 'control' ? 'a-guess' : merchants.controlKeyAt(merchant, before ?? post.origin);
    const control = createHash('sha1').update(`${status}${gatewayOrderId}${post.orderId}${key}`).digest('hex');
    const amount = replayed ?? (forged === 'amount' ? '99999' : post.amount);
    // The signed text has no separators: the last digit of the one id is as good as the first of the other.
    const at = gatewayOrderId.length - (forged === 'cut' ? 1 : 0);
    const pairs = {
      status,
      orderid: gatewayOrderId.slice(0, at),
      client_orderid: gatewayOrderId.slice(at) + post.orderId,
      control,
      amount,
      currency: post.currency,
      ...(type !== undefined && { type }),
    };
    return new URLSearchParams(pairs).toString();
  }

  async function call(merchant: string, booking: Booking, query: string): Promise<number> {
    const name = `callback-${(calls += 1)}`;
    story.tell('gateway', booking.post.order, () => `calls back (${name})`);
    return new Promise((resolve) => {
      const traits = { name, version: surroundings.version(), skewMs: 0 };
      const hangsUp = () => {
        surroundings.onTurn();
        resolve(504);
      };
      const process = createProcess(traits, { ...surroundings, onDeath: hangsUp });
      let over = false;
      timeline.after(functionTimeoutMs, () => {
        if (!over) process.die('by function time-out');
      });
      surroundings.onTurn();
      process.begins();
      void handlerOf(process)({ rawPath: `/callback/${merchant}`, rawQueryString: query, isBase64Encoded: false }).then(
        ({ statusCode }) => {
          over = true;
          resolve(process.isAlive() ? statusCode : 504);
        },
      );
    });
  }

  async function tells(merchant: string, booking: Booking, status: string, odds?: Odds, repeats = 0): Promise<void> {
    if (book.of(booking.post.order).at(-1) !== booking) witness('a callback is about another attempt');
    if (status !== book.statusNow(booking)) witness('a callback is out of date');
    const statusCode = await call(merchant, booking, queryOf(merchant, booking, status, odds));
    const waitMs = repeatsAfterMs[repeats];
    if (statusCode === 200) return;
    if (waitMs === undefined) return truth.losesHint(booking.post.order, odds?.type === undefined ? 'end' : 'undoing');
    timeline.after(waitMs, () => void tells(merchant, booking, status, odds, repeats + 1));
  }

  /** `control` covers no amount: an attacker who has seen a genuine call can send it again with any. */
  async function replays(merchant: string, booking: Booking): Promise<void> {
    const status = book.statusNow(booking) ?? 'processing';
    for (let more = 1; more <= 10; more += 1)
      await call(merchant, booking, queryOf(merchant, booking, status, { amount: `${more}0000` }));
  }

  async function forges(merchant: string, booking: Booking, forged: Forgery): Promise<void> {
    if (forged === 'amounts') return replays(merchant, booking);
    if (forged === 'elsewhere') {
      if (merchants.originBefore(merchant) === undefined) return;
      witness('a callback is about an order of another account');
      truth.paysElsewhere(booking.post.order, `${booking.gatewayOrderId}8`);
    }
    if (forged === 'attempt' || forged === 'sale') truth.namesAnother(booking.post.order);
    if (forged === 'amount') truth.losesHint(booking.post.order, 'end');
    const isTaken =
      (await call(
        merchant,
        booking,
        queryOf(merchant, booking, 'approved', { forged, ...(forged === 'sale' && { type: 'sale' }) }),
      )) === 200;
    if (forged === 'control' && isTaken) truth.breaks(`a forged callback for ${booking.post.order} was taken`);
  }

  return (merchant, booking) => {
    for (const { atMs } of booking.turns) {
      timeline.at(atMs, () => {
        const { delayMs, againAfterMs, forged } = weather().callback();
        const status = book.statusNow(booking) ?? 'processing';
        timeline.after(delayMs, () => void tells(merchant, booking, status));
        if (againAfterMs !== undefined) timeline.after(againAfterMs, () => void tells(merchant, booking, status));
        // An attacker who has seen a genuine call can send it again; an unsigned one may come at any time.
        const forgedMs = forged === 'amount' || forged === 'amounts' ? delayMs + 500 : delayMs / 2;
        if (forged) timeline.after(forgedMs, () => void forges(merchant, booking, forged));
      });
    }
    const { undone } = booking;
    for (const type of undone?.types ?? [])
      timeline.at(undone?.atMs ?? 0, () => void tells(merchant, booking, 'approved', { type }));
    const { forged, delayMs } = weather().callback();
    const isGuess =
      forged === 'control' || forged === 'cut' || forged === 'attempt' || forged === 'sale' || forged === 'elsewhere';
    if (isGuess) timeline.after(delayMs / 2, () => void forges(merchant, booking, forged));
  };
}
