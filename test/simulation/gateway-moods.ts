// The gateway's moods towards one POST: one row a mood. Each row of the evidence table (infra/docs/gateway.md) appears with the
// order not committed, committed, or committed only after the client gave up, wherever a real gateway could do so.
import type { Evidence } from '../../lib/gateway/ports.ts';

/** One POST as the gateway reads it. */
export interface Post {
  /** The ledger's key of its order. */
  readonly order: string;
  readonly orderId: string;
  readonly operation: string;
  readonly movesMoney: boolean;
  /** The host that it was sent to. */
  readonly origin: string;
  readonly amount: string;
  readonly currency: string;
  /** The CVV, where there is one. */
  readonly code?: string;
}

/** The time when the order is committed: money moves then. */
type Commit = 'never' | 'at once' | 'late';

/** A mood of the gateway. */
export interface Mood {
  readonly name: string;
  readonly commits: Commit;
  /** The POST never leaves: no connection was made. */
  readonly connectionFails?: true;
  /** A process that hears this answer has proof that this POST moves no money, now or later. */
  readonly provesNothingMoved?: true;
  /** The answer refuses this very order, not its sender, its pace or its address: it may end it. */
  readonly refusesTheOrder?: true;
  /** A filter of duplicates may answer like this: about the order of an earlier attempt, if there was one. */
  readonly mayMeanEarlier?: true;
  /** A process that hears this answer knows that the gateway took the order. */
  readonly isAcceptance?: true;
  /** Fits only operations whose success body is not published: for others a 200 without an id proves nothing. */
  readonly onlyWithoutIdentity?: true;
  /** The time until the client has its evidence; default: the weather's latency. */
  readonly afterMs?: number;
  readonly evidence: (post: Post, gatewayOrderId: string) => Evidence;
}

type Answer = Extract<Evidence, { readonly kind: 'answer' }>;

