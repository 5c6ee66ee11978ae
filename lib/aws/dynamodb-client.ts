// The one place that makes clients of DynamoDB, for functions, workers and tools alike: each with deadlines of ours, and a
// short way for the calls that every job makes. The SDK walks some twenty steps for each call, which cost three times what
// signing and sending do; the first try goes past them, over the SDK's own connections, credentials and signer. Whatever
// it does not answer plainly (a refusal, a throttle, no answer) goes the SDK's whole way, as if it had been its first try:
// that repeats, waits, names the error and heeds clocks that are wrong.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  type ServiceInputTypes,
} from '@aws-sdk/client-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import { type AwsClientOptions, bounded, clientSettings } from './aws-calls.ts';
import { systemClock } from './system.ts';

/** A client by the standard environment; `where` names another endpoint, region or credentials. */
export function newDynamoDbClient(options: AwsClientOptions, where: DynamoDBClientConfig = {}): DynamoDBClient {
  const { awsAttempts } = options.limits;
  // The try of the short way is the first of them.
  const limits = { ...options.limits, awsAttempts: Math.max(awsAttempts - 1, 1) };
  return bounded(withShortWay(new DynamoDBClient({ ...clientSettings(limits), ...where })), options);
}

/** Calls of single items: what they ask and answer is JSON as it stands, as long as nobody stores binary attributes. */
const shortOperations = new Set(['PutItem', 'UpdateItem', 'GetItem', 'BatchGetItem']);

/** A command, as the SDK makes it. */
interface AnyCommand {
  readonly input: ServiceInputTypes;
  readonly schema?: unknown;
  readonly middlewareStack: { identify(): readonly string[] };
}

type Send = (command: AnyCommand, options?: { readonly abortSignal?: AbortSignal }) => Promise<unknown>;

type Address = Pick<HttpRequest, 'protocol' | 'hostname' | 'port' | 'path'>;

function withShortWay(client: DynamoDBClient): DynamoDBClient {
  const wholeWay = client.send.bind(client) as unknown as Send;
  const address = addressOf(client);
  const shortWay = shortWayOf(client);
  const send: Send = async (command, options) => {
    const operation = operationOf(command);
    const known = address();
    // What somebody has added to a command (that it may be sent once only) is done on the whole way alone.
    if (!operation || !known || command.middlewareStack.identify().length > 0) return wholeWay(command, options);
    return (await shortWay(operation, command.input, known, options?.abortSignal)) ?? wholeWay(command, options);
  };
  client.send = send as unknown as DynamoDBClient['send'];
  return client;
}

/** Its schema bears the operation's name, which no minifier changes. */
function operationOf({ schema }: AnyCommand): string | undefined {
  const name: unknown = Array.isArray(schema) ? schema[2] : undefined;
  return typeof name === 'string' && shortOperations.has(name) ? name : undefined;
}

/** Where the SDK itself sends its calls, by all its rules; learnt from the client's first call. */
function addressOf(client: DynamoDBClient): () => Address | undefined {
  let known: Address | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      if (HttpRequest.isInstance(args.request)) known ??= args.request;
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return () => known;
}

/** One try; undefined where it brought neither an answer nor the refusal of a condition. */
function shortWayOf({ config }: DynamoDBClient) {
  let signer: ReturnType<typeof config.signer> | undefined;
  const signed = async (request: HttpRequest) => {
    const signingRegion = await config.region();
    signer ??= config.signer({ name: 'sigv4', signingName, signingRegion, properties: {} });
    const signingDate = new Date(systemClock.nowMs() + config.systemClockOffset);
    return (await signer).sign(request, { signingDate, signingRegion, signingService: signingName });
  };
  return async (
    operation: string,
    input: ServiceInputTypes,
    to: Address,
    abortSignal: AbortSignal | undefined,
  ): Promise<unknown> => {
    try {
      const request = await signed(requestOf(operation, JSON.stringify(input), to));
      const { response } = await config.requestHandler.handle(request as HttpRequest, abortSignal && { abortSignal });
      const text = config.utf8Encoder(await config.streamCollector(response.body));
      if (response.statusCode === 200) return { ...(JSON.parse(text) as object), $metadata: { attempts: 1 } };
      return refusalOf(text);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) throw error;
      return undefined;
    }
  };
}

const signingName = 'dynamodb';

function requestOf(operation: string, body: string, { protocol, hostname, port, path }: Address): HttpRequest {
  const host = port === undefined ? hostname : `${hostname}:${port}`;
  const headers = {
    host,
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(Buffer.byteLength(body)),
    'x-amz-target': `DynamoDB_20120810.${operation}`,
  };
  return new HttpRequest({
    protocol,
    hostname,
    ...(port !== undefined && { port }),
    path,
    method: 'POST',
    headers,
    body,
  });
}

/** A condition that does not hold is an answer, with the item that stands; it is thrown as the SDK throws it. */
function refusalOf(text: string): undefined {
  const { __type, message, Message, Item } = JSON.parse(text) as Partial<Record<string, unknown>>;
  if (!String(__type).endsWith('#ConditionalCheckFailedException')) return undefined;
  throw new ConditionalCheckFailedException({
    message: String(message ?? Message ?? 'The conditional request failed'),
    $metadata: { httpStatusCode: 400, attempts: 1 },
    ...(Item !== undefined && { Item: Item as Record<string, AttributeValue> }),
  });
}
