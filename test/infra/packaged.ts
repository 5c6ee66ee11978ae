// The stack as `npm run package` makes it of each stage file. Packaging takes seconds: what was packaged of the same files is kept.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { functionNames } from '../../infra/bundle.ts';

const root = join(import.meta.dirname, '../..');

/** The stages that have a file. */
export const stageNames: readonly string[] = readdirSync(join(root, 'infra/stages')).map((it) =>
  it.slice(0, -'.yml'.length),
);

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: unknown;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** A packaged template. */
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** What packaging left of a stage. */
export interface Packaged {
  readonly template: Template;
  readonly templateFile: string;
  /** As osls writes it beside the template. */
  readonly stackPolicy: readonly object[];
  /** The directory of the template and of one zip per function. Its functions have no code. */
  readonly directory: string;
}

/** Everything that decides about a template; the code of the functions is not part of it. */
const inputs = [
  'serverless.yml',
  'package-lock.json',
  ...filesBelow('infra').filter((it) => /\.(yml|ts|js)$/.test(it)),
];
const digest = createHash('sha256');
for (const file of inputs) digest.update(`${file}\n`).update(readFileSync(join(root, file)));
const kept = join(root, '.build', `packaged-${digest.digest('hex').slice(0, 16)}`);

/** Packages a stage, offline and without credentials. Throws with osls's own words if it refuses. */
export function packaged(stage: string): Packaged {
  const directory = join(kept, stage);
  if (!existsSync(directory)) {
    const service = serviceCopy();
    const made = packagedIn(service, stage);
    mkdirSync(kept, { recursive: true });
    // Two at once do no harm: one rename wins.
    if (!existsSync(directory)) renameSync(made, directory);
    rmSync(service, { recursive: true });
  }
  const read = (name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8'));
  const template = 'cloudformation-template-update-stack.json';
  return {
    template: read(template) as Template,
    templateFile: join(directory, template),
    stackPolicy: read('serverless-state.json').service.provider.stackPolicy,
    directory,
  };
}

/** The properties of the resources of one type, by logical id. */
export function ofType(type: string, stage = 'prod'): [logicalId: string, properties: Resource['Properties']][] {
  return Object.entries(packaged(stage).template.Resources).flatMap(([id, it]) =>
    it.Type === type ? [[id, it.Properties]] : [],
  );
}

/** A directory with the service as it is, and an empty file for the code of each function. */
export function serviceCopy(): string {
  mkdirSync(join(root, '.build'), { recursive: true });
  const copy = mkdtempSync(join(root, '.build/service '));
  mkdirSync(join(copy, 'dist'), { recursive: true });
  for (const file of ['serverless.yml', 'package.json', 'infra'])
    cpSync(join(root, file), join(copy, file), { recursive: true });
  for (const name of functionNames()) writeFileSync(join(copy, 'dist', `${name}.mjs`), '');
  return copy;
}

/** Runs osls there; the directory of the package. */
export function packagedIn(service: string, stage: string, env: NodeJS.ProcessEnv = {}): string {
  const { PATH = '' } = process.env;
  const osls = join(root, 'node_modules/osls/bin/serverless.js');
  try {
    execFileSync(process.execPath, [osls, 'package', '--stage', stage], {
      cwd: service,
      env: { PATH, ...env },
      stdio: 'pipe',
    });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: Buffer; readonly stderr?: Buffer };
    throw new Error(`${stdout}${stderr}`, { cause: error });
  }
  return join(service, '.serverless');
}

function filesBelow(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .map((it) => join(directory, it))
    .toSorted();
}
