// A gateway with a book of its own. A story says how it reacts to the next POSTs of an order, how the orders that it took
// end, and what its status desk sees. Whether money moved twice is read here and nowhere else.
import type { Evidence, Gateway, GatewayRequest } from '../../lib/gateway/ports.ts';
import type { Clock } from '../../lib/payout/ports.ts';
import { answer, type ReceivedPost, receivedPost } from '../support/fake-gateway.ts';

/** The state at the gateway of an order that was taken. */
type BookStatus = 'processing' | 'approved' | 'declined' | 'filtered' | 'error' | 'unknown';

/** An order that the gateway took. */
interface Booking {
  readonly id: string;
  readonly orderId: string;
  readonly operation: string;
  readonly amount: string;
  readonly currency: string;
  readonly atMs: number;
  status: BookStatus;
  /** Until then its status desk says that it knows no such order. */
  hiddenUntilMs: number;
}

/** An HTTP answer of the gateway's; fields are written as JSON. */
export const http = (httpStatus: number, body: unknown, retryAfterSeconds?: number): Evidence =>
  answer(httpStatus, typeof body === 'string' ? body : JSON.stringify(body), retryAfterSeconds);
const silence: Evidence = { kind: 'no-answer', reason: 'no answer within 20000 ms' };

/** The answer to a POST of this order, by the gateway's id of it. */
export type Answer = (orderId: string, id: string) => Evidence;
const acceptance: Answer = (orderId, id) =>
  http(200, { type: 'async-response', 'merchant-order-id': orderId, 'paynet-order-id': id });
const refusalWith =
  (code: number, message: string, httpStatus = 200): Answer =>
  (orderId) =>
    http(httpStatus, {
      type: 'validation-error',
      'merchant-order-id': orderId,
      'error-code': code,
      'error-message': message,
    });
/** The code by which the gateway refuses an order id that it has seen, where the profile lists it. */
export const seenBefore = '1604';

/** What the gateway may make of a POST. "though taken": a filter or a limit in front of it answered, or none did. */
const reactions = {
  taken: { takes: true, answers: acceptance },
  '401 though taken': { takes: true, answers: () => http(401, 'bad signature') },
  '403 though taken': { takes: true, answers: () => http(403, '') },
  '429 though taken': { takes: true, answers: () => http(429, 'slow down', 40) },
  'silent though taken': { takes: true, answers: () => silence },
  '401': { takes: false, answers: () => http(401, 'bad signature') },
  '403': { takes: false, answers: () => http(403, '') },
  '429': { takes: false, answers: () => http(429, 'slow down', 40) },
  silent: { takes: false, answers: () => silence },
  'refuses the order': { takes: false, answers: refusalWith(8, 'Card number is invalid') },
  '403 for a seen id': { takes: false, answers: refusalWith(Number(seenBefore), 'No', 403) },
  '429 for a seen id': { takes: false, answers: refusalWith(Number(seenBefore), 'No', 429) },
  'refuses a seen id': { takes: false, answers: refusalWith(Number(seenBefore), 'No') },
  'cannot be reached': { takes: false, answers: () => ({ kind: 'not-sent', reason: 'connect ECONNREFUSED' }) },
} as const satisfies Record<string, { readonly takes: boolean; readonly answers: Answer }>;

/** One of these. */
export type Reaction = keyof typeof reactions;

/** What happens while the POST is under way, after the gateway has taken (or refused) it, and before its answer is there. */
type Meanwhile = () => Promise<void> | void;

/** The next reaction to a POST; `answers` takes the place of its answer. */
export type Next =
  | Reaction
  | {
      readonly as: Reaction;
      readonly meanwhile?: Meanwhile;
      readonly answers?: Answer;
      /** It takes nothing where this says no, and answers `otherwise`. */
      readonly takesIf?: () => boolean;
      readonly otherwise?: Answer;
    };

/** What the status desk says: the truth, the truth with other fields, or another answer. */
type Desk = 'truth' | 'no such order' | 'silent' | Readonly<Record<string, string>> | (() => Evidence);

/** The gateway, as a story sees it. */
export interface StoryGateway {
  /** How it reacts to the next POSTs of this order, one each; afterwards it takes them. */
  answers(orderId: string, ...next: Next[]): void;
  /** From now on it takes every POST of this order. */
  forgets(orderId: string): void;
  /** From now on its status desk says this of the order; asked by the order id alone, it tells of the newest or the oldest. */
  desk(orderId: string, says: Desk, names?: 'newest' | 'oldest'): void;
  /** The n-th order that it took under this order id (from 1) has this state from now on; by default the last. */
  ends(orderId: string, status: BookStatus, n?: number): void;
  /** The amount of the n-th order that it took changes. */
  changesAmount(orderId: string, amount: string): void;
  /** POSTs of the order over a connection, whatever it made of them; of this operation alone, where one is named. */
  posts(orderId: string, operation?: string): number;
  /** What it took under this order id, in order. */
  book(orderId: string): readonly Booking[];
  /** Payments under this order id whose money moved or may still move: never more than one, but for a person's word. */
  payments(orderId: string): readonly Booking[];
  /** Inquiries about the order so far. */
  looks(orderId: string): number;
  /** What came over a connection for this order, inquiries too, in order. */
  sent(orderId: string): readonly ReceivedPost[];
}

