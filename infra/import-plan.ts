// What brings a stage back whose stack was taken down: the template and the list for CloudFormation's import of all that
// was kept. infra/docs/procedures/return-after-removal.md says how it is used.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** A template, as far as an import goes. */
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

/** Where the kept things are. */
export interface Whereabouts {
  readonly region: string;
  readonly account: string;
  /** Id of the key under which the ledger stands. */
  readonly key: string;
  /** ARN of the worker's secret. */
  readonly secret: string;
}

/** What CloudFormation is given. */
export interface ImportPlan {
  readonly template: ImportTemplate;
  readonly resources: readonly {
    readonly ResourceType: string;
    readonly LogicalResourceId: string;
    readonly ResourceIdentifier: Readonly<Record<string, string>>;
  }[];
}

const identifiers: Readonly<Record<string, (it: ImportResource, at: Whereabouts) => Readonly<Record<string, string>>>> =
  {
    'AWS::SQS::Queue': ({ Properties }, { region, account }) => ({
      QueueUrl: `https://sqs.${region}.amazonaws.com/${account}/${String(Properties?.['QueueName'])}`,
    }),
    'AWS::DynamoDB::Table': ({ Properties }) => ({ TableName: String(Properties?.['TableName']) }),
    'AWS::KMS::Key': (_, { key }) => ({ KeyId: key }),
    'AWS::SecretsManager::Secret': (_, { secret }) => ({ Id: secret }),
  };

/**
 * The plan: the stack as its first step makes it, and everything that is kept. Throws where something is kept that nobody
 * taught it to find again.
 */
export function importPlan(first: ImportTemplate, whole: ImportTemplate, at: Whereabouts): ImportPlan {
  // Of a function that is gone no version is left, whatever its policy.
  const kept = Object.entries(whole.Resources).filter(
    ([, it]) => it.DeletionPolicy?.startsWith('Retain') && it.Type !== 'AWS::Lambda::Version',
  );
  const resources = kept.map(([LogicalResourceId, it]) => {
    const identifierOf = identifiers[it.Type];
    if (!identifierOf)
      throw new Error(`${LogicalResourceId} is kept, and infra/import-plan.ts can't find a ${it.Type}`);
    return { ResourceType: it.Type, LogicalResourceId, ResourceIdentifier: identifierOf(it, at) };
  });
  // Nothing else of the template is there yet, so nothing kept may wait for it.
  const plain = kept.map(([logicalId, it]) => [logicalId, { ...it, DependsOn: undefined }] as const);
  // What is kept may ask a parameter, and conditions ask nothing else.
  const { Parameters, Conditions } = whole;
  const Resources = { ...first.Resources, ...Object.fromEntries(plain) };
  return {
    template: { ...first, ...(Parameters && { Parameters }), ...(Conditions && { Conditions }), Resources },
    resources,
  };
}

const directory = join(import.meta.dirname, '../.build/package');

async function main(args: readonly string[]): Promise<void> {
  const option = { type: 'string' } as const;
  const options = { region: option, account: option, key: option, secret: option };
  const { values } = parseArgs({ args: [...args], options });
  const { region, account, key, secret } = values;
  if (!region || !account || !key || !secret) {
    throw new Error('give --region, --account, --key (its id) and --secret (its ARN)');
  }
  const read = async (name: string) =>
    JSON.parse(await readFile(join(directory, `cloudformation-template-${name}.json`), 'utf8')) as ImportTemplate;
  const plan = importPlan(await read('create-stack'), await read('update-stack'), { region, account, key, secret });
  await writeFile(join(directory, 'import-template.json'), JSON.stringify(plan.template));
  await writeFile(join(directory, 'import-resources.json'), JSON.stringify(plan.resources));
  process.stdout.write(`${plan.resources.length} resources to import: .build/package/import-*.json\n`);
}

if (import.meta.main) await main(process.argv.slice(2));
