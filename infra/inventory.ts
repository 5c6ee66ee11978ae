// `npm run sbom`: the bill of materials (npm's CycloneDX document of every package in the lock file), and the licences of the packages
// that ship.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunction, functionNames } from './bundle.ts';
import { buildClientPackage } from './client-package.ts';
import { type Package, packagesOf } from './packages.ts';

const root = join(import.meta.dirname, '..');

/** A package whose code ships, and in which artefacts: functions, or the client package. */
export interface ShippedPackage extends Package {
  readonly shipsIn: readonly string[];
}

/** Every package that ships, by name: bundles everything and reads esbuild's metafile. */
export async function shippedPackages(): Promise<readonly ShippedPackage[]> {
  await mkdir(join(root, '.build'), { recursive: true });
  const directory = await mkdtemp(join(root, '.build/inventory-'));
  try {
    const parts: [name: string, inputs: readonly string[]][] = [];
    for (const name of functionNames()) parts.push([name, (await bundleFunction(name, directory)).inputs]);
    parts.push(['client package', (await buildClientPackage(join(directory, 'client'))).inputs]);
    const shipped = new Map<string, ShippedPackage>();
    for (const [part, inputs] of parts) {
      for (const bundled of packagesOf(inputs)) {
        const shipsIn = [...(shipped.get(bundled.directory)?.shipsIn ?? []), part];
        shipped.set(bundled.directory, { ...bundled, shipsIn });
      }
    }
    return [...shipped.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The licences of the packages that ship, as a table. */
export function licenceList(shipped: readonly ShippedPackage[]): string {
  const rows = shipped.map((it) => `| ${it.name} | ${it.version} | ${it.licence} | ${it.shipsIn.join(', ')} |`);
  return [
    '# Licences of what ships',
    '',
    '| package | version | licence | part of |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

if (import.meta.main) {
  const directory = join(root, '.build/sbom');
  await mkdir(directory, { recursive: true });
  const bill = promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  await writeFile(join(directory, 'payouts.cdx.json'), (await bill).stdout);
  await writeFile(join(directory, 'licences.md'), licenceList(await shippedPackages()));
  process.stdout.write(`${relative(process.cwd(), directory)}\n`);
}
