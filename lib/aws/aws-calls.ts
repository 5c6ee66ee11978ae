// Every call to AWS ends: the common settings of all clients. A call that hangs could lose the answer of a POST and hold up the other
// jobs of its batch. So each has deadlines: for connecting and for silence (aws-requests.ts), and for the whole call with its
// retries and waits.
import type { Limits } from '../payout/limits.ts';
import { errorFields, type LogFields } from '../payout/log-fields.ts';
import type { Log } from '../payout/ports.ts';
import { createRequestHandler, signerInLambda } from './aws-requests.ts';

/** The bounds of one call. */
type AwsCallLimits = Pick<Limits, 'awsConnectTimeoutMs' | 'awsRequestTimeoutMs' | 'awsCallTimeoutMs' | 'awsAttempts'>;

/** The options of a client. */
export interface AwsClientOptions {
  readonly limits: AwsCallLimits;
  /** Gets a line for each call that fails after its retries. Default: no lines. */
  readonly log?: Log;
}

/** AWS gave no whole answer in time. The request may have been carried out. */
class AwsCallTimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
}

type Send = (command: unknown, options?: { readonly abortSignal?: AbortSignal }) => Promise<unknown>;

/**
 * Makes the factory of a service's clients. `where` overrides endpoint, region or credentials of the environment. In Lambda, requests
 * are signed by our own signer if `signingName`, the service's name in signatures, is given.
 */
export const clientsOf =
  <Client extends AwsClient, Config extends object>(Service: new (config: Config) => Client, signingName?: string) =>
  (options: AwsClientOptions, where?: Config): Client => {
    const client = new Service({
      maxAttempts: options.limits.awsAttempts,
      requestHandler: createRequestHandler(options.limits),
      ...(signingName !== undefined && signerInLambda(signingName)),
      ...where,
    } as unknown as Config);
    // The first copies input and output of each call for logging, the second names the SDK: 10 % of a call's time.
    for (const name of ['loggerMiddleware', 'getUserAgentMiddleware']) client.middlewareStack.remove(name);
    return bounded(client, options);
  };

/** The client, whose calls end within `awsCallTimeoutMs` and whose failures are logged. */
function bounded<Client extends AwsClient>(client: Client, { limits, log }: AwsClientOptions): Client {
  const send = (client.send as Send).bind(client);
  const bounds: Send = (command, options) =>
    endingIn(limits.awsCallTimeoutMs, (abortSignal) => {
      // Combining signals is expensive, and few callers give one.
      const callers = options?.abortSignal;
      const either = callers ? AbortSignal.any([abortSignal, callers]) : abortSignal;
      return send(command, { ...options, abortSignal: either });
    });
  client.send = bounds;
  return log ? logAwsFailures(client, log) : client;
}

/** Runs the work; rejects after the time-out even if the work ignores the signal, as some steps of the SDK may. */
export async function endingIn<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

// Logs calls that AWS refused or never answered. To the caller a missing right looks like a silent service: only this line tells them
// apart.

/** Refusals that are expected answers, by client: not logged. */
const answers: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['DynamoDBClient', new Set(['ConditionalCheckFailedException', 'TransactionCanceledException'])],
  ['SecretsManagerClient', new Set(['ResourceNotFoundException', 'ResourceExistsException'])],
  ['KMSClient', new Set(['KMSInvalidMacException'])],
]);

/** The common part of every client of AWS. */
interface AwsClient {
  send: unknown;
  readonly middlewareStack: {
    remove(name: string): boolean;
    add(
      middleware: <Args, Answer>(
        next: (args: Args) => Promise<Answer>,
        context: { readonly clientName?: string; readonly commandName?: string },
      ) => (args: Args) => Promise<Answer>,
      options: { readonly step: 'initialize'; readonly priority: 'high' },
    ): void;
  };
}

/** The client, with a line in the log for each call that failed after the client's own retries. */
function logAwsFailures<Client extends AwsClient>(client: Client, log: Log): Client {
  client.middlewareStack.add(
    (next, { clientName = '', commandName = '' }) =>
      async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if (!(error instanceof Error && answers.get(clientName)?.has(error.name))) {
            const awsCall = `${clientName.replace(/Client$/, '')} ${commandName.replace(/Command$/, '')}`;
            log.write('warn', 'aws-call-failed', { awsCall, ...fieldsOf(error) });
          }
          throw error;
        }
      },
    { step: 'initialize', priority: 'high' },
  );
  return client;
}

/** The fields of a failed call. The SDK reports our deadline as an abort by the caller. */
function fieldsOf(error: unknown): LogFields {
  return error instanceof Error && error.name === 'AbortError' ? { errorName: 'TimeoutError' } : errorFields(error);
}