const answer = (httpStatus: number, body: string, retryAfterSeconds?: number): Answer => ({
  kind: 'answer',
  httpStatus,
  body,
  framing: 'delimited',
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const endless = (httpStatus: number, body: string): Answer => ({ ...answer(httpStatus, body), framing: 'until-close' });
/** A status that each merchant's profile lists under `doubtfulHttpStatuses`. */
export const statusInDoubt = 415;
const json = (httpStatus: number, fields: Readonly<Record<string, unknown>> | readonly unknown[]) =>
  answer(httpStatus, JSON.stringify(fields));
const notSent = (reason: string) => (): Evidence => ({ kind: 'not-sent', reason });
const noAnswer = (reason: string, httpStatus?: number) => (): Evidence => ({
  kind: 'no-answer',
  reason,
  ...(httpStatus !== undefined && { httpStatus }),
});

const idField = (post: Post) => (post.operation === 'payout' ? 'payout-id' : 'transaction-id');
const acceptance = (post: Post, id: string) => ({
  type: 'async-response',
  'merchant-order-id': post.orderId,
  'paynet-order-id': Number(id),
  [idField(post)]: id,
});
const refusal = (post: Post, code: string, message: string) =>
  json(200, { type: 'error', 'merchant-order-id': post.orderId, 'error-code': code, 'error-message': message });

const tookIt = {
  accepts: { commits: 'at once', evidence: (post, id) => json(200, acceptance(post, id)) },
  'accepts in form text': {
    commits: 'at once',
    evidence: (post, id) => ({
      kind: 'answer',
      httpStatus: 200,
      body: `type=async-response\n&merchant-order-id=${encodeURIComponent(post.orderId)}\n&paynet-order-id=${id}\n`,
      framing: 'until-close',
    }),
  },
  'accepts without an id': {
    commits: 'at once',
    onlyWithoutIdentity: true,
    evidence: () => json(200, { type: 'async-response' }),
  },
} as const satisfies Record<string, Omit<Mood, 'name'>>;

const nothingSent = {
  'refuses the connection': { evidence: notSent('no connection (ECONNREFUSED)') },
  'cannot be found': { evidence: notSent('no connection (ENOTFOUND)') },
  'fails the TLS handshake': { evidence: notSent('no connection (ECONNRESET)') },
  'never connects': { evidence: notSent('no connection within 5000 ms'), afterMs: 5_000 },
} as const satisfies Record<string, Omit<Mood, 'name' | 'commits'>>;

/** Each of these proves, to the process that hears it, that nothing was processed. */
const notProcessed = {
  'refuses the signature': { evidence: () => answer(401, 'bad signature') },
  'forbids the login': { evidence: () => answer(403, '') },
  'refuses the signature in words': {
    evidence: (post) => ({ ...refusal(post, '9', 'Bad signature'), httpStatus: 401 }),
  },
  'asks to slow down': { evidence: () => answer(429, 'slow down', 40) },
  'refuses the order': {
    refusesTheOrder: true,
    mayMeanEarlier: true,
    evidence: (post) => refusal(post, '8', 'Card number is invalid'),
  },
  'refuses in form text': {
    refusesTheOrder: true,
    mayMeanEarlier: true,
    evidence: (post) =>
      answer(200, `type=validation-error\n&merchant-order-id=${encodeURIComponent(post.orderId)}\n&error-code=8\n`),
  },
  'finds the request malformed': {
    refusesTheOrder: true,
    mayMeanEarlier: true,
    evidence: () => answer(400, 'malformed'),
  },
  'finds nothing at the address': { mayMeanEarlier: true, evidence: () => answer(404, 'Not Found') },
  'has no gate open for the account': {
    mayMeanEarlier: true,
    evidence: (post) => refusal(post, '1005', 'The gates list is empty'),
  },
} as const satisfies Record<string, Omit<Mood, 'name' | 'commits'>>;

/** Each of these comes in three rows: the order never committed, committed at once, committed late. */
const unclear = {
  resets: { evidence: noAnswer('the connection failed after the request was sent (ECONNRESET)') },
  stalls: { evidence: noAnswer('no whole answer: the answer took longer than 20000 ms'), afterMs: 20_000 },
  'breaks off in the body': { evidence: noAnswer('the answer was cut off', 200), afterMs: 5_000 },
  'answers 500': { evidence: () => answer(500, '<html>oops</html>') },
  'answers 503 with a refusal': { evidence: (post) => ({ ...refusal(post, '8', 'no'), httpStatus: 503 }) },
  'answers 504': { evidence: () => answer(504, ''), afterMs: 15_000 },
  'answers 408': { evidence: () => answer(408, '') },
  'answers 409': { evidence: () => answer(409, '{"type":"error","error-code":"8"}') },
  'answers 425': { evidence: () => answer(425, '') },
  'answers 499': { evidence: () => answer(499, '') },
  'has a passing error': { evidence: (post) => refusal(post, '1001', 'Internal error') },
  'says that the order exists': { evidence: (post) => refusal(post, '503', 'Order already completed') },
  'answers nothing': { evidence: () => answer(200, '') },
  'answers garbage': { evidence: () => answer(200, '<html>It works!</html>') },
  'answers half of its JSON': {
    evidence: (post, id) => answer(200, JSON.stringify(acceptance(post, id)).slice(0, 40)),
  },
  'refuses in half of its JSON': {
    evidence: (post) => answer(422, JSON.stringify({ type: 'error', 'merchant-order-id': post.orderId }).slice(0, 30)),
  },
  'answers for another order': {
    evidence: (post) => json(200, { ...acceptance(post, '666'), 'merchant-order-id': 'SOMEBODY-ELSES' }),
  },
  'accepts and declines at once': {
    evidence: (post, id) => json(200, { ...acceptance(post, id), status: 'declined' }),
  },
  'answers an id that is none': {
    evidence: (post) => json(200, { type: 'async-response', [idField(post)]: '<id>', 'error-message': 'later' }),
  },
  'refuses the signature with an order in it': { evidence: (post, id) => json(401, acceptance(post, id)) },
  'forbids the login with an order in it': { evidence: (post, id) => json(403, acceptance(post, id)) },
  'asks to slow down with an order in it': { evidence: (post, id) => json(429, acceptance(post, id)) },
  'finds the order invalid with its id in it': {
    evidence: (post, id) => json(422, { ...acceptance(post, id), type: 'validation-error', 'error-code': '8' }),
  },
  'answers in gzip': {
    evidence: () => ({ ...answer(200, ''), unreadable: 'the answer is coded as gzip, which was not asked for' }),
  },
  'refuses in an unknown charset': {
    evidence: () => ({ ...answer(422, ''), unreadable: 'the answer is in the charset koi8-r' }),
  },
  'refuses the signature in gzip': {
    evidence: () => ({ ...answer(401, ''), unreadable: 'the answer is coded as gzip, which was not asked for' }),
  },
  'refuses the signature in half of its JSON': {
    evidence: (post, id) => answer(401, JSON.stringify(acceptance(post, id)).slice(0, -1)),
  },
  'forbids the login in an array': { evidence: (post, id) => json(403, [acceptance(post, id)]) },
  'asks to slow down with a field twice': {
    evidence: (post, id) => answer(429, JSON.stringify(acceptance(post, id)).replace('{', '{"type":"error",')),
  },
  // Cut off or whole: nothing shows which. The missing part may be the order's identity.
  'refuses in form text without an end': {
    evidence: (post) =>
      endless(200, `type=error\n&merchant-order-id=${encodeURIComponent(post.orderId)}\n&error-code=8`),
  },
  'refuses the signature in form text without an end': {
    evidence: (post) => endless(401, `type=error\n&merchant-order-id=${encodeURIComponent(post.orderId)}\n`),
  },
  'finds the request malformed, without an end': { evidence: () => endless(400, 'malformed') },
  'accepts without an id and without an end': { evidence: () => endless(200, 'type=async-response') },
  'answers a status that its contract lists as doubtful': { evidence: () => answer(statusInDoubt, 'see the report') },
  'nests a refusal in its success': {
    evidence: (post, id) => json(200, { ...acceptance(post, id), result: { success: false, status: 'failed' } }),
  },
  'says in words that it was paid': { evidence: (post) => refusal(post, '8', 'Duplicate: already paid') },
  'answers with both ids, and one more': {
    evidence: (post, id) =>
      json(402, { 'merchant-order-id': post.orderId, 'payout-id': `p-${id}`, status: 'declined' }),
  },
} as const satisfies Record<string, Omit<Mood, 'name' | 'commits'>>;

const commitsWords = {
  never: ', nothing committed',
  'at once': ', order committed',
  late: ', order committed late',
} as const satisfies Record<Commit, string>;

type UnclearMood = `${keyof typeof unclear}${(typeof commitsWords)[Commit]}`;

/** All moods by name. */
export const moods = Object.fromEntries(
  [
    ...Object.entries<Omit<Mood, 'name'>>(tookIt).map(
      ([name, row]) => [name, { ...row, isAcceptance: true as const }] as const,
    ),
    ...Object.entries<Omit<Mood, 'name' | 'commits'>>(nothingSent).map(
      ([name, row]) => [name, { ...row, connectionFails: true as const, commits: 'never' as const }] as const,
    ),
    ...Object.entries<Omit<Mood, 'name' | 'commits'>>(notProcessed).map(
      ([name, row]) => [name, { ...row, provesNothingMoved: true as const, commits: 'never' as const }] as const,
    ),
    ...Object.entries<Omit<Mood, 'name' | 'commits'>>(unclear).flatMap(([name, row]) =>
      (['never', 'at once', 'late'] as const).map(
        (commits) => [`${name}${commitsWords[commits]}`, { ...row, commits }] as const,
      ),
    ),
  ].map(([name, row]) => [name, { ...row, name }]),
) as Readonly<Record<keyof typeof tookIt | keyof typeof nothingSent | keyof typeof notProcessed, Mood>> &
  Readonly<Record<UnclearMood, Mood>>;

/** All moods. */
export const allMoods: readonly [Mood, ...Mood[]] = [moods.accepts, ...Object.values(moods)];
