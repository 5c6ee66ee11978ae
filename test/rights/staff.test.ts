// The people's policies (infra/staff.yml): what an office may, by the policy evaluator, and the tool itself under each of
// them, in front of emulators that refuse what the policy does not allow.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStack, recordOf, type Stack } from '../../lib/doctor/stack.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { workerEnvironment } from '../../lib/local/local-environment.ts';
import { workerSecret } from '../../lib/local/sample-merchants.ts';
import { type CliEnd, runCli } from '../cli/support/cli.ts';
import { aDirectory } from '../cli/support/files.ts';
import { ibanOf } from '../cli/support/ibans.ts';
import { synthesized } from '../infra/synthesized.ts';
import { type Guard, startGuard } from './guard.ts';
import { type Call, mayCall } from './policy-evaluator.ts';

const packaged = await synthesized(['--stage', 'prod']);
const text = packaged ? await readFile(packaged.templateFile, 'utf8') : '{"Resources":{"None":{}}}';
const read = readStack(text);
const stack: Stack = read.kind === 'stack' ? read.stack : new Map();
const offices = ['Operator', 'Recovery', 'Approver', 'Auditor'] as const;
const documentOf = (office: string) => recordOf(stack.get(`${office}Policy`)?.properties)['PolicyDocument'];

/** A role that has these policies and nothing else. */
const roleWith = (...policies: readonly string[]) => ({
  Policies: policies.map((it) => ({ PolicyDocument: documentOf(it) })),
});
const people: Stack = new Map(
  [...offices.map((it) => [it, [it]] as const), ['Both', ['Operator', 'Approver']] as const].map(([name, policies]) => [
    `${name}Role`,
    { logicalId: `${name}Role`, type: 'AWS::IAM::Role', properties: roleWith(...policies) },
  ]),
);
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
const mac: Call = { action: 'kms:GenerateMac', resource: '${ApprovalKey.Arn}' };

