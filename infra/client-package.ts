// `npm run pack`: the package for senders of jobs and readers of results. Node runs no TypeScript from node_modules, and senders do not
// want the worker's dependencies: so it is a folder of plain modules with their types, without dependencies. To publish it:
// `npm run pack -- --name @acme/payouts-client --repository git+https://…`, then `npm publish` the file, from a workflow that npm can
// attest (provenance).
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { commandLine } from './command-line.ts';
import { licenceText, packagesOf } from './packages.ts';

const root = join(import.meta.dirname, '..');

/** The part of this repository's package.json that is copied; `exports`: `./name` to a source or a folder of files. */
interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
}

/** Who publishes the package. */
export interface Publisher {
  /** Default `payouts-client`; then the package is private, so that it is not published by mistake. */
  readonly name?: string;
  /** The URL of the source repository, with which npm compares the provenance. Default: none. */
  readonly repository?: string;
}

/** The package on the disk. */
interface ClientPackage {
  readonly directory: string;
  /** The source files in it, relative to the repository, sorted. */
  readonly inputs: readonly string[];
}

const ownName = 'payouts-client';

/** Makes the package in the folder, ready for `npm pack`. */
export async function buildClientPackage(
  directory = join(root, '.build/client'),
  publisher: Publisher = {},
): Promise<ClientPackage> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  const modules = Object.entries(manifest.exports).filter(([, source]) => source.endsWith('.ts'));
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: modules.map(([name, source]) => ({ in: source, out: nameOf(name) })),
    outdir: directory,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['@aws-sdk/*'],
  });
  await writeTypes(
    directory,
    modules.map(([, source]) => source),
  );
  await cp(join(root, 'infra/contracts'), join(directory, 'contracts'), {
    recursive: true,
    filter: (file) => !file.endsWith('.ts'),
  });
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(packageOf(manifest, publisher), null, 2)}\n`);
  const readme = await readFile(join(root, 'lib/client/README.md'), 'utf8');
  await writeFile(join(directory, 'README.md'), readme.replaceAll(ownName, publisher.name ?? ownName));
  await cp(join(root, 'LICENSE'), join(directory, 'LICENSE'));
  const used = Object.values(metafile.outputs).flatMap((it) =>
    Object.entries(it.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  const inputs = [...new Set(used)].toSorted();
  const licences = packagesOf(inputs).map((it) => `${it.name} ${it.version}\n\n${licenceText(it)}\n`);
  await writeFile(join(directory, 'LICENCES.txt'), licences.join(`\n${'-'.repeat(80)}\n\n`));
  return { directory, inputs };
}

const nameOf = (exported: string) => exported.replace('./', '');

function packageOf({ version, description, license, exports }: Manifest, publisher: Publisher): object {
  const clients = ['@aws-sdk/client-sqs', '@aws-sdk/client-dynamodb'];
  return {
    name: publisher.name ?? ownName,
    version,
    description: `${description} For senders of jobs and readers of results.`,
    license,
    repository: publisher.repository === undefined ? undefined : { type: 'git', url: publisher.repository },
    private: publisher.name === undefined ? true : undefined,
    publishConfig: { access: 'restricted', provenance: publisher.repository === undefined ? undefined : true },
    type: 'module',
    sideEffects: false,
    files: ['*.js', 'types', 'contracts', 'LICENCES.txt'],
    engines: { node: '>=20' },
    exports: Object.fromEntries(
      Object.entries(exports).map(([exported, source]) => [
        exported,
        source.endsWith('.ts') ? { types: `./${typesOf(source)}`, default: `${exported}.js` } : './contracts/*',
      ]),
    ),
    // The caller's own clients: SQS to send and read, DynamoDB to seal CVVs. A Lambda function that reads results needs neither.
    peerDependencies: Object.fromEntries(clients.map((name) => [name, '^3.0.0'])),
    peerDependenciesMeta: Object.fromEntries(clients.map((name) => [name, { optional: true }])),
  };
}

/** `./lib/producer/exports.ts` to `types/producer/exports.d.ts`. */
const typesOf = (source: string) => source.replace('./lib/', 'types/').replace(/\.ts$/, '.d.ts');

/** Writes the declarations that the exports need. */
async function writeTypes(directory: string, sources: readonly string[]): Promise<void> {
  // Within the repository: the compiler searches from its configuration upwards for the types of Node.
  await mkdir(join(root, '.build'), { recursive: true });
  const aside = await mkdtemp(join(root, '.build/types-'));
  const config = join(aside, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, 'lib'),
    outDir: join(aside, 'types'),
  };
  const files = sources.map((source) => join(root, source));
  await writeFile(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }),
  );
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', config], { cwd: root });
  const open = sources.map(typesOf);
  for (const file of open) {
    const declarations = (await readFile(join(aside, file), 'utf8')).replaceAll(
      /( from ')(\.[^']*)\.ts'/g,
      (_all, from: string, target: string) => {
        const needed = join(dirname(file), `${target}.d.ts`);
        if (!open.includes(needed)) open.push(needed);
        return `${from}${target}.js'`;
      },
    );
    await mkdir(join(directory, dirname(file)), { recursive: true });
    await writeFile(join(directory, file), declarations);
  }
  await rm(aside, { recursive: true });
}

if (import.meta.main) {
  const option = { type: 'string' } as const;
  const { values } = commandLine(
    `npm run pack [-- --name @acme/payouts-client] [--repository git+https://…]
  makes .build/*.tgz, the package for senders of jobs and readers of results; without --name it is private`,
    { options: { name: option, repository: option } },
  );
  const { directory } = await buildClientPackage(undefined, values);
  const { stdout } = await promisify(execFile)('npm', ['pack', '--pack-destination', join(root, '.build')], {
    cwd: directory,
  });
  const tarball = join(root, '.build', stdout.trim().split('\n').at(-1) ?? '');
  if (!existsSync(tarball)) throw new Error(`npm pack wrote no ${tarball}`);
  process.stdout.write(`${relative(process.cwd(), tarball)}\n`);
}
