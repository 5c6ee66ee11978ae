// The gateway's moods towards one status inquiry: one row a mood. Only `answers` gives the status in its books.
import type { Evidence } from '../../lib/gateway/ports.ts';
import type { Booking } from './gateway-book.ts';

/** One inquiry as the gateway reads it, and what its books show of the order. */
export interface Look {
  readonly orderId: string;
  readonly booking: Booking | undefined;
  /** The gateway's own id, where the inquiry names it. */
  readonly askedId: string | undefined;
  /** The gateway's present status of the order. */
  readonly status: string;
}

/** A mood of the gateway towards an inquiry. */
export interface LookMood {
  readonly name: string;
  /** The books were read, and the answer is their content. */
  readonly isTrue?: true;
  readonly connectionFails?: true;
  readonly afterMs?: number;
  readonly evidence: (look: Look) => Evidence;
}

const answer = (httpStatus: number, fields: Readonly<Record<string, unknown>> | string): Evidence => ({
  kind: 'answer',
  httpStatus,
  body: typeof fields === 'string' ? fields : JSON.stringify(fields),
  framing: 'delimited',
});
const standing = ({ orderId, booking, status }: Look) => ({
  type: 'status-response',
  status,
  'merchant-order-id': orderId,
  ...(booking && {
    'paynet-order-id': booking.gatewayOrderId,
    amount: booking.post.amount,
    currency: booking.post.currency,
  }),
});
const unknownOrder = { type: 'error', 'error-code': '101', 'error-message': 'No such order' };
const approved = (look: Look) => ({ ...standing(look), status: 'approved' });
/** For an order that it does not have the gateway gives no other answer that looks like one. */
const ofBooked = (look: Look, say: () => Evidence) => (look.booking ? say() : answer(500, ''));

const rows = {
  answers: {
    isTrue: true,
    evidence: (look) => answer(look.booking ? 200 : 400, look.booking ? standing(look) : unknownOrder),
  },
  'answers in form text': {
    isTrue: true,
    evidence: (look) => ({
      ...answer(
        200,
        Object.entries(look.booking ? standing(look) : { ...unknownOrder, 'merchant-order-id': look.orderId })
          .map(([name, value]) => `${name}=${encodeURIComponent(value)}\n`)
          .join('&'),
      ),
      framing: 'until-close',
    }),
  },
  'answers slowly': {
    isTrue: true,
    afterMs: 18_000,
    evidence: (look) => answer(look.booking ? 200 : 400, look.booking ? standing(look) : unknownOrder),
  },
  'refuses the connection': {
    connectionFails: true,
    evidence: () => ({ kind: 'not-sent', reason: 'no connection (ECONNREFUSED)' }),
  },
  stalls: { afterMs: 20_000, evidence: () => ({ kind: 'no-answer', reason: 'the answer took longer than 20000 ms' }) },
  resets: {
    evidence: () => ({ kind: 'no-answer', reason: 'the connection failed after the request was sent (ECONNRESET)' }),
  },
  'answers 500': { evidence: () => answer(500, '<html>oops</html>') },
  'answers 429': { evidence: () => answer(429, '') },
  'answers garbage': { evidence: () => answer(200, '<html>It works!</html>') },
  'has a passing error': { evidence: () => answer(200, { type: 'error', 'error-code': '1001' }) },
  'refuses the signature': { evidence: () => answer(401, 'bad signature') },
  'answers for another order': {
    evidence: (look) => answer(200, { ...approved(look), 'merchant-order-id': 'SOMEBODY-ELSES' }),
  },
  'answers without naming the order': { evidence: () => answer(200, { type: 'status-response', status: 'approved' }) },
  'answers with another amount': {
    evidence: (look) => ofBooked(look, () => answer(200, { ...approved(look), amount: '99999' })),
  },
  'answers without amount or kind': {
    evidence: ({ orderId, booking }) =>
      answer(200, {
        type: 'status-response',
        status: 'approved',
        'merchant-order-id': orderId,
        ...(booking && { 'paynet-order-id': booking.gatewayOrderId }),
      }),
  },
  'answers about a reversal': {
    evidence: (look) =>
      look.status === 'approved' ? answer(200, { ...approved(look), 'transaction-type': 'reversal' }) : answer(500, ''),
  },
  // Other programs of the merchant may use one id for a sale, or for the check of a card.
  'answers about a sale under the id': {
    evidence: (look) => answer(200, { ...approved(look), 'paynet-order-id': '667', 'transaction-type': 'sale' }),
  },
  'answers about a check under the id': {
    evidence: (look) =>
      answer(200, { ...approved(look), 'paynet-order-id': '668', 'transaction-type': 'account-verification' }),
  },
  "answers about another of the gateway's orders": {
    // An answer to an inquiry by our order id alone could not be distinguished from ours.
    evidence: (look) =>
      look.askedId === undefined ? answer(500, '') : answer(200, { ...approved(look), 'paynet-order-id': '666' }),
  },
  'answers with another currency': {
    evidence: (look) => ofBooked(look, () => answer(200, { ...approved(look), currency: 'XTS' })),
  },
  'refuses the question': { evidence: () => answer(200, { type: 'validation-error', 'error-code': '101' }) },
  'answers in gzip': {
    evidence: () =>
      ({ ...answer(200, ''), unreadable: 'the answer is coded as gzip, which was not asked for' }) as Evidence,
  },
  'answers 404': { evidence: () => answer(404, 'Not Found') },
  'answers with an unheard-of status': {
    evidence: (look) => answer(200, look.booking ? { ...standing(look), status: 'approved-ish' } : unknownOrder),
    isTrue: true,
  },
} as const satisfies Record<string, Omit<LookMood, 'name'>>;

/** All moods by name. */
export const inquiries = Object.fromEntries(
  Object.entries<Omit<LookMood, 'name'>>(rows).map(([name, row]) => [name, { ...row, name }]),
) as Readonly<Record<keyof typeof rows, LookMood>>;

/** All moods. */
export const allInquiries: readonly [LookMood, ...LookMood[]] = [inquiries.answers, ...Object.values(inquiries)];
