// EVERY CALL ENDS: the common settings of all clients of AWS, for every caller. A call that hangs would take the answer of a
// POST with it, and the other jobs of its batch; so each has deadlines of ours: for connecting and for silence (aws-requests.ts),
// and for the whole call with all its retries and the waits between them.
import type { Limits } from '../payout/limits.ts';
import { errorFields, type LogFields } from '../payout/log-fields.ts';
import type { Log } from '../payout/ports.ts';
import { createRequestHandler, signerInLambda } from './aws-requests.ts';

/** The bounds of one call. */
type AwsCallLimits = Pick<Limits, 'awsConnectTimeoutMs' | 'awsRequestTimeoutMs' | 'awsCallTimeoutMs' | 'awsAttempts'>;

/** The options of a client. */
export interface AwsClientOptions {
  readonly limits: AwsCallLimits;
  /** Receives calls that fail for good; without it their callers alone know. */
  readonly log?: Log;
}

/** AWS gave no whole answer in time. The request may have been carried out: callers read the ledger, or repeat. */
class AwsCallTimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
}

type Send = (command: unknown, options?: { readonly abortSignal?: AbortSignal }) => Promise<unknown>;

/**
 * A maker of clients of a service by the standard environment; `where` names another endpoint, region or credentials. Functions sign
 * with a signer of ours for `signingName`, the service's name in signatures.
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
    // The first copies each call's input and output without secrets, the second names the SDK: 10 % of the time of a call.
    for (const name of ['loggerMiddleware', 'getUserAgentMiddleware']) client.middlewareStack.remove(name);
    return bounded(client, options);
  };

/** The client, each call of which ends within `awsCallTimeoutMs`, its failures logged. */
function bounded<Client extends AwsClient>(client: Client, { limits, log }: AwsClientOptions): Client {
  const send = (client.send as Send).bind(client);
  const bounds: Send = (command, options) =>
    endingIn(limits.awsCallTimeoutMs, (abortSignal) => {
      // A signal of several is dear, and few callers have one of their own.
      const own = options?.abortSignal;
      return send(command, { ...options, abortSignal: own ? AbortSignal.any([abortSignal, own]) : abortSignal });
    });
  client.send = bounds;
  return log ? logAwsFailures(client, log) : client;
}

/** Runs the work and ends in time. Not left to the signal alone: not every step of the SDK is known to heed it. */
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

// The calls that AWS refused or never answered, logged by name. Callers wait, repeat or hand on as the journey says; only
// this line says why they had to: from inside the journey a right that is missing looks like a service that is silent.

/** Refusals that callers read as answers. */
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

/** The client, with a line in the log for each call that failed for good, after the client's own tries. */
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

/** Calls are cut off by their deadline (aws-calls.ts), which the SDK reports as a request of its caller. */
function fieldsOf(error: unknown): LogFields {
  return error instanceof Error && error.name === 'AbortError' ? { errorName: 'TimeoutError' } : errorFields(error);
}
