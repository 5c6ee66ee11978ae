// `payouts results`: takes the results off their queue and into a file, for operators who have no consumer yet, or have stopped it.
// A message is deleted only when its line is on the disk. Exit codes: 0 done, 1 AWS did not answer, 2 bad input.
import { type FileHandle, open } from 'node:fs/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { longPolling } from '../../payout/limits.ts';
import { interruptible } from '../asking.ts';
import { configured, say } from '../command-line.ts';
import { cutShort, unwritable } from '../file-failure.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';

/** Options of `payouts results`. */
interface ResultsOptions {
  readonly output: string;
  readonly json: boolean;
}

/** Empty receives in a row after which the queue counts as empty: SQS asks only some of its servers at a time. */
const emptyAtLast = 3;

/** Runs the command; returns the exit code. */
export async function runResults({ output, json }: ResultsOptions): Promise<number> {
  const { resultsQueueUrl: QueueUrl, limits } = configured((it) => it);
  const file = await open(output, 'a', 0o600).catch((error: unknown) => {
    throw unwritable(output, error);
  });
  if (!json)
    process.stderr.write(
      `  takes the results off their queue: what stands in ${output} is on the queue no more, and no consumer of yours gets it\n`,
    );
  const sqs = newSqsClient({ limits: longPolling(limits) });
  let [taken, left] = [0, 0];
  try {
    await interruptible(async (signal) => {
      for (let empty = 0; empty < emptyAtLast && !signal.aborted;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
        );
        empty = Messages.length === 0 ? empty + 1 : 0;
        if (Messages.length === 0) continue;
        await keep(file, Messages.map(lineOf).join('')).catch((error: unknown) => {
          throw cutShort(output, error);
        });
        const Entries = Messages.map(({ ReceiptHandle = '' }, index) => ({ Id: String(index), ReceiptHandle }));
        const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
        taken += Messages.length;
        left += Failed.length;
      }
    });
  } finally {
    await file.close();
    sqs.destroy();
  }
  const twice = left > 0 ? `; ${left} could not be deleted and will come again, under the same resultId` : '';
  return say({ json }, { taken, notDeleted: left, output }, `${taken} results taken into ${output}${twice}`);
}

/** On the disk, or not there at all: of a line that was cut its message stays on the queue. */
async function keep(file: FileHandle, text: string): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile(text);
    await file.sync();
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  }
}

/** One line: line breaks between the members of the JSON become blanks. */
const lineOf = ({ Body = '' }: Message) => `${Body.replace(/[\r\n]+/g, ' ')}\n`;
