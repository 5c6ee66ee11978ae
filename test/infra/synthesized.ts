// The stack as `npm run package` makes it, in a directory of its own so that tests may run side by side.
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packageStack, PackagerMissing } from '../../infra/packager.ts';

/** A CloudFormation template, as far as tests look into it. */
export interface Template {
  readonly Metadata?: {
    readonly Payouts?: { readonly Commit: string; readonly Parameters: Readonly<Record<string, unknown>> };
  };
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
  readonly template: Template;
  /** The template itself, and one zip per function. */
  readonly templateFile: string;
  readonly zips: readonly string[];
  readonly directory: string;
}

const root = join(import.meta.dirname, '../..');

/**
 * Packages serverless.yml, changed by `edit` where given. Undefined, with one line that says why, where the packager can't
 * be installed; throws with the packager's own words when it refuses.
 */
export async function synthesized(
  args: readonly string[] = [],
  edit: (file: string, text: string) => string = (_, text) => text,
): Promise<Synthesized | undefined> {
  const serviceDirectory = await serviceCopy(edit);
  const directory = join(serviceDirectory, '.build/package');
  try {
    const { code, output } = await packageStack(args, directory, { serviceDirectory, quiet: true });
    if (code !== 0) throw new Error(output);
  } catch (error) {
    if (!(error instanceof PackagerMissing)) throw error;
    process.stdout.write(`the tests of the template are skipped: ${error.message}\n`);
    return undefined;
  }
  const templateFile = join(directory, 'cloudformation-template-update-stack.json');
  const zips = (await readdir(directory)).filter((file) => file.endsWith('.zip')).toSorted();
  const template = JSON.parse(await readFile(templateFile, 'utf8')) as Template;
  return { template, templateFile, zips: zips.map((file) => join(directory, file)), directory };
}

/** A directory with serverless.yml, its fragments and the plugins that it may name, which work on the repository all the same. */
export async function serviceCopy(edit: (file: string, text: string) => string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'payouts-package-'));
  await mkdir(join(copy, 'infra'));
  const fragments = (await readdir(join(root, 'infra'))).filter((file) => file.endsWith('.yml'));
  for (const file of ['serverless.yml', ...fragments.map((fragment) => `infra/${fragment}`)]) {
    await writeFile(join(copy, file), edit(file, await readFile(join(root, file), 'utf8')));
  }
  for (const plugin of ['infra/bundle-plugin.ts', 'test/conformance/moto-plugin.ts']) {
    const text = `export { default } from ${JSON.stringify(join(root, plugin))};\n`;
    await writeFile(join(copy, 'infra', basename(plugin)), text);
  }
  return copy;
}
