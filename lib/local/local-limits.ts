// The worker's limits on one machine: everything as shipped but shorter, so that a run with stalls and retries ends
// within a minute. The same relations are asserted (domain/limits.ts).

/** Settings of the local worker, as environment variables, and the queue's own number that must agree with them. */
export const localWorkerLimits = {
  maxReceiveCount: 4,
  environment: {
    MAX_RECEIVE_COUNT: '4',
    GATEWAY_CONNECT_TIMEOUT_MS: '1000',
    GATEWAY_HEADERS_TIMEOUT_MS: '3500',
    GATEWAY_BODY_TIMEOUT_MS: '1000',
    GATEWAY_TOTAL_TIMEOUT_MS: '6000',
    SETTLE_RESERVE_MS: '2000',
    LEASE_MS: '15000',
    FUNCTION_TIMEOUT_MS: '30000',
    DOUBT_FIRST_INQUIRY_SECONDS: '1',
    LEAVE_RETRY_SECONDS: '3',
    RETRY_FIRST_DELAY_SECONDS: '1',
    RETRY_MAX_DELAY_SECONDS: '4',
  },
} as const;
