// The AsyncAPI document before its official parser: neither an error nor a warning, hints included.
import { describe, expect, inject, it } from 'vitest';
import { contractText } from '../published/schemas.ts';
import { asyncApiParser } from './asyncapi-parser.ts';

const directory = inject('asyncApiParser');

describe.skipIf(directory === null)('the AsyncAPI document', () => {
  it('is taken by the official parser without a word', async () => {
    const parser = await asyncApiParser(directory ?? '');
    const { document, diagnostics } = await parser.parse(contractText('asyncapi.json'));
    expect(diagnostics).toEqual([]);
    const operations = document?.allOperations().all() ?? [];
    expect(operations.map((it) => it.id())).toEqual(['takeJob', 'tellResult', 'giveUpJob']);
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
