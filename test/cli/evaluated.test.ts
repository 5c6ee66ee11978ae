// What stands in an account, in the template's own words: what somebody changed by hand is seen, and nothing else.
import { describe, expect, it } from 'vitest';
import { asWritten, evaluated, type Made } from '../../lib/cli/doctor/evaluated.ts';

const inNetwork = {
  'Fn::If': [
    'NetworkMade',
    { SubnetIds: [{ Ref: 'SubnetA' }, { Ref: 'SubnetB' }], SecurityGroupIds: [{ Ref: 'Group' }] },
    {
      'Fn::If': [
        'NetworkGiven',
        { SubnetIds: { 'Fn::Split': [',', { Ref: 'SubnetIds' }] }, SecurityGroupIds: [{ Ref: 'SecurityGroupIds' }] },
        { Ref: 'AWS::NoValue' },
      ],
    },
  ],
};

/** A stack whose network is the one that is said. */
const madeWith = (network: string): Made => ({
  stackName: 'payouts-prod',
  region: 'eu-central-1',
  account: '111122223333',
  partition: 'aws',
  parameters: new Map<string, string | readonly string[]>([
    ['Network', network],
    ['SubnetIds', 'subnet-x,subnet-y'],
    ['SecurityGroupIds', 'sg-x'],
    ['Callers', ['a', 'b']],
  ]),
  conditions: {
    NetworkMade: { 'Fn::Equals': [{ Ref: 'Network' }, 'made'] },
    NetworkGiven: { 'Fn::Equals': [{ Ref: 'Network' }, 'given'] },
    InNetwork: { 'Fn::Or': [{ Condition: 'NetworkMade' }, { Condition: 'NetworkGiven' }] },
    CallersGiven: { 'Fn::Not': [{ 'Fn::Equals': [{ 'Fn::Join': ['', { Ref: 'Callers' }] }, ''] }] },
  },
  ids: new Map([
    ['SubnetA', 'subnet-a'],
    ['SubnetB', 'subnet-b'],
    ['Group', 'sg-own'],
    ['Jobs', 'https://sqs.eu-central-1.amazonaws.com/111122223333/jobs'],
    ['Shop', 'bus|paid'],
    ['Log', '/aws/lambda/submit'],
    ['Version', 'arn:aws:lambda:eu-central-1:111122223333:function:submit:7'],
  ]),
  resources: {
    Jobs: { Type: 'AWS::SQS::Queue' },
    Shop: { Type: 'AWS::Events::Rule' },
    Log: { Type: 'AWS::Logs::LogGroup' },
    Version: { Type: 'AWS::Lambda::Version' },
  },
});

const none = madeWith('none');

describe('what a template comes to', () => {
  it.each([
    [{ 'Fn::GetAtt': ['Jobs', 'Arn'] }, 'arn:aws:sqs:eu-central-1:111122223333:jobs'],
    [{ 'Fn::GetAtt': ['Jobs', 'QueueName'] }, 'jobs'],
    [{ 'Fn::GetAtt': 'Shop.Arn' }, 'arn:aws:events:eu-central-1:111122223333:rule/bus/paid'],
    [{ 'Fn::GetAtt': ['Log', 'Arn'] }, 'arn:aws:logs:eu-central-1:111122223333:log-group:/aws/lambda/submit:*'],
    [{ 'Fn::GetAtt': ['Version', 'Version'] }, '7'],
    [{ 'Fn::Sub': 'arn:${AWS::Partition}:iam::${AWS::AccountId}:root' }, 'arn:aws:iam::111122223333:root'],
    [{ 'Fn::Sub': ['${Name}/${!Literal}', { Name: { Ref: 'Group' } }] }, 'sg-own/${!Literal}'],
    [{ 'Fn::Join': [':', ['a', { Ref: 'AWS::Region' }]] }, 'a:eu-central-1'],
    [{ 'Fn::Select': [1, { 'Fn::Split': [',', { Ref: 'SubnetIds' }] }] }, 'subnet-y'],
    [{ 'Fn::If': ['CallersGiven', { Ref: 'Callers' }, 'nobody'] }, ['a', 'b']],
    [[1, { 'Fn::If': ['InNetwork', 2, { Ref: 'AWS::NoValue' }] }], [1]],
    [{ Ref: 'Nobody' }, '<can not be worked out>'],
  ])('%j', (written, comesTo) => {
    expect(evaluated(written, none)).toEqual(comesTo);
  });
});

describe('the network of a function', () => {
  const inA = { SubnetIds: ['subnet-b', 'subnet-a'], SecurityGroupIds: ['sg-own'] };
  const inX = { SubnetIds: ['subnet-x', 'subnet-y'], SecurityGroupIds: ['sg-x'] };

  it.each([
    ['none', undefined],
    ['made', inA],
    ['given', inX],
  ])('is as it is written where it is %s', (network, present) => {
    expect(asWritten(inNetwork, present, madeWith(network))).toBe(inNetwork);
  });

  it.each([
    ['none', inA],
    ['made', undefined],
    ['made', { ...inA, SecurityGroupIds: ['sg-open'] }],
    ['given', inA],
  ])('is what it is where it is %s, and somebody has changed it', (network, present) => {
    expect(asWritten(inNetwork, present, madeWith(network))).toEqual(present);
  });
});

describe('a policy', () => {
  const statement = { Effect: 'Allow', Action: ['sqs:SendMessage'], Resource: { 'Fn::GetAtt': ['Jobs', 'Arn'] } };
  const left = { 'Fn::If': ['NetworkMade', { Effect: 'Deny', Action: '*', Resource: '*' }, { Ref: 'AWS::NoValue' }] };
  const written = { Version: '2012-10-17', Statement: [left, statement] };
  const arn = 'arn:aws:sqs:eu-central-1:111122223333:jobs';
  const present = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: arn };

  it('is as it is written, whatever its conditions leave out', () => {
    expect(asWritten(written, { Version: '2012-10-17', Statement: [present] }, none)).toBe(written);
  });

  it('shows the statement that somebody has put beside', () => {
    const more = { Effect: 'Allow', NotAction: 'iam:*', Resource: '*' };
    expect(asWritten(written, { Version: '2012-10-17', Statement: [more, present] }, none)).toEqual({
      Version: '2012-10-17',
      Statement: [left, more, statement],
    });
  });
});
