// The queues as an AsyncAPI 3 document, from the worker's side: it receives jobs, sends results and dead letters.
// The checks queue is the worker's own business and not in it.
import type { JsonSchema } from './json-schema.ts';

type Contracts = Readonly<
  Record<'job' | 'result', { readonly schema: JsonSchema; readonly examples: readonly object[] }>
>;

/** A message attribute: SQS type String. */
const attribute = (description: string) => ({ type: 'string', description });
const attributes = (properties: Record<string, object>, required: readonly string[] = []) => ({
  type: 'object',
  description: 'Message attributes of SQS, each of type String.',
  properties,
  ...(required.length > 0 && { required }),
});

/** The document. */
export function asyncApiDocument({ job, result }: Contracts): object {
  const resultProperties = result.schema.properties ?? {};
  const ofResult = (name: string): object => {
    const field = resultProperties[name];
    return typeof field === 'object' ? field : {};
  };
  return {
    asyncapi: '3.1.0',
    id: 'urn:payouts',
    info: {
      title: 'Payouts',
      version: '1.0.0',
      description:
        'A worker that takes transfer and payout jobs off one SQS queue, posts each to a payment gateway at most once and tells the outcome on another. Standard queues: messages may come twice and in any order.',
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
      tags: [{ name: 'payments', description: 'Transfers and payouts' }],
    },
    defaultContentType: 'application/json',
    servers: {
      sqs: {
        host: 'sqs.{region}.amazonaws.com',
        protocol: 'sqs',
        description: 'Amazon SQS; requests are signed with AWS credentials (Signature Version 4).',
        variables: { region: { description: 'AWS region of the stack', default: 'eu-central-1' } },
      },
    },
    channels: {
      jobs: channel('payouts-jobs', 'What is to be paid.', 'job', 'payouts-jobs-dead-letter'),
      results: channel('payouts-results', 'What became of it.', 'result'),
      deadLetters: channel(
        'payouts-jobs-dead-letter',
        'Jobs that need a person; redriving one is always safe.',
        'deadLetter',
      ),
    },
    operations: {
      takeJob: operation('receive', 'jobs', 'job', 'The worker takes a job; whoever wants something paid sends one.'),
      tellResult: operation(
        'send',
        'results',
        'result',
        'The worker tells what became of a job, as often as that changes.',
      ),
      giveUpJob: operation('send', 'deadLetters', 'deadLetter', 'The worker puts a job aside that it can not take.'),
    },
    components: {
      messages: {
        job: {
          name: 'job',
          title: 'Job',
          summary:
            'Asks for one operation. Send it with MessageGroupId = merchant, so that no merchant holds up others.',
          contentType: 'application/json',
          headers: attributes({
            originMessageId: attribute(
              'set by the worker alone, on a copy that goes round again: id of the first message',
            ),
            waits: attribute('set by the worker alone: how often the message was copied'),
            answer: attribute("set by the worker alone: the gateway's answer while the ledger can not take it"),
          }),
          payload: { $ref: '#/components/schemas/job' },
          examples: job.examples.map((payload) => ({ ...named(payload, 'operation'), payload })),
        },
        result: {
          name: 'result',
          title: 'Result',
          summary: 'What is known of an order, or that a message could not be taken.',
          contentType: 'application/json',
          headers: attributes(
            {
              status: ofResult('status'),
              operation: ofResult('operation'),
              merchant: ofResult('merchant'),
              final: { type: 'string', enum: ['true', 'false'], description: 'as in the body' },
            },
            ['status', 'final'],
          ),
          payload: { $ref: '#/components/schemas/result' },
          examples: result.examples.map((payload) => ({
            ...named(payload, 'status'),
            headers: headersOf(payload as Record<string, unknown>),
            payload,
          })),
        },
        deadLetter: {
          name: 'deadLetter',
          title: 'Dead letter',
          summary: 'A message of the jobs queue as it came. Without attributes where SQS itself moved it.',
          contentType: 'text/plain',
          headers: attributes({
            reasonCode: attribute('failure code, as in the result'),
            reason: attribute('one sentence, as in the result'),
            originalMessageId: attribute('id of the message as it was first sent: the result is `rejected/<this id>`'),
          }),
          payload: { type: 'string', description: 'The body, whatever it is.' },
          examples: [
            {
              name: 'not JSON',
              headers: {
                reasonCode: 'INVALID_MESSAGE',
                reason: 'message: is not JSON',
                originalMessageId: '5fea7756-0ea4-451a-a703-a558b933e274',
              },
              payload: 'pay 10.42 EUR to Jane, please',
            },
          ],
        },
      },
      schemas: { job: job.schema, result: result.schema },
    },
  };
}

function channel(queue: string, description: string, message: string, deadLetterQueue?: string) {
  return {
    address: queue,
    title: description,
    description: `${description} The name is the local one; a deployed stack tells its queue URLs as outputs.`,
    servers: [{ $ref: '#/servers/sqs' }],
    messages: { [message]: { $ref: `#/components/messages/${message}` } },
    bindings: {
      sqs: {
        queue: { name: queue, fifoQueue: false },
        ...(deadLetterQueue !== undefined && { deadLetterQueue: { name: deadLetterQueue, fifoQueue: false } }),
        bindingVersion: '0.2.0',
      },
    },
  };
}

function operation(action: 'receive' | 'send', channelName: string, message: string, description: string) {
  return {
    action,
    channel: { $ref: `#/channels/${channelName}` },
    title: description,
    summary: description,
    description,
    messages: [{ $ref: `#/channels/${channelName}/messages/${message}` }],
  };
}

const named = (payload: object, field: string) => ({ name: String((payload as Record<string, unknown>)[field]) });

function headersOf({ status, operation, merchant, final }: Readonly<Record<string, unknown>>) {
  return { status, operation, merchant, final: String(final) };
}
