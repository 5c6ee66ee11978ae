// The stack as it would be deployed: its parts fit each other, and the code that ships in it.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { bundleFunction } from '../../infra/bundle.ts';
import { readWorkerConfig } from '../../lib/aws/env-config.ts';
import { readWorkerSecret } from '../../lib/aws/secret-schemas.ts';
import {
  batchesTableDefinition,
  ledgerTableDefinition,
  plainTableDefinition,
  waitingTableDefinition,
} from '../../lib/local/ledger-table.ts';
import { packaged, type Resource, synthesized } from './synthesized.ts';

interface Statement {
  readonly Sid: string;
  readonly Action: readonly string[];
  readonly Condition?: unknown;
}

const sameAs = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const prod = await synthesized(['--stage', 'prod']);

describe.skipIf(!prod)('the template', () => {
  const resources = prod?.template.Resources ?? {};
  const properties = (logicalId: string) => resources[logicalId]?.Properties ?? {};
  const ofType = (type: string) =>
    Object.entries(resources).flatMap(([logicalId, it]) => (it.Type === type ? [logicalId] : []));
  const attribute = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
  const live = (logicalId: string) => ({ 'Fn::Join': [':', [attribute(logicalId), 'live']] });

  it('keeps the logical ids that others rely on', () => {
    const promised = [
      [
        'JobsQueue',
        'BatchJobsQueue',
        'DeadLetterQueue',
        'ResultsQueue',
        'ResultsDeadLetterQueue',
        'ChecksQueue',
        'ChecksDeadLetterQueue',
        'CallbacksQueue',
        'LinesQueue',
      ],
      [
        'OrderPaidDeadLetterQueue',
        'CardKeysTable',
        'LedgerTable',
        'BatchesTable',
        'ControlsTable',
        'WaitingTable',
        'WorkerKey',
        'WaitingKey',
        'WorkerSecret',
        'OrderPaidRule',
        'ResultsPipe',
        'PageTopic',
        'TicketTopic',
      ],
    ];
    expect(Object.keys(resources)).toEqual(expect.arrayContaining(promised.flat()));
  });

  const names = readdirSync('functions').map((file) => basename(file, '.ts'));
  const logicalName = (name: string) => name.replace(/^./, (letter) => letter.toUpperCase());

  it.each(names)('has for %s a function, a role of its own and a log group under the key', (name) => {
    const id = logicalName(name);
    expect(resources[`${id}LambdaFunction`]).toMatchObject({
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: `payouts-prod-${name}`,
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        Role: attribute(`${id}Role`),
      },
    });
    expect(resources[`${id}LogGroup`]).toMatchObject({
      Properties: { LogGroupName: `/aws/lambda/payouts-prod-${name}`, KmsKeyId: attribute('WorkerKey') },
    });
  });

  it('lets everything that calls a function call its alias, which names the version that this template publishes', () => {
    const calls = Object.entries(resources).flatMap(([id, { Type, Properties: it }]) => {
      if (/Lambda::(EventSourceMapping|Permission)$/.test(Type)) return [[id, it['FunctionName']] as const];
      if (Type === 'AWS::Lambda::Url') return [[id, it['TargetFunctionArn']] as const];
      const targets = Type === 'AWS::Events::Rule' ? (it['Targets'] as readonly { Id: string; Arn: unknown }[]) : [];
      return targets.filter(({ Id }) => Id !== 'jobs').map(({ Arn }) => [id, Arn] as const);
    });
    expect(calls.length).toBeGreaterThan(10);
    expect(
      calls.filter(([, it]) => !names.some((name) => sameAs(live(`${logicalName(name)}LambdaFunction`), it))),
    ).toEqual([]);
    for (const name of names) {
      const { FunctionVersion, Name } = properties(`${logicalName(name)}LiveAlias`) as {
        FunctionVersion: { 'Fn::GetAtt': [string, string] };
        Name: string;
      };
      const [version, attributeName] = FunctionVersion['Fn::GetAtt'];
      expect([Name, attributeName, resources[version]?.Type]).toEqual(['live', 'Version', 'AWS::Lambda::Version']);
      expect(properties(version)['Description']).toMatch(/\(commit ([0-9a-f]{12}(-dirty)?|unknown), release \S+\)$/);
    }
  });

  it('says what it was made from, and takes every parameter of infra/parameters.yml that is not of the stack as a whole', () => {
    expect(prod?.template.Metadata?.Payouts?.Commit).toMatch(/^([0-9a-f]{12}(-dirty)?|unknown)$/);
    const stated = parse(readFileSync('infra/parameters.yml', 'utf8')) as { readonly default: object };
    const inTemplate = Object.keys(prod?.template.Parameters ?? {}).map((it) =>
      it.replace(/^./, (at) => at.toLowerCase()),
    );
    const ofStack = ['tags', 'cloudFormationRole'];
    expect([...inTemplate, ...ofStack].toSorted()).toEqual(
      [...Object.keys(stated.default), 'release', 'stage'].toSorted(),
    );
  });

  it('is one for every stage: no text of it names one, and who deploys must say what is each stage’s own', async () => {
    const text = await readFile(prod?.templateFile ?? '', 'utf8');
    expect(text).not.toMatch(/payouts[-/ ](dev|staging|prod)|NAME-OF-STAGE|PREFIX-OF-SECRETS|arn:aws:|code-bucket/);
    const { Parameters } = JSON.parse(text) as {
      Parameters: Record<string, { Default?: string; AllowedPattern?: string }>;
    };
    const without = Object.keys(Parameters).filter((name) => Parameters[name]?.Default === undefined);
    expect(without.toSorted()).toEqual(['CodeBucket', 'OperatorEmail', 'Release', 'SecretPrefix', 'Stage']);
    expect('').not.toMatch(new RegExp(Parameters['Release']?.AllowedPattern ?? ''));
  });

  it('publishes a version of every function under each release, as its description and that of the function name it', async () => {
    const { Resources } = JSON.parse(await readFile(prod?.templateFile ?? '', 'utf8')) as {
      Resources: Record<string, Resource>;
    };
    for (const name of names.map(logicalName)) {
      const said = Resources[`${name}LambdaFunction`]?.Properties['Description'];
      expect(said).toEqual({ 'Fn::Sub': expect.stringMatching(/\(commit \S+, release \$\{Release\}\)$/) });
      expect(Resources[`${name}Version`]).toMatchObject({
        Properties: { Description: said },
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      });
    }
  });

  it('moves every alias by CodeDeploy where a rollout is chosen, each by a group of its own, all back by the same alarms', async () => {
    const { Resources, Conditions } = JSON.parse(await readFile(prod?.templateFile ?? '', 'utf8')) as {
      Resources: Record<string, Resource & { readonly UpdatePolicy?: unknown }>;
      Conditions: Record<string, unknown>;
    };
    expect(Conditions['RolloutOn']).toEqual({ 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'Rollout' }, 'AllAtOnce'] }] });
    for (const name of names) {
      const ApplicationName = { Ref: 'RolloutApplication' };
      const shifted = {
        CodeDeployLambdaAliasUpdate: { ApplicationName, DeploymentGroupName: { Ref: `${logicalName(name)}Rollout` } },
      };
      expect(Resources[`${logicalName(name)}LiveAlias`]?.UpdatePolicy).toEqual({
        'Fn::If': ['RolloutOn', shifted, { Ref: 'AWS::NoValue' }],
      });
      expect(Resources[`${logicalName(name)}Rollout`]).toMatchObject({
        Type: 'AWS::CodeDeploy::DeploymentGroup',
        Condition: 'RolloutOn',
        Properties: {
          ApplicationName,
          DeploymentGroupName: name,
          DeploymentConfigName: { 'Fn::Sub': 'CodeDeployDefault.Lambda${Rollout}' },
          ServiceRoleArn: attribute('RolloutRole'),
          AlarmConfiguration: {
            Enabled: true,
            Alarms: [
              { Name: { Ref: 'ReleaseFailingAlarm' } },
              { 'Fn::If': ['CanaryOn', { Name: { Ref: 'CanaryFailingAlarm' } }, { Ref: 'AWS::NoValue' }] },
            ],
          },
          AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
        },
      });
    }
    const made = Object.values(Resources).filter(({ Type }) => Type.startsWith('AWS::CodeDeploy::'));
    expect(made.filter(({ Condition }) => Condition !== 'RolloutOn')).toEqual([]);
  });

  it('rolls out no longer than a deployment waits for it, by what CodeDeploy has', async () => {
    const { Parameters } = JSON.parse(await readFile(prod?.templateFile ?? '', 'utf8')) as {
      Parameters: Record<string, { AllowedValues?: readonly string[]; Default?: string }>;
    };
    const { AllowedValues = [], Default } = Parameters['Rollout'] ?? {};
    expect(Default).toBe('AllAtOnce');
    const minutes = AllowedValues.map((it) => {
      const [, once] = /^Canary10Percent(\d+)Minutes$/.exec(it) ?? [];
      const [, each] = /^Linear10PercentEvery(\d+)Minutes?$/.exec(it) ?? [];
      return Number(once ?? 10 * Number(each ?? 0));
    });
    expect(minutes).toEqual([0, 5, 10, 15, 30, 10, 20, 30]);
  });

  it('takes a release back for its own failures alone: errors of the new versions, and orders unread while traffic shifts', () => {
    const { Metrics } = properties('ReleaseFailingAlarm') as {
      Metrics: readonly {
        readonly Id: string;
        readonly Expression?: string;
        readonly MetricStat?: { readonly Metric: { readonly MetricName: string; readonly Dimensions?: unknown } };
      }[];
    };
    const [sum, ...parts] = Metrics;
    expect(sum?.Expression).toBe(
      'SUM([FILL(submit, 0), FILL(inquire, 0), FILL(sweep, 0), FILL(callback, 0)]) + IF(FILL(shifts, 0) > 0, FILL(unreadable, 0), 0)',
    );
    const errors = parts.filter(({ MetricStat }) => MetricStat?.Metric.MetricName === 'Errors');
    expect(errors.map(({ Id }) => Id).toSorted()).toEqual(names.toSorted());
    for (const { Id, MetricStat } of errors) {
      const id = logicalName(Id);
      expect(MetricStat?.Metric.Dimensions).toEqual([
        { Name: 'FunctionName', Value: { Ref: `${id}LambdaFunction` } },
        { Name: 'Resource', Value: { 'Fn::Sub': `\${${id}LambdaFunction}:live` } },
        { Name: 'ExecutedVersion', Value: { 'Fn::GetAtt': [`${id}Version`, 'Version'] } },
      ]);
    }
    expect(parts.map(({ MetricStat }) => MetricStat?.Metric.MetricName).filter((it) => it !== 'Errors')).toEqual([
      'trafficShifts',
      'unreadable',
    ]);
  });

  it('brings no dead letter back by itself: the one schedule is the sweeper', () => {
    expect(properties('SweepEventsRuleSchedule1')).toMatchObject({ State: 'ENABLED' });
    expect(Object.keys(resources).filter((it) => /Redrive/.test(it))).toEqual([]);
  });

  it('has no function beside those of functions/', () => {
    expect(ofType('AWS::Lambda::Function').toSorted()).toEqual(
      names.map((name) => `${logicalName(name)}LambdaFunction`).toSorted(),
    );
  });

  it('gives every function settings that the worker starts with', () => {
    for (const logicalId of ofType('AWS::Lambda::Function')) {
      const { Variables } = properties(logicalId)['Environment'] as { Variables: Record<string, string | object> };
      const texts = Object.entries(Variables).map(([name, value]) => [name, refOf(value)]);
      expect(readWorkerConfig(Object.fromEntries(texts))).toMatchObject({
        jobsQueueUrl: '<JobsQueue>',
        batchJobsQueueUrl: '<BatchJobsQueue>',
        deadLetterQueueUrl: '<DeadLetterQueue>',
        resultsQueueUrl: '<ResultsQueue>',
        checksQueueUrl: '<ChecksQueue>',
        linesQueueUrl: '<LinesQueue>',
        ledgerTableName: '<LedgerTable>',
        cardKeysTableName: '<CardKeysTable>',
        batchesTableName: '<BatchesTable>',
        controlsTableName: '<ControlsTable>',
        waitingTableName: '<WaitingTable>',
        secretPrefix: 'payouts/prod/',
        limits: { functionTimeoutMs: 120_000, maxReceiveCount: 1_000 },
      });
    }
    expect(properties('SubmitLambdaFunction')['Timeout']).toBe(120);
    expect(properties('JobsQueue')['RedrivePolicy']).toMatchObject({ maxReceiveCount: 1_000 });
  });

  it('feeds submit from two queues alike, each by invocations of its own', () => {
    const { QueueName: _jobs, ...jobsQueue } = properties('JobsQueue');
    const { QueueName: _rows, ...rowsQueue } = properties('BatchJobsQueue');
    expect(rowsQueue).toStrictEqual(jobsQueue);
    const mappingOf = (queue: string) => properties(`SubmitEventSourceMappingSQS${queue}`);
    const { EventSourceArn: ofJobs, MaximumBatchingWindowInSeconds: jobsWait, ...jobs } = mappingOf('JobsQueue');
    const { EventSourceArn: ofRows, MaximumBatchingWindowInSeconds: rowsWait, ...rows } = mappingOf('BatchJobsQueue');
    expect([ofJobs, ofRows]).toEqual([attribute('JobsQueue'), attribute('BatchJobsQueue')]);
    // A lone payout leaves at once; rows of a payday gather.
    expect([jobsWait, rowsWait]).toEqual([0, 1]);
    expect(rows).toStrictEqual(jobs);
    expect(rows).toMatchObject({ ScalingConfig: { MaximumConcurrency: 10 } });
  });

  it('feeds submit lines of lanes one by one, at once, and keeps each for as long as a job may wait', () => {
    const mapping = properties('SubmitEventSourceMappingSQSLinesQueue');
    expect(mapping).toMatchObject({
      EventSourceArn: attribute('LinesQueue'),
      FunctionName: live('SubmitLambdaFunction'),
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
    expect(mapping['MaximumBatchingWindowInSeconds']).toBeUndefined();
    expect(properties('LinesQueue')).toMatchObject({
      MessageRetentionPeriod: 14 * 86_400,
      KmsMasterKeyId: attribute('WorkerKey'),
      RedrivePolicy: { deadLetterTargetArn: attribute('ChecksDeadLetterQueue') },
    });
  });

  it('makes the very table of what waits that every test runs on, with a backup policy of its own, and lets nothing in it expire', () => {
    expect(properties('WaitingTable')).toStrictEqual({
      ...waitingTableDefinition,
      TableName: 'payouts-prod-waiting',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: attribute('WorkerKey') },
    });
    expect(resources['WaitingTable']?.DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it('has a key for the bodies of what waits that the role of submit alone may use', () => {
    const { KeyPolicy } = properties('WaitingKey') as { KeyPolicy: { Statement: readonly Statement[] } };
    const using = KeyPolicy.Statement.filter(({ Action }) =>
      Action.some((it) => /Decrypt|Encrypt|DataKey|Grant/.test(it)),
    );
    expect(using.map(({ Sid, Action }) => [Sid, Action])).toEqual([
      ['SubmitAlone', ['kms:Decrypt', 'kms:GenerateDataKey']],
    ]);
    expect(using[0]?.Condition).toEqual({
      ArnLike: {
        'aws:PrincipalArn': {
          'Fn::Sub': 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/${AWS::StackName}-SubmitRole-*',
        },
      },
    });
  });

  it.each([
    ['ledger', 'LedgerTable', ledgerTableDefinition],
    ['batches', 'BatchesTable', batchesTableDefinition],
    ['controls', 'ControlsTable', plainTableDefinition],
  ])('makes the very table of %s that every test runs on, and keeps it', (name, logicalId, definition) => {
    expect(properties(logicalId)).toStrictEqual({
      ...definition,
      TableName: `payouts-prod-${name}`,
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: attribute('WorkerKey') },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
    expect(resources[logicalId]?.DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it('makes a table for the keys of CVVs, of which no copy is ever made', () => {
    expect(properties('CardKeysTable')).toStrictEqual({
      ...plainTableDefinition,
      TableName: 'payouts-prod-card-keys',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: attribute('WorkerKey') },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
    expect(resources['CardKeysTable']?.DeletionPolicy).toBe('Delete');
  });

  it('has a worker secret made that the worker reads, without ever holding a key', () => {
    const rule = properties('WorkerSecret')['GenerateSecretString'];
    // Word for word: Secrets Manager makes a new key when any of it changes, and no open order is recognised any more.
    expect(rule).toStrictEqual({
      SecretStringTemplate: '{"fingerprintKeyId":"generated","fingerprintKeys":{}}',
      GenerateStringKey: 'generated',
      PasswordLength: 64,
      ExcludeCharacters: 'ghijklmnopqrstuvwxyz',
      ExcludeUppercase: true,
      ExcludePunctuation: true,
    });
    const made = { ...JSON.parse((rule as { SecretStringTemplate: string }).SecretStringTemplate) };
    const { current, keys } = readWorkerSecret(JSON.stringify({ ...made, generated: '0123456789abcdef'.repeat(4) }));
    expect([current, [...keys.keys()]]).toEqual(['generated', ['generated']]);
    expect(Object.keys(properties('WorkerSecret'))).not.toContain('SecretString');
  });

  it('lets nobody speak plain HTTP to a queue or a secret', () => {
    const refusals = (it: Resource) =>
      JSON.stringify(it.Properties['PolicyDocument'] ?? it.Properties['ResourcePolicy']);
    for (const queue of ofType('AWS::SQS::Queue')) {
      const policy = resources[`${queue}Policy`];
      expect(policy?.Properties['Queues']).toEqual([{ Ref: queue }]);
      expect(policy && refusals(policy)).toContain('"Condition":{"Bool":{"aws:SecureTransport":"false"}}');
    }
    expect(ofType('AWS::SecretsManager::Secret')).toEqual(['WorkerSecret']);
    const policy = resources['WorkerSecretPolicy'];
    expect(policy && refusals(policy)).toContain('"Condition":{"Bool":{"aws:SecureTransport":"false"}}');
  });

  it('has one public door, the function URL of callback', () => {
    expect(ofType('AWS::Lambda::Url').map((logicalId) => properties(logicalId))).toEqual([
      { AuthType: 'NONE', TargetFunctionArn: live('CallbackLambdaFunction') },
    ]);
    const open = ofType('AWS::Lambda::Permission').map((logicalId) => properties(logicalId));
    expect(open.filter(({ Principal }) => Principal === '*')).toEqual([
      expect.objectContaining({ FunctionName: live('CallbackLambdaFunction'), InvokedViaFunctionUrl: true }),
      expect.objectContaining({ FunctionName: live('CallbackLambdaFunction'), FunctionUrlAuthType: 'NONE' }),
    ]);
  });

  it('pays out nothing for events until a stage says so', () => {
    expect(properties('OrderPaidRule')['State']).toBe('DISABLED');
    expect(prod?.template.Parameters['ResultsBus']?.Default).toBe('');
  });
});

describe.skipIf(!prod)('packaging', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  it('gives the same bytes again, on the other side of the world too', async () => {
    process.env['TZ'] = 'Pacific/Auckland';
    const [first, second] = [await hashes(prod?.directory ?? ''), await hashes(await packaged())];
    for (const [file, hash] of Object.entries(first)) process.stdout.write(`${hash}  ${file}\n`);
    expect(second).toStrictEqual(first);
    expect(Object.keys(first).filter((it) => it.endsWith('.zip'))).toHaveLength(readdirSync('functions').length);
  });

  it('ships what the tests run: each zip holds one bundle, and nothing else', async () => {
    for (const zip of prod?.zips ?? []) {
      const shipped = unzipSync(await readFile(zip));
      const { file } = await bundleFunction(
        basename(zip).replace(/-[0-9a-f]+\.zip$/, ''),
        join(prod?.directory ?? '', 'again'),
      );
      expect(Object.keys(shipped)).toEqual([basename(file)]);
      expect(Buffer.from(shipped[basename(file)] ?? []).equals(await readFile(file))).toBe(true);
    }
  });

  it('takes what a stage and the command line say', async () => {
    const said = ['orderPaidJobs=ENABLED', 'resultsBus=shop'].flatMap((it) => ['--param', it]);
    const dev = await synthesized(['--stage', 'dev', ...said]);
    expect(dev?.template.Resources['OrderPaidRule']?.Properties).toMatchObject({ State: 'ENABLED' });
    expect(dev?.template.Parameters['ResultsBus']?.Default).toBe('shop');
    expect(dev?.template.Resources['SubmitEventSourceMappingSQSJobsQueue']?.Properties['ScalingConfig']).toEqual({
      MaximumConcurrency: 2,
    });
  });

  it.each<[what: string, file: string, from: string, to: string, says: string]>([
    [
      'a misspelt key',
      'serverless.yml',
      'versionFunctions:',
      'versionFunction:',
      "unrecognized property 'versionFunction'",
    ],
    ['a row without its function', 'infra/functions.yml', 'sweep:', 'sweeper:', 'functions/<name>.ts and a row'],
  ])('refuses %s', async (_, file, from, to, says) => {
    const broken = synthesized([], (name, text) => (name === file ? text.replace(from, to) : text));
    await expect(broken).rejects.toThrow(says);
  });
});

function refOf(value: string | object): string {
  return typeof value === 'string' ? value : `<${(value as { Ref: string }).Ref}>`;
}

async function hashes(directory: string): Promise<Record<string, string>> {
  const files = (await readdir(directory)).filter((it) => /\.(zip|json|map)$/.test(it)).toSorted();
  const rows = files.map(async (file) => {
    const hash = createHash('sha256')
      .update(await readFile(join(directory, file)))
      .digest('hex');
    return [file, hash] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}
