// The documents that we publish before those who wrote their rules: AsyncAPI's parser has neither an error nor a warning
// to tell, hints included; CycloneDX's schema takes the bill of materials.
import { describe, expect, inject, it } from 'vitest';
import { billOfMaterials, shippedPackages } from '../../infra/inventory.ts';
import { contractText } from '../published/schemas.ts';
import { asyncApiParser, cycloneDxCheck } from './document-checkers.ts';

const directory = inject('documentCheckers');

describe.skipIf(directory === null)('the AsyncAPI document', () => {
  it('is taken by the official parser without a word', async () => {
    const parser = await asyncApiParser(directory ?? '');
    const { document, diagnostics } = await parser.parse(contractText('asyncapi.json'));
    expect(diagnostics).toEqual([]);
    const operations = document?.allOperations().all() ?? [];
    expect(operations.map((it) => it.id())).toEqual(['takeJob', 'takeRow', 'tellResult', 'tellBatch', 'giveUpJob']);
  });

  it('would not be taken with a type that JSON Schema does not know', async () => {
    const parser = await asyncApiParser(directory ?? '');
    const broken = contractText('asyncapi.json').replaceAll('"type": "boolean"', '"type": "yes-or-no"');
    const { diagnostics } = await parser.parse(broken);
    expect(diagnostics.map(({ severity, path }) => [severity, path.join('.')])).toContainEqual([
      0,
      'components.messages.result.payload.properties.final.type',
    ]);
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
