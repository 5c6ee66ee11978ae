// Does the stack live? Messages are taken, no alarm rings, each merchant has safeguards. With `--live` one message goes all the way, and an
// alarm of each topic rings.
import { DescribeAlarmsCommand, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { GetEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { systemRandom } from '../aws/system.ts';
import { type DeployedStack, ofEach } from './stack.ts';
import { tool } from '../payout/operate/spelling.ts';

/** What the doctor asks of the tool about a merchant. */
export interface Merchants {
  /** Why its jobs wait: its record of safeguards is no approver's, or does not register its login. */
  whyWaits(merchant: string): Promise<string | undefined>;
  /** Whether there is a secret of that name. Nothing in it is read. */
  isKnown(merchant: string): Promise<boolean>;
  /** Why the tables are not those of the record. */
  whyUnknownTables(): Promise<string[]>;
}

/** The questions that only read. */
export const liveQuestions = (merchants: Merchants) => ({
  'mappings bring messages': mappings,
  'no alarm rings': alarms,
  'the tables are those of the record': () => merchants.whyUnknownTables(),
  'each merchant has a secret and safeguards': (stack: DeployedStack) => safeguards(stack, merchants),
});

/** The questions that leave a trace for a moment. */
export const tracingQuestions = {
  'a message goes from the jobs queue through submit to the dead letters': dryMessage,
  'an alarm of each topic rings: ask its readers': ring,
};

function mappings({ of, lambda }: DeployedStack): Promise<string[]> {
  return ofEach(of('Lambda::EventSourceMapping'), async ({ logicalId, id: UUID }) => {
    const { State = '', LastProcessingResult = '' } = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
    return /^(Enabl|Creat|Updat)/.test(State) ? [] : [`${logicalId} is ${State} (${LastProcessingResult})`];
  });
}

const testReason = 'A test: is this heard? Nothing has happened.';

/** Old jobs, a silent sweeper and dead letters have alarms of their own; `beside.ts` tells one that is not there. */
async function alarms({ name, cloudWatch }: DeployedStack): Promise<readonly string[]> {
  const { MetricAlarms = [] } = await cloudWatch.send(
    new DescribeAlarmsCommand({ AlarmNamePrefix: `${name}-`, StateValue: 'ALARM', MaxRecords: 100 }),
  );
  // One that --live rang is set back by CloudWatch within a minute.
  return MetricAlarms.filter(({ StateReason }) => StateReason !== testReason).map(
    ({ AlarmName, AlarmDescription }) => `${AlarmName}: ${AlarmDescription}`,
  );
}

const ofSafeguards = '~safeguards/';

async function safeguards(
  { dynamodb, idOf }: DeployedStack,
  { whyWaits, isKnown }: Merchants,
): Promise<readonly string[]> {
  const scan = {
    TableName: idOf('BatchesTable'),
    ProjectionExpression: 'pk',
    FilterExpression: 'begins_with(pk, :its)',
    ExpressionAttributeValues: { ':its': { S: ofSafeguards } },
  };
  const names: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: dynamodb }, scan))
    names.push(...Items.map((it) => (it['pk']?.S ?? '').slice(ofSafeguards.length)).filter((it) => !it.includes('/')));
  if (names.length === 0) return [`no merchant has safeguards: every job waits (${tool} safeguards set)`];
  return ofEach(names, async (merchant) =>
    [
      (await whyWaits(merchant)) ?? [],
      (await isKnown(merchant)) ? [] : `${merchant} has safeguards and no secret`,
    ].flat(),
  );
}

/** A cold start, and the window in which a batch is gathered. */
const looksAtMost = 24;
/** Below the time in which a call must be answered (patientAwsCalls). */
const lookSeconds = 5;

async function dryMessage({ sqs, idOf }: DeployedStack, looks = looksAtMost): Promise<readonly string[]> {
  const MessageBody = JSON.stringify({ doctor: systemRandom.id() });
  await sqs.send(new SendMessageCommand({ QueueUrl: idOf('JobsQueue'), MessageBody, MessageGroupId: 'doctor' }));
  const QueueUrl = idOf('DeadLetterQueue');
  for (let look = 0; look < looks; look += 1) {
    const receive = { QueueUrl, WaitTimeSeconds: lookSeconds, MaxNumberOfMessages: 10 };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(receive));
    for (const { Body, ReceiptHandle } of Messages) {
      if (Body === MessageBody) {
        await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        return [];
      }
      // A message of another sender becomes visible again at once.
      await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    }
  }
  return ['the message did not come out within two minutes'];
}

async function ring({ name, cloudWatch }: DeployedStack): Promise<readonly string[]> {
  // CloudWatch sets each back by itself within a minute.
  for (const alarm of ['function-errors', 'held'])
    await cloudWatch.send(
      new SetAlarmStateCommand({ AlarmName: `${name}-${alarm}`, StateValue: 'ALARM', StateReason: testReason }),
    );
  return [];
}
