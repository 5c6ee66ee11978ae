// What a role may do is read whole, in whatever form the template names the stack's own policies.
import { expect, it } from 'vitest';
import { statementsOfRole } from './policy.ts';
import { readStack } from '../../lib/doctor/stack.ts';

const PolicyDocument = { Statement: [{ Effect: 'Allow', Action: 'kms:Sign', Resource: '*' }] };

it.each([
  ['Ref', { Ref: 'SigningPolicy' }],
  ['Fn::Sub', { 'Fn::Sub': '${SigningPolicy}' }],
  ['Fn::Join', { 'Fn::Join': ['', [{ Ref: 'SigningPolicy' }]] }],
  ['Fn::If', { 'Fn::If': ['Given', { Ref: 'SigningPolicy' }, { Ref: 'AWS::NoValue' }] }],
])('a policy of the stack that a role names by %s gives what it allows', (_, named) => {
  const Resources = {
    SigningPolicy: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument } },
    SubmitRole: { Type: 'AWS::IAM::Role', Properties: { ManagedPolicyArns: [named] } },
  };
  const read = readStack(JSON.stringify({ Resources }));
  if (read.kind === 'unreadable') throw new Error(read.reason);
  const role = read.stack.get('SubmitRole');
  expect(role && statementsOfRole(read.stack, role).map(({ actions }) => actions)).toEqual([['kms:Sign']]);
});
