// The people's policies (infra/resources/people.yml): what an office may, by the policy evaluator, and the tool itself under each of
// them, in front of emulators that refuse what the policy does not allow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDynamoDbClient } from '../../lib/aws/dynamodb-table.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { localCalls } from '../../lib/local/local-limits.ts';
import { workerSecret } from '../../lib/local/sample-merchants.ts';
import { type CliEnd, runCli } from '../cli/support/cli.ts';
import { aDirectory } from '../cli/support/files.ts';
import { ibanOf } from '../cli/support/ibans.ts';
import { packaged } from '../infra/packaged.ts';
import { anOrder, begun } from '../support/orders.ts';
import { ofType, recordOf, type Resource, type Stack, stackOf } from '../support/stack.ts';
import { type Guard, startGuardOver } from './guard.ts';
import { type Call, mayCall } from './policy-evaluator.ts';
import { putMerchant } from '../support/merchant-secrets.ts';
import { seenOf } from '../cli/support/seen-of.ts';

const stack = stackOf(packaged('prod').template);
/** Who works with the queues alone, and what others have beside their own (personas.test.ts, signs). */
const others = new Set(['Producer', 'CvvProducer', 'Consumer', 'Signing']);
const offices = ofType(stack, 'AWS::IAM::ManagedPolicy')
  .map(({ logicalId }) => logicalId.replace(/Policy$/, ''))
  .filter((it) => !others.has(it));
const documentOf = (office: string) => recordOf(stack.get(`${office}Policy`)?.properties)['PolicyDocument'];

/** A role that has these policies and nothing else. */
const roleWith = (...policies: readonly string[]) => ({
  ...(policies.includes('Approver') && { RoleName: 'payouts-prod-approver' }),
  Policies: policies.map((it) => ({ PolicyDocument: documentOf(it) })),
});
const roleNamed = (name: string, policies: readonly string[]): [string, Resource] => [
  `${name}Role`,
  { logicalId: `${name}Role`, type: 'AWS::IAM::Role', properties: roleWith(...policies) },
];
/** A producer of jobs. */
const senders = ['Producer', 'CvvProducer'];
const people: Stack = new Map([
  ...offices.map((it) => roleNamed(it, [it])),
  ...[...offices, ...senders].map((it) => roleNamed(`${it}AndApprover`, [it, 'Approver'])),
]);
const who = (call: Call) => offices.filter((it) => mayCall(people, it, call));

const here = '${AWS::Region}:${AWS::AccountId}';
const arn = (service: string, rest: string) => `arn:\${AWS::Partition}:${service}:${here}:${rest}`;
const queue = (action: string, name: string): Call => ({ action: `sqs:${action}`, resource: `\${${name}.Arn}` });
const key = (action: string, via?: string): Call => ({
  action: `kms:${action}`,
  resource: '${WorkerKey.Arn}',
  ...(via !== undefined && { via }),
});
const item = (action: string, pk: string, table = 'LedgerTable'): Call => ({
  action: `dynamodb:${action}`,
  resource: `\${${table}.Arn}`,
  keys: [pk],
});
const ofBatch = (...attributes: readonly string[]): Call => ({
  ...item('UpdateItem', '~bulk/november', 'BatchesTable'),
  attributes: ['pk', 'v', ...attributes],
});
const secret = (action: string, name: string): Call => ({
  action: `secretsmanager:${action}`,
  resource: arn('secretsmanager', `secret:payouts/prod/${name}-AbCdEf`),
});
const lambda = (action: string, name: string): Call => ({
  action: `lambda:${action}`,
  resource: arn('lambda', `function:${name}`),
});
const mapping = (name: string): Call => ({
  action: 'lambda:UpdateEventSourceMapping',
  resource: arn('lambda', 'event-source-mapping:1'),
  functionArn: arn('lambda', `function:${name}`),
});
const logs = (action: string, group: string): Call => ({
  action: `logs:${action}`,
  resource: arn('logs', `log-group:${group}`),
});
const mac: Call = { action: 'kms:GenerateMac', resource: '${ApprovalKey.Arn}' };

