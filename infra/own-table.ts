// A restored table becomes the stack's own: the two templates and the list by which CloudFormation first lets go of the old one,
// which it keeps, and then imports the restored one in its place. infra/docs/procedures/restore-the-ledger.md shows their use.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { clientSettings } from '../lib/aws/aws-calls.ts';
import { newDynamoDbClient } from '../lib/aws/dynamodb-table.ts';
import { patientAwsCalls } from '../lib/payout/limits.ts';
import type { ImportPlan } from './import-plan.ts';

/** The inputs of CloudFormation, step by step. */
export interface OwnTablePlan {
  /** The deployed template without the table; references to it name the restored one. */
  readonly without: DeployedTemplate;
  /** The same with the restored table in it, and nothing else changed, as an import asks. */
  readonly whole: DeployedTemplate;
  readonly resources: ImportPlan['resources'];
  /** Every parameter as it is: one that is left out would go back to its default. */
  readonly parameters: readonly { readonly ParameterKey: string; readonly UsePreviousValue: true }[];
}

/** The part of a deployed template that is read. */
export interface DeployedTemplate {
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly DeletionPolicy?: string;
        readonly Properties?: Readonly<Record<string, unknown>>;
      }
    >
  >;
}

const ledger = 'LedgerTable';

/** Throws where the stack has no such table, or would not keep the one that it lets go of. */
export function ownTablePlan(
  deployed: DeployedTemplate,
  { name, arn }: { readonly name: string; readonly arn: string },
): OwnTablePlan {
  const own = deployed.Resources[ledger];
  if (!own)
    throw new Error(`the stack has no ${ledger}: look whether an earlier try has let go of it, and import it alone`);
  if (!own.DeletionPolicy?.startsWith('Retain'))
    throw new Error(`${ledger} would be deleted with all orders in it: deploy the template that keeps it first`);
  const said = JSON.stringify(deployed)
    .replaceAll(`{"Ref":"${ledger}"}`, JSON.stringify(name))
    .replaceAll(`{"Fn::GetAtt":["${ledger}","Arn"]}`, JSON.stringify(arn))
    .replaceAll(`\${${ledger}.Arn}`, arn)
    .replaceAll(`\${${ledger}}`, name);
  const { [ledger]: table, ...others } = (JSON.parse(said) as DeployedTemplate).Resources;
  if (JSON.stringify(others).includes(`"${ledger}"`))
    throw new Error(`something waits for ${ledger} by a way that is not known here`);
  const without = { ...(JSON.parse(said) as DeployedTemplate), Resources: others };
  const restored = {
    ...table,
    Type: own.Type,
    DeletionPolicy: 'Retain',
    Properties: { ...table?.Properties, TableName: name },
  };
  return {
    without,
    whole: { ...without, Resources: { ...others, [ledger]: restored } },
    parameters: Object.keys(deployed.Parameters).map((ParameterKey) => ({ ParameterKey, UsePreviousValue: true })),
    resources: [{ ResourceType: own.Type, LogicalResourceId: ledger, ResourceIdentifier: { TableName: name } }],
  };
}

async function main(args: readonly string[]): Promise<void> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args: [...args], options: { stage: option, table: option, region: option } });
  const { stage, table, region = process.env['AWS_REGION'] } = values;
  if (!stage || !table || !region) throw new Error('give --stage, --table (the restored one) and --region');
  const StackName = `payouts-${stage}`;
  const client = new CloudFormationClient({ ...clientSettings(patientAwsCalls), region });
  const { TemplateBody = '' } = await client.send(new GetTemplateCommand({ StackName, TemplateStage: 'Original' }));
  const tables = newDynamoDbClient({ limits: patientAwsCalls }, { region });
  const { Table } = await tables.send(new DescribeTableCommand({ TableName: table }));
  const plan = ownTablePlan(JSON.parse(TemplateBody) as DeployedTemplate, { name: table, arn: Table?.TableArn ?? '' });
  const directory = join(import.meta.dirname, '../.build/own-table');
  await mkdir(directory, { recursive: true });
  const files = {
    'without-ledger': plan.without,
    'with-restored-ledger': plan.whole,
    'resources-to-import': plan.resources,
    parameters: plan.parameters,
  };
  for (const [name, content] of Object.entries(files))
    await writeFile(join(directory, `${name}.json`), JSON.stringify(content));
  process.stdout.write(
    `${Object.keys(plan.without.Resources).length} resources stay as they are, 1 is imported: .build/own-table/*.json\n`,
  );
}

if (import.meta.main) await main(process.argv.slice(2));