describe.skipIf(!packaged)('by its managed policy', () => {
  it.each<[what: string, call: Call, may: readonly string[]]>([
    [
      'reads the outputs',
      { action: 'cloudformation:DescribeStacks', resource: arn('cloudformation', 'stack/payouts-prod/1') },
      ['Operator', 'Approver', 'Auditor'],
    ],
    [
      'has the stack examined',
      { action: 'cloudformation:GetTemplate', resource: arn('cloudformation', 'stack/payouts-prod/1') },
      ['Operator', 'Auditor'],
    ],
    ['reads an order', item('GetItem', 'acme-eu/INV-1'), ['Operator', 'Auditor']],
    ['reads a batch', item('GetItem', '~bulk/november', 'BatchesTable'), ['Operator', 'Approver', 'Auditor']],
    ['reads a pause', item('GetItem', '~control/acme-eu', 'ControlsTable'), ['Operator', 'Auditor']],
    ['reads all orders', { action: 'dynamodb:Scan', resource: '${LedgerTable.Arn}' }, ['Operator', 'Auditor']],
    ['releases an order', item('UpdateItem', 'acme-eu/INV-1'), ['Operator']],
    ['pauses', item('UpdateItem', '~control/*', 'ControlsTable'), ['Operator']],
    ['writes an approval down', item('UpdateItem', '~bulk/november', 'BatchesTable'), ['Operator', 'Approver']],
    ['writes what a merchant may pay', item('UpdateItem', '~safeguards/acme-eu', 'BatchesTable'), ['Approver']],
    ['puts a record of it', item('PutItem', '~safeguards/acme-eu', 'BatchesTable'), []],
    ['reads it', item('GetItem', '~safeguards/acme-eu', 'BatchesTable'), ['Operator', 'Approver', 'Auditor']],
    ['makes the MAC of an approval', mac, ['Approver']],
    ['checks the MAC of an approval', { ...mac, action: 'kms:VerifyMac' }, ['Operator', 'Approver']],
    ['takes a dead letter', queue('ReceiveMessage', 'DeadLetterQueue'), ['Operator']],
    ['brings a job back', queue('SendMessage', 'JobsQueue'), ['Operator']],
    ['empties the dead checks', queue('PurgeQueue', 'ChecksDeadLetterQueue'), ['Operator']],
    [
      'counts messages',
      { action: 'sqs:GetQueueAttributes', resource: arn('sqs', 'payouts-prod-jobs') },
      ['Operator', 'Auditor'],
    ],
    ['rolls back', lambda('UpdateAlias', 'payouts-prod-submit'), ['Operator']],
    ['switches an event source on again', mapping('payouts-prod-submit'), ['Operator']],
    [
      'enables the sweeper',
      { action: 'events:EnableRule', resource: arn('events', 'rule/payouts-prod-Sweep1') },
      ['Operator'],
    ],
    [
      'rings an alarm',
      { action: 'cloudwatch:SetAlarmState', resource: arn('cloudwatch', 'alarm:payouts-prod-held') },
      ['Operator'],
    ],
    ['puts a merchant’s secret', secret('CreateSecret', 'acme-eu'), ['Operator']],
    ['reads a merchant’s secret', secret('GetSecretValue', 'acme-eu'), ['Operator']],
    ['reads the log', { action: 'logs:FilterLogEvents', resource: '*' }, ['Operator', 'Auditor']],
    [
      'restores the ledger',
      { action: 'dynamodb:RestoreTableToPointInTime', resource: '${LedgerTable.Arn}' },
      ['Recovery'],
    ],
    [
      'protects the restored one',
      { action: 'dynamodb:UpdateTable', resource: arn('dynamodb', 'table/payouts-prod-ledger-2') },
      ['Recovery'],
    ],
    ['uses the key by way of DynamoDB', key('Decrypt', 'dynamodb'), offices],
    ['uses the key by way of SQS', key('GenerateDataKey', 'sqs'), ['Operator']],
    ['uses the key by way of secrets', key('Decrypt', 'secretsmanager'), ['Operator']],
  ])('who %s', (_, call, may) => {
    expect(who(call)).toEqual(may);
  });

  it.each<[what: string, calls: readonly Call[]]>([
    [
      'takes jobs or checks off their queues',
      ['JobsQueue', 'BatchJobsQueue', 'ChecksQueue'].flatMap((it) => [
        queue('ReceiveMessage', it),
        queue('PurgeQueue', it),
      ]),
    ],
    ['empties results or dead letters', ['ResultsQueue', 'DeadLetterQueue'].map((it) => queue('PurgeQueue', it))],
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
      [lambda('UpdateFunctionCode', 'payouts-prod-submit'), lambda('UpdateAlias', 'shop'), mapping('shop')],
    ],
    [
      'changes the fingerprint keys, or deletes a secret',
      [secret('PutSecretValue', '_worker'), secret('DeleteSecret', 'acme-eu')],
    ],
    ['touches the key itself', ['DisableKey', 'ScheduleKeyDeletion', 'PutKeyPolicy', 'Decrypt'].map((it) => key(it))],
  ])('nobody %s', (_, calls) => {
    expect(calls.flatMap(who)).toEqual([]);
  });

  it('who has two offices still approves nothing', () => {
    expect(mayCall(people, 'Both', item('UpdateItem', 'acme-eu/INV-1'))).toBe(true);
    expect(mayCall(people, 'Both', mac)).toBe(false);
  });

  it('an auditor reads no secret, whatever else the role is given', () => {
    expect(JSON.stringify(documentOf('Auditor'))).toContain(
      '{"Effect":"Deny","Action":["secretsmanager:BatchGetSecretValue","secretsmanager:GetSecretValue"],"Resource":"*"}',
    );
  });

  // IAM counts without blanks, the names of Region, account and stack filled in.
  it.each(offices)('%s is within the 6,144 characters of a managed policy', (office) => {
    const arnOfResource = `arn:aws-us-gov:dynamodb:ap-southeast-3:111122223333:table/payouts-${'s'.repeat(12)}-ledger`;
    const filled = JSON.stringify(documentOf(office))
      .replaceAll(/\{"Fn::(?:GetAtt|Join)":\[[^{}]*(?:\{[^{}]*\}[^{}]*)*\]\}|\{"Ref":"\w+"\}/g, `"${arnOfResource}"`)
      .replaceAll(/\{"Fn::Sub":("[^"]*")\}/g, '$1')
      .replaceAll('${AWS::Partition}', 'aws-us-gov')
      .replaceAll('${AWS::Region}', 'ap-southeast-3')
      .replaceAll('${AWS::AccountId}', '111122223333');
    expect(filled.replaceAll(/\s/g, '').length).toBeLessThan(6_144);
  });
});

describe.skipIf(!packaged)('the tool', () => {
  const files = aDirectory();
  let aws: EmbeddedAws;
  let guard: Guard;

  beforeAll(async () => {
    aws = await startEmbeddedAws();
    const base = { login: 'acme', controlKey: 'FAKE-CONTROL-KEY', baseUrl: 'http://127.0.0.1:9' };
    aws.secrets.put('payouts/prod/acme-eu', base);
    await aws.safeguard('acme-eu', { twoPersonRelease: true, caps: {} });
    aws.secrets.put('payouts/prod/_worker', workerSecret());
    const { jobs, batchJobs, jobsDeadLetter, results, checks } = aws.queueUrls;
    const nameOf = (url: string) => url.split('/').pop() ?? '';
    const Resources = {
      ...(JSON.parse(text) as { Resources: object }).Resources,
      [`${keyOf('Operator')}Role`]: { Type: 'AWS::IAM::Role', Properties: roleWith('Operator') },
      [`${keyOf('Approver')}Role`]: { Type: 'AWS::IAM::Role', Properties: roleWith('Approver') },
      AuditorRole: { Type: 'AWS::IAM::Role', Properties: roleWith('Auditor') },
    };
    guard = await startGuard({
      template: JSON.stringify({ Resources }),
      upstream: {
        sqs: aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '',
        dynamodb: aws.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
        secretsmanager: aws.environment['AWS_ENDPOINT_URL_SECRETS_MANAGER'] ?? '',
        kms: aws.environment['AWS_ENDPOINT_URL_KMS'] ?? '',
      },
      queues: {
        [nameOf(jobs)]: 'JobsQueue',
        [nameOf(batchJobs)]: 'BatchJobsQueue',
        [nameOf(jobsDeadLetter)]: 'DeadLetterQueue',
        [nameOf(results)]: 'ResultsQueue',
        [nameOf(checks)]: 'ChecksQueue',
      },
    });
  });

  afterAll(async () => {
    await guard?.close();
    await aws?.close();
  });

  /** The two that the embedded AWS knows by name are told apart by their keys. */
  const keyOf = (office: 'Operator' | 'Approver' | 'Auditor') =>
    ({
      Operator: aws.environment['AWS_ACCESS_KEY_ID'] ?? '',
      Approver: aws.secondOperator['AWS_ACCESS_KEY_ID'] ?? '',
      Auditor: 'Auditor',
    })[office];

  const as = (office: 'Operator' | 'Approver' | 'Auditor', ...args: string[]): Promise<CliEnd> => {
    const through = (url: string) => guard.url + new URL(url).pathname;
    const settings = workerEnvironment(aws, {});
    const guarded = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => {
        if (/^AWS_ENDPOINT_URL_(SQS|DYNAMODB|SECRETS_MANAGER|KMS)$/.test(name)) return [name, guard.url];
        return [name, name.endsWith('_QUEUE_URL') ? through(value) : value];
      }),
    );
    const env = { ...guarded, AWS_ACCESS_KEY_ID: keyOf(office), SECRET_PREFIX: 'payouts/prod/' };
    return runCli(args, { cwd: files.path(), env });
  };

  it('serves an operator: what the pages of the runbook ask for is refused nowhere', async () => {
    const asked = [
      ['hold', 'list'],
      ['order', 'acme-eu/INV-1'],
      ['lanes'],
      ['pause', 'acme-eu', '--reason', 'clear'],
      ['resume', 'acme-eu', '--reason', 'clear'],
      ['cancel', 'acme-eu/INV-2', '--reason', 'clear'],
      ['dlq', 'list'],
      ['dlq', 'plan'],
      ['dlq', 'redrive', '--all', '--yes'],
      ['secrets', 'check', 'acme-eu'],
      ['callbacks', 'allow', 'acme-eu'],
      ['keys', 'new', 'acme-eu'],
      ['restore', 'status'],
      ['export', '--since', '2026-11-20T00:00:00Z', '--output', 'ledger.jsonl'],
      ['results', '--output', 'results.jsonl'],
    ];
    for (const words of asked) {
      const { stderr } = await as('Operator', ...words);
      expect(`${words.join(' ')}: ${stderr}`).not.toMatch(/may not|AccessDenied|not authorized/);
    }
    expect([...guard.refused]).toEqual([]);
  });

  it('lets an operator register, an approver approve without a secret, and the operator send', async () => {
    const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915'];
    const file = await files.file('november.csv', `order_id,amount,currency,iban,bank\nN-1,5,EUR,${ibanOf('N-1')},B\n`);
    const register = ['submit', file, ...same, '--batch', 'november', '--hold'];
    expect(await as('Operator', ...register)).toMatchObject({ code: 0 });
    const approve = ['approve', 'november', file, ...same, '--yes'];
    expect(await as('Approver', ...approve)).toMatchObject({ code: 0, stdout: expect.stringContaining('is approved') });
    const send = ['submit', file, ...same, '--batch', 'november', '--yes'];
    expect(await as('Operator', ...send)).toMatchObject({ code: 0 });
    // It was asked for, and not needed.
    expect([...guard.refused].filter((it) => !it.includes('secretsmanager:GetSecretValue'))).toEqual([]);
  });

  it('shows an auditor orders and batches, and lets them change nothing', async () => {
    // Its rows still wait, and the command says so by its exit code.
    const shown = await as('Auditor', 'batch', 'november');
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('november') });
    expect(await as('Auditor', 'export', '--batch', 'november', '--output', 'audit.jsonl')).toMatchObject({ code: 0 });
    expect((await as('Auditor', 'pause', '--yes', '--reason', 'mine')).code).not.toBe(0);
    expect((await as('Auditor', 'secrets', 'check', 'acme-eu')).code).not.toBe(0);
  });
});
