// What moto's CloudFormation does not make, made by AWS's own calls as the template says it: the doctor reads each as it is
// written, and sees what is changed by hand.
import { CloudWatchClient, DeleteAlarmsCommand, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { CreateTopicCommand, SetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { CreateQueueCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { deployedOf } from '../../lib/cli/doctor/deployed-stack.ts';
import { evaluated, type Made } from '../../lib/cli/doctor/evaluated.ts';
import { dataReaders } from '../../lib/cli/doctor/present-data.ts';
import { surroundingReaders } from '../../lib/cli/doctor/present-surroundings.ts';
import { synthesized } from '../infra/synthesized.ts';
import { onlyMoto } from './moto-stack.ts';
import { fakeCredentials } from './table.ts';

const url = inject('moto');
const packaged = url === null ? undefined : await synthesized(['--stage', 'read']);

describe.skipIf(!packaged)('the doctor reads', () => {
  const resources = packaged?.template.Resources ?? {};
  const to = { region: 'eu-central-1', endpoint: url ?? '', credentials: fakeCredentials };
  const [alarms, topics] = [new CloudWatchClient(to), new SNSClient(to)];
  const queues = new SQSClient({ ...to, useQueueUrlAsEndpoint: false });
  const ids = new Map<string, string>();
  const ofType = (type: string) => Object.entries(resources).filter(([, it]) => it.Type === type);
  const made = (): Made => ({
    stackName: 'payouts-read',
    region: 'eu-central-1',
    account: '123456789012',
    partition: 'aws',
    parameters: new Map<string, string | readonly string[]>([
      ['ProducerArns', []],
      ['ConsumerArns', []],
    ]),
    conditions: (packaged?.template as { Conditions?: Record<string, unknown> } | undefined)?.Conditions ?? {},
    ids,
    resources,
  });
  const wanted = (id: string) => evaluated(resources[id]?.Properties, made()) as Record<string, never>;
  const present = async (id: string) => {
    const readers = { ...dataReaders(), ...surroundingReaders() };
    const resource = resources[id] ?? { Type: '', Properties: {} };
    const found = await deployedOf(id, resource, readers[resource.Type], made());
    return (found[id] as typeof resource | undefined)?.Properties;
  };

  beforeAll(async () => {
    // The readers make clients of their own, by the environment.
    Object.assign(process.env, { ...onlyMoto(url ?? ''), AWS_REGION: 'eu-central-1' });
    for (const [id, { Properties }] of ofType('AWS::SQS::Queue')) {
      const { QueueUrl = '' } = await queues.send(
        new CreateQueueCommand({ QueueName: String(Properties['QueueName']) }),
      );
      ids.set(id, QueueUrl);
    }
    const { TopicArn = '' } = await topics.send(new CreateTopicCommand({ Name: 'payouts-read-operators' }));
    ids.set('PageTopic', TopicArn).set('PageTopicPolicy', 'policy').set('OrderPaidRule', 'order-paid');
    for (const [id] of ofType('AWS::SQS::QueuePolicy')) ids.set(id, 'policy');
    for (const [id, { Properties }] of ofType('AWS::CloudWatch::Alarm')) ids.set(id, String(Properties['AlarmName']));
  });

  it('every alarm, and what is changed in one', async () => {
    const all = ofType('AWS::CloudWatch::Alarm').map(([id]) => id);
    expect(all.length).toBeGreaterThan(25);
    for (const id of all) await alarms.send(new PutMetricAlarmCommand(wanted(id) as never));
    for (const id of all) expect([id, await present(id)]).toEqual([id, resources[id]?.Properties]);

    const changed = {
      ...wanted('HeldAlarm'),
      ActionsEnabled: false,
      Threshold: 1000,
      Namespace: 'Payouts/dev',
      Period: 3600,
    };
    await alarms.send(new PutMetricAlarmCommand(changed as never));
    const { ActionsEnabled, Threshold, Namespace, Period } = changed;
    expect(await present('HeldAlarm')).toMatchObject({ ActionsEnabled, Threshold, Namespace, Period });
    await alarms.send(new DeleteAlarmsCommand({ AlarmNames: [ids.get('HeldAlarm') ?? ''] }));
    expect(await present('HeldAlarm')).toBeUndefined();
  });

  it('every policy of a queue and of the topic, and one that lets everybody in', async () => {
    const open = {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: '*', Action: '*', Resource: '*' }],
    };
    const put = (id: string, policy: unknown) => {
      const Policy = JSON.stringify(policy);
      if (id === 'PageTopicPolicy')
        return topics.send(
          new SetTopicAttributesCommand({
            TopicArn: ids.get('PageTopic') ?? '',
            AttributeName: 'Policy',
            AttributeValue: Policy,
          }),
        );
      const [QueueUrl] = wanted(id)['Queues'] as unknown as readonly string[];
      return queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    };
    const all = [...ofType('AWS::SQS::QueuePolicy').map(([id]) => id), 'PageTopicPolicy'];
    for (const id of all) {
      await put(id, wanted(id)['PolicyDocument']);
      expect([id, await present(id)]).toEqual([id, resources[id]?.Properties]);
      await put(id, open);
      expect(await present(id)).toMatchObject({
        PolicyDocument: { Statement: expect.arrayContaining(open.Statement) },
      });
    }
  });
});
