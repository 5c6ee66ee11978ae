// A stub at the gateway's port for tables: it answers as its mood is, and remembers every POST that may have reached it. The double of a
// gateway, with a book of orders, is that of the stories (../stories/gateway.ts).
import type { Evidence, Gateway, GatewayRequest } from '../../lib/gateway/ports.ts';
import type { ManualClock } from './time-and-chance.ts';

/** One POST that may have reached the gateway. */
export interface ReceivedPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The form fields, decoded, in the order sent. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The parameters of the Authorization header, decoded. */
  readonly oauth: Readonly<Record<string, string>>;
  readonly orderId: string;
  readonly atMs: number;
}

type Answer = (post: ReceivedPost, gatewayOrderId: string) => Evidence;

/** An HTTP answer of the gateway's. */
export const answer = (httpStatus: number, body: string, retryAfterSeconds?: number): Evidence => ({
  kind: 'answer',
  httpStatus,
  body,
  framing: 'delimited',
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

const json = (httpStatus: number, fields: Readonly<Record<string, unknown>>): Evidence =>
  answer(httpStatus, JSON.stringify(fields));

/** The answers of the gateway to a POST. Only `refuses the connection` proves that none arrived. */
const moods = {
  accepts: (post, id) =>
    json(200, {
      type: 'async-response',
      'serial-number': '00000000-0000-0000-0000-000000000001',
      'merchant-order-id': post.orderId,
      'paynet-order-id': Number(id),
      ...(post.url.includes('/payout/') ? { 'payout-id': id } : { 'transaction-id': id }),
    }),
  'refuses the connection': () => ({ kind: 'not-sent', reason: 'connect ECONNREFUSED' }),
  stalls: () => ({ kind: 'no-answer', reason: 'no answer within 20000 ms' }),
  'refuses the order': (post) =>
    json(200, {
      type: 'validation-error',
      'merchant-order-id': post.orderId,
      'error-code': 8,
      'error-message': 'Card number is invalid',
    }),
  'refuses the signature': () => answer(401, 'bad signature'),
  'asks to slow down': () => answer(429, 'slow down', 40),
  fails: () => answer(500, '<html>oops</html>'),
  'says the order exists': (post) =>
    json(200, {
      type: 'error',
      'merchant-order-id': post.orderId,
      'error-code': 503,
      'error-message': 'Order already completed',
    }),
  'answers for another order': (_, id) =>
    json(200, { type: 'async-response', 'merchant-order-id': 'SOMEBODY-ELSES', 'payout-id': id }),
} as const satisfies Record<string, Answer>;

/** A named mood of the gateway. */
export type GatewayMood = keyof typeof moods;

/** The gateway's record of an order that it took: the status desk answers from this alone. */
interface TakenOrder {
  readonly gatewayOrderId: string;
  readonly amount: string;
  readonly currency: string;
}

type StatusAnswer = (asked: ReceivedPost, order: TakenOrder) => Evidence;

const statusFields = (status: string, { orderId }: ReceivedPost, { gatewayOrderId, amount, currency }: TakenOrder) => ({
  type: 'status-response',
  'serial-number': '00000000-0000-0000-0000-000000000002',
  'merchant-order-id': orderId,
  'paynet-order-id': gatewayOrderId,
  status,
  amount,
  currency,
});

const says =
  (status: string, more: Readonly<Record<string, unknown>> = {}): StatusAnswer =>
  (asked, order) =>
    json(200, { ...statusFields(status, asked, order), ...more });

const notFound = { type: 'error', 'error-message': 'Order not found', 'error-code': 101 };

/** The gateway's answers to an inquiry. */
const statusMoods = {
  processing: says('processing'),
  unknown: says('unknown'),
  approved: says('approved', { 'approval-code': '123456' }),
  declined: says('declined', { 'error-code': 28, 'error-message': 'Insufficient funds' }),
  error: says('error', { 'error-code': 1007, 'error-message': 'Checking is failed' }),
  filtered: says('filtered', { 'error-code': 24, 'error-message': 'Suspect fraud' }),
  'never heard of it': () => json(400, notFound),
  'processing, another amount': says('processing', { amount: '10.43' }),
  reversed: says('approved', { 'transaction-type': 'reversal' }),
  'refuses the signature': () => answer(401, 'bad signature'),
  fails: () => answer(502, '<html>bad gateway</html>'),
  stalls: () => ({ kind: 'no-answer', reason: 'no answer within 20000 ms' }),
  'cannot be reached': () => ({ kind: 'not-sent', reason: 'connect ECONNREFUSED' }),
} as const satisfies Record<string, StatusAnswer>;

/** A named mood of the gateway's status desk. */
export type StatusMood = keyof typeof statusMoods;

/** The fake gateway. */
export interface FakeGateway extends Gateway {
  /** The POSTs of orders that may have reached it, in order; inquiries move no money and are kept apart. */
  readonly posts: readonly ReceivedPost[];
  /** The inquiries that may have reached it, in order. */
  readonly inquiries: readonly ReceivedPost[];
  postsOf(orderId: string): number;
  /** The moods of the next POSTs, one each; after them it accepts, or as `stays` set. */
  moods(...moods: GatewayMood[]): void;
  stays(mood: GatewayMood): void;
  /** The moods of the next inquiries, one each; after them it says "processing", or as `statusStays` set. */
  statuses(...moods: StatusMood[]): void;
  statusStays(mood: StatusMood): void;
  /** Runs while a POST is under way: other workers come by, time passes, keys are rotated. */
  meanwhile(happens: (post: ReceivedPost) => Promise<void> | void): void;
}

/** A gateway that accepts every order. */
export function createFakeGateway(clock: ManualClock): FakeGateway {
  const posts: ReceivedPost[] = [];
  let coming: GatewayMood[] = [];
  let lasting: GatewayMood = 'accepts';
  let happens: (post: ReceivedPost) => Promise<void> | void = () => {};
  const status = createStatusDesk(posts);
  return {
    posts,
    inquiries: status.inquiries,
    statuses: status.moods,
    statusStays: status.stays,
    postsOf: (orderId) => posts.filter((post) => post.orderId === orderId).length,
    moods: (...moods) => void (coming = moods),
    stays: (mood) => void (lasting = mood),
    meanwhile: (next) => void (happens = next),
    async post(request) {
      const late = clock.nowMs() > request.notAfterMs || clock.uptimeMs() > (request.notAfterUptimeMs ?? Infinity);
      if (late) return { kind: 'not-sent', reason: 'too little time was left to send and settle', isLate: true };
      const received = receivedPost(request, clock.nowMs());
      if (request.url.includes('/v4/status/')) {
        const evidence = status.answerTo(received);
        await happens(received);
        return evidence;
      }
      const named = received.fields.find(([name]) => name === 'orderid')?.[1];
      const gatewayOrderId = named ?? String(9_000_001 + posts.length);
      const reply: Answer = moods[coming.shift() ?? lasting];
      const evidence = reply(received, gatewayOrderId);
      if (evidence.kind !== 'not-sent') posts.push(received);
      await happens(received);
      return evidence;
    },
  };
}

/** Answers inquiries from the POSTs; it forgets no order, but its mood may. */
function createStatusDesk(posts: readonly ReceivedPost[]) {
  const inquiries: ReceivedPost[] = [];
  let coming: StatusMood[] = [];
  let lasting: StatusMood = 'processing';
  return {
    inquiries,
    moods: (...moods: StatusMood[]) => void (coming = moods),
    stays: (mood: StatusMood) => void (lasting = mood),
    answerTo(asked: ReceivedPost): Evidence {
      const place = posts.findLastIndex((post) => post.orderId === asked.orderId);
      const field = (name: string) => posts[place]?.fields.find(([it]) => it === name)?.[1] ?? '';
      const order = { gatewayOrderId: String(9_000_001 + place), amount: field('amount'), currency: field('currency') };
      const reply: StatusAnswer = statusMoods[coming.shift() ?? lasting];
      const evidence = reply(asked, order);
      if (evidence.kind !== 'not-sent') inquiries.push(asked);
      return evidence;
    },
  };
}

/** What came, as it is read from the wire. */
export function receivedPost({ url, headers, body }: GatewayRequest, atMs: number): ReceivedPost {
  const fields = body.split('&').map((pair): [string, string] => {
    const [name = '', value = ''] = pair.split('=');
    return [decodeURIComponent(name), decodeURIComponent(value)];
  });
  const oauth = [...(headers['authorization'] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, decodeURIComponent(value)] as const,
  );
  const orderId = fields.find(([name]) => name === 'client_orderid' || name === 'client-order-id')?.[1] ?? '';
  return { url, headers, fields, oauth: Object.fromEntries(oauth), orderId, atMs };
}
