// A gateway with named moods. It reports evidence as the HTTP adapter does and remembers every POST that may have
// reached it: "paid twice" is then a count.
import type { Gateway, GatewayRequest } from '../../lib/app/ports.ts';
import type { Evidence } from '../../lib/domain/evidence.ts';
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

/** What the gateway does with a POST. Only `refuses the connection` and `cannot be found` prove that none arrived. */
const moods = {
  accepts: (post, id) =>
    json(200, {
      type: 'async-response',
      'serial-number': '00000000-0000-0000-0000-000000000001',
      'merchant-order-id': post.orderId,
      'paynet-order-id': Number(id),
      ...(post.url.includes('/payout/') ? { 'payout-id': id } : { 'transaction-id': id }),
    }),
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

/** The fake gateway. */
export interface FakeGateway extends Gateway {
  /** The POSTs that may have reached it, in order. */
  readonly posts: readonly ReceivedPost[];
  postsOf(orderId: string): number;
  /** The moods of the next POSTs, one each; after them it accepts, or as `stays` said. */
  moods(...moods: GatewayMood[]): void;
  stays(mood: GatewayMood): void;
  /** Happens while a POST is under way: other workers come by, time passes, keys are rotated. */
  meanwhile(happens: (post: ReceivedPost) => Promise<void> | void): void;
}

/** A gateway that accepts whatever it is sent. */
export function createFakeGateway(clock: ManualClock): FakeGateway {
  const posts: ReceivedPost[] = [];
  let coming: GatewayMood[] = [];
  let lasting: GatewayMood = 'accepts';
  let happens: (post: ReceivedPost) => Promise<void> | void = () => {};
  return {
    posts,
    postsOf: (orderId) => posts.filter((post) => post.orderId === orderId).length,
    moods: (...moods) => void (coming = moods),
    stays: (mood) => void (lasting = mood),
    meanwhile: (next) => void (happens = next),
    async post(request) {
      const late = clock.nowMs() > request.notAfterMs;
      if (late) return { kind: 'not-sent', reason: 'too little time was left to send and settle' };
      const received = receivedPost(request, clock.nowMs());
      const gatewayOrderId = String(9_000_001 + posts.length);
      const reply: Answer = moods[coming.shift() ?? lasting];
      const evidence = reply(received, gatewayOrderId);
      if (evidence.kind !== 'not-sent') posts.push(received);
      await happens(received);
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
