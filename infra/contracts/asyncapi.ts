// The queues as an AsyncAPI 3 document, from the worker's side: it receives jobs, sends results and dead letters.
// The checks queue is the worker's own business and not in it.
import type { JsonSchema } from './json-schema.ts';

/** A published schema with its examples. */
export interface Contract {
  readonly schema: JsonSchema;
  readonly examples: readonly object[];
}

/** The dead letter as a person sends it again. */
const jobAttributes = {
  redrives: 'how often it came back from the dead-letter queue',
  firstSentAtMs: 'when the job was first sent, epoch ms: SQS counts anew for each message',
};

const deadLetterAttributes = {
  reasonCode: 'failure code, as in the result',
  reason: 'one sentence, as in the result',
  originalMessageId:
    'id of the message as it was first sent: the `resultId` of its result begins with `rejected/<this id>/`',
  ...jobAttributes,
};

/** Message attributes of SQS, each of type String. */
function attributes(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  const description = 'Message attributes, each of type String.';
  return { type: 'object', description, properties, ...(required.length > 0 && { required }) };
}

const texts = (meanings: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(meanings).map(([name, description]) => [name, { type: 'string', description }]));

/** The document. */
export function asyncApiDocument(contracts: Readonly<Record<'job' | 'result' | 'batch-result', Contract>>): object {
  const { job, result, 'batch-result': batchResult } = contracts;
  return {
    asyncapi: '3.1.0',
    id: 'urn:payouts',
    info: {
      title: 'Payouts',
      version: '1.0.0',
      description:
        'A worker that takes transfer and payout jobs off an SQS queue, rows of batches off another, posts each to a payment gateway at most once and tells the outcome on a third. Standard queues: messages may come twice and in any order.',
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
      jobs: channel('jobs', 'What is to be paid.', ['job'], 'jobs-dead'),
      batchJobs: channel('batch-jobs', 'What is to be paid of a batch.', ['job'], 'jobs-dead'),
      results: channel('results', 'What became of it.', ['result', 'batchResult'], 'results-dead'),
      deadLetters: channel('jobs-dead', 'Jobs that need a person; redriving one is always safe.', ['deadLetter']),
    },
    operations: {
      takeJob: operation('receive', 'jobs', 'job', 'The worker takes a job; whoever wants something paid sends one.'),
      takeRow: operation(
        'receive',
        'batchJobs',
        'job',
        'The worker takes a row of a batch (a job with a batchId); one that comes on the jobs queue it takes all the same.',
      ),
      tellResult: operation('send', 'results', 'result', 'What became of a job, told as often as that changes.'),
      tellBatch: operation(
        'send',
        'results',
        'batchResult',
        'What became of a file, told when its last row has ended.',
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
          headers: {
            ...attributes(texts(jobAttributes)),
            description: 'Of a dead letter that was brought back; a sender sets none, and the worker sends no job.',
          },
          payload: { $ref: '#/components/schemas/job' },
          examples: job.examples.map((payload) => ({ name: textAt(payload, 'operation'), payload })),
        },
        result: {
          name: 'result',
          title: 'Result',
          summary: 'What is known of an order, or that a message could not be taken.',
          ...told('result', result, ['status', 'operation', 'merchant', 'final']),
        },
        batchResult: {
          name: 'batchResult',
          title: 'Batch result',
          summary: 'Every row of a file has ended: its control totals, and what became of its rows.',
          ...told('batch-result', batchResult, ['status', 'kind', 'merchant', 'final']),
        },
        deadLetter: {
          name: 'deadLetter',
          title: 'Dead letter',
          summary: 'A message of the jobs queue as it came. Without attributes where SQS itself moved it.',
          contentType: 'text/plain',
          headers: attributes(texts(deadLetterAttributes)),
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
      schemas: { job: job.schema, result: result.schema, 'batch-result': batchResult.schema },
    },
  };
}

/** A message of the results queue: some fields of its body are attributes too, where they are there, as text. */
function told(name: string, { schema, examples }: Contract, copied: readonly string[]) {
  const required = copied.filter((field) => schema.required?.includes(field));
  const headers = Object.fromEntries(copied.map((field) => [field, asText(schema.properties?.[field])]));
  return {
    contentType: 'application/json',
    headers: attributes(headers, required),
    payload: { $ref: `#/components/schemas/${name}` },
    examples: examples.map((payload) => ({
      name: textAt(payload, 'status'),
      headers: Object.fromEntries(copied.flatMap((it) => (it in payload ? [[it, textAt(payload, it)]] : []))),
      payload,
    })),
  };
}

/** The same field as an attribute, which is text whatever it is in the body. */
function asText(field: JsonSchema | boolean | undefined): object {
  if (typeof field !== 'object') return {};
  return field.type === 'boolean' ? { type: 'string', enum: ['true', 'false'], description: field.description } : field;
}

const textAt = (payload: object, field: string) => String((payload as Record<string, unknown>)[field]);

/** The name of a queue in infra/queues.yml. */
const queueName = (queue: string) => `payouts-{stage}-${queue}`;

function channel(queue: string, description: string, messages: readonly string[], deadLetterQueue?: string) {
  return {
    address: queueName(queue),
    title: description,
    description: `${description} The stack's outputs tell the queue's URL.`,
    servers: [{ $ref: '#/servers/sqs' }],
    parameters: { stage: { description: 'Stage of the stack', default: 'dev' } },
    messages: Object.fromEntries(messages.map((it) => [it, { $ref: `#/components/messages/${it}` }])),
    bindings: {
      sqs: {
        queue: { name: queueName(queue), fifoQueue: false },
        ...(deadLetterQueue !== undefined && {
          deadLetterQueue: { name: queueName(deadLetterQueue), fifoQueue: false },
        }),
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
