// What a person attached beside the stack, in AWS's answers; answers that are not there are no good ones.
import { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, it } from 'vitest';
import { besideQuestions } from '../../lib/doctor/beside.ts';
import { liveQuestions } from '../../lib/doctor/live.ts';
import type { DeployedStack } from '../../lib/doctor/stack.ts';

const resources = [
  { logicalId: 'SubmitRole', type: 'AWS::IAM::Role', id: 'submit' },
  { logicalId: 'NetworkPolicy', type: 'AWS::IAM::ManagedPolicy', id: 'arn:network' },
  { logicalId: 'ApproverPolicy', type: 'AWS::IAM::ManagedPolicy', id: 'arn:approver' },
  { logicalId: 'JobsQueue', type: 'AWS::SQS::Queue', id: 'https://sqs/jobs' },
  { logicalId: 'DeadLetterQueue', type: 'AWS::SQS::Queue', id: 'https://sqs/jobs-dead' },
  { logicalId: 'OrderPaidRule', type: 'AWS::Events::Rule', id: 'order-paid' },
];

/** A stack of which every service gives the same answer. */
const answered = (answer: object, without: readonly string[] = []): DeployedStack => {
  const client = { send: async () => answer };
  const there = resources.filter(({ logicalId }) => !without.includes(logicalId));
  return {
    name: 'payouts-trial',
    template: { Resources: { NetworkPolicy: { Properties: { Roles: [{ Ref: 'SubmitRole' }] } } } },
    ids: new Set(there.map(({ id }) => id)),
    of: (type: string) => there.filter((it) => it.type === `AWS::${type}`),
    iam: client,
    sqs: client,
    cloudWatch: client,
  } as unknown as DeployedStack;
};

it('a function that got a person’s policy of the same stack is told, and its network’s is not', async () => {
  const AttachedPolicies = [{ PolicyArn: 'arn:network' }, { PolicyArn: 'arn:approver' }];
  const roles = besideQuestions['roles have the rights of the stack and no others'];
  expect(await roles(answered({ AttachedPolicies }))).toEqual(['SubmitRole has arn:approver too']);
});

it('the name of a statement lets no one into a queue', async () => {
  const queues = besideQuestions['queues take from the senders of the stack'];
  const policyOf = (Principal: object) => ({
    Attributes: { Policy: JSON.stringify({ Statement: [{ Sid: 'OrderPaidRule', Effect: 'Allow', Principal }] }) },
  });
  const rule = { Service: 'events.amazonaws.com' };
  expect(await queues(answered(policyOf(rule)))).toEqual([]);
  expect(await queues(answered(policyOf({ AWS: '999999999999' })))).toHaveLength(2);
  expect(await queues(answered(policyOf(rule), ['OrderPaidRule']))).toHaveLength(2);
});

it('the name of a statement lets no one call another function, nor anybody else the same one', async () => {
  const functions = besideQuestions['functions are called by the stack alone, and run what was deployed'];
  const events = { Service: 'events.amazonaws.com' };
  const called = (name: string, Principal: object) => {
    const Policy = JSON.stringify({ Statement: [{ Sid: 'sweep-by-rule', Effect: 'Allow', Principal }] });
    const FunctionName = { 'Fn::GetAtt': ['SweepLambdaFunction', 'Arn'] };
    const all = [
      { logicalId: name, type: 'AWS::Lambda::Function', id: name },
      { logicalId: 'SweepByRule', type: 'AWS::Lambda::Permission', id: 'sweep-by-rule' },
    ];
    const deployedAt = new Date();
    return functions({
      ids: new Set(all.map(({ id }) => id)),
      of: (type: string) => all.filter((it) => it.type === `AWS::${type}`),
      template: {
        Resources: { SweepByRule: { Properties: { FunctionName, Principal: 'events.amazonaws.com' } } },
      },
      deployedAt,
      lambda: Object.assign(new LambdaClient({ region: 'eu-central-1' }), {
        send: async ({ constructor: { name: command } }: object) => {
          if (command === 'GetFunctionUrlConfigCommand') throw Object.assign(new Error(), { name: 'NotFound' });
          return command === 'GetPolicyCommand' ? { Policy } : { LastModified: deployedAt.toISOString() };
        },
      }),
    } as unknown as DeployedStack);
  };
  expect(await called('SweepLambdaFunction', events)).toEqual([]);
  expect(await called('SubmitLambdaFunction', events)).toHaveLength(1);
  expect(await called('SweepLambdaFunction', { AWS: '999999999999' })).toHaveLength(1);
});

it('an alarm that rings is told with what it says', async () => {
  const merchants = { whyWaits: async () => undefined, isKnown: async () => true, whyUnknownTables: async () => [] };
  const rings = liveQuestions(merchants)['no alarm rings'];
  const ringing = { AlarmName: 'payouts-trial-jobs-dead', AlarmDescription: 'Jobs are dead.' };
  expect(await rings(answered({ MetricAlarms: [ringing] }))).toEqual(['payouts-trial-jobs-dead: Jobs are dead.']);
  expect(await rings(answered({ MetricAlarms: [] }))).toEqual([]);
});
