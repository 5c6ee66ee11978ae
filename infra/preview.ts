// `npm run preview -- --stage prod`: what a deployment would change. Compares every property of the packaged template with the deployed
// one, and the code of each function by digest. A change set that is never executed shows what CloudFormation would replace.
// `--package DIR` compares an existing package.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CloudFormationClient,
  CreateChangeSetCommand,
  DeleteChangeSetCommand,
  DescribeChangeSetCommand,
  DescribeStackResourceCommand,
  GetTemplateCommand,
  paginateDescribeChangeSet,
  waitUntilChangeSetCreateComplete,
} from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { clientsOf } from '../lib/aws/aws-calls.ts';
import { newLambdaClient } from '../lib/aws/lambda-functions.ts';
import { ifThere } from '../lib/doctor/stack.ts';
import { newCloudFormationClient } from '../lib/doctor/watching-clients.ts';
import { patientAwsCalls } from '../lib/payout/limits.ts';
import { commandLine } from './command-line.ts';

const aws = { limits: patientAwsCalls };
const newS3Client = clientsOf(S3Client);

/** A template, as far as it is compared. */
export interface Compared {
  readonly Resources?: Readonly<Record<string, object>>;
  readonly Outputs?: Readonly<Record<string, object>>;
}

type Flat = ReadonlyMap<string, string>;

/** The values by path, such as `JobsQueue.Properties.VisibilityTimeout`, without the place of code, which changes with each package. */
function flat(value: unknown, path = '', into = new Map<string, string>()): Flat {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    for (const [name, part] of Object.entries(value)) flat(part, path === '' ? name : `${path}.${name}`, into);
  else if (!/^Properties\.Code\.S3Key$/.test(path)) into.set(path, JSON.stringify(value));
  return into;
}

/** The differences of two templates, a line each. `replaced`: logical ids that CloudFormation would replace. */
export function differences(
  before: Compared,
  after: Compared,
  replaced: ReadonlySet<string> = new Set(),
): readonly string[] {
  const lines: string[] = [];
  for (const part of ['Resources', 'Outputs'] as const)
    for (const id of [...new Set([...Object.keys(before[part] ?? {}), ...Object.keys(after[part] ?? {})])].toSorted()) {
      const [was, is] = [flat(before[part]?.[id] ?? {}), flat(after[part]?.[id] ?? {})];
      const paths = [...new Set([...was.keys(), ...is.keys()])].filter((path) => was.get(path) !== is.get(path));
      if (paths.length === 0) continue;
      const type = is.get('Type') ?? was.get('Type') ?? part;
      const sign = before[part]?.[id] === undefined ? '+' : after[part]?.[id] === undefined ? '-' : '~';
      lines.push(`${sign} ${type.replaceAll('"', '')} ${id}${replaced.has(id) ? '  IS REPLACED' : ''}`);
      if (sign === '~')
        for (const path of paths) lines.push(`    ${path}: ${was.get(path) ?? 'none'} -> ${is.get(path) ?? 'none'}`);
    }
  return lines;
}

/** The digest of a zip, as Lambda gives it (`CodeSha256`). */
const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('base64');

