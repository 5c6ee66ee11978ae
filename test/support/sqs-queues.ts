// Queues of the embedded emulator for the suites of the SQS adapters, through the real client.
import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { onTestFinished } from 'vitest';
import type { EmbeddedAws } from '../../lib/local/embedded-aws.ts';

/** A client of the emulator; it ends with the test. */
export function sqsClient(aws: EmbeddedAws): SQSClient {
  const client = new SQSClient({
    region: 'eu-central-1',
    endpoint: aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '',
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  return client;
}

/** A queue that no other story has. */
export async function newQueue(client: SQSClient): Promise<string> {
  return (await client.send(new CreateQueueCommand({ QueueName: randomUUID() }))).QueueUrl ?? '';
}

/** Up to ten messages that are visible now. */
export async function received(client: SQSClient, queueUrl: string): Promise<readonly Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
      VisibilityTimeout: 60,
    }),
  );
  return Messages;
}

/** The text of a message's attributes by name. */
export const attributesOf = ({ MessageAttributes = {} }: Message): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]));

/** From now on SQS refuses the entries at these places of a batch, as when it throttles. */
export function refuseEntries(client: SQSClient, places: readonly number[]): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== SendMessageBatchCommand.name) return next(args);
        const input = args.input as SendMessageBatchCommandInput;
        const { Entries = [] } = input;
        const taken = Entries.filter((_, place) => !places.includes(place));
        const refused = Entries.filter((_, place) => places.includes(place));
        const result = await next({ ...args, input: { ...input, Entries: taken } });
        const Failed = refused.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false }));
        return { ...result, output: { ...result.output, Failed } };
      },
    { step: 'initialize', priority: 'low' },
  );
}
