// A real account, as `payouts smoke` asks it: the stack's resources by their names, each by the service that has it.
import { DescribeStacksCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DescribeRuleCommand, ListTargetsByRuleCommand } from '@aws-sdk/client-eventbridge';
import { SimulatePrincipalPolicyCommand } from '@aws-sdk/client-iam';
import { GetKeyPolicyCommand } from '@aws-sdk/client-kms';
import { paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import { paginateListSubscriptionsByTopic } from '@aws-sdk/client-sns';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { newDynamoDbClient } from '../../aws/dynamodb-table.ts';
import { newKmsClient } from '../../aws/kms-client.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';
import { systemRandom } from '../../aws/system.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { newLambdaClient } from '../../aws/lambda-live-functions.ts';
import {
  newCloudFormationClient,
  newCloudWatchClient,
  newEventBridgeClient,
  newIamClient,
  newSnsClient,
} from '../doctor/watching-clients.ts';
import { outputSettings } from '../setup/stage.ts';
import { type Caller, polledQueues, type PolicyStatement, type SmokeAccount } from './smoke-checks.ts';

const aws = { limits: patientAwsCalls };

/** Where a message lies is looked at so often, for so long: a cold start, and the window in which a batch is gathered. */
const looksAtMost = 24;
/** Below the time in which a call must be answered (patientAwsCalls). */
const lookSeconds = 5;

/** Where an account is not AWS itself. */
interface SmokePlace {
  /** The address at which a queue of that address answers. */
  readonly sqsAt?: (queueUrl: string) => string;
  readonly looks?: number;
}

/** The account of a stack, by the standard environment. Rejects where the stack is not there. */
export async function smokeAccountOf(
  stack: string,
  { sqsAt, looks = looksAtMost }: SmokePlace = {},
): Promise<SmokeAccount> {
  const read = await readStack(stack, sqsAt);
  return { ...callersOf(read), ...policiesOf(read), ...peopleOf(read), ...workOf(read, looks) };
}

/** A stack that was read, and how its things are called. */
type ReadStack = Awaited<ReturnType<typeof readStack>>;

async function readStack(stack: string, sqsAt = (queueUrl: string) => queueUrl) {
  const cloudFormation = newCloudFormationClient(aws);
  const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
  const [, partition = 'aws', , region = '', account = ''] = (Stacks?.[0]?.StackId ?? '').split(':');
  const ids = new Map<string, { readonly type: string; readonly id: string }>();
  for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: stack }))
    for (const it of page.StackResourceSummaries ?? [])
      ids.set(it.LogicalResourceId ?? '', { type: it.ResourceType ?? '', id: it.PhysicalResourceId ?? '' });
  const sqs = newSqsClient(aws);
  const idOf = (logicalId: string) => ids.get(logicalId)?.id ?? '';
  return {
    stack,
    ids,
    idOf,
    settings: outputSettings(Stacks?.[0]?.Outputs ?? []),
    arn: (service: string, name: string) =>
      `arn:${partition}:${service}:${service === 'iam' ? '' : region}:${account}:${name}`,
    sqs,
    sqsAt,
    async attributesOf(queue: string): Promise<Readonly<Record<string, string>>> {
      const question = { QueueUrl: sqsAt(idOf(queue)), AttributeNames: ['QueueArn' as const, 'Policy' as const] };
      return (await sqs.send(new GetQueueAttributesCommand(question))).Attributes ?? {};
    },
  };
}

function callersOf({ ids, attributesOf }: ReadStack): Pick<SmokeAccount, 'queueCallers' | 'schedules'> {
  return {
    async queueCallers() {
      const lambda = newLambdaClient(aws);
      const callers: Caller[] = [];
      for (const queue of polledQueues) {
        const { QueueArn: EventSourceArn = '' } = await attributesOf(queue);
        for await (const page of paginateListEventSourceMappings({ client: lambda }, { EventSourceArn }))
          for (const it of page.EventSourceMappings ?? [])
            callers.push({
              name: queue,
              isOn: /^(Enabl|Creat|Updat)/.test(it.State ?? ''),
              target: it.FunctionArn ?? '',
              partial: it.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
            });
      }
      return callers;
    },
    async schedules() {
      const events = newEventBridgeClient(aws);
      const rules = [...ids].filter(
        ([logicalId, { type }]) => type === 'AWS::Events::Rule' && logicalId.startsWith('Sweep'),
      );
      return Promise.all(
        rules.map(async ([name, { id: Name }]) => {
          const [{ State }, { Targets = [] }] = await Promise.all([
            events.send(new DescribeRuleCommand({ Name })),
            events.send(new ListTargetsByRuleCommand({ Rule: Name })),
          ]);
          return { name, isOn: State === 'ENABLED', target: Targets[0]?.Arn ?? '' };
        }),
      );
    },
  };
}