async function preview(stage: string, directory: string): Promise<readonly string[]> {
  const { service } = JSON.parse(readFileSync(join(directory, 'serverless-state.json'), 'utf8')) as {
    readonly service: {
      readonly provider: { readonly region: string; readonly stage?: string };
      readonly functions: object;
    };
  };
  const text = readFileSync(join(directory, 'cloudformation-template-update-stack.json'), 'utf8');
  const StackName = `payouts-${stage}`;
  if (!text.includes(`"${StackName}-jobs"`)) throw new Error(`${directory} is the package of another stage`);
  const { region } = service.provider;
  const cloudFormation = newCloudFormationClient(aws, { region });
  const deployed = await cloudFormation.send(new GetTemplateCommand({ StackName })).catch((error: Error) => {
    if (!/does not exist/.test(error.message)) throw error;
  });
  const after = JSON.parse(text) as Compared;
  if (!deployed) return [`+ a new stack of ${Object.keys(after.Resources ?? {}).length} resources`];
  const replaced = await replacedBy(text, { region, StackName, cloudFormation });
  const lambda = newLambdaClient(aws, { region });
  const code: string[] = [];
  for (const name of Object.keys(service.functions)) {
    const question = new GetFunctionConfigurationCommand({ FunctionName: `${StackName}-${name}` });
    const live = await ifThere(lambda.send(question));
    const [was, is] = [live?.CodeSha256 ?? 'none', digestOf(join(directory, `${name}.zip`))];
    if (was !== is) code.push(`~ code of ${name}: ${was} -> ${is}`);
  }
  return [...differences(JSON.parse(deployed.TemplateBody ?? '{}') as Compared, after, replaced), ...code];
}

/** The logical ids that CloudFormation would replace, by a change set that is deleted again. */
async function replacedBy(
  Body: string,
  {
    region,
    StackName,
    cloudFormation,
  }: { readonly region: string; readonly StackName: string; readonly cloudFormation: CloudFormationClient },
): Promise<ReadonlySet<string>> {
  const bucket = new DescribeStackResourceCommand({ StackName, LogicalResourceId: 'ServerlessDeploymentBucket' });
  const { PhysicalResourceId: Bucket = '', StackId = '' } =
    (await cloudFormation.send(bucket)).StackResourceDetail ?? {};
  const Key = 'preview/template.json';
  // The account of the stack: nothing is written to a bucket of another owner.
  const ExpectedBucketOwner = StackId.split(':')[4];
  await newS3Client(aws, { region }).send(new PutObjectCommand({ Bucket, Key, Body, ExpectedBucketOwner }));
  const which = { StackName, ChangeSetName: `preview-${createHash('sha256').update(Body).digest('hex').slice(0, 12)}` };
  const TemplateURL = `https://${Bucket}.s3.${region}.amazonaws.com/${Key}`;
  const Capabilities = ['CAPABILITY_IAM' as const, 'CAPABILITY_NAMED_IAM' as const];
  await cloudFormation.send(new CreateChangeSetCommand({ ...which, TemplateURL, Capabilities }));
  try {
    await waitUntilChangeSetCreateComplete({ client: cloudFormation, maxWaitTime: 300 }, which).catch(() => undefined);
    const { Status, StatusReason = '' } = await cloudFormation.send(new DescribeChangeSetCommand(which));
    if (Status === 'FAILED' && !/contain changes|No updates/.test(StatusReason))
      throw new Error(`refused: ${StatusReason}`);
    if (Status !== 'FAILED' && Status !== 'CREATE_COMPLETE')
      throw new Error(`CloudFormation has not compared the templates in five minutes (${Status})`);
    const found = new Set<string>();
    for await (const { Changes = [] } of paginateDescribeChangeSet({ client: cloudFormation }, which))
      for (const { ResourceChange: change } of Changes)
        if (change?.Replacement && change.Replacement !== 'False') found.add(change.LogicalResourceId ?? '');
    return found;
  } finally {
    await cloudFormation.send(new DeleteChangeSetCommand(which));
  }
}

if (import.meta.main) {
  const usage = `npm run preview -- --stage prod [--package DIR]
  prints what a deployment would change, and changes nothing`;
  const { stage, package: given } = commandLine(usage, {
    options: { stage: { type: 'string' }, package: { type: 'string' } },
  }).values;
  try {
    if (stage === undefined) throw new Error('name the stage: --stage NAME');
    if (
      given === undefined &&
      spawnSync('osls', ['package', '--stage', stage], { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0
    )
      throw new Error('the package could not be made');
    const lines = await preview(stage, given ?? '.serverless');
    process.stdout.write(lines.length === 0 ? `nothing changes in stage ${stage}\n` : `${lines.join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
