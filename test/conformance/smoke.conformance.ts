// `payouts smoke` over a stack that `npm run deploy` has made in moto: what is well is proven, and each thing broken once in the
// account itself is found, by that row and no other. moto has no simulator of IAM: that row is told by test/cli/smoke.test.ts.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DisableRuleCommand, EnableRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { GetKeyPolicyCommand, KMSClient, PutKeyPolicyCommand } from '@aws-sdk/client-kms';
import { SNSClient, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import { SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { smokeAccountOf } from '../../lib/cli/smoke/smoke-account.ts';
import { smokeChecks } from '../../lib/cli/smoke/smoke-checks.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { startWorkerProcess } from '../../lib/local/worker-process.ts';
import { createDynamoDbRestoreAdmin } from '../../lib/restore/dynamodb-restore-admin.ts';
import { synthesized } from '../infra/synthesized.ts';
import { deployToMoto, makeSecrets, type MotoStack, onlyMoto } from './moto-stack.ts';
import { fakeCredentials } from './table.ts';

const url = inject('moto');
const packaged = url === null ? undefined : await synthesized(['--stage', 'dev']);
const stackName = 'payouts-dev';

describe.skipIf(!packaged)('a smoke of a stack in moto', () => {
  const to = { region: 'eu-central-1', endpoint: url ?? '', credentials: fakeCredentials };
  const ids = new Map<string, string>();
  const id = (logicalId: string) => ids.get(logicalId) ?? '';
  // moto's CloudFormation calls a queue by its name, or by AWS's own address.
  const sqsAt = (queue: string) =>
    queue.startsWith('http') ? queue.replace(/^https:\/\/sqs\.[^/]+/, url ?? '') : `${url}/123456789012/${queue}`;
  const [sqs, sns, kms, events] = [new SQSClient(to), new SNSClient(to), new KMSClient(to), new EventBridgeClient(to)];
  const dynamodb = new DynamoDBClient(to);
  let stack: MotoStack;
  let worker: ReturnType<typeof startWorkerProcess> | undefined;

  beforeAll(async () => {
    stack = await deployToMoto({ url: url ?? '' }, 'dev');
    if (packaged) await makeSecrets(url ?? '', packaged.template);
    Object.assign(process.env, onlyMoto(url ?? ''), { AWS_REGION: 'eu-central-1' });
    const client = new CloudFormationClient(to);
    for await (const page of paginateListStackResources({ client }, { StackName: stackName }))
      for (const it of page.StackResourceSummaries ?? [])
        ids.set(it.LogicalResourceId ?? '', it.PhysicalResourceId ?? '');
    // What moto's CloudFormation passes over: policies of queues, alarms. And somebody who hears.
    for (const [logicalId, queue] of ids)
      if (/^(?!\w+EventSourceMapping)\w+Queue$/.test(logicalId)) await policyOf(queue, [plainHttp]);
    const alarm = { Namespace: 'x', MetricName: 'x', Period: 60, Threshold: 0, EvaluationPeriods: 1 } as const;
    const watching = new CloudWatchClient(to);
    for (const name of ['function-errors', 'held'])
      await watching.send(
        new PutMetricAlarmCommand({
          ...alarm,
          AlarmName: `${stackName}-${name}`,
          Statistic: 'Sum',
          ComparisonOperator: 'GreaterThanThreshold',
        }),
      );
    for (const topic of ['PageTopic', 'TicketTopic']) await subscribe(topic);
    await stamp();
  }, 500_000);

  afterAll(() => worker?.stop());

  const plainHttp = {
    Effect: 'Deny',
    Principal: '*',
    Action: 'sqs:*',
    Resource: '*',
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  };
  const policyOf = (queue: string, Statement: readonly object[]) =>
    sqs.send(
      new SetQueueAttributesCommand({
        QueueUrl: sqsAt(queue),
        Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement }) },
      }),
    );
  const subscribe = async (topic: string) =>
    (await sns.send(new SubscribeCommand({ TopicArn: id(topic), Protocol: 'email', Endpoint: 'you@example.com' })))
      .SubscriptionArn;
  const stamp = () => createDynamoDbRestoreAdmin({ client: dynamodb, tableName: `${stackName}-ledger` }).stamp();

  /** The faults of one row. */
  async function faultsOf(name: string): Promise<readonly string[]> {
    const account = await smokeAccountOf(stackName, { sqsAt, looks: 3 });
    return smokeChecks.find((it) => it.name === name)?.faults(account) ?? ['there is no such row'];
  }

  it.each([
    'queues refuse plain HTTP and strangers',
    'the key is used through services alone',
    'four sweepers are called each minute',
    'alarms reach a person',
    'the sweeper runs',
  ])('proves that %s', async (name) => {
    expect(await faultsOf(name)).toEqual([]);
  });

  it('finds mappings that are off, and proves those that are not', async () => {
    const name = 'queues call the live functions';
    expect(await faultsOf(name)).toEqual([]);
    await stack.pauseMappings();
    expect(await faultsOf(name)).toEqual(
      ['JobsQueue', 'BatchJobsQueue', 'ChecksQueue', 'CallbacksQueue', 'LinesQueue'].map(
        (it) => `${it} is switched off`,
      ),
    );
  });

  it('finds a sweeper that is off', async () => {
    const [rule = ''] = [...ids].flatMap(([logicalId, it]) => (/^Sweep.*Schedule3$/.test(logicalId) ? [it] : []));
    await events.send(new DisableRuleCommand({ Name: rule }));
    expect(await faultsOf('four sweepers are called each minute')).toEqual([
      expect.stringContaining('is switched off'),
    ]);
    await events.send(new EnableRuleCommand({ Name: rule }));
  });

  it('finds a queue that is open', async () => {
    const open = { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: '*' };
    await policyOf(id('JobsQueue'), [plainHttp, open]);
    expect(await faultsOf('queues refuse plain HTTP and strangers')).toEqual(['JobsQueue is open to everybody']);
    await policyOf(id('JobsQueue'), [open]);
    expect(await faultsOf('queues refuse plain HTTP and strangers')).toContain('JobsQueue takes plain HTTP');
    await policyOf(id('JobsQueue'), [plainHttp]);
  });

  it('finds a key that anybody of the account can use directly', async () => {
    const key = { KeyId: id('WorkerKey'), PolicyName: 'default' };
    const { Policy = '' } = await kms.send(new GetKeyPolicyCommand(key));
    const open = { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'kms:Decrypt', Resource: '*' };
    const wider = JSON.parse(Policy) as { readonly Statement: readonly object[] };
    await kms.send(
      new PutKeyPolicyCommand({ ...key, Policy: JSON.stringify({ ...wider, Statement: [...wider.Statement, open] }) }),
    );
    expect(await faultsOf('the key is used through services alone')).toEqual([
      expect.stringContaining('without going through'),
    ]);
    await kms.send(new PutKeyPolicyCommand({ ...key, Policy }));
  });

  it('finds a topic that nobody hears', async () => {
    const { confirmed } = await (await smokeAccountOf(stackName, { sqsAt })).subscribers('TicketTopic');
    expect(confirmed).toEqual(['email']);
    const SubscriptionArn = await subscribe('TicketTopic');
    await sns.send(new UnsubscribeCommand({ SubscriptionArn }));
    expect(await faultsOf('alarms reach a person')).toEqual(['nobody hears TicketTopic: it has no subscriber']);
    await subscribe('TicketTopic');
  });

  it('finds a sweeper that never came to its end', async () => {
    await dynamodb.send(new DeleteItemCommand({ TableName: `${stackName}-ledger`, Key: { pk: { S: '~ledger' } } }));
    expect(await faultsOf('the sweeper runs')).toHaveLength(1);
    await stamp();
  });

  it(
    'finds that no message comes through, sees one come through where the worker runs, and leaves nothing of it',
    { timeout: 240_000 },
    async () => {
      const name = 'a message goes all the way';
      expect(await faultsOf(name)).toHaveLength(1);
      const settings = await stack.environmentOf('payouts-dev-submit');
      const environment = {
        ...localWorkerLimits.environment,
        ...onlyMoto(url ?? ''),
        AWS_REGION: 'eu-central-1',
        ...settings,
      };
      worker = startWorkerProcess(environment, {
        logFile: join(await mkdtemp(join(tmpdir(), 'payouts-smoke-')), 'worker.log'),
      });
      const account = await smokeAccountOf(stackName, { sqsAt });
      expect(await account.dryJob()).toBe('INVALID_MESSAGE');
    },
  );
});
