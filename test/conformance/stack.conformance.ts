// `npm run deploy`, into moto's CloudFormation, and then the worker on the queues, the table and the secrets
// that came of it, with the settings that its functions were given: the books are closed at the end.
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DynamoDBClient,
  ScanCommand,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { GetQueueUrlCommand, ListQueuesCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { runCli } from '../cli/support/cli.ts';
import { synthesized } from '../infra/synthesized.ts';
import { byHandEdits } from './by-hand-edits.ts';
import { runOn } from './full-run.ts';
import { leftOut } from './moto-template.ts';
import { type Recorder, startRecorder } from './recorded-actions.ts';
import { deployToMoto, firstCommit, makeSecrets, type MotoStack, onlyMoto } from './moto-stack.ts';
import { fakeCredentials } from './table.ts';

/** The tables that outlive their stack. */
const kept = ['payouts-moto-ledger', 'payouts-moto-batches', 'payouts-moto-controls', 'payouts-moto-waiting'];
const url = inject('moto');
/** The last line of a deployment that is live. */
const live = /^release \S+ is live in all of 4 functions$/;
const arn = 'arn:aws:iam::123456789012:';
/** Another value of each parameter that is not of the stack as a whole (tags, roles, where secrets and code lie). */
const parametersAlone: readonly (readonly [string, string])[] = [
  ['submitConcurrency', '4'],
  ['batchConcurrency', '4'],
  ['inquireConcurrency', '4'],
  ['callbacks', 'ENABLED'],
  ['callbackConcurrency', '3'],
  ['signingKeyArns', 'arn:aws:kms:eu-central-1:123456789012:key/1'],
  ['approverArns', `${arn}role/approver`],
  ['producerArns', `${arn}role/shop`],
  ['consumerArns', `${arn}role/books`],
  ['permissionsBoundary', `${arn}policy/edge`],
  ['logRetentionDays', '731'],
  ['orderPaidJobs', 'ENABLED'],
  ['orderPaidSource', 'shop.paid'],
  ['doubtAlarm', '*=500'],
  ['openWorkShards', '8'],
  ['openWorkShardsRead', '32'],
  ['restoredLedger', 'payouts-moto-ledger-2'],
];
// Not here: `rollout`, as moto's CloudFormation has no CodeDeploy (first-account.md), and `network=made`, of which moto's CloudFormation answers nothing any more (template.test.ts reads it).
const packaged = url === null ? undefined : await synthesized(['--stage', 'moto']);
/** Between moto and the tools of who deploys; the test's own questions go by moto's own address. */
let recorder: Recorder;

const deployRole = new URL('../../infra/docs/deploy-role.json', import.meta.url);
/** https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html: "No permissions are required". */
const needsNoRight: ReadonlySet<string> = new Set(['sts:GetCallerIdentity']);
/** Rights of that role that this walk has no need of, and who has. */
const askedElsewhere: Readonly<Record<string, string>> = {
  'cloudformation:DeleteStack': 'a failed first deployment leaves a name, which the next one takes away',
  'cloudformation:DescribeStackEvents': 'why a deployment failed',
  'cloudwatch:DescribeAlarms': 'moto’s CloudFormation makes no alarms that could be read',
  'iam:PassRole': 'CloudFormation asks, where it is given a role',
  'lambda:GetFunctionEventInvokeConfig': 'moto’s CloudFormation makes none',
  's3:GetObject': 'CloudFormation reads template and code as who deploys, and moto as itself',
  'secretsmanager:DescribeSecret': 'moto’s CloudFormation makes no secret out of a random string',
  'secretsmanager:GetResourcePolicy': 'the same secret’s policy',
  'sns:GetSubscriptionAttributes': 'nobody has subscribed in moto',
};

describe.skipIf(!packaged)('the stack in moto', () => {
  let stack: MotoStack;

  beforeAll(async () => {
    recorder = await startRecorder(url ?? '');
    stack = await deployToMoto({ url: url ?? '', toolsUrl: recorder.url }, 'moto');
    if (packaged) await makeSecrets(url ?? '', packaged.template);
  }, 500_000);

  it('has every resource of the template but those that moto can’t make', () => {
    const resources = Object.entries(packaged?.template.Resources ?? {});
    // What has a condition is off by default.
    const expected = resources.filter(([, { Type, Condition }]) => !(Type in leftOut) && Condition === undefined);
    expect([...stack.made].toSorted()).toEqual(expected.map(([logicalId, { Type }]) => [logicalId, Type]).toSorted());
    const made = [...stack.made.values()];
    const count = (type: string) => made.filter((it) => it === type).length;
    const functions = readdirSync('functions').length;
    expect([count('AWS::SQS::Queue'), count('AWS::DynamoDB::Table')]).toEqual([10, 5]);
    expect([count('AWS::Lambda::Function'), count('AWS::IAM::Role')]).toEqual([functions, functions]);
  });

  it('feeds submit from the two queues of jobs and that of lines, and inquire from those of checks and callbacks', async () => {
    const mappings = await stack.pauseMappings();
    expect(
      mappings
        .map((it) => [it.EventSourceArn.split(':').pop(), it.FunctionArn.split(':').slice(6).join(':'), it])
        .toSorted(),
    ).toMatchObject([
      [
        'payouts-moto-batch-jobs',
        'payouts-moto-submit:live',
        { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      ],
      [
        'payouts-moto-callbacks',
        'payouts-moto-inquire:live',
        { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      ],
      [
        'payouts-moto-checks',
        'payouts-moto-inquire:live',
        { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      ],
      [
        'payouts-moto-jobs',
        'payouts-moto-submit:live',
        { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      ],
      [
        'payouts-moto-lines',
        'payouts-moto-submit:live',
        { BatchSize: 1, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      ],
    ]);
  });

  it('is examined as it stands: what somebody changed by hand is told', async () => {
    const options = { region: 'eu-central-1', endpoint: url ?? '', credentials: fakeCredentials };
    const [tables, queues] = [new DynamoDBClient(options), new SQSClient({ ...options, useQueueUrlAsEndpoint: false })];
    // moto's CloudFormation passes these two over.
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    for (const TableName of kept)
      await tables.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true };
    for (const TableName of [...kept.filter((it) => it !== 'payouts-moto-waiting'), 'payouts-moto-card-keys'])
      await tables.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));

    // Switched off above; moto makes neither policies of queues nor alarms.
    const asDeployed = [
      'InquireEventSourceMappingSQSCallbacksQueue.Enabled',
      'InquireEventSourceMappingSQSChecksQueue.Enabled',
      'SubmitEventSourceMappingSQSBatchJobsQueue.Enabled',
      'SubmitEventSourceMappingSQSJobsQueue.Enabled',
      'SubmitEventSourceMappingSQSLinesQueue.Enabled',
    ];
    expect(await dangersOf('payouts-moto')).toEqual(asDeployed);

    const { QueueUrl } = await queues.send(new GetQueueUrlCommand({ QueueName: 'payouts-moto-jobs' }));
    await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '30' } }));
    expect(await dangersOf('payouts-moto')).toEqual([...asDeployed, 'JobsQueue.VisibilityTimeout'].toSorted());
    await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '730' } }));
    for (const client of [tables, queues]) client.destroy();
  });

  it('is left alone by a second deployment of the same', { timeout: 180_000 }, async () => {
    expect(await stack.deployAgain()).toEqual([`commit ${firstCommit} -> ${firstCommit}`, expect.stringMatching(live)]);
    expect(new Set((await stack.versions()).map(({ live: number }) => number))).toEqual(new Set([1]));
    const env = { ...onlyMoto(recorder.url), AWS_REGION: 'eu-central-1' };
    const rolledBack = await runCli(['roll-back', '--stack', 'payouts-moto'], { env });
    expect(rolledBack).toMatchObject({ code: 1, stderr: expect.stringContaining('no version before') });
  });

  // One commit, each parameter alone: what a function gets of it is what `live` gets of it.
  it.each(parametersAlone)('takes %s=%s into what is live, by a deployment of the same commit', async (name, value) => {
    const before = await stack.versions();
    // The door is opened with a reserve only.
    const more = name === 'callbacks' ? ['--param', 'callbackConcurrency=2'] : [];
    const said = await stack.deployAgain(firstCommit, '--yes', '--param', `${name}=${value}`, ...more);
    expect(said.at(-1)).toMatch(live);
    const after = await stack.versions();
    for (const it of after) {
      expect(it.live).toBeGreaterThan(before.find(({ functionName }) => functionName === it.functionName)?.live ?? 0);
      expect(it.liveSettings).toEqual(it.latestSettings);
    }
    // Back to what every stage has, so that the next one is changed alone.
    expect((await stack.deployAgain(firstCommit, '--yes')).at(-1)).toMatch(live);
  });

  it('runs the commit before again by one command', { timeout: 300_000 }, async () => {
    const env = { ...onlyMoto(recorder.url), AWS_REGION: 'eu-central-1' };
    const rollBack = (...args: string[]) => runCli(['roll-back', '--stack', 'payouts-moto', ...args], { env });
    expect(await stack.deployAgain('bbbbbbbbbbbb')).toContain(`commit ${firstCommit} -> bbbbbbbbbbbb`);
    const listed = async () => (await rollBack('--list')).stdout.trim().split('\n');
    const [newest = '', before = ''] = (await listed()).map((line) => line.replace('  live', ''));
    expect([newest, before]).toEqual([expect.stringMatching(/^b{12}-/), expect.stringMatching(/^a{12}-/)]);
    expect((await listed())[0]).toBe(`${newest}  live`);
    expect(await rollBack()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `^payouts-moto-\\w+: version \\d+ -> \\d+\n(.*\n)+payouts-moto runs release ${before} in all of \\d functions\n$`,
        ),
      ),
    });
    expect((await listed()).slice(0, 2)).toEqual([newest, `${before}  live`]);
    expect((await examined('payouts-moto')).chosen.map(({ where, fault }) => `${where} ${fault}`)).toContainEqual(
      expect.stringMatching(/^SubmitLiveAlias.FunctionVersion is \d+, rolled back: .*\(commit a{12}, release /),
    );
    // The next deployment goes forward again, though nothing is left to deploy.
    const forward = await stack.deployAgain('bbbbbbbbbbbb');
    expect(forward).toContainEqual(expect.stringMatching(/^payouts-moto-submit: version \d+ -> \d+$/));
    expect((await listed())[0]).toBe(`${newest}  live`);
  });

  // After the other deployments: the packager takes a function that was touched for a change.
  it('is examined down to the variables of a function', async () => {
    const functions = new LambdaClient({ region: 'eu-central-1', endpoint: url ?? '', credentials: fakeCredentials });
    const FunctionName = 'payouts-moto-sweep';
    const { Environment } = await functions.send(new GetFunctionConfigurationCommand({ FunctionName }));
    const Variables = { ...Environment?.Variables, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    await functions.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
    const changed = (await foundIn('payouts-moto')).filter(({ where }) => where.includes('.Environment.'));
    expect(changed.map(({ where, fault }) => `${where} ${fault}`)).toEqual([
      'SweepLambdaFunction.Environment.Variables.NODE_TLS_REJECT_UNAUTHORIZED is 0, ships as not set',
    ]);
    await functions.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: Environment ?? {} }));
    functions.destroy();
  });

  it('is where the worker brings every job to its one true end', { timeout: 180_000 }, async () => {
    // The deployments since have switched them on, and moto has nothing to run a function in.
    await stack.pauseMappings();
    const settings = await stack.environmentOf('payouts-moto-submit');
    const sample = new URL('../../lib/local/sample-jobs.jsonl', import.meta.url);
    const lines = (await readFile(sample, 'utf8')).trim().split('\n');
    const jobs = lines.filter((_, index) => index % 5 === 0).flatMap((line) => [line, line]);
    const directory = await mkdtemp(join(tmpdir(), 'payouts-stack-'));
    const urls = { sqsUrl: url ?? '', dynamoDbUrl: url ?? '', secretsManagerUrl: url ?? '' };
    const accounts = await runOn({ name: 'stack', settings, ...urls, jobs, directory, workerSecretExists: true });
    expect(accounts).toMatchObject({ messages: jobs.length, paidTwice: [], disagreements: [], agree: true });
    expect(accounts.endings).toMatchObject({ missing: 0, 'dead letter only': 0 });
    expect(accounts.endings.accepted).toBeGreaterThan(jobs.length / 2);
  });

  // The last before it goes: it is of no use to anybody afterwards.
  it('is seen to differ by each thing that somebody changes by hand', { timeout: 180_000 }, async () => {
    const named = (found: readonly Found[]) => found.map(({ where, fault }) => `${where} ${fault}`);
    const before = new Set(named(await foundIn('payouts-moto')));
    const edits = await byHandEdits(url ?? '', 'moto');
    for (const { edit } of edits) await edit();
    const seen = named(await foundIn('payouts-moto')).filter((it) => !before.has(it));
    for (const { undo } of edits) await undo?.();
    expect(edits.map(({ where }) => where).filter((where) => !seen.some((it) => it.startsWith(where)))).toEqual([]);
    process.stdout.write(`the doctor saw ${edits.length} of ${edits.length} things changed by hand\n`);
  });

  // infra/docs/deploy-role.json: what deploy, doctor, roll-back and their refusals have asked for above is allowed, and nothing else.
  it('was deployed, examined and rolled back by the rights that the role of who deploys has', async () => {
    const policy = JSON.parse(await readFile(deployRole, 'utf8')) as { Statement: readonly { Action: string[] }[] };
    const allowed = policy.Statement.flatMap(({ Action }) => Action);
    const asked = recorder.actions().filter((it) => !needsNoRight.has(it));
    expect(asked.filter((it) => !allowed.includes(it))).toEqual([]);
    const unasked = allowed.filter((it) => !asked.includes(it)).toSorted();
    expect(unasked).toEqual(Object.keys(askedElsewhere).toSorted());
  });

  it('leaves its ledger and its queues behind when it is taken down', { timeout: 180_000 }, async () => {
    await stack.remove();
    expect(await stack.environmentOf('payouts-moto-submit').catch(String)).toContain('404');
    const options = { region: 'eu-central-1', endpoint: url ?? '', credentials: fakeCredentials };
    const [tables, queues] = [new DynamoDBClient(options), new SQSClient(options)];
    const counts: number[] = [];
    for (const TableName of kept)
      counts.push((await tables.send(new ScanCommand({ TableName, Select: 'COUNT' }))).Count ?? -1);
    const { QueueUrls } = await queues.send(new ListQueuesCommand({ QueueNamePrefix: 'payouts-moto-' }));
    for (const client of [tables, queues]) client.destroy();
    // Orders, safeguards of the three merchants (the sample has no batches), controls, its lanes among them, and what still waits.
    expect(counts).toEqual([
      expect.toSatisfy((it) => it > 20),
      3,
      expect.toSatisfy((it) => it > 0),
      expect.toSatisfy((it) => it >= 0),
    ]);
    expect(QueueUrls?.map((it) => it.split('-').slice(2).join('-')).toSorted()).toEqual([
      'batch-jobs',
      'callbacks',
      'checks',
      'checks-dead',
      'jobs',
      'jobs-dead',
      'lines',
      'order-paid-dead',
      'results',
      'results-dead',
    ]);
  });
});

/** Where `payouts doctor` sees danger, but for what moto can't make: the policies of queues, alarms, loops allowed. */
async function dangersOf(stack: string): Promise<readonly string[]> {
  const unmade = new Set(['no-plain-http', 'dead-letters-alarm', 'may-feed-itself', 'as-shipped']);
  return (
    (await foundIn(stack))
      // Of the comparison with what ships moto makes too little, but mappings.
      .filter(({ rule, where }) => !unmade.has(rule) || /^\w+EventSourceMapping\w+\.Enabled$/.test(where))
      .map(({ where }) => where)
      .toSorted()
  );
}

interface Found {
  readonly rule: string;
  readonly where: string;
  readonly fault: string;
}

const foundIn = async (stack: string): Promise<readonly Found[]> => (await examined(stack)).found;

async function examined(
  stack: string,
): Promise<{ readonly found: readonly Found[]; readonly chosen: readonly Found[] }> {
  const env = { ...onlyMoto(recorder.url), AWS_REGION: 'eu-central-1' };
  const { stdout, stderr } = await runCli(['doctor', '--stack', stack, '--json'], { env });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as { readonly found: readonly Found[]; readonly chosen: readonly Found[] };
}
