// The stack as `npm run package` makes it, in a directory of its own so that tests may run side by side.
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { choicesOf } from '../../infra/arguments.ts';
import { type TemplateValues, templateValues } from '../../infra/deploy.ts';
import { packageStack, PackagerMissing, templateFile } from '../../infra/packager.ts';

/** A CloudFormation template, as far as tests look into it. */
export interface Template {
  readonly Metadata?: { readonly Payouts?: { readonly Commit: string } };
  readonly Parameters: Readonly<Record<string, { readonly Default?: string }>>;
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** One resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Condition?: string;
  readonly DeletionPolicy?: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** What packaging left. */
export interface Synthesized {
  /** As one stage gets it: with the values of its parameters in their place ({@link atStage}). */
  readonly template: Template;
  /** The template that ships, for every stage, and one zip per function. */
  readonly templateFile: string;
  readonly zips: readonly string[];
  readonly directory: string;
}

const root = join(import.meta.dirname, '../..');
let unchanged: Promise<string> | undefined;

/**
 * Packages serverless.yml, changed by `edit` where given; the arguments are those of `npm run deploy`. Undefined, with one line that
 * says why, where the packager can't be installed; throws with the packager's own words when it refuses.
 */
export async function synthesized(
  args: readonly string[] = [],
  edit?: (file: string, text: string) => string,
): Promise<Synthesized | undefined> {
  try {
    const directory = await (edit ? packaged(edit) : (unchanged ??= packaged()));
    const file = join(directory, templateFile);
    const text = await readFile(file, 'utf8');
    const shipped = JSON.parse(text) as Template;
    const { stage, values } = choicesOf(args);
    const { tags: _, cloudFormationRole: __, ...own } = values;
    const template = atStage(shipped, templateValues(shipped, { codeBucket: 'code', ...own, stage }, text));
    const zips = (await readdir(directory)).filter((it) => it.endsWith('.zip')).toSorted();
    return { template, templateFile: file, zips: zips.map((it) => join(directory, it)), directory };
  } catch (error) {
    if (!(error instanceof PackagerMissing)) throw error;
    process.stdout.write(`the tests of the template are skipped: ${error.message}\n`);
    return undefined;
  }
}

/** Packages anew. */
export async function packaged(edit: (file: string, text: string) => string = (_, text) => text): Promise<string> {
  const serviceDirectory = await serviceCopy(edit);
  await packageStack('.build/package', { serviceDirectory, quiet: true });
  return join(serviceDirectory, '.build/package');
}

/** A directory with serverless.yml, its fragments and the plugin that it names, which works on the repository all the same. */
export async function serviceCopy(edit: (file: string, text: string) => string = (_, text) => text): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'payouts-package-'));
  await mkdir(join(copy, 'infra'));
  const fragments = (await readdir(join(root, 'infra'))).filter((file) => file.endsWith('.yml'));
  for (const file of ['serverless.yml', ...fragments.map((fragment) => `infra/${fragment}`)]) {
    await writeFile(join(copy, file), edit(file, await readFile(join(root, file), 'utf8')));
  }
  const plugin = 'infra/bundle-plugin.ts';
  const text = `export { default } from ${JSON.stringify(join(root, plugin))};\n`;
  await writeFile(join(copy, 'infra', basename(plugin)), text);
  return copy;
}

/** Values of parameters in the place of references to them, and of the texts that are made of them alone. */
function atStage(template: Template, values: TemplateValues): Template {
  const given = new Map(Object.entries(values));
  const parameters = Object.entries(template.Parameters).map(([name, it]) => {
    const value = given.get(name);
    return [name, value === undefined ? it : { ...it, Default: value }];
  });
  const isSingle = (name: unknown): name is string =>
    typeof name === 'string' && given.has(name) && !isList(template.Parameters[name]) && !name.endsWith('Ids');
  /** Settings of a function are texts; everything else is what it is. */
  const filled = (value: unknown, isSetting = false): unknown => {
    if (Array.isArray(value)) return value.map((it: unknown) => filled(it));
    if (typeof value !== 'object' || value === null) return value;
    const { Ref, 'Fn::Sub': sub, 'Fn::If': choice } = value as Record<string, unknown>;
    if (Array.isArray(choice) && ledgers.has(String(choice[0])))
      return filled(choice[given.get(ledgers.get(String(choice[0])) ?? '') ? 1 : 2], isSetting);
    if (isSingle(Ref) && !conditional.has(Ref)) {
      const text = given.get(Ref) ?? '';
      return isSetting ? text : plain(text);
    }
    if (typeof sub === 'string') {
      const text = sub.replaceAll(/\$\{(\w+)\}/g, (all, name: string) =>
        isSingle(name) ? (given.get(name) ?? '') : all,
      );
      return /\$\{[^!]/.test(text) ? { 'Fn::Sub': text } : text.replaceAll('${!', '${');
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, it]) => [name, filled(it, isSetting || name === 'Variables')]),
    );
  };
  const { Resources, Outputs } = template;
  return {
    ...template,
    Parameters: Object.fromEntries(parameters) as Template['Parameters'],
    Resources: filled(Resources) as Template['Resources'],
    Outputs: filled(Outputs) as Template['Outputs'],
  };
}

/** Conditions that ask whether these are given. */
const ledgers: ReadonlyMap<string, string> = new Map([
  ['LedgerRestored', 'RestoredLedger'],
  ['LedgerNamed', 'LedgerName'],
]);
const isList = (parameter: object | undefined) => JSON.stringify(parameter ?? {}).includes('List');
/** Those that conditions decide over; what a condition chooses stays as it is written. */
const conditional = new Set([
  'EarlierItems',
  'PermissionsBoundary',
  'CallbackConcurrency',
  'ResultsBus',
  'NetworkCidr',
  'GatewayPort',
]);
const plain = (value: string): unknown =>
  value === 'true' || value === 'false' ? value === 'true' : /^\d+$/.test(value) ? Number(value) : value;
