// What `payouts smoke` proves, row by row: an account in which all is well, and each thing broken once.
import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readStack } from '../../lib/doctor/stack.ts';
import { mayCall } from '../rights/policy-evaluator.ts';
import {
  polledQueues,
  type RightAsked,
  rights,
  type SmokeAccount,
  smoke,
  smokeChecks,
} from '../../lib/cli/smoke/smoke-checks.ts';

const live = (name: string) => `arn:aws:lambda:eu-central-1:111122223333:function:payouts-dev-${name}:live`;
const plainHttp = { Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
const viaServices = {
  Effect: 'Allow',
  Action: ['kms:Decrypt'],
  Condition: { StringEquals: { 'kms:ViaService': ['sqs.eu-central-1.amazonaws.com'] } },
};
const caller = (name: string, target = live('submit')) => ({ name, isOn: true, target, partial: true });
const schedule = (part: number) => ({ name: `schedule ${part}`, isOn: true, target: live('sweep') });
const isSame = (right: RightAsked, { role, action, on, leadingKey }: RightAsked) =>
  right.role === role && right.action === action && right.on === on && right.leadingKey === leadingKey;

/** All is well, but for what is changed. */
function anAccount(changes: Partial<SmokeAccount> = {}): SmokeAccount & { readonly rung: string[] } {
  const rung: string[] = [];
  return {
    queueCallers: async () => [
      caller('jobs'),
      caller('batch-jobs'),
      caller('checks', live('inquire')),
      caller('callbacks', live('inquire')),
      caller('lines'),
    ],
    schedules: async () => [0, 1, 2, 3].map(schedule),
    queuePolicies: async () => [{ name: 'jobs', statements: [plainHttp] }],
    keyStatements: async () => [{ Effect: 'Allow', Action: 'kms:DescribeKey' }, viaServices],
    mayCall: async (right) => rights.some((it) => it.may && isSame(right, it)),
    subscribers: async () => ({ confirmed: ['email'], pending: 0 }),
    ring: async (alarm) => void rung.push(alarm),
    ledgerIsStamped: async () => true,
    dryJob: async () => 'INVALID_MESSAGE',
    ...changes,
    rung,
  };
}

/** The faults by row. */
async function faultsOf(changes: Partial<SmokeAccount>): Promise<readonly (readonly [string, readonly string[]])[]> {
  const results = await smoke(anAccount(changes));
  return results.filter(({ faults }) => faults.length > 0).map(({ name, faults }) => [name, faults]);
}

it('every queue that the stack has a function take messages from is asked about', () => {
  const functions = parse(readFileSync(new URL('../../infra/functions.yml', import.meta.url), 'utf8'));
  const taken = Object.values<{ readonly events?: readonly { readonly sqs?: { readonly arn: object } }[] }>(functions)
    .flatMap(({ events = [] }) => events)
    .flatMap(({ sqs }) => (sqs ? [JSON.stringify(sqs.arn)] : []));
  expect(taken.toSorted()).toEqual(
    polledQueues.map((name) => JSON.stringify({ 'Fn::GetAtt': [name, 'Arn'] })).toSorted(),
  );
});

describe('an account', () => {
  it('in which all is well proves every row, and rings both topics', async () => {
    const account = anAccount();
    const results = await smoke(account);
    expect(results.map(({ name }) => name)).toEqual(smokeChecks.map(({ name }) => name));
    expect(results.flatMap(({ faults }) => faults)).toEqual([]);
    expect(account.rung).toEqual(['function-errors', 'held']);
  });

  it.each<[story: string, changes: Partial<SmokeAccount>, row: string, fault: string]>([
    [
      'whose mapping is off',
      {
        queueCallers: async () => [{ ...caller('jobs'), isOn: false }, ...['b', 'c', 'd', 'e'].map((it) => caller(it))],
      },
      'queues call the live functions',
      'jobs is switched off',
    ],
    [
      'whose mapping goes around the alias',
      {
        queueCallers: async () => [
          caller('jobs', live('submit').replace(/:live$/, '')),
          ...['b', 'c', 'd', 'e'].map((it) => caller(it)),
        ],
      },
      'queues call the live functions',
      'not the alias live',
    ],
    [
      'whose mapping brings whole batches back',
      {
        queueCallers: async () => [
          { ...caller('jobs'), partial: false },
          ...['b', 'c', 'd', 'e'].map((it) => caller(it)),
        ],
      },
      'queues call the live functions',
      'brings a whole batch back',
    ],
    [
      'without one of its mappings',
      { queueCallers: async () => ['jobs', 'b', 'c', 'd'].map((it) => caller(it)) },
      'queues call the live functions',
      '4 queues of 5',
    ],
    [
      'whose sweeper is off',
      { schedules: async () => [schedule(0), schedule(1), schedule(2), { ...schedule(3), isOn: false }] },
      'four sweepers are called each minute',
      'schedule 3 is switched off',
    ],
    [
      'without one of its schedules',
      { schedules: async () => [0, 1, 2].map(schedule) },
      'four sweepers are called each minute',
      '3 schedules of 4',
    ],
    [
      'whose queue takes plain HTTP',
      { queuePolicies: async () => [{ name: 'jobs', statements: [] }] },
      'queues refuse plain HTTP and strangers',
      'jobs takes plain HTTP',
    ],
    [
      'whose queue is open',
      {
        queuePolicies: async () => [
          { name: 'jobs', statements: [plainHttp, { Effect: 'Allow', Principal: { AWS: '*' }, Action: 'sqs:*' }] },
        ],
      },
      'queues refuse plain HTTP and strangers',
      'jobs is open to everybody',
    ],
    [
      'whose key can be used directly',
      { keyStatements: async () => [viaServices, { Effect: 'Allow', Principal: '*', Action: 'kms:*' }] },
      'the key is used through services alone',
      'without going through a service',
    ],
    [
      'whose key nobody may use',
      { keyStatements: async () => [] },
      'the key is used through services alone',
      'nobody may use it',
    ],
    [
      'whose pages nobody hears',
      {
        subscribers: async (topic) =>
          topic === 'PageTopic' ? { confirmed: [], pending: 1 } : { confirmed: ['email'], pending: 0 },
      },
      'alarms reach a person',
      'nobody hears PageTopic: 1 never confirmed',
    ],
    [
      'whose tickets nobody hears',
      { subscribers: async (topic) => ({ confirmed: topic === 'TicketTopic' ? [] : ['email'], pending: 0 }) },
      'alarms reach a person',
      'nobody hears TicketTopic: it has no subscriber',
    ],
    [
      'in which no sweep ends',
      { ledgerIsStamped: async () => false },
      'the sweeper runs',
      'no sweep has come to its end',
    ],
    ['in which no message comes through', { dryJob: async () => undefined }, 'a message goes all the way', 'in time'],
    [
      'that does not answer',
      { keyStatements: () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' })) },
      'the key is used through services alone',
      'could not be asked about: AccessDeniedException',
    ],
  ])('%s fails that row and no other', async (_, changes, row, fault) => {
    expect(await faultsOf(changes)).toEqual([[row, [expect.stringContaining(fault)]]]);
  });

  it.each(rights)('whose $role can not be trusted with $action on $on ($why) fails', async ({ may, ...right }) => {
    const all = anAccount();
    const mayCall = async (asked: RightAsked) => (isSame(asked, right) ? !may : all.mayCall(asked));
    const failed = await faultsOf({ mayCall });
    expect(failed.map(([name]) => name)).toEqual(['roles may what they must, and no more']);
    expect(failed[0]?.[1]).toHaveLength(1);
  });
});

it('the stack that ships has the rights that are asked for, and those alone', () => {
  const shipped = readFileSync(new URL('../../lib/doctor/intended-stack.json', import.meta.url), 'utf8');
  const read = readStack(shipped.replaceAll('${SecretPrefix}', 'payouts/prod/'));
  if (read.kind === 'unreadable') throw new Error(read.reason);
  const secret =
    'arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:payouts/prod/smoke-AbCdEf';
  const wrong = rights.filter(({ role, action, on, leadingKey, may }) => {
    const resource = on === 'secret' ? secret : `\${${on}.Arn}`;
    const call = { action, resource, ...(leadingKey !== undefined && { keys: [leadingKey] }) };
    return mayCall(read.stack, role.replace(/Role$/, ''), call) !== may;
  });
  expect(wrong).toEqual([]);
});
