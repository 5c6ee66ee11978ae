// The packages that ship may ship by their licences.
import { beforeAll, describe, expect, it } from 'vitest';
import { licenceList, type ShippedPackage, shippedPackages } from '../../infra/inventory.ts';
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
