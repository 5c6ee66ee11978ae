// A reader in any language, by the published schema, and `payouts-client/consumer` take the same messages for results.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { contracts } from '../../infra/contracts/contracts.ts';
import { parseResult } from '../../lib/client/read-result.ts';
import { schemaCheck } from './schemas.ts';

const kinds = [
  { kind: 'result', takes: schemaCheck('result'), examples: contracts.result.examples },
  { kind: 'batch-result', takes: schemaCheck('batch-result'), examples: contracts['batch-result'].examples },
] as const;

const oddTexts = 'true x 10.42 1e3 01 EUR eur approved paid 2026-11-21T10:00:00.000Z 2026-11-21 a/b/0 a/b/1 rejected/';
const oddValues = [null, true, 0, 1, -1, 1.5, '', ' ', [], {}, { code: 'NO', message: '' }];
const odd = fc.constantFrom<unknown>(...oddValues, ...oddTexts.split(' '));

/** An example as it is, or with a field taken away or another value in its place, at the top or one level below. */
function changed(example: object): fc.Arbitrary<object> {
  const fields = Object.entries(example);
  const one = fc.constantFrom(...fields).chain(([name, value]) => {
    const inner = typeof value === 'object' && value !== null && !Array.isArray(value) ? changed(value) : odd;
    return fc.oneof(odd, fc.constant(undefined), inner).map((other) => ({ ...example, [name]: other }));
  });
  return fc.oneof({ weight: 1, arbitrary: fc.constant(example) }, { weight: 9, arbitrary: one });
}

it.each(kinds)('a $kind is one by the schema and by the code, or by neither', ({ kind, takes, examples }) => {
  const seen = { taken: 0, refused: 0 };
  const judged = fc.property(fc.oneof(...examples.map(changed)), (message) => {
    const body = JSON.stringify(message);
    const taken = takes(JSON.parse(body));
    expect(parseResult(body).kind === kind).toBe(taken);
    seen[taken ? 'taken' : 'refused'] += 1;
  });
  fc.assert(judged, { numRuns: 1000 });
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(100);
});
