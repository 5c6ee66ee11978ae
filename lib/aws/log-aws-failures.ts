// What AWS refused or never answered, told to the log by name. Callers wait, repeat or hand on as the journey says; only
// this line says why they had to: from inside the journey a right that is missing looks like a service that is silent.
import type { Log } from '../payout/ports.ts';
import type { LogFields } from '../payout/log-fields.ts';
import { errorFields } from '../payout/error-fields.ts';

/** Refusals that are answers: callers read them as such. */
const answers: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['DynamoDBClient', new Set(['ConditionalCheckFailedException', 'TransactionCanceledException'])],
  ['SecretsManagerClient', new Set(['ResourceNotFoundException', 'ResourceExistsException'])],
]);

/** What every client of AWS has. */
interface AwsClient {
  readonly middlewareStack: {
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
export function logAwsFailures<Client extends AwsClient>(client: Client, log: Log): Client {
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

/** Calls are cut off by their deadline (aws-calls.ts), which the SDK reports as a wish of its caller. */
function fieldsOf(error: unknown): LogFields {
  return error instanceof Error && error.name === 'AbortError' ? { errorName: 'TimeoutError' } : errorFields(error);
}
