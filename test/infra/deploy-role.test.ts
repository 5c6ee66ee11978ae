// infra/docs/deploy-role.json as a thief of that role reads it: what it allows by itself, past CloudFormation, is to look.
import { describe, expect, it } from 'vitest';
import role from '../../infra/docs/deploy-role.json' with { type: 'json' };
import { isLike } from '../rights/policy-evaluator.ts';

interface Statement {
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type Context = Readonly<Record<string, string>>;

const statements: readonly Statement[] = role.Statement;

/** All of its statements allow; a key that a condition names and the call does not bear holds of nothing. */
const may = (action: string, resource: string, context: Context = {}): boolean =>
  statements.some(
    ({ Action, Resource, Condition = {} }) =>
      Action.includes(action) &&
      [Resource].flat().some((pattern) => isLike(resource, pattern)) &&
      Object.values(Condition).every((keys) =>
        Object.entries(keys).every(([key, pattern]) => isLike(context[key] ?? '', pattern)),
      ),
  );

const of = (service: string, name: string, account = '123456789012', region = 'eu-central-1') =>
  `arn:aws:${service}:${region}:${account}:${name}`;
const iam = (name: string) => `arn:aws:iam::123456789012:${name}`;
const stack = of('cloudformation', 'stack/payouts-prod/11111111-2222-3333-4444-555555555555');
const bucket = 'payouts-code-123456789012-eu-central-1';
const asShipped = {
  'cloudformation:RoleArn': iam('role/payouts-cloudformation'),
  'cloudformation:TemplateUrl': `https://${bucket}.s3.eu-central-1.amazonaws.com/payouts/prod/template-0123456789ab.json`,
};
const toCloudFormation = { 'iam:PassedToService': 'cloudformation.amazonaws.com' };

describe('who deploys', () => {
  it.each(['cloudformation:CreateStack', 'cloudformation:UpdateStack'])(
    'may %s, as `npm run deploy` does',
    (action) => {
      expect(may(action, stack, asShipped)).toBe(true);
      expect(may('iam:PassRole', iam('role/payouts-cloudformation'), toCloudFormation)).toBe(true);
      expect(may('s3:PutObject', `arn:aws:s3:::${bucket}/payouts/prod/submit.zip`)).toBe(true);
    },
  );

  it.each<[what: string, action: string, resource: string, context?: Context]>([
    [
      'a template that lies nowhere',
      'cloudformation:UpdateStack',
      stack,
      { ...asShipped, 'cloudformation:TemplateUrl': '' },
    ],
    [
      'a template of a bucket of somebody else',
      'cloudformation:UpdateStack',
      stack,
      {
        ...asShipped,
        'cloudformation:TemplateUrl': 'https://mine.s3.eu-central-1.amazonaws.com/payouts/template.json',
      },
    ],
    [
      'without the role of CloudFormation',
      'cloudformation:CreateStack',
      stack,
      { ...asShipped, 'cloudformation:RoleArn': '' },
    ],
    [
      'by another role',
      'cloudformation:UpdateStack',
      stack,
      { ...asShipped, 'cloudformation:RoleArn': iam('role/administrator') },
    ],
    ['another stack', 'cloudformation:UpdateStack', of('cloudformation', 'stack/other/1'), asShipped],
    ['a change set past the conditions', 'cloudformation:CreateChangeSet', stack, asShipped],
    ['another role passed on', 'iam:PassRole', iam('role/payouts-prod-submit'), toCloudFormation],
    [
      'that role passed to a function',
      'iam:PassRole',
      iam('role/payouts-cloudformation'),
      { 'iam:PassedToService': 'lambda.amazonaws.com' },
    ],
    ['that role put on', 'sts:AssumeRole', iam('role/payouts-cloudformation')],
    ['a function’s policy', 'iam:PutRolePolicy', iam('role/payouts-prod-submit')],
    ['who may put a role on', 'iam:UpdateAssumeRolePolicy', iam('role/payouts-prod-submit')],
    ['an office’s policy', 'iam:CreatePolicyVersion', iam('policy/payouts-prod-ApproverPolicy-1')],
    ['a key for somebody', 'iam:CreateAccessKey', iam('user/anna')],
    ['the policy of a key', 'kms:PutKeyPolicy', of('kms', 'key/approval')],
    ['an approval', 'kms:GenerateMac', of('kms', 'key/approval')],
    ['a grant', 'kms:CreateGrant', of('kms', 'key/waiting')],
    ['what is encrypted', 'kms:Decrypt', of('kms', 'key/worker')],
    [
      'a merchant’s secret',
      'secretsmanager:GetSecretValue',
      of('secretsmanager', 'secret:payouts/prod/acme-eu-AbCdEf'),
    ],
    [
      'whose a merchant’s secret is',
      'secretsmanager:DescribeSecret',
      of('secretsmanager', 'secret:payouts/prod/acme-eu-AbCdEf'),
    ],
    [
      'a secret that begins alike',
      'secretsmanager:DescribeSecret',
      of('secretsmanager', 'secret:payouts/prod/_worker-2-AbCdEf'),
    ],
    [
      'the worker’s secret',
      'secretsmanager:GetSecretValue',
      of('secretsmanager', 'secret:payouts/prod/_worker-AbCdEf'),
    ],
    ['code in place', 'lambda:UpdateFunctionCode', of('lambda', 'function:payouts-prod-submit')],
    ['settings in place', 'lambda:UpdateFunctionConfiguration', of('lambda', 'function:payouts-prod-submit')],
    ['a function’s callers', 'lambda:AddPermission', of('lambda', 'function:payouts-prod-submit')],
    ['a job', 'sqs:SendMessage', of('sqs', 'payouts-prod-jobs')],
    ['what lies on a queue', 'sqs:ReceiveMessage', of('sqs', 'payouts-prod-jobs-dead')],
    ['an order', 'dynamodb:GetItem', of('dynamodb', 'table/payouts-prod-ledger')],
    ['an order’s facts', 'dynamodb:UpdateItem', of('dynamodb', 'table/payouts-prod-ledger')],
    ['the ledger’s end', 'dynamodb:DeleteTable', of('dynamodb', 'table/payouts-prod-ledger')],
    ['another bucket', 's3:PutBucketPolicy', 'arn:aws:s3:::statements'],
    ['code of others in that bucket', 's3:PutObject', `arn:aws:s3:::${bucket}/other/app.zip`],
  ])('may not by itself touch %s', (_, action, resource, context) => {
    expect(may(action, resource, context)).toBe(false);
  });

  it('has no pattern of actions, and of everything may only read what things are', () => {
    const everywhere = statements
      .filter(({ Resource }) => [Resource].flat().includes('*'))
      .flatMap(({ Action }) => Action);
    expect(statements.flatMap(({ Action }) => Action).filter((it) => it.includes('*'))).toEqual([]);
    expect(everywhere.filter((it) => !/^\w+:(Describe|GetKey|GetEventSourceMapping$|List)/.test(it))).toEqual([]);
  });
});
