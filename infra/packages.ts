// The packages that source files come from, and their licences.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** One installed package. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** The licence in its package.json, usually an SPDX identifier. */
  readonly licence: string;
  /** Relative to the repository. */
  readonly directory: string;
}

/**
 * Licences under which code may ship: they require only that their text is kept. For any other (copyleft, unknown, none, a choice of
 * several) a person must decide first.
 */
const licencesThatMayShip: ReadonlySet<string> = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
]);

/** Packages with a choice of licences, and the one that a person chose; its text is `LICENSE.<licence>`. */
const chosenLicences: ReadonlyMap<string, string> = new Map([['ibantools: MIT or MPL-2.0', 'MIT']]);
const chosenOf = ({ name, licence }: Pick<Package, 'name' | 'licence'>) => chosenLicences.get(`${name}: ${licence}`);

/** Packages of the AWS SDK without a licence text; the text of another package of the SDK is theirs too. */
const withoutText: ReadonlySet<string> = new Set([
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/nested-clients',
]);
const withText = 'node_modules/@aws-sdk/client-sqs';

/** The packages whose licence is not allowed, each with its licence. */
export function mustNotShip(packages: readonly Pick<Package, 'name' | 'licence'>[]): string[] {
  return packages
    .filter((it) => !licencesThatMayShip.has(chosenOf(it) ?? it.licence))
    .map((it) => `${it.name}: ${it.licence}`);
}

/** The packages that these source files come from, by name; paths as esbuild writes them. */
export function packagesOf(inputs: readonly string[]): Package[] {
  const directories = inputs.flatMap((input) => {
    // A path with a colon is a module of ours that replaces the package.
    const [directory] = /^(?:[^:]*\/)?node_modules\/(?:@[^/:]+\/)?[^/:]+(?=\/[^:]*$)/.exec(input) ?? [];
    return directory === undefined ? [] : [directory];
  });
  return [...new Set(directories)].toSorted().map((directory) => {
    const manifest = JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8')) as Record<string, unknown>;
    const { name, version, license: licence = 'none' } = manifest;
    return { name: String(name), version: String(version), licence: String(licence), directory };
  });
}

/** The licence text of the package, which must ship with its code. Throws if there is none. */
export function licenceText(shipped: Package): string {
  const { name, directory } = shipped;
  const from = withoutText.has(name) ? withText : directory;
  const chosen = chosenOf(shipped);
  const isText = (file: string) => (chosen === undefined ? /^licen[cs]e/i.test(file) : file === `LICENSE.${chosen}`);
  const file = readdirSync(join(root, from)).find(isText);
  if (file === undefined) throw new Error(`${name} brings no licence text`);
  return readFileSync(join(root, from, file), 'utf8').trim();
}
