// The worker's limits on one machine: everything as shipped but shorter, so that a run with stalls and retries ends
// within a minute. The same relations are asserted (payout/limits.ts).
import { defaultLimits, longPolling, patientAwsCalls } from '../payout/limits.ts';

/** Settings of the local worker, as environment variables, and the queue's own number that must agree with them. */
export const localWorkerLimits = {
  maxReceiveCount: defaultLimits.maxReceiveCount,
  environment: {
    MAX_RECEIVE_COUNT: String(defaultLimits.maxReceiveCount),
    GATEWAY_CONNECT_TIMEOUT_MS: '1000',
    GATEWAY_HEADERS_TIMEOUT_MS: '3500',
    GATEWAY_BODY_TIMEOUT_MS: '1000',
    GATEWAY_TOTAL_TIMEOUT_MS: '6000',
    SETTLE_RESERVE_MS: '18500',
    // The emulators share one busy process: a second would be too short, and a failed check comes again minutes later.
    AWS_REQUEST_TIMEOUT_MS: '2900',
    AWS_CALL_TIMEOUT_MS: '3000',
    LEASE_MS: '31000',
    FUNCTION_TIMEOUT_MS: '50000',
    UNKNOWN_MERCHANT_WAIT_SECONDS: '10',
    RETRY_FIRST_DELAY_SECONDS: '1',
    RETRY_MAX_DELAY_SECONDS: '4',
  },
} as const;

/** How the clients of the environment itself call: they poll, and share one event loop with all that they ask. */
export const localCalls = { limits: longPolling(patientAwsCalls) };