describe('by its managed policy', () => {
  it.each<[what: string, call: Call, may: readonly string[]]>([
    [
      'reads the outputs',
      { action: 'cloudformation:DescribeStacks', resource: arn('cloudformation', 'stack/payouts-prod/1') },
      ['Operator', 'Registrar', 'Keeper', 'Approver', 'Auditor'],
    ],
    [
      'has the stack examined',
      { action: 'cloudformation:GetTemplate', resource: arn('cloudformation', 'stack/payouts-prod/1') },
      ['Operator', 'Auditor'],
    ],
    ['reads an order', item('GetItem', 'acme-eu/INV-1'), ['Operator', 'Registrar', 'Approver', 'Auditor']],
    [
      'reads a batch',
      item('GetItem', '~bulk/november', 'BatchesTable'),
      ['Operator', 'Registrar', 'Approver', 'Auditor'],
    ],
    ['reads a pause', item('GetItem', '~control/acme-eu', 'ControlsTable'), ['Operator', 'Registrar', 'Auditor']],
    [
      'reads all orders',
      { action: 'dynamodb:Scan', resource: '${LedgerTable.Arn}' },
      ['Operator', 'Approver', 'Auditor'],
    ],
    ['releases an order', item('UpdateItem', 'acme-eu/INV-1'), ['Decider', 'Recovery']],
    ['counts a day anew', item('UpdateItem', '~day/acme-eu/EUR/2026-11-22', 'ControlsTable'), []],
    ['puts an order over another', item('PutItem', 'acme-eu/INV-1'), []],
    ['pauses', item('UpdateItem', '~control/*', 'ControlsTable'), ['Operator']],
    [
      'looks along the lines of what waits',
      { action: 'dynamodb:Query', resource: '${WaitingTable.Arn}/index/line' },
      ['Operator', 'Registrar', 'Auditor'],
    ],
    [
      'asks whether an order waits',
      item('Query', 'acme-eu/INV-1', 'WaitingTable'),
      ['Operator', 'Decider', 'Registrar', 'Auditor'],
    ],
    ['writes a lane', item('PutItem', '~lane/acme-eu/1144', 'ControlsTable'), ['Operator']],
    ['has what waits of an order looked at now', item('UpdateItem', 'acme-eu/INV-1', 'WaitingTable'), ['Decider']],
    ['releases what waits', queue('SendMessage', 'ReferencesQueue'), []],
    ['registers a batch', item('PutItem', '~bulk/november', 'BatchesTable'), ['Registrar']],
    ['says which batch took a file', item('PutItem', '~file/ab', 'BatchesTable'), ['Registrar']],
    ['writes an approval down', ofBatch('approvalMac', 'batchState'), ['Registrar', 'Approver']],
    ['writes by whom a batch was registered', ofBatch('registeredBy'), ['Registrar', 'Approver']],
    ['closes a batch', ofBatch('batchState', 'publishedRevision', 'publishedTally'), ['Registrar', 'Approver']],
    ['writes what a merchant may pay', item('UpdateItem', '~safeguards/acme-eu', 'BatchesTable'), ['Approver']],
    ['puts a record of it', item('PutItem', '~safeguards/acme-eu', 'BatchesTable'), []],
    [
      'reads what a merchant may pay',
      item('GetItem', '~safeguards/acme-eu', 'BatchesTable'),
      ['Operator', 'Registrar', 'Approver', 'Auditor'],
    ],
    ['makes the MAC of an approval', mac, ['Approver']],
    [
      'checks the MAC of an approval',
      { ...mac, action: 'kms:VerifyMac' },
      ['Operator', 'Registrar', 'Approver', 'Auditor', 'Recovery'],
    ],
    ['takes a dead letter', queue('ReceiveMessage', 'DeadLetterQueue'), ['Operator']],
    ['brings a job back', queue('SendMessage', 'JobsQueue'), ['Decider']],
    ['sends a row of a file', queue('SendMessage', 'BatchJobsQueue'), ['Decider', 'Registrar']],
    ['tells a result', queue('SendMessage', 'ResultsQueue'), ['Operator']],
    ['reads a result', queue('ReceiveMessage', 'ResultsQueue'), ['Operator']],
    ['takes a result away', queue('DeleteMessage', 'ResultsQueue'), []],
    ['throws a dead letter away', queue('DeleteMessage', 'DeadLetterQueue'), ['Operator']],
    [
      'counts messages',
      { action: 'sqs:GetQueueAttributes', resource: arn('sqs', 'payouts-prod-jobs') },
      ['Operator', 'Auditor'],
    ],
    ['switches an event source on again', mapping('payouts-prod-submit'), ['Operator']],
    ['switches that of looks on again', mapping('payouts-prod-inquire'), ['Operator']],
    [
      'enables the sweeper',
      { action: 'events:EnableRule', resource: arn('events', 'rule/payouts-prod-SweepEventsRuleSchedule1-AbCdEf') },
      ['Operator'],
    ],
    [
      'rings an alarm',
      { action: 'cloudwatch:SetAlarmState', resource: arn('cloudwatch', 'alarm:payouts-prod-held') },
      ['Operator'],
    ],
    ['lays down the key of a CVV', item('PutItem', 'acme-eu/INV-1', 'CardKeysTable'), ['Registrar']],
    ['destroys the key of a CVV unseen', item('DeleteItem', 'acme-eu/INV-1', 'CardKeysTable'), ['Operator']],
    ['puts a merchant’s contract', secret('CreateSecret', 'contract/acme-eu'), ['Keeper']],
    ['puts a merchant’s keys', secret('CreateSecret', 'keys/acme-eu'), ['Keeper']],
    ['changes a merchant’s contract', secret('PutSecretValue', 'contract/acme-eu'), ['Keeper']],
    ['changes a merchant’s keys', secret('PutSecretValue', 'keys/acme-eu'), ['Keeper']],
    [
      'reads a merchant’s contract',
      secret('GetSecretValue', 'contract/acme-eu'),
      ['Operator', 'Decider', 'Registrar', 'Keeper'],
    ],
    ['reads a merchant’s keys', secret('GetSecretValue', 'keys/acme-eu'), ['Keeper']],
    ['reads the keys of fingerprints', secret('GetSecretValue', '_worker'), ['Decider', 'Registrar']],
    ['reads the keys of cards', secret('GetSecretValue', '_card'), ['Keeper']],
    ['reads the control keys of callbacks', secret('GetSecretValue', '_callback'), ['Keeper']],
    [
      'reads the ids of the tables',
      secret('GetSecretValue', '_ledger'),
      ['Operator', 'Registrar', 'Approver', 'Auditor', 'Recovery'],
    ],
    [
      'says which tables are the worker’s, or pauses all',
      secret('PutSecretValue', '_ledger'),
      ['Approver', 'Recovery'],
    ],
    ['reads the log', logs('FilterLogEvents', '/aws/lambda/payouts-prod-submit'), ['Operator', 'Auditor']],
    ['asks the log', logs('StartQuery', '/aws/lambda/payouts-prod-submit'), ['Operator', 'Auditor']],
    [
      'writes into the ledger that the gateway refuses the Region that it comes from',
      item('UpdateItem', '~ledger'),
      ['Recovery'],
    ],
    ['puts that word over another', item('PutItem', '~ledger'), []],
    [
      'restores the ledger',
      { action: 'dynamodb:RestoreTableToPointInTime', resource: '${LedgerTable.Arn}' },
      ['Recovery'],
    ],
    [
      'restores the ledger that was deleted',
      { action: 'dynamodb:RestoreTableFromBackup', resource: '${LedgerTable.Arn}/backup/0148-abc' },
      ['Recovery'],
    ],
    [
      'restores another table',
      { action: 'dynamodb:RestoreTableFromBackup', resource: '${BatchesTable.Arn}/backup/1' },
      [],
    ],
    [
      'protects the restored one',
      { action: 'dynamodb:UpdateTable', resource: arn('dynamodb', 'table/payouts-prod-ledger-2') },
      ['Recovery'],
    ],
    [
      'uses the key by way of DynamoDB',
      key('Decrypt', 'dynamodb'),
      ['Operator', 'Registrar', 'Recovery', 'Approver', 'Auditor'],
    ],
    ['uses the key by way of SQS', key('GenerateDataKey', 'sqs'), ['Operator', 'Registrar']],
    [
      'uses the key by way of secrets',
      key('Decrypt', 'secretsmanager'),
      ['Operator', 'Decider', 'Registrar', 'Keeper', 'Recovery', 'Approver', 'Auditor'],
    ],
  ])('who %s', (_, call, may) => {
    expect(who(call).toSorted()).toEqual(may.toSorted());
  });

  it.each<[what: string, calls: readonly Call[]]>([
    [
      'takes jobs or checks off their queues',
      ['JobsQueue', 'BatchJobsQueue', 'ChecksQueue', 'ReferencesQueue'].flatMap((it) => [
        queue('ReceiveMessage', it),
        queue('PurgeQueue', it),
      ]),
    ],
    [
      'empties results or dead letters, or what could not be written down',
      ['ResultsQueue', 'DeadLetterQueue', 'ChecksDeadLetterQueue'].map((it) => queue('PurgeQueue', it)),
    ],
    ['puts on the worker’s own queue', [queue('SendMessage', 'ChecksQueue')]],
    ['calls back past the door', [{ action: 'lambda:InvokeFunction', resource: '${CallbackLambdaFunction.Arn}' }]],
    [
      'deletes an order or the ledger',
      [item('DeleteItem', 'acme-eu/INV-1'), { action: 'dynamodb:DeleteTable', resource: '${LedgerTable.Arn}' }],
    ],
    [
      'weakens the ledger that is in service',
      ['UpdateTable', 'UpdateContinuousBackups', 'UpdateTimeToLive'].map((it) => item(it, 'x')),
    ],
    [
      'reads or lists keys of CVVs',
      ['GetItem', 'Scan', 'Query'].map((it) => ({ action: `dynamodb:${it}`, resource: '${CardKeysTable.Arn}' })),
    ],
    [
      'changes code, or a function of another stage',
      [lambda('UpdateFunctionCode', 'payouts-prod-submit'), mapping('shop')],
    ],
    [
      'has events of the shop become jobs',
      [{ action: 'events:EnableRule', resource: arn('events', 'rule/payouts-prod-order-paid') }],
    ],
    [
      'changes the fingerprint keys, or deletes a secret',
      [
        secret('PutSecretValue', '_worker'),
        secret('DeleteSecret', 'contract/acme-eu'),
        secret('DeleteSecret', 'keys/acme-eu'),
      ],
    ],
    ['reads another’s log', [logs('FilterLogEvents', '/aws/lambda/shop'), logs('StartQuery', '/aws/lambda/shop')]],
    [
      'opens the body of what waits, or makes a key that seals one',
      ['Decrypt', 'GenerateDataKey'].map((it) => ({ action: `kms:${it}`, resource: '${WaitingKey.Arn}' })),
    ],
    [
      'puts or takes away what waits',
      ['PutItem', 'DeleteItem'].map((it) => item(it, 'acme-eu/INV-1#0', 'WaitingTable')),
    ],
    ['touches the key itself', ['DisableKey', 'ScheduleKeyDeletion', 'PutKeyPolicy', 'Decrypt'].map((it) => key(it))],
  ])('no one %s', (_, calls) => {
    expect(calls.flatMap(who)).toEqual([]);
  });

  it('who has the approver’s office beside another’s still approves nothing, unless the other only reads', () => {
    const approving = offices.filter((it) => mayCall(people, `${it}AndApprover`, mac));
    expect(approving.toSorted()).toEqual(['Approver', 'Auditor']);
    const writing = offices.filter((it) =>
      mayCall(people, `${it}AndApprover`, item('UpdateItem', '~safeguards/acme-eu', 'BatchesTable')),
    );
    expect(writing).not.toContain('Registrar');
  });

  it('who has the approver’s office beside a sender’s approves nothing: they would put the very jobs that they approved', () => {
    expect(senders.filter((it) => mayCall(people, `${it}AndApprover`, mac))).toEqual([]);
    expect(senders.filter((it) => mayCall(people, `${it}AndApprover`, queue('SendMessage', 'JobsQueue')))).toEqual(
      senders,
    );
  });

  it('an auditor reads no secret but the ids of the tables, whatever else the role is given', () => {
    expect(JSON.stringify(documentOf('Auditor'))).toContain(
      '{"Effect":"Deny","Action":["secretsmanager:BatchGetSecretValue","secretsmanager:GetSecretValue"],"NotResource":',
    );
  });
});

