// A stack as it is in the account: its template, with what somebody may have changed by hand read from the services.
import {
  DescribeStacksCommand,
  GetStackPolicyCommand,
  GetTemplateCommand,
  paginateListStackResources,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import type { Properties } from '../../doctor/stack.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { newCloudFormationClient } from './watching-clients.ts';
import { asWritten, evaluated, isSame, type Made, type TemplateResource } from './evaluated.ts';
import { isNowhere, type Present, type Reader } from './present.ts';
import { dataReaders } from './present-data.ts';
import { functionReaders } from './present-functions.ts';
import { surroundingReaders } from './present-surroundings.ts';

interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type: string }>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
}

/** Asked at once: more, and the services say that it is too much. */
const askedAtOnce = 8;

/** Reads the stack with that name. Rejects with the service's own error where it is not there or may not be read. */
export async function readDeployedStack(StackName: string): Promise<string> {
  const client = newCloudFormationClient({ limits: patientAwsCalls });
  const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName, TemplateStage: 'Processed' }));
  const template = JSON.parse(TemplateBody) as Template;
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
  const ids = new Map<string, string | undefined>();
  for await (const page of paginateListStackResources({ client }, { StackName }))
    for (const it of page.StackResourceSummaries ?? []) ids.set(it.LogicalResourceId ?? '', it.PhysicalResourceId);
  const made = madeOf(template, ids, Stacks?.[0]);
  const readers = { ...dataReaders(), ...functionReaders(), ...surroundingReaders() };
  const left = Object.entries(template.Resources);
  const deployed: Record<string, unknown> = {};
  const one = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      Object.assign(deployed, await deployedOf(next[0], next[1], readers[next[1].Type], made));
  };
  await Promise.all(Array.from({ length: askedAtOnce }, one));
  const { StackPolicyBody = '{}' } = await client.send(new GetStackPolicyCommand({ StackName }));
  const values = new Map((Stacks?.[0]?.Parameters ?? []).map((it) => [it.ParameterKey, it.ParameterValue]));
  const Parameters = Object.fromEntries(
    Object.entries(template.Parameters ?? {}).map(([name, it]) => [name, { ...it, Default: values.get(name) }]),
  );
  const StackPolicy = JSON.parse(StackPolicyBody) as object;
  return JSON.stringify({ ...template, Parameters, Resources: deployed, StackPolicy });
}

function madeOf(template: Template, ids: Made['ids'], stack: Stack | undefined): Made {
  const [, partition = 'aws', , region = '', account = ''] = (stack?.StackId ?? '').split(':');
  const parameters = (stack?.Parameters ?? []).map(({ ParameterKey = '', ParameterValue = '' }) => {
    const isList = /List/.test(template.Parameters?.[ParameterKey]?.Type ?? '');
    return [ParameterKey, isList ? ParameterValue.split(',') : ParameterValue] as const;
  });
  return {
    stackName: stack?.StackName ?? '',
    region,
    account,
    partition,
    parameters: new Map(parameters),
    conditions: template.Conditions ?? {},
    ids,
    resources: template.Resources,
  };
}

/** The resource as it is now, and what is attached to it; nothing where it is gone. */
export async function deployedOf(
  logicalId: string,
  resource: TemplateResource,
  read: Reader | undefined,
  made: Made,
): Promise<Readonly<Record<string, unknown>>> {
  const { Properties: written = {}, Condition } = resource;
  // A resource that its condition leaves out is not missing.
  if (!made.ids.has(logicalId)) return Condition === undefined ? {} : { [logicalId]: resource };
  const physicalId = made.ids.get(logicalId);
  if (physicalId === undefined || !read) return { [logicalId]: resource };
  const present = await presentOf(() => read(physicalId, evaluated(written, made) as Properties, made));
  // Deleted by hand: to the doctor it is gone, whatever CloudFormation believes.
  if (present === 'gone') return {};
  const deployed: Record<string, unknown> = { ...written };
  for (const [name, value] of Object.entries(present.properties)) {
    const is =
      written[name] === undefined && isDefault(name, value) ? undefined : asWritten(written[name], value, made);
    if (is === undefined) delete deployed[name];
    else deployed[name] = is;
  }
  const beside = Object.entries(present.beside ?? {}).map(([name, it]) => [`${logicalId}.${name}`, it]);
  return { [logicalId]: { ...resource, Properties: deployed }, ...Object.fromEntries(beside) };
}

/** The values of AWS for properties that nobody has set. */
const defaults: Readonly<Record<string, readonly unknown[]>> = {
  DelaySeconds: [0],
  MaximumMessageSize: [262_144, 1_048_576],
  MessageRetentionPeriod: [345_600],
  VisibilityTimeout: [30],
  ReceiveMessageWaitTimeSeconds: [0],
  KmsDataKeyReusePeriodSeconds: [300],
  DeletionProtectionEnabled: [false],
  PointInTimeRecoverySpecification: [{ PointInTimeRecoveryEnabled: false }],
  Enabled: [true],
  State: ['ENABLED'],
  TreatMissingData: ['missing'],
};

const isDefault = (name: string, value: unknown) => (defaults[name] ?? []).some((it) => isSame(it, value));

/** The service's description of it; `gone` where it knows no such thing. */
async function presentOf(read: () => ReturnType<Reader>): Promise<Present | 'gone'> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isNowhere(error)) return 'gone';
    // A resource that can't be read is a danger, and not taken on trust.
    return { properties: { Unread: `unknown: ${error.name}: ${error.message}` } };
  }
}
