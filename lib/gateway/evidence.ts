// What the socket and the answer prove about one attempt. The gateway adapter reports it and judges nothing;
// outcome.ts judges it and touches nothing.
import type { BodyFraming } from './gateway-reply.ts';

/** Evidence of one POST. */
export type Evidence =
  /** No byte of the request was handed to a connection: DNS, refused, TLS, connect time-out, or no time left to start. */
  | { readonly kind: 'not-sent'; readonly reason: string }
  /** Bytes may have left and no whole answer came back. */
  | { readonly kind: 'no-answer'; readonly reason: string; readonly httpStatus?: number }
  /** A whole answer. */
  | {
      readonly kind: 'answer';
      readonly httpStatus: number;
      /** Empty where it could not be turned into text. */
      readonly body: string;
      /** Why the body could not be turned into text: its coding or charset. Unread is not refused. */
      readonly unreadable?: string;
      readonly framing: BodyFraming;
      /** The Retry-After header in seconds, where there was one. */
      readonly retryAfterSeconds?: number;
    };
