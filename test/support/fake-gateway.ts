// A gateway with named moods. It reports evidence as the HTTP adapter does and remembers every POST that may have
// reached it: "paid twice" is then a count.
import type { Evidence, Gateway, GatewayRequest } from '../../lib/gateway/ports.ts';
import type { ManualClock } from './time-and-chance.ts';

/** One POST that may have reached the gateway. */
interface ReceivedPost {
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

const answer = (httpStatus: number, body: string, retryAfterSeconds?: number): Evidence => ({
  kind: 'answer',
  httpStatus,
  body,
  framing: 'delimited',
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

const json = (httpStatus: number, fields: Readonly<Record<string, unknown>>): Evidence =>
  answer(httpStatus, JSON.stringify(fields));

/** The answers of the gateway to a POST. Only `refuses the connection` and `cannot be found` prove that none arrived. */
const moods = {
  accepts: (post, id) =>
    json(200, {
      type: 'async-response',
      'serial-number': '00000000-0000-0000-0000-000000000001',
      'merchant-order-id': post.orderId,
      'paynet-order-id': Number(id),
      ...(post.url.includes('/payout/') ? { 'payout-id': id } : { 'transaction-id': id }),
    }),
  'accepts with two ids': (post, id) =>
    json(200, {
      type: 'async-response',
      'merchant-order-id': post.orderId,
      'paynet-order-id': id,
      'payout-id': '55',
    }),
  'accepts with an alias alone': (post) => json(200, { 'merchant-order-id': post.orderId, 'payout-id': '55' }),
  'accepts in form text': (post, id) =>
    answer(
      200,
      `type=async-response\n&serial-number=00000000-0000-0000-0000-000000000001\n` +
        `&merchant-order-id=${encodeURIComponent(post.orderId)}\n&paynet-order-id=${id}\n`,
    ),
  'refuses the connection': () => ({ kind: 'not-sent', reason: 'connect ECONNREFUSED' }),
  'cannot be found': () => ({ kind: 'not-sent', reason: 'getaddrinfo ENOTFOUND' }),
  'resets after reading': () => ({ kind: 'no-answer', reason: 'the connection was reset' }),
  stalls: () => ({ kind: 'no-answer', reason: 'no answer within 20000 ms' }),
  'breaks off in the body': () => ({ kind: 'no-answer', reason: 'the body stopped', httpStatus: 200 }),
  'refuses the order': (post) =>
    json(200, {
      type: 'validation-error',
      'merchant-order-id': post.orderId,
      'error-code': 8,
      'error-message': 'Card number is invalid',
    }),
  'refuses the order and echoes it': (post) =>
    json(200, {
      type: 'validation-error',
      'error-code': '8',
      'error-message': `bad request: ${post.fields.map(([name, value]) => `${name}=${value}`).join(' ')}`,
    }),
  'refuses the signature': () => answer(401, 'bad signature'),
  'forbids the login': () => answer(403, ''),
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
  'answers nothing readable': () => answer(200, '<html>It works!</html>'),
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
  'chain declined': says('chain_declined'),
  approved: says('approved', { 'approval-code': '123456' }),
  declined: says('declined', { 'error-code': 28, 'error-message': 'Insufficient funds' }),
  error: says('error', { 'error-code': 1007, 'error-message': 'Checking is failed' }),
  filtered: says('filtered', { 'error-code': 24, 'error-message': 'Suspect fraud' }),
  'approved in form text': (asked, order) =>
    answer(
      200,
      Object.entries(statusFields('approved', asked, order))
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}\n`)
        .join('&'),
    ),
  'never heard of it': () => json(400, notFound),
  'never heard of it, in form text': () => answer(200, 'type=error\n&error-message=Order+not+found\n&error-code=101\n'),
  'approved, another order': says('approved', { 'merchant-order-id': 'SOMEBODY-ELSES' }),
  "approved, another of the gateway's orders": says('approved', { 'paynet-order-id': '1' }),
  'approved, another amount': says('approved', { amount: '10.43' }),
  'processing, another amount': says('processing', { amount: '10.43' }),
  'approved, without its amount': says('approved', { amount: '', 'transaction-type': 'payout' }),
  reversed: says('approved', { 'transaction-type': 'reversal' }),
  'a reversal is under way': says('processing', { 'transaction-type': 'reversal' }),
  'partly reversed': says('approved', { 'transaction-type': 'reversal', 'total-reversal-amount': '3.00' }),
  'reversed further': says('approved', { 'transaction-type': 'reversal', 'total-reversal-amount': '7.50' }),
  'chargeback declined': says('declined', { 'transaction-type': 'chargeback' }),
  'approved, another currency': says('approved', { currency: 'USD' }),
  'refuses the signature': () => answer(401, 'bad signature'),
  'is overloaded': () => answer(429, 'slow down', 40),
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
      if (late) return { kind: 'not-sent', reason: 'too little time was left to send and settle' };
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

function receivedPost({ url, headers, body }: GatewayRequest, atMs: number): ReceivedPost {
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
