// The import that brings back a stage whose stack was taken down: the template and the list for CloudFormation of all that
// was kept. infra/docs/procedures/return-after-removal.md shows its use.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { templateFile } from './packager.ts';
import { requiredParameters } from './template.ts';

/** The part of a template that an import reads. */
export interface ImportTemplate {
  readonly Parameters?: Readonly<Record<string, unknown>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<Record<string, ImportResource>>;
}

interface ImportResource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Condition?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The places of the kept resources. */
export interface Whereabouts {
  readonly stage: string;
  readonly region: string;
  readonly account: string;
  /** Id of the key that encrypts ledger, queues and secrets. */
  readonly workerKey: string;
  /** Id of the key of approvals. */
  readonly approvalKey: string;
  /** Id of the key of waiting rows. */
  readonly waitingKey: string;
  /** ARN of the worker's secret. */
  readonly secret: string;
}

/** The input of CloudFormation's import. */
export interface ImportPlan {
  readonly template: ImportTemplate;
  readonly resources: readonly {
    readonly ResourceType: string;
    readonly LogicalResourceId: string;
    readonly ResourceIdentifier: Readonly<Record<string, string>>;
  }[];
}

type Identify = (it: ImportResource, at: Whereabouts, logicalId: string) => Readonly<Record<string, string>>;

const identifiers: Readonly<Record<string, Identify>> = {
  'AWS::SQS::Queue': ({ Properties }, at) => ({
    QueueUrl: `https://sqs.${at.region}.amazonaws.com/${at.account}/${named(Properties?.['QueueName'], at)}`,
  }),
  'AWS::DynamoDB::Table': ({ Properties }, at) => ({ TableName: named(Properties?.['TableName'], at) }),
  'AWS::Logs::LogGroup': ({ Properties }, at) => ({ LogGroupName: named(Properties?.['LogGroupName'], at) }),
  'AWS::KMS::Key': (_, { workerKey, approvalKey, waitingKey }, logicalId) => ({
    KeyId: { ApprovalKey: approvalKey, WaitingKey: waitingKey }[logicalId] ?? workerKey,
  }),
  'AWS::SecretsManager::Secret': (_, { secret }) => ({ Id: secret }),
};

/** A name of the stage, as the template writes it; where a parameter may give another, the default one. */
function named(name: unknown, { stage }: Whereabouts): string {
  const { 'Fn::If': choice } = Object(name) as { 'Fn::If'?: readonly unknown[] };
  const { 'Fn::Sub': text = name } = Object(choice?.[2] ?? name) as { 'Fn::Sub'?: unknown };
  return String(text).replace('${Stage}', stage);
}

/** The plan: a new stack of everything that is kept. Throws on a kept resource that this file can't identify. */
export function importPlan(whole: ImportTemplate, at: Whereabouts): ImportPlan {
  // A function that is gone leaves no version, whatever its policy.
  const kept = Object.entries(whole.Resources).filter(
    ([, it]) => it.DeletionPolicy?.startsWith('Retain') && it.Type !== 'AWS::Lambda::Version',
  );
  const resources = kept.map(([LogicalResourceId, it]) => {
    const identifierOf = identifiers[it.Type];
    if (!identifierOf)
      throw new Error(`${LogicalResourceId} is kept, and infra/import-plan.ts can't find a ${it.Type}`);
    return { ResourceType: it.Type, LogicalResourceId, ResourceIdentifier: identifierOf(it, at, LogicalResourceId) };
  });
  // Nothing else of the template is there yet, so nothing kept may wait for it.
  const Resources = Object.fromEntries(kept.map(([logicalId, it]) => [logicalId, { ...it, DependsOn: undefined }]));
  // A resource that is kept may refer to a parameter, and conditions refer to nothing else.
  const { Parameters, Conditions } = whole;
  return {
    template: { ...(Parameters && { Parameters }), ...(Conditions && { Conditions }), Resources },
    resources,
  };
}

const directory = join(import.meta.dirname, '../.build/package');

async function main(args: readonly string[]): Promise<void> {
  const option = { type: 'string', default: '' } as const;
  const options = {
    stage: option,
    region: option,
    account: option,
    'worker-key': option,
    'approval-key': option,
    'waiting-key': option,
    secret: option,
  };
  const { values: said } = parseArgs({ args: [...args], options });
  const missing = Object.entries(said).filter(([, value]) => value === '');
  if (missing.length > 0) throw new Error(`give ${missing.map(([name]) => `--${name}`).join(', ')}`);
  const { 'worker-key': workerKey, 'approval-key': approvalKey, 'waiting-key': waitingKey, ...others } = said;
  const whole = JSON.parse(await readFile(join(directory, templateFile), 'utf8')) as ImportTemplate;
  const plan = importPlan(whole, { ...others, workerKey, approvalKey, waitingKey });
  await writeFile(join(directory, 'import-template.json'), JSON.stringify(plan.template));
  await writeFile(join(directory, 'import-resources.json'), JSON.stringify(plan.resources));
  // Parameters without a default; the next deployment gives each its own value.
  const given = { Stage: others.stage, SecretPrefix: `payouts/${others.stage}/` };
  const values = [...requiredParameters].map((ParameterKey) => ({
    ParameterKey,
    ParameterValue: given[ParameterKey as keyof typeof given] ?? 'elsewhere',
  }));
  await writeFile(join(directory, 'import-parameters.json'), JSON.stringify(values));
  process.stdout.write(`${plan.resources.length} resources to import: .build/package/import-*.json\n`);
}

if (import.meta.main) await main(process.argv.slice(2));
