// The calls of AWS in a deployment: a bucket for code, the stack with its policy and its protection, the aliases.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  SetStackPolicyCommand,
  type Stack,
  UpdateStackCommand,
  UpdateTerminationProtectionCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
  waitUntilStackUpdateComplete,
} from '@aws-sdk/client-cloudformation';
import {
  CreateBucketCommand,
  HeadBucketCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { clientSettings } from '../lib/aws/aws-calls.ts';
import { liveVersionsOf } from '../lib/cli/versions/live-versions.ts';
import { patientAwsCalls } from '../lib/payout/limits.ts';
import type { Shipment, Shipping } from './deploy.ts';
import type { ComparedTemplate } from './deployment-difference.ts';
import { stackPolicyFile, templateFile } from './packager.ts';

/** A network with its gateways takes minutes, a shift of traffic as long as its parameter says. */
const longestSeconds = 3_600;

/** The parts of a deployment that are AWS's. */
export function awsShipping(
  StackName: string,
): Pick<Shipping, 'ownBucket' | 'deployed' | 'ship' | 'published' | 'setLive'> {
  const cloudFormation = new CloudFormationClient(clientSettings(patientAwsCalls));
  const s3 = new S3Client({ ...clientSettings(patientAwsCalls), followRegionRedirects: false });
  const region = process.env['AWS_REGION'] ?? '';

  async function stackOf(): Promise<Stack | undefined> {
    try {
      return (await cloudFormation.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
    } catch (error) {
      // CloudFormation's error for a stack that is not there.
      if (error instanceof Error && error.name === 'ValidationError') return undefined;
      throw error;
    }
  }

  /** The client of the waiters, and how often and how long they ask. */
  const waiting = { client: cloudFormation, minDelay: 2, maxDelay: 10, maxWaitTime: longestSeconds };

  /** CloudFormation's first reason of failure for a resource, which is the one that counts. */
  async function failed(kind: string): Promise<Error> {
    const { StackEvents = [] } = await cloudFormation.send(new DescribeStackEventsCommand({ StackName }));
    const first = StackEvents.findLast((it) => it.ResourceStatus?.endsWith('_FAILED'));
    const reason = first && `${first.LogicalResourceId} ${first.ResourceStatusReason ?? first.ResourceStatus}`;
    return new Error(`${StackName} was not ${kind}: ${reason ?? 'CloudFormation gives no reason'}`);
  }

  async function upload(directory: string, bucket: string, prefix: string): Promise<string> {
    const put = async (file: string, key: string): Promise<void> => {
      const Body = await readFile(join(directory, file));
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${prefix}${key}`, Body }));
    };
    for (const file of await readdir(directory)) if (/\.(zip|map)$/.test(file)) await put(file, file);
    const hash = createHash('sha256').update(await readFile(join(directory, templateFile)));
    const template = `template-${hash.digest('hex').slice(0, 12)}.json`;
    await put(templateFile, template);
    return `https://${bucket}.s3.${region}.amazonaws.com/${prefix}${template}`;
  }

  async function create(input: StackInput): Promise<void> {
    const present = await stackOf();
    // A creation that failed leaves a name and nothing else, which can't be updated.
    if (present?.StackStatus === 'ROLLBACK_COMPLETE') {
      await cloudFormation.send(new DeleteStackCommand({ StackName }));
      await waitUntilStackDeleteComplete(waiting, { StackName: present.StackId });
    }
    await cloudFormation.send(new CreateStackCommand({ ...input, EnableTerminationProtection: true }));
    await waitUntilStackCreateComplete(waiting, { StackName }).catch(async () => {
      throw await failed('made');
    });
  }

  async function update({ StackPolicyBody, ...input }: StackInput): Promise<void> {
    await cloudFormation.send(new SetStackPolicyCommand({ StackName, StackPolicyBody }));
    await cloudFormation.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: true }));
    try {
      await cloudFormation.send(new UpdateStackCommand(input));
    } catch (error) {
      if (error instanceof Error && error.message.includes('No updates are to be performed')) return;
      throw error;
    }
    await waitUntilStackUpdateComplete(waiting, { StackName }).catch(async () => {
      throw await failed('updated');
    });
  }

  return {
    async ownBucket() {
      const sts = new STSClient(clientSettings(patientAwsCalls));
      const { Account } = await sts.send(new GetCallerIdentityCommand({}));
      const Bucket = `payouts-code-${Account}-${region}`;
      const isThere = await s3.send(new HeadBucketCommand({ Bucket })).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && /^(NotFound|NoSuchBucket)$/.test(error.name)) return false;
          throw error;
        },
      );
      if (isThere) return Bucket;
      // S3 calls its oldest region by no name.
      const place =
        region === 'us-east-1' ? {} : { CreateBucketConfiguration: { LocationConstraint: region as 'eu-central-1' } };
      await s3.send(new CreateBucketCommand({ Bucket, ...place }));
      // New buckets are encrypted and closed to the public; plain HTTP is left to forbid.
      const Resource = [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`];
      const Condition = { Bool: { 'aws:SecureTransport': 'false' } };
      const Statement = [{ Effect: 'Deny', Principal: '*', Action: 's3:*', Resource, Condition }];
      await s3.send(
        new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }),
      );
      return Bucket;
    },
    async deployed() {
      const stack = await stackOf();
      if (!stack || stack.StackStatus === 'ROLLBACK_COMPLETE') return undefined;
      const { TemplateBody = '{}' } = await cloudFormation.send(new GetTemplateCommand({ StackName }));
      const values = (stack.Parameters ?? []).map((it) => [it.ParameterKey ?? '', it.ParameterValue ?? ''] as const);
      return { template: JSON.parse(TemplateBody) as ComparedTemplate, values: Object.fromEntries(values) };
    },
    async ship({ directory, bucket, values, tags, role }: Shipment) {
      const TemplateURL = await upload(directory, bucket, values['CodePrefix'] ?? '');
      const present = await stackOf();
      const input: StackInput = {
        StackName,
        TemplateURL,
        Capabilities: ['CAPABILITY_IAM'],
        StackPolicyBody: await readFile(join(directory, stackPolicyFile), 'utf8'),
        Parameters: Object.entries(values).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
        Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        ...(role !== '' && { RoleARN: role }),
      };
      await (present && present.StackStatus !== 'ROLLBACK_COMPLETE' ? update(input) : create(input));
    },
    published: () => liveVersionsOf(StackName).read(),
    setLive: (step) => liveVersionsOf(StackName).set(step),
  };
}

type StackInput = ConstructorParameters<typeof CreateStackCommand>[0] & { readonly StackPolicyBody: string };