function policiesOf({
  stack,
  ids,
  idOf,
  settings,
  arn,
  attributesOf,
}: ReadStack): Pick<SmokeAccount, 'queuePolicies' | 'keyStatements' | 'mayCall'> {
  const arnsOf: Readonly<Record<string, string>> = {
    LedgerTable: arn('dynamodb', `table/${settings['LEDGER_TABLE_NAME'] ?? ''}`),
    ApprovalKey: settings['APPROVAL_KEY_ID'] ?? '',
    JobsQueue: arn('sqs', `${stack}-jobs`),
    secret: arn('secretsmanager', `secret:${settings['SECRET_PREFIX'] ?? ''}smoke-AbCdEf`),
  };
  return {
    async queuePolicies() {
      const own = [...ids].filter(([, { type }]) => type === 'AWS::SQS::Queue').map(([logicalId]) => logicalId);
      return Promise.all(
        own.map(async (name) => ({ name, statements: statementsIn((await attributesOf(name))['Policy']) })),
      );
    },
    async keyStatements() {
      const question = new GetKeyPolicyCommand({ KeyId: idOf('WorkerKey'), PolicyName: 'default' });
      return statementsIn((await newKmsClient(aws).send(question)).Policy);
    },
    async mayCall({ role, action, on, leadingKey }) {
      const entry = (ContextKeyName: string, ContextKeyType: 'string' | 'stringList', value: string) => ({
        ContextKeyName,
        ContextKeyType,
        ContextKeyValues: [value],
      });
      const ContextEntries = [entry('kms:MacAlgorithm', 'string', 'HMAC_SHA_256')];
      if (leadingKey !== undefined) ContextEntries.push(entry('dynamodb:LeadingKeys', 'stringList', leadingKey));
      const PolicySourceArn = arn('iam', `role/${idOf(role)}`);
      const question = { PolicySourceArn, ActionNames: [action], ResourceArns: [arnsOf[on] ?? ''], ContextEntries };
      const { EvaluationResults = [] } = await newIamClient(aws).send(new SimulatePrincipalPolicyCommand(question));
      return EvaluationResults.every(({ EvalDecision }) => EvalDecision === 'allowed');
    },
  };
}

function peopleOf({ stack, idOf }: ReadStack): Pick<SmokeAccount, 'subscribers' | 'ring'> {
  return {
    async subscribers(topic) {
      const confirmed: string[] = [];
      let pending = 0;
      for await (const page of paginateListSubscriptionsByTopic(
        { client: newSnsClient(aws) },
        { TopicArn: idOf(topic) },
      ))
        for (const { SubscriptionArn = '', Protocol = '' } of page.Subscriptions ?? [])
          if (SubscriptionArn.startsWith('arn:')) confirmed.push(Protocol);
          else pending += 1;
      return { confirmed, pending };
    },
    async ring(alarm) {
      const StateReason = 'A test: is this heard? Nothing has happened.';
      const state = { AlarmName: `${stack}-${alarm}`, StateValue: 'ALARM' as const, StateReason };
      await newCloudWatchClient(aws).send(new SetAlarmStateCommand(state));
    },
  };
}

function workOf(
  { idOf, settings, sqs, sqsAt }: ReadStack,
  looks: number,
): Pick<SmokeAccount, 'ledgerIsStamped' | 'dryJob'> {
  const ledger = settings['LEDGER_TABLE_NAME'] ?? '';
  return {
    async ledgerIsStamped() {
      const question = new GetItemCommand({ TableName: ledger, Key: { pk: { S: '~ledger' } }, ConsistentRead: true });
      return (await newDynamoDbClient(aws).send(question)).Item !== undefined;
    },
    async dryJob() {
      const MessageBody = JSON.stringify({ smoke: systemRandom.id() });
      const jobs = { QueueUrl: sqsAt(idOf('JobsQueue')), MessageBody, MessageGroupId: 'smoke' };
      await sqs.send(new SendMessageCommand(jobs));
      const QueueUrl = sqsAt(idOf('DeadLetterQueue'));
      for (let look = 0; look < looks; look += 1) {
        const receive = {
          QueueUrl,
          WaitTimeSeconds: lookSeconds,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ['All'],
        };
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(receive));
        for (const { Body, ReceiptHandle, MessageAttributes = {} } of Messages) {
          // A message of another sender becomes visible again at once.
          if (Body === MessageBody) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
          else await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
          if (Body === MessageBody) return MessageAttributes['reasonCode']?.StringValue ?? 'without a reason';
        }
      }
      return undefined;
    },
  };
}

function statementsIn(policy: string | undefined): readonly PolicyStatement[] {
  const { Statement: statements = [] } = JSON.parse(policy ?? '{}') as {
    Statement?: PolicyStatement | readonly PolicyStatement[];
  };
  return Array.isArray(statements) ? statements : [statements as PolicyStatement];
}
