// The packager's plugin: bundles and zips every function by bundle.ts whenever something is packaged or deployed, so that
// no bundle of yesterday can ship.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, join, relative } from 'node:path';
import { zipSync } from 'fflate';
import { stackTags } from './arguments.ts';
import { bundleFunction, functionNames } from './bundle.ts';
import {
  addAliases,
  aimAtAlias,
  commitOf,
  type FrameworkFunction,
  putInOrder,
  tellCommit,
  type VersionedTemplate,
} from './live-alias.ts';

/** The part of the framework's object that is used here. */
interface Framework {
  readonly serviceDir: string;
  readonly service: {
    readonly service: string;
    readonly functions: Record<string, FrameworkFunction>;
    readonly package: { artifactDirectoryName?: string };
    readonly custom?: { readonly tags?: unknown; readonly cloudFormationRole?: unknown };
    readonly provider: {
      readonly compiledCloudFormationTemplate: VersionedTemplate;
      stackTags?: Readonly<Record<string, string>>;
      iam?: { readonly deploymentRole: string };
    };
  };
  readonly classes: { readonly Error: new (message: string) => Error };
  getProvider(name: 'aws'): { getStage(): string; getDeploymentPrefix(): string };
}

/** DOS time, which a zip holds, begins here; in any time zone, as it has none. */
const beginning = new Date(1980, 0, 1);

/**
 * Bundles and zips one function; its source map stays beside the zip. The zip is named by its content: other code is
 * another object in S3, where CloudFormation would otherwise take it for the code that runs already.
 */
async function zipFunction(name: string, directory: string): Promise<string> {
  const { file } = await bundleFunction(name, directory);
  const attributes = { mtime: beginning, os: 3, attrs: 0o100644 << 16 };
  const zip = zipSync({ [basename(file)]: [await readFile(file), attributes] });
  const hash = createHash('sha256').update(zip).digest('hex').slice(0, 12);
  const path = join(directory, `${name}-${hash}.zip`);
  await writeFile(path, zip);
  return path;
}

/**
 * With SOURCE_DATE_EPOCH set, the folder in the deployment bucket bears that time instead of now: the same input then
 * gives the same template. A deployment leaves it unset, as the framework clears away old folders by their times.
 */
function folderOf(framework: Framework, epochSeconds: string): string {
  const provider = framework.getProvider('aws');
  const date = new Date(Number(epochSeconds) * 1000);
  return [
    provider.getDeploymentPrefix(),
    framework.service.service,
    provider.getStage(),
    `${date.getTime()}-${date.toISOString()}`,
  ].join('/');
}

/** As the framework loads it. */
// oxlint-disable-next-line import/no-default-export -- the framework asks for it
export default class BundlePlugin {
  readonly hooks: Readonly<Record<string, () => Promise<void>>>;

  constructor(framework: Framework) {
    const { service } = framework;
    const commit = commitOf();
    // What lies in .serverless goes wherever the framework is told to leave the package.
    this.hooks = {
      initialize: async () => tagAndLend(framework),
      'before:package:initialize': () => prepare(framework, join(framework.serviceDir, '.serverless')),
      ...refusals(framework),
      'before:package:compileFunctions': async () => aimAtAlias(service.functions, commit),
      'before:aws:package:finalize:saveServiceState': async () => {
        const template = service.provider.compiledCloudFormationTemplate;
        addAliases(template, service.functions);
        putInOrder(template);
        tellCommit(template, commit);
        makeSecretLast(template);
      },
    };
  }
}

/** The stack's tags, and the role that CloudFormation puts on; parameters stand for their values from here on. */
function tagAndLend({ service, classes }: Framework): void {
  const { tags = '', cloudFormationRole = '' } = service.custom ?? {};
  const read = stackTags(String(tags));
  if (typeof read === 'string') throw new classes.Error(read);
  service.provider.stackTags = read;
  if (cloudFormationRole !== '') service.provider.iam = { deploymentRole: String(cloudFormationRole) };
}

/** The framework's own ways around what `npm run deploy` looks at, each refused in a line. */
function refusals({ classes }: Framework): Readonly<Record<string, () => Promise<void>>> {
  const refuse = (remedy: string) => async () => {
    throw new classes.Error(remedy);
  };
  const isOurs = process.env['DEPLOYED_BY'] === 'npm run deploy';
  return {
    ...(!isOurs && {
      'before:deploy:deploy': refuse(
        'deploy by "npm run deploy -- --stage STAGE": it shows what changes, and asks the doctor',
      ),
    }),
    'before:deploy:function:initialize': refuse(
      'one function is never deployed alone: "npm run deploy -- --stage STAGE"',
    ),
    'before:rollback:initialize': refuse('roll back by "npx --no payouts roll-back --stack payouts-STAGE"'),
    'before:rollback:function:rollback': refuse('roll back by "npx --no payouts roll-back --stack payouts-STAGE"'),
  };
}

async function prepare(framework: Framework, directory: string): Promise<void> {
  const { functions, package: packaging } = framework.service;
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
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  if (epoch) packaging.artifactDirectoryName = folderOf(framework, epoch);
}

/**
 * A first deployment that fails takes away what it has made, and Secrets Manager keeps the name of a deleted secret for a
 * while: the next try would find it taken. So the secret comes after all that may fail.
 */
function makeSecretLast({ Resources }: VersionedTemplate): void {
  const secret = Resources['WorkerSecret'];
  if (!secret) return;
  const needsSecret = (it: object) => /"(Ref|Fn::GetAtt)":\[?"WorkerSecret"/.test(JSON.stringify(it));
  // What a parameter may leave out can't be waited for.
  const others = Object.entries(Resources).filter(([, it]) => it !== secret && !it.Condition && !needsSecret(it));
  secret.DependsOn = others.map(([logicalId]) => logicalId);
}
