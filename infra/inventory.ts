// `npm run sbom`: the parts of the product, for the person who must answer for it. A CycloneDX document of every package of
// the lock file, made by npm and marked with those that ship and in what; and the licences of those that ship. The same
// input gives the same bytes. `npm run package` leaves both beside the zips.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunction, functionNames } from './bundle.ts';
import { buildClientPackage } from './client-package.ts';
import { type Package, packagesOf } from './packages.ts';

const root = join(import.meta.dirname, '..');

/** A package whose code ships, and the artefacts that it is part of: functions, or the package for producers and consumers. */
export interface ShippedPackage extends Package {
  readonly shipsIn: readonly string[];
}

/** The part of CycloneDX 1.5 that is changed here. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
}

/** A CycloneDX document as npm writes it. */
interface Bom {
  readonly serialNumber: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly component: object };
  readonly components: readonly Component[];
}

/** Every package that ships, by name: everything is bundled anew, and esbuild's metafile is read. */
export async function shippedPackages(): Promise<readonly ShippedPackage[]> {
  await mkdir(join(root, '.build'), { recursive: true });
  const directory = await mkdtemp(join(root, '.build/inventory-'));
  try {
    const parts: [name: string, inputs: readonly string[]][] = [];
    for (const name of functionNames()) parts.push([name, (await bundleFunction(name, directory)).inputs]);
    parts.push(['client package', (await buildClientPackage(join(directory, 'client'))).inputs]);
    const shipped = new Map<string, ShippedPackage>();
    for (const [part, inputs] of parts) {
      for (const it of packagesOf(inputs)) {
        const shipsIn = [...(shipped.get(it.directory)?.shipsIn ?? []), part];
        shipped.set(it.directory, { ...it, shipsIn });
      }
    }
    return [...shipped.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await rm(directory, { recursive: true });
  }
}

/**
 * The bill of materials. Scope `required`: its code ships, and the property `payouts:shipsIn` names the artefacts. `optional`:
 * the operator's tool needs it. `excluded`: development alone.
 */
export async function billOfMaterials(shipped: readonly ShippedPackage[]): Promise<object> {
  // Not with --omit dev: npm then leaves out packages that a development package needs too, the SQS client among them.
  const { stdout } = await promisify(execFile)('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { serialNumber: _random, metadata, components, ...rest } = JSON.parse(stdout) as Bom;
  const { timestamp: _now, ...about } = metadata;
  const epochSeconds = process.env['SOURCE_DATE_EPOCH'];
  const time = epochSeconds ? { timestamp: new Date(Number(epochSeconds) * 1000).toISOString() } : {};
  const byId = new Map(shipped.map((it) => [`${it.name}@${it.version}`, it.shipsIn]));
  const content = {
    ...rest,
    // npm names the product after its folder.
    metadata: { ...time, ...about, component: { ...about.component, type: 'application', name: 'payouts' } },
    components: components.map((it) => {
      const shipsIn = byId.get(`${it.name}@${it.version}`);
      const development = it.properties.some(({ name }) => name === 'cdx:npm:package:development');
      if (!shipsIn) return { ...it, scope: development ? 'excluded' : 'optional' };
      const property = { name: 'payouts:shipsIn', value: shipsIn.join(', ') };
      return { ...it, scope: 'required', properties: [...it.properties, property] };
    }),
  };
  return { ...content, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}` };
}

/** A UUID of a content (RFC 9562 version 8): other content, other number. */
function uuidOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-');
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

/** Writes both into a directory, and answers with the names of the files. */
export async function writeInventory(directory: string): Promise<readonly string[]> {
  const shipped = await shippedPackages();
  const files = [
    ['payouts.cdx.json', `${JSON.stringify(await billOfMaterials(shipped), null, 2)}\n`],
    ['licences.md', licenceList(shipped)],
  ] as const;
  await mkdir(directory, { recursive: true });
  for (const [name, text] of files) await writeFile(join(directory, name), text);
  return files.map(([name]) => join(directory, name));
}

if (import.meta.main) {
  const files = await writeInventory(join(root, '.build/sbom'));
  process.stdout.write(files.map((file) => `${relative(process.cwd(), file)}\n`).join(''));
}