// The setting that names a table: none, or the restored one that is the ledger since.
describe.each([
  { stage: 'prod', inService: 'payouts-prod-ledger', next: 'payouts-prod-ledger-2' },
  { stage: 'example', inService: 'payouts-example-ledger-2', next: 'payouts-example-ledger-3' },
])('who restores, while $inService is the ledger', ({ stage, inService, next }) => {
  const its = stackOf(packaged(stage).template);
  const Policies = [{ PolicyDocument: its.get('RecoveryPolicy')?.properties['PolicyDocument'] }];
  const recovery: Stack = new Map([
    ['RecoveryRole', { logicalId: 'RecoveryRole', type: 'AWS::IAM::Role', properties: { Policies } }],
  ]);
  const may = (table: string, action: string, pk: string, ...attributes: readonly string[]) => {
    const resource = table === 'payouts-prod-ledger' ? '${LedgerTable.Arn}' : arn('dynamodb', `table/${table}`);
    return mayCall(recovery, 'Recovery', { action: `dynamodb:${action}`, resource, keys: [pk], attributes });
  };
  const filling = ['BatchWriteItem', 'DeleteItem', 'PutItem'];
  const settingUp = ['UpdateContinuousBackups', 'UpdateTable'];

  it('fills and sets up the table that is restored, and no table of another stage', () => {
    for (const action of [...filling, ...settingUp]) {
      expect(may(next, action, 'acme-eu/INV-1', 'pk')).toBe(true);
      expect(may('payouts-other-ledger-2', action, 'acme-eu/INV-1', 'pk')).toBe(false);
    }
    expect(may(next, 'UpdateTimeToLive', 'acme-eu/INV-1', 'pk')).toBe(false);
  });

  it('deletes, replaces and weakens nothing of the ledger in service', () => {
    for (const action of [...filling, ...settingUp]) expect(may(inService, action, 'acme-eu/INV-1', 'pk')).toBe(false);
    expect(may(inService, 'DeleteTable', 'acme-eu/INV-1')).toBe(false);
    expect(may(inService, 'UpdateItem', 'acme-eu/INV-1', 'pk', 'expiresAt')).toBe(false);
    const everything = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };
    Policies.push({ PolicyDocument: everything });
    for (const action of [...filling, ...settingUp]) expect(may(inService, action, 'acme-eu/INV-1', 'pk')).toBe(false);
    Policies.pop();
  });

  it('puts orders in doubt, and writes the Region that is refused', () => {
    expect(may(inService, 'UpdateItem', 'acme-eu/INV-1', 'pk', 'attempts')).toBe(true);
    expect(may(inService, 'UpdateItem', '~ledger', 'pk', 'refusedRegion')).toBe(true);
  });
});

