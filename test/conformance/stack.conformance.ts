// The stack in moto, by the very commands of the page: deploy, preview, the package that was looked at, and one job through the zip that
// CloudFormation was given, paid once. Then what a person attaches beside the stack, as `payouts doctor` sees it.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStackResourceCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { IAMClient, AttachRolePolicyCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CreateEventSourceMappingCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { lambdaRecordOf } from '../../lib/aws/sqs-event-source.ts';
import { startKmsEndpoint } from '../../lib/local/kms-endpoint.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { sampleSecrets } from '../../lib/local/sample-merchants.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { type DeployedFunction, startFunction } from '../rights/deployed-function.ts';
import {
  environmentOf,
  letAllGo,
  makeWorkerSecret,
  onlyMoto,
  pauseMappings,
  putSecrets,
  runThere,
  serviceWithCode,
} from './moto-stack.ts';
import { fakeCredentials } from './table.ts';
import { contractName, keysName } from '../../lib/aws/secrets-manager-credentials.ts';

const url = inject('moto') ?? '';
// A stage of its own: the first day deploys trial into the same moto, at the same time.
const stage = 'rehearsal';
const StackName = `payouts-${stage}`;

describe.skipIf(url === '')('the stack in moto', () => {
  const to = { region: 'eu-central-1', endpoint: url, credentials: fakeCredentials };
  const cloudFormation = new CloudFormationClient(to);
  let service: string;

  const stageFile = (name: string) => join(service, 'infra/stages', `${name}.yml`);
  const edit = async (from: string, to: string) =>
    writeFile(stageFile(stage), (await readFile(stageFile(stage), 'utf8')).replace(from, to));

  beforeAll(async () => {
    service = await serviceWithCode();
    await writeFile(stageFile(stage), (await readFile(stageFile('trial'), 'utf8')).replaceAll('trial', stage));
    await runThere(service, url, 'osls', 'deploy', '--force', '--stage', stage);
    await pauseMappings(url, stage);
  }, 600_000);

  afterAll(() => cloudFormation.destroy());

  it('previews nothing after no change', { timeout: 300_000 }, async () => {
    expect(await runThere(service, url, 'preview', '--stage', stage)).toBe(`nothing changes in stage ${stage}\n`);
  });

  it(
    'previews a value of the stage file, in each function that reads it, and ships exactly the package that was looked at',
    { timeout: 600_000 },
    async () => {
      await edit("'*=10000'", "'*=500'");
      await runThere(service, url, 'osls', 'package', '--stage', stage, '--package', 'looked-at');
      const lines = (await runThere(service, url, 'preview', '--stage', stage, '--package', 'looked-at'))
        .trim()
        .split('\n');
      const changed = '    Properties.Environment.Variables.DOUBT_ALARM: "*=10000" -> "*=500"';
      expect(lines).toEqual(
        ['Callback', 'Door', 'Inquire', 'Submit', 'Sweep'].flatMap((name) => [
          `~ AWS::Lambda::Function ${name}LambdaFunction`,
          changed,
        ]),
      );
      await edit("'*=500'", "'*=7'");
      await runThere(service, url, 'osls', 'deploy', '--force', '--stage', stage, '--package', 'looked-at');
      await pauseMappings(url, stage);
      expect(await environmentOf(url, `${StackName}-submit`)).toMatchObject({ DOUBT_ALARM: '*=500' });
      await edit("'*=7'", "'*=500'");
    },
  );

  it('previews other code by its digest', { timeout: 300_000 }, async () => {
    const bundle = join(service, 'dist/submit.mjs');
    const text = await readFile(bundle, 'utf8');
    await writeFile(bundle, `${text}\n//`);
    expect(await runThere(service, url, 'preview', '--stage', stage)).toMatch(/^~ code of submit: \S+ -> \S+\n$/);
    await writeFile(bundle, text);
  });

  it('refuses the package of another stage', { timeout: 300_000 }, async () => {
    const another = runThere(service, url, 'preview', '--stage', 'prod', '--package', 'looked-at');
    await expect(another).rejects.toThrow('is the package of another stage');
  });

  it('pays one job once, by the zip that CloudFormation was given', { timeout: 300_000 }, async () => {
    const gateway = await startLocalGateway('none', (gatewayUrl) =>
      sampleSecrets({ gatewayUrl, closedUrl: 'http://127.0.0.1:1' }),
    );
    const kms = await startKmsEndpoint(new Set());
    const sqs = new SQSClient(to);
    const settings = await environmentOf(url, `${StackName}-submit`);
    for (const [name, { contract, keys }] of Object.entries(gateway.secrets))
      await putSecrets(url, settings['SECRET_PREFIX'] ?? '', {
        [contractName(name)]: contract,
        [keysName(name)]: keys,
      });
    await makeWorkerSecret(url, stage);
    await letAllGo(gateway.secrets, settings, url, kms);
    const submit: DeployedFunction = startFunction(await deployedBundle('SubmitLambdaFunction'), {
      ...onlyMoto(url),
      ...settings,
      AWS_ENDPOINT_URL_KMS: kms.url,
      APPROVAL_KEY_ID: 'alias/payouts-approvals',
      WAITING_KEY_ID: 'alias/payouts-waiting',
      AWS_LAMBDA_FUNCTION_NAME: `${StackName}-submit`,
    });
    const body = JSON.stringify(aPayoutJob({ orderId: 'DAY-1' }));
    try {
      for (const _ of [1, 2]) {
        await sqs.send(new SendMessageCommand({ QueueUrl: settings['JOBS_QUEUE_URL'], MessageBody: body }));
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: settings['JOBS_QUEUE_URL'],
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          }),
        );
        const Records = Messages.map((message) =>
          lambdaRecordOf(message, `arn:aws:sqs:eu-central-1:123456789012:${StackName}-jobs`),
        );
        expect(Records).toHaveLength(1);
        expect(await submit.call({ Records })).toEqual({ batchItemFailures: [] });
      }
      expect(gateway.simulator.orders()).toMatchObject([{ clientOrderId: 'DAY-1', accepted: true }]);
      const { Messages: [result] = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: settings['RESULTS_QUEUE_URL'] }),
      );
      expect(JSON.parse(result?.Body ?? '{}')).toMatchObject({ orderId: 'DAY-1', status: 'accepted' });
    } finally {
      await submit.close();
      await Promise.all([gateway.simulator.close(), kms.close()]);
      sqs.destroy();
    }
  });

  /** The bundle out of the zip that the template names, in a directory without packages. */
  async function deployedBundle(logicalId: string): Promise<string> {
    const { TemplateBody = '{}' } = await cloudFormation.send(new GetTemplateCommand({ StackName }));
    const { Resources } = JSON.parse(TemplateBody) as {
      readonly Resources: Readonly<
        Record<string, { readonly Properties: { readonly Code: { readonly S3Key: string }; readonly Handler: string } }>
      >;
    };
    const { Code, Handler = '' } = Resources[logicalId]?.Properties ?? {};
    const bucket = await idOf('ServerlessDeploymentBucket');
    const { Body } = await new S3Client(to).send(new GetObjectCommand({ Bucket: bucket, Key: Code?.S3Key }));
    const file = `${Handler.replace(/\.handler$/, '')}.mjs`;
    const bytes = unzipSync((await Body?.transformToByteArray()) ?? new Uint8Array())[file];
    const bundle = join(await mkdtemp(join(tmpdir(), 'payouts-zip-')), 'index.mjs');
    await writeFile(bundle, bytes ?? '');
    return bundle;
  }

  const idOf = async (LogicalResourceId: string) =>
    (await cloudFormation.send(new DescribeStackResourceCommand({ StackName, LogicalResourceId }))).StackResourceDetail
      ?.PhysicalResourceId ?? '';

  it('doctor says what a person attached beside it, and that mappings are off', { timeout: 300_000 }, async () => {
    Object.assign(process.env, onlyMoto(url));
    const { asked, readStack } = await import('../../lib/doctor/stack.ts');
    const { besideQuestions } = await import('../../lib/doctor/beside.ts');
    const { liveQuestions } = await import('../../lib/doctor/live.ts');
    const merchants = { whyWaits: async () => undefined, isKnown: async () => true, whyUnknownTables: async () => [] };
    const { roles, functions } = {
      roles: 'roles have the rights of the stack and no others',
      functions: 'functions are called by the stack alone, and run what was deployed',
    };
    const look = async () => {
      const stack = await readStack(StackName);
      const checks = [...(await asked(besideQuestions, stack)), ...(await asked(liveQuestions(merchants), stack))];
      return Object.fromEntries(checks.map(({ name, faults }) => [name, faults]));
    };
    expect((await look())[roles]).toEqual([]);
    const [iam, lambda, sqs] = [new IAMClient(to), new LambdaClient(to), new SQSClient(to)];
    const RoleName = await idOf('SubmitRole');
    const PolicyDocument = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'kms:Sign', Resource: '*' }],
    });
    await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'more', PolicyDocument }));
    await iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn: await idOf('ApproverPolicy') }));
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'a-strangers' }));
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    const EventSourceArn = Attributes?.['QueueArn'];
    await lambda.send(
      new CreateEventSourceMappingCommand({ FunctionName: `${StackName}-submit`, EventSourceArn, Enabled: false }),
    );
    const found = await look();
    expect(found[roles]).toContain('SubmitRole has more too');
    expect(found[functions]).toContain(`SubmitLambdaFunction is fed by ${EventSourceArn} too`);
    expect(found['mappings bring messages']).toContainEqual(
      expect.stringMatching(/^SubmitEventSourceMappingSQSJobsQueue is Disabled/),
    );
    for (const client of [iam, lambda, sqs]) client.destroy();
  });
});
