// What ships is known to the package, may ship by its licence, and is told in the bill of materials.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { billOfMaterials, licenceList, type ShippedPackage, shippedPackages } from '../../infra/inventory.ts';
import { licenceText, mustNotShip, packagesOf } from '../../infra/packages.ts';

let shipped: readonly ShippedPackage[];

beforeAll(async () => {
  shipped = await shippedPackages();
});

describe('the packages that ship', () => {
  it('are found by the files that esbuild has taken in', () => {
    const inputs = [
      'lib/payout/message/job.ts',
      'node_modules/valibot/dist/index.mjs',
      'node_modules/@smithy/core/dist-es/index.js',
      'node_modules/@smithy/core/dist-es/submodules/cbor/index.js',
      'credentials-from-environment:node_modules/@aws-sdk/credential-provider-node/dist-es/index.js',
    ];
    expect(packagesOf(inputs).map(({ name, licence }) => [name, licence])).toEqual([
      ['@smithy/core', 'Apache-2.0'],
      ['valibot', 'MIT'],
    ]);
  });

  it('are those of the worker and of the package for producers and consumers, with what they are part of', () => {
    const parts = new Map(shipped.map(({ name, shipsIn }) => [name, shipsIn]));
    expect(parts.get('valibot')).toEqual(expect.arrayContaining(['submit', 'callback', 'client package']));
    expect(parts.get('@aws-sdk/client-sqs')).not.toContain('client package');
    expect([...parts.keys()].filter((name) => /^(commander|vitest|esbuild|fauxqs)$/.test(name))).toEqual([]);
  });

  it('have licences under which they may ship, and bring their texts', () => {
    expect(mustNotShip(shipped)).toEqual([]);
    expect(shipped.map(licenceText).filter((text) => text.length < 500)).toEqual([]);
    const list = licenceList(shipped);
    expect(shipped.filter(({ name, version }) => !list.includes(`| ${name} | ${version} |`))).toEqual([]);
  });

  it.each([
    'GPL-3.0-only',
    'AGPL-3.0',
    'LGPL-2.1',
    'MPL-2.0',
    'SEE LICENSE IN x',
    'UNLICENSED',
    '(MIT OR GPL-2.0)',
    'none',
  ])('must not come under %s without a person having looked at it', (licence) => {
    expect(mustNotShip([{ name: 'newcomer', licence }])).toEqual([`newcomer: ${licence}`]);
  });
});

describe('the bill of materials', () => {
  interface Bom {
    readonly serialNumber: string;
    readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
    readonly components: readonly {
      readonly name: string;
      readonly version: string;
      readonly scope: string;
      readonly hashes: readonly { readonly alg: string }[];
      readonly properties: readonly { readonly name: string; readonly value: string }[];
    }[];
  }
  let bom: Bom;

  beforeAll(async () => {
    bom = (await billOfMaterials(shipped)) as Bom;
  });

  it('is of this product, and the same whenever it is made', async () => {
    expect(bom.metadata.component).toMatchObject({ name: 'payouts', version: '0.1.0' });
    expect(bom.metadata).not.toHaveProperty('timestamp');
    expect(await billOfMaterials(shipped)).toEqual(bom);
  });

  it('names every package of the lock file with its hash', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string }>;
    };
    const locked = Object.entries(lock.packages)
      .filter(([path]) => path !== '')
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`);
    const named = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
    expect(locked.filter((it) => !named.has(it))).toEqual([]);
    expect(bom.components.filter(({ hashes }) => !hashes.some(({ alg }) => alg === 'SHA-512'))).toEqual([]);
  });

  it('calls required what ships and says in what, the rest optional or excluded', () => {
    const required = bom.components.filter(({ scope }) => scope === 'required');
    expect(required.map(({ name }) => name).toSorted()).toEqual(shipped.map(({ name }) => name).toSorted());
    const told = required.map(({ name, properties }) => [name, properties.find((it) => it.name === 'payouts:shipsIn')]);
    expect(told).toContainEqual([
      'jose',
      { name: 'payouts:shipsIn', value: expect.stringContaining('client package') },
    ]);
    const scopes = new Map(bom.components.map(({ name, scope }) => [name, scope]));
    expect([scopes.get('commander'), scopes.get('vitest')]).toEqual(['optional', 'excluded']);
  });
});
