// `node infra/intended-stack.ts`: writes the stack that ships into lib/doctor/intended-stack.json, which `payouts doctor`
// compares every other with. Run it, and read its difference, whenever infra/ has changed.
import { readFile, writeFile } from 'node:fs/promises';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageStack, stackPolicyFile, templateFile } from './packager.ts';

/** The file of the intended stack. */
export const intendedStackFile = join(import.meta.dirname, '../lib/doctor/intended-stack.json');

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
  readonly Parameters?: object;
  readonly Conditions?: object;
  readonly Outputs?: object;
}

/** The packaged template, a resource a line; without the parts that change with the code, and those that are only shown. */
export function intendedStack(templateText: string, stackPolicy: string): string {
  const { Resources, Parameters, Conditions, Outputs } = JSON.parse(templateText) as Template;
  const lines = Object.entries(Resources)
    .filter(([, { Type }]) => !/^AWS::(CloudWatch::Dashboard|Logs::QueryDefinition)/.test(Type))
    .map(
      ([id, it]) => `${JSON.stringify(id)}: ${JSON.stringify({ ...it, DependsOn: undefined, Properties: plain(it) })}`,
    );
  const StackPolicy = JSON.parse(stackPolicy) as object;
  const beside = Object.entries({ Parameters, Conditions, Outputs, StackPolicy }).map(
    ([name, it]) => `${JSON.stringify(name)}: ${JSON.stringify(it)}`,
  );
  return `{ "Resources": {\n${lines.join(',\n')}\n},\n${beside.join(',\n')} }\n`;
}

function plain({
  Properties = {},
}: {
  readonly Properties?: { readonly Code?: { readonly S3Bucket?: unknown } };
}): object {
  const left = Object.entries(Properties).filter(
    ([name]) => !/^(Code|CodeSha256|Description|AlarmDescription)$/.test(name),
  );
  // The bucket of the code; the code itself is proven otherwise.
  const bucket = Properties.Code?.S3Bucket;
  return { ...Object.fromEntries(left), ...(bucket !== undefined && { Code: { S3Bucket: bucket } }) };
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'payouts-intended-'));
  await packageStack(directory, { quiet: true });
  const text = await readFile(join(directory, templateFile), 'utf8');
  await writeFile(intendedStackFile, intendedStack(text, await readFile(join(directory, stackPolicyFile), 'utf8')));
}

if (import.meta.main) await main();