// IAM counts without blanks, the names of Region, account and stack filled in; a managed policy has 6,144 characters at most,
// all that is in a role 10,240 (IAM and STS quotas).
describe('with names as long as they can be', () => {
  const anArn = `arn:aws-us-gov:dynamodb:ap-southeast-3:111122223333:table/payouts-${'s'.repeat(12)}-ledger`;
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.flatMap(filled);
    if (typeof value === 'string')
      return value
        .replaceAll('${AWS::Partition}', 'aws-us-gov')
        .replaceAll('${AWS::Region}', 'ap-southeast-3')
        .replaceAll('${AWS::AccountId}', '111122223333')
        .replaceAll(/\$\{\w+\.Arn\}/g, anArn)
        .replaceAll('payouts-prod', `payouts-${'s'.repeat(12)}`);
    if (typeof value !== 'object' || value === null) return value;
    const it = recordOf(value);
    if (it['Fn::Sub'] !== undefined) return filled(it['Fn::Sub']);
    if ('Ref' in it || 'Fn::GetAtt' in it || 'Fn::Join' in it) return anArn;
    return Object.fromEntries(Object.entries(it).map(([name, its]) => [name, filled(its)]));
  };
  const lengthOf = (document: unknown) => JSON.stringify(filled(document)).replaceAll(/\s/g, '').length;

  it.each(ofType(stack, 'AWS::IAM::ManagedPolicy').map(({ logicalId }) => logicalId))('%s is not too long', (name) => {
    expect(lengthOf(stack.get(name)?.properties['PolicyDocument'])).toBeLessThan(6_144);
  });

  it.each(ofType(stack, 'AWS::IAM::Role').map(({ logicalId }) => logicalId))('%s is not too long', (name) => {
    const policies = stack.get(name)?.properties['Policies'];
    expect(Array.isArray(policies) && policies.length > 0).toBe(true);
    expect(lengthOf(policies)).toBeLessThan(10_240);
  });
});

