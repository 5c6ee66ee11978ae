// The documents that we publish before those who wrote their rules: the schemas of AsyncAPI and CycloneDX take them.
import { describe, expect, inject, it } from 'vitest';
import { billOfMaterials, shippedPackages } from '../../infra/inventory.ts';
import { contractText } from '../published/schemas.ts';
import { asyncApiSchema, cycloneDxCheck } from './document-checkers.ts';

const directory = inject('documentCheckers');

describe.skipIf(directory === null)('the AsyncAPI document', () => {
  const text = contractText('asyncapi.json');

  it("is taken by AsyncAPI's schema, and would not be with a type that JSON Schema does not know", () => {
    const takes = asyncApiSchema(directory ?? '', (JSON.parse(text) as { asyncapi: string }).asyncapi);
    expect([takes(JSON.parse(text)), takes.errors]).toEqual([true, null]);
    expect(takes(JSON.parse(text.replaceAll('"type": "boolean"', '"type": "yes-or-no"')))).toBe(false);
    expect(takes.errors?.[0]?.instancePath).toBe('/components/schemas/result/properties/final/type');
  });

  it('names nothing that it does not have', () => {
    const document: unknown = JSON.parse(text);
    const named = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path = '']) => path);
    const partOf = (whole: unknown, name: string) => (whole as Readonly<Record<string, unknown>> | undefined)?.[name];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => path.split('/').reduce(partOf, document) === undefined)).toEqual([]);
  });
});

describe.skipIf(directory === null)('the bill of materials', () => {
  it("is taken by CycloneDX's schema, and would not be with a scope that there is not", async () => {
    const bom = (await billOfMaterials(await shippedPackages())) as { specVersion: string; components: object[] };
    const takes = cycloneDxCheck(directory ?? '', bom.specVersion);
    expect([takes(bom), takes.errors]).toEqual([true, null]);
    expect(takes({ ...bom, components: bom.components.map((it) => ({ ...it, scope: 'shipped' })) })).toBe(false);
  });
});
