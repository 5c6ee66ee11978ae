// A guard in front of the emulators who knows the roles of the template: a call that its caller's role does not allow is
// refused as AWS refuses it, and every call is remembered. Who calls is told by the access key.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { Stack } from '../support/stack.ts';
import { accessOf, type Call, mayCall } from './policy-evaluator.ts';
import type { MerchantSecrets } from '../../lib/local/sample-merchants.ts';

/** A running guard. */
export interface Guard {
  /** Where clients are to go, for all services. */
  readonly url: string;
  /** `<function> <action> <resource>` of each different call, in order. */
  readonly seen: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Invokes a function by its name. */
type Invoke = (name: string, event: unknown) => Promise<unknown>;

/** In front of these emulators, with the queues by which the template names them, and of these functions. */
export function startGuardOver(aws: EmbeddedAws, stack: Stack, invoke: Invoke): Promise<Guard> {
  const { jobs, batchJobs, jobsDeadLetter, results, checks, references } = aws.queueUrls;
  const nameOf = (url: string) => url.split('/').pop() ?? '';
  return startGuard({
    stack,
    invoke,
    upstream: {
      sqs: aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '',
      dynamodb: aws.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
      secretsmanager: aws.environment['AWS_ENDPOINT_URL_SECRETS_MANAGER'] ?? '',
      kms: aws.environment['AWS_ENDPOINT_URL_KMS'] ?? '',
    },
    queues: {
      [nameOf(jobs)]: 'JobsQueue',
      [nameOf(batchJobs)]: 'BatchJobsQueue',
      [nameOf(jobsDeadLetter)]: 'DeadLetterQueue',
      [nameOf(results)]: 'ResultsQueue',
      [nameOf(checks)]: 'ChecksQueue',
      [nameOf(references)]: 'ReferencesQueue',
    },
  });
}

/** What the guard must know. */
interface GuardOptions {
  readonly stack: Stack;
  readonly invoke: Invoke;
  /** Address of the emulator by IAM's name of the service. */
  readonly upstream: Readonly<Record<'sqs' | 'dynamodb' | 'secretsmanager' | 'kms', string>>;
  /** Logical id by name of the queue. */
  readonly queues: Readonly<Record<string, string>>;
}

const services = [
  { target: /^AmazonSQS\./, name: 'sqs', keyActions: ['kms:Decrypt', 'kms:GenerateDataKey'] },
  { target: /^DynamoDB_\d+\./, name: 'dynamodb', keyActions: ['kms:Decrypt'] },
  { target: /^secretsmanager\./, name: 'secretsmanager', keyActions: ['kms:Decrypt'] },
  { target: /^TrentService\./, name: 'kms', keyActions: [] },
] as const;

/** Starts it on a free port. */
async function startGuard({ stack, invoke, upstream, queues }: GuardOptions): Promise<Guard> {
  const [seen, refused] = [new Set<string>(), new Set<string>()];
  const server = createServer((request, response) => void pass(request, response));

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const target = String(request.headers['x-amz-target']);
    const service = services.find((it) => it.target.test(target));
    const caller = /Credential=([\w-]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const invoked = /^\/2015-03-31\/functions\/(\w+)\/invocations$/.exec(request.url ?? '')?.[1];
    if (invoked !== undefined) {
      const resource = `\${${invoked.replace(/^./, (it) => it.toUpperCase())}LambdaFunction.Arn}`;
      const line = `${caller} lambda:InvokeFunction ${resource}`;
      const isAllowed = mayCall(stack, caller, { action: 'lambda:InvokeFunction', resource });
      (isAllowed ? seen : refused).add(line);
      response.writeHead(isAllowed ? 200 : 403, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isAllowed ? await invoke(invoked, JSON.parse(body)) : { Message: 'may not' }));
      return;
    }
    if (!service) throw new Error(`a call of no service known here: ${target}`);
    const call = callOf(target, JSON.parse(body) as Record<string, unknown>, queues);
    const line = `${caller} ${call.action} ${call.resource}`;
    seen.add(line);
    // What is said of a secret is not encrypted.
    const keyActions = target.endsWith('.DescribeSecret') ? [] : service.keyActions;
    const needed = keyActions.map((action) => ({ action, resource: '${WorkerKey.Arn}', via: service.name }));
    if (![call, ...needed].every((it) => mayCall(stack, caller, it))) {
      refused.add(`${line} ${(call.keys ?? []).join(' ')}`.trim());
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(
        JSON.stringify({
          __type: 'AccessDeniedException',
          message: `${caller} may not ${call.action} ${call.resource} ${(call.keys ?? []).join(' ')}`,
        }),
      );
      return;
    }
    const headers = Object.entries(request.headers).filter(([name]) =>
      /^(content-type|x-amz|authorization)/.test(name),
    );
    const answer = await fetch(upstream[service.name], {
      method: 'POST',
      headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
      body,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    seen,
    refused,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A call by its target and body; a batch call needs the right of the single one. */
function callOf(target: string, body: Record<string, unknown>, queues: GuardOptions['queues']): Call {
  const [service = '', operation = ''] = target.split('.');
  if (service === 'AmazonSQS') {
    const queue = queues[String(body['QueueUrl']).split('/').pop() ?? ''];
    return { action: `sqs:${operation.replace(/Batch$/, '')}`, resource: `\${${queue}.Arn}` };
  }
  if (service === 'secretsmanager') {
    const arn = 'arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:';
    return {
      action: `secretsmanager:${operation}`,
      resource: `${arn}${String(body['SecretId'] ?? body['Name'])}-AbCdEf`,
    };
  }
  if (service === 'TrentService') {
    const key = /DataKey|Decrypt/.test(operation) ? 'WaitingKey' : 'ApprovalKey';
    return { action: `kms:${operation}`, resource: `\${${key}.Arn}` };
  }
  const index = typeof body['IndexName'] === 'string' ? `/index/${body['IndexName']}` : '';
  const [first = ''] = tableNames(body);
  const table = tables.find(([name]) => first.endsWith(name))?.[1] ?? 'LedgerTable';
  return { action: `dynamodb:${operation}`, resource: `\${${table}.Arn}${index}`, ...accessOf(body) };
}

/** Logical id by the end of a table's name; no call names two tables. */
const tables = [
  ['card-keys', 'CardKeysTable'],
  ['batches', 'BatchesTable'],
  ['controls', 'ControlsTable'],
  ['waiting', 'WaitingTable'],
] as const;

const tableNames = (body: Record<string, unknown>) =>
  typeof body['TableName'] === 'string' ? [body['TableName']] : Object.keys(body['RequestItems'] ?? {});

/** The secret of the public door, for all merchants of these secrets. */
export const controlKeysOf = (secrets: Readonly<Record<string, MerchantSecrets>>): object =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, { keys }]) => [
      name,
      Object.values(keys).flatMap((it) => it['controlKey'] ?? []),
    ]),
  );