/** What each has whose commands are tried: who decides has the operator's policy too. */
const held = {
  Operator: ['Operator'],
  Decider: ['Operator', 'Decider'],
  Registrar: ['Registrar'],
  Keeper: ['Keeper'],
  Approver: ['Approver'],
  Auditor: ['Auditor'],
} as const;
type Office = keyof typeof held;

describe('the tool', () => {
  const files = aDirectory();
  let aws: EmbeddedAws;
  const guards = new Map<Office, Guard>();

  beforeAll(async () => {
    aws = await startEmbeddedAws();
    const base = { login: 'acme', controlKey: 'FAKE-CONTROL-KEY', baseUrl: 'http://127.0.0.1:9' };
    putMerchant(aws.secrets, 'acme-eu', base, 'payouts/prod/');
    await aws.safeguard('acme-eu', { twoPersonRelease: true, caps: {} });
    aws.secrets.put('payouts/prod/_worker', workerSecret());
    aws.secrets.put('payouts/prod/_ledger', aws.tablesRecord);
    for (const [office, policies] of Object.entries(held) as [Office, readonly string[]][]) {
      const [id, role] = roleNamed(keyOf(office), policies);
      guards.set(office, await startGuardOver(aws, new Map([...stack, [id, role]]), async () => null));
    }
  });

  afterAll(async () => {
    for (const guard of guards.values()) await guard.close();
    await aws?.close();
  });

  /** The two people that the embedded AWS knows are told apart by their keys. */
  const keyOf = (office: Office) =>
    office === 'Auditor'
      ? office
      : ((office === 'Approver' ? aws.secondOperator : aws.environment)['AWS_ACCESS_KEY_ID'] ?? '');

  const as = (office: Office, ...args: string[]): Promise<CliEnd> => {
    const url = guards.get(office)?.url ?? '';
    const through = (queueUrl: string) => url + new URL(queueUrl).pathname;
    const settings = workerEnvironment(aws, {});
    const guarded = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => {
        if (/^AWS_ENDPOINT_URL_(SQS|DYNAMODB|SECRETS_MANAGER|KMS)$/.test(name)) return [name, url];
        return [name, name.endsWith('_QUEUE_URL') ? through(value) : value];
      }),
    );
    const env = { ...guarded, AWS_ACCESS_KEY_ID: keyOf(office), SECRET_PREFIX: 'payouts/prod/' };
    return runCli(args, { cwd: files.path(), env });
  };

  it.each<[office: Office, asked: readonly string[][]]>([
    [
      'Operator',
      [
        ['todo', '--held'],
        ['order', 'acme-eu/INV-1'],
        ['lanes'],
        ['pause', 'acme-eu', '--reason', 'clear'],
        ['resume', 'acme-eu', '--reason', 'clear'],
        ['dlq', 'list'],
        ['safeguards', 'show', 'acme-eu'],
        ['restore', 'status'],
        ['reconcile', '--from', '2026-11-20', '--journal', 'journal.csv'],
      ],
    ],
    [
      'Decider',
      [
        ['dlq', 'redrive', '--all', '--dry-run'],
        ['dlq', 'redrive', '--all', '--yes'],
        ['release', 'acme-eu/INV-3', '--as', 'not-paid', '--reason', 'seen', '--seen', 'AAAAAAAAAAAAAAAA'],
        ['cancel', 'acme-eu/INV-2', '--reason', 'clear'],
        ['erase', '--ended-before', '400d', '--yes'],
      ],
    ],
    [
      'Keeper',
      [
        ['secrets', 'check', 'acme-eu'],
        ['callbacks', 'allow', 'acme-eu'],
        ['keys', 'new', 'acme-eu'],
        ['card-keys', 'new'],
      ],
    ],
  ])('serves the %s: what the pages ask for is refused nowhere', async (office, asked) => {
    for (const words of asked) {
      const { stderr } = await as(office, ...words);
      expect(`${words.join(' ')}: ${stderr}`).not.toMatch(/may not|AccessDenied|not authorized/);
    }
    expect([...(guards.get(office)?.refused ?? [])]).toEqual([]);
  });

  it('lets a registrar register, an approver approve without a secret, and the registrar send', async () => {
    const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915'];
    const file = await files.file('november.csv', `order_id,amount,currency,iban,bank\nN-1,5,EUR,${ibanOf('N-1')},B\n`);
    const register = ['submit', file, ...same, '--batch', 'november', '--hold'];
    expect(await as('Registrar', ...register)).toMatchObject({ code: 0 });
    const approve = ['approve', 'november', file, '--yes'];
    expect(await as('Approver', ...approve)).toMatchObject({ code: 0, stdout: expect.stringContaining('is approved') });
    const send = ['submit', file, ...same, '--batch', 'november', '--yes'];
    expect(await as('Registrar', ...send)).toMatchObject({ code: 0 });
    expect([...(guards.get('Registrar')?.refused ?? [])]).toEqual([]);
    // It was asked for, and not needed.
    const refused = [...(guards.get('Approver')?.refused ?? [])];
    expect(refused.filter((it) => !it.includes('secretsmanager:GetSecretValue'))).toEqual([]);
  });

  it('lets an approver approve that an order is not paid, and no one else', async () => {
    const held = anOrder({
      orderId: 'HELD-1',
      attempt: { lapsed: { code: 'TIMED_OUT', message: 'no answer' } },
    });
    const client = newDynamoDbClient(localCalls, clientConfigOf(aws, 'DYNAMODB'));
    await begun(createDynamoDbOrders({ client, tableName: aws.ledgerTableName }), held);
    client.destroy();
    const approve = ['approve', 'acme-eu/HELD-1', '--for', 'arn:aws:iam::000000000000:user/alan', '--yes'];
    for (const office of ['Operator', 'Decider', 'Registrar', 'Keeper'] as const)
      expect(await as(office, ...approve)).toMatchObject({ code: 1 });
    expect(await as('Approver', ...approve)).toMatchObject({ code: 0, stdout: expect.stringContaining('--approval ') });
    const looked = await seenOf((...words) => as('Decider', ...words), 'acme-eu/HELD-1');
    const release = ['release', 'acme-eu/HELD-1', '--as', 'not-paid', '--force', '--reason', 'seen', ...looked];
    expect(await as('Decider', ...release)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('approve'),
    });
  });

  it('lets only an approver write what a merchant may pay', async () => {
    const loosen = ['safeguards', 'set', 'acme-eu', '--two-persons', 'off', '--uncapped', '--yes'];
    for (const office of ['Registrar', 'Operator', 'Decider', 'Keeper'] as const)
      expect(await as(office, ...loosen)).toMatchObject({ code: 1 });
    expect(await as('Approver', 'safeguards', 'set', 'acme-eu', '--cap', 'EUR=5/5', '--yes')).toMatchObject({
      code: 0,
    });
    expect(await as('Registrar', 'safeguards', 'show', 'acme-eu')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('two persons on; EUR 5 an order'),
    });
  });

  it('shows an auditor orders and batches, and lets them change nothing', async () => {
    // Its rows still wait, and the command says so by its exit code.
    const shown = await as('Auditor', 'batch', 'november');
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('november') });
    expect(await as('Auditor', 'reconcile', '--batch', 'november', '--journal', 'audit.csv')).toMatchObject({
      code: 0,
    });
    expect((await as('Auditor', 'pause', '--yes', '--reason', 'mine')).code).not.toBe(0);
    expect((await as('Auditor', 'secrets', 'check', 'acme-eu')).code).not.toBe(0);
  });
});
