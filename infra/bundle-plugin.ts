// The packager's plugin: bundles and zips every function by bundle.ts whenever something is packaged or deployed, so that
// no bundle of yesterday can ship.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, join, relative } from 'node:path';
import { zipSync } from 'fflate';
import { readParameters } from './arguments.ts';
import { bundleFunction, functionNames } from './bundle.ts';
import { aimAtAlias, asShipped, commitOf, type FrameworkFunction, type ShippedTemplate } from './template.ts';

/** The part of the framework's object that is used here. */
interface Framework {
  readonly serviceDir: string;
  readonly service: {
    readonly functions: Record<string, FrameworkFunction>;
    readonly provider: { readonly compiledCloudFormationTemplate: ShippedTemplate };
  };
  readonly classes: { readonly Error: new (message: string) => Error };
}

/** DOS time, which a zip holds, begins here; in any time zone, as it has none. */
const beginning = new Date(1980, 0, 1);

/**
 * Bundles and zips one function; its source maps stay beside the zip, under its name. The zip is named by its content: other
 * code is another object in S3, where CloudFormation would otherwise take it for the code that runs already.
 */
async function zipFunction(name: string, directory: string): Promise<string> {
  const { file } = await bundleFunction(name, directory);
  const attributes = { mtime: beginning, os: 3, attrs: 0o100644 << 16 };
  const zip = zipSync({ [basename(file)]: [await readFile(file), attributes] });
  const hash = createHash('sha256').update(zip).digest('hex').slice(0, 12);
  const path = join(directory, `${name}-${hash}.zip`);
  await writeFile(path, zip);
  await rename(`${file}.map`, join(directory, `${name}-${hash}.map`));
  await rm(join(directory, name), { recursive: true });
  return path;
}

/** The plugin in the form that the framework loads. */
// oxlint-disable-next-line import/no-default-export -- the framework asks for it
export default class BundlePlugin {
  readonly hooks: Readonly<Record<string, () => Promise<void>>>;

  constructor(framework: Framework) {
    const { service, classes } = framework;
    // The packager takes the zips from .serverless, wherever the framework is configured to leave the package.
    this.hooks = {
      'before:package:initialize': () => prepare(framework, join(framework.serviceDir, '.serverless')),
      ...refusals(classes.Error),
      'before:package:compileFunctions': async () => aimAtAlias(service.functions),
      'before:aws:package:finalize:saveServiceState': async () => {
        const template = service.provider.compiledCloudFormationTemplate;
        asShipped(template, service.functions, commitOf(), readParameters()['default'] ?? {});
      },
    };
  }
}

/** The framework packages and nothing else: the stack that it would deploy or take down is not this one. */
function refusals(FrameworkError: Framework['classes']['Error']): Readonly<Record<string, () => Promise<void>>> {
  const commands = [
    'deploy:deploy',
    'deploy:function:initialize',
    'rollback:initialize',
    'rollback:function:rollback',
    'remove:remove',
  ];
  const refuse = async () => {
    throw new FrameworkError('"npm run deploy -- --stage STAGE" deploys; infra/docs/deploying.md has the rest');
  };
  return Object.fromEntries(commands.map((it) => [`before:${it}`, refuse]));
}

async function prepare(framework: Framework, directory: string): Promise<void> {
  const { functions } = framework.service;
  const missing = [...new Set([...Object.keys(functions), ...functionNames()])].filter(
    (name) => !(name in functions) || !functionNames().includes(name),
  );
  if (missing.length > 0) {
    throw new Error(`a function needs functions/<name>.ts and a row in infra/functions.yml: ${missing.join(', ')}`);
  }
  await mkdir(directory, { recursive: true });
  for (const [name, it] of Object.entries(functions)) {
    it.package = { ...it.package, artifact: relative(framework.serviceDir, await zipFunction(name, directory)) };
  }
}
