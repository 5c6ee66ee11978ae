// EVERY CALL ENDS: what all clients of AWS have in common, whoever uses them. A call that hangs would take the answer of a
// POST with it, and the other jobs of its batch; so each has deadlines of ours: for connecting, for one request, for
// silence in the middle of an answer, and for the whole call with all its retries and the waits between them.
import type { Limits } from '../payout/limits.ts';
import type { Log } from '../payout/ports.ts';
import { logAwsFailures } from './log-aws-failures.ts';

/** The bounds of one call. */
export type AwsCallLimits = Pick<
  Limits,
  'awsConnectTimeoutMs' | 'awsRequestTimeoutMs' | 'awsCallTimeoutMs' | 'awsAttempts'
>;

/** What a client is made with. */
export interface AwsClientOptions {
  readonly limits: AwsCallLimits;
  /** Told of calls that fail for good; without it their callers alone know. */
  readonly log?: Log;
}

/** AWS gave no whole answer in time. What was asked for may have been done: callers read the ledger, or repeat. */
class AwsCallTimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
}

type Send = (command: unknown, options?: { readonly abortSignal?: AbortSignal }) => Promise<unknown>;

type AwsClient = Parameters<typeof logAwsFailures>[0] & { send: unknown };

/** What every client is constructed with. */
export function clientSettings({ awsAttempts, awsConnectTimeoutMs, awsRequestTimeoutMs }: AwsCallLimits) {
  return {
    maxAttempts: awsAttempts,
    requestHandler: {
      connectionTimeout: awsConnectTimeoutMs,
      // Until the headers of the answer. Without the second setting the SDK's handler only warns, and waits on.
      requestTimeout: awsRequestTimeoutMs,
      throwOnRequestTimeout: true,
      // Silence in the middle of an answer; one that trickles is ended by the deadline of the whole call.
      socketTimeout: awsRequestTimeoutMs,
    },
    logger: quiet,
  };
}

/**
 * The SDK hands each call's input and output to `info`, in copies from which secrets are filtered out; it looks for the
 * method first, and without one it makes no copies, which are 7 to 9 % of the worker's processor time.
 */
const quiet = { trace: ignore, debug: ignore, warn: ignore, error: ignore } as unknown as Required<
  Record<'trace' | 'debug' | 'info' | 'warn' | 'error', typeof ignore>
>;

function ignore(): void {}

/** The client, each call of which ends within `awsCallTimeoutMs`, its failures told to the log. */
export function bounded<Client extends AwsClient>(client: Client, { limits, log }: AwsClientOptions): Client {
  const send = (client.send as Send).bind(client);
  const bounds: Send = (command, options) =>
    endingIn(limits.awsCallTimeoutMs, (abortSignal) => {
      const signals = [abortSignal, ...(options?.abortSignal ? [options.abortSignal] : [])];
      return send(command, { ...options, abortSignal: AbortSignal.any(signals) });
    });
  client.send = bounds;
  return log ? logAwsFailures(client, log) : client;
}

/** Not left to the signal alone: nobody promises that each step of the SDK heeds it. */
async function endingIn<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new AwsCallTimeoutError(`AWS gave no whole answer within ${timeoutMs} ms`);
      over.abort(error);
      reject(error);
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(over.signal), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
