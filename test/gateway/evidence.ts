// What the socket saw, as tests of the judging write it, and limits that nothing runs into.
import type { Evidence, GatewayLimits } from '../../lib/gateway/ports.ts';

/** A whole answer; \`until-close\`: nothing but the closing of the connection marked its end. */
export const answer = (
  httpStatus: number,
  body: string,
  framing: 'delimited' | 'until-close' = 'delimited',
): Evidence => ({ kind: 'answer', httpStatus, body, framing });

/** Long, so that a slow machine changes nothing. */
export const limits: GatewayLimits = {
  gatewayConnectTimeoutMs: 5_000,
  gatewayHeadersTimeoutMs: 5_000,
  gatewayBodyTimeoutMs: 5_000,
  gatewayTotalTimeoutMs: 15_000,
  gatewayReplyLimitBytes: 1_000,
};