interface Form extends ReceivedPost {
  /** The operation's name in the path. */
  readonly path: string;
}

const nameOf = (next: Next = 'taken'): Reaction => (typeof next === 'string' ? next : next.as);

/** An empty book. */
export function createStoryGateway(clock: Clock): StoryGateway & { readonly port: Gateway } {
  const coming = new Map<string, Next[]>();
  const desks = new Map<string, { readonly says: Desk; readonly names: 'newest' | 'oldest' }>();
  const posts: { readonly orderId: string; readonly operation: string }[] = [];
  const looks: string[] = [];
  const received: ReceivedPost[] = [];
  let bookings: Booking[] = [];
  let ids = 9_000_000;

  const bookOf = (orderId: string) => bookings.filter((it) => it.orderId === orderId);

  async function start(form: Form): Promise<Evidence> {
    const { path, orderId } = form;
    const next = coming.get(orderId)?.shift() ?? 'taken';
    const { as, meanwhile, answers, takesIf, otherwise }: Exclude<Next, Reaction> =
      typeof next === 'string' ? { as: next } : next;
    const isOpen = takesIf?.() ?? true;
    const takes = reactions[as].takes && isOpen;
    const usual = isOpen ? reactions[as].answers : (otherwise ?? (() => silence));
    const id = String((ids += 1));
    if (as !== 'cannot be reached') posts.push({ orderId, operation: path });
    if (takes)
      bookings.push({
        id,
        orderId,
        operation: path,
        amount: fieldOf(form, 'amount') ?? '',
        currency: fieldOf(form, 'currency') ?? '',
        atMs: clock.nowMs(),
        status: 'processing',
        hiddenUntilMs: 0,
      });
    await meanwhile?.();
    return (answers ?? usual)(orderId, id);
  }

  function look(form: Form): Evidence {
    const { orderId } = form;
    looks.push(orderId);
    const { says, names } = desks.get(orderId) ?? { says: 'truth', names: 'newest' };
    if (says === 'silent') return silence;
    if (typeof says === 'function') return says();
    const id = fieldOf(form, 'orderid');
    const seen = bookOf(orderId).filter(
      (it) => it.hiddenUntilMs <= clock.nowMs() && (id === undefined || it.id === id),
    );
    const found = names === 'newest' ? seen.at(-1) : seen[0];
    if (says === 'no such order' || !found)
      return http(400, { type: 'error', 'error-message': 'Order not found', 'error-code': 101 });
    return http(200, { ...statusOf(found), ...(typeof says === 'object' && says) });
  }

  return {
    answers: (orderId, ...next) => void coming.set(orderId, [...(coming.get(orderId) ?? []), ...next]),
    forgets: (orderId) => void coming.delete(orderId),
    desk: (orderId, says, names = 'newest') => void desks.set(orderId, { says, names }),
    ends(orderId, status, n = bookOf(orderId).length) {
      const booking = bookOf(orderId)[n - 1];
      if (!booking) throw new Error(`the gateway has no ${n}. order ${orderId}`);
      booking.status = status;
    },
    changesAmount(orderId, amount) {
      bookings = bookings.map((it) => (it.orderId === orderId ? { ...it, amount } : it));
    },
    posts: (orderId, operation) =>
      posts.filter((it) => it.orderId === orderId && (operation ?? it.operation) === it.operation).length,
    book: bookOf,
    payments: (orderId) => bookOf(orderId).filter(({ status }) => status !== 'declined' && status !== 'filtered'),
    looks: (orderId) => looks.filter((it) => it === orderId).length,
    sent: (orderId) => received.filter((it) => it.orderId === orderId),
    port: {
      async post(request) {
        if (clock.nowMs() > request.notAfterMs)
          return { kind: 'not-sent', reason: 'too little time was left', isLate: true };
        const form = read(request, clock.nowMs());
        const isReached = form.path === 'status' || nameOf(coming.get(form.orderId)?.[0]) !== 'cannot be reached';
        if (isReached) received.push(form);
        return form.path === 'status' ? look(form) : start(form);
      },
    },
  };
}

function statusOf({ id, orderId, amount, currency, status }: Booking): Readonly<Record<string, string>> {
  return {
    type: 'status-response',
    'merchant-order-id': orderId,
    'paynet-order-id': id,
    status,
    amount,
    currency,
    ...(status === 'declined' && { 'error-code': '28', 'error-message': 'Insufficient funds' }),
  };
}

function read(request: GatewayRequest, atMs: number): Form {
  return { ...receivedPost(request, atMs), path: /\/v\d\/([a-z-]+)\//.exec(request.url)?.[1] ?? '' };
}

const fieldOf = ({ fields }: Form, name: string) => fields.find(([it]) => it === name)?.[1];
