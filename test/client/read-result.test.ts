// What a reader of the results queue makes of its messages.
import { describe, expect, it } from 'vitest';
import { contracts } from '../../infra/contracts/contracts.ts';
import { parseResult, placeOf } from '../../lib/client/read-result.ts';

const [accepted] = contracts.result.examples;

describe('a message of the results queue', () => {
  it.each(contracts.result.examples)('$resultId, $status, is read as it is', (result) => {
    expect(parseResult(JSON.stringify(result))).toEqual({ kind: 'result', result });
  });

  it('about a whole batch is read as that, and is known by its kind alone', () => {
    const [result] = contracts['batch-result'].examples;
    expect(parseResult(JSON.stringify(result))).toEqual({ kind: 'batch-result', result });
    expect(parseResult(JSON.stringify({ ...result, rows: '3' }))).toEqual({
      kind: 'not-a-result',
      faults: [{ field: 'rows', fault: 'is not what the contract says: number' }],
    });
    expect(parseResult(JSON.stringify({ ...accepted, kind: 'batch-result' }))).toMatchObject({ kind: 'not-a-result' });
  });

  it('keeps a field that is newer than the reader', () => {
    const newer = { ...accepted, settledOn: '2026-11-22' };
    expect(parseResult(JSON.stringify(newer))).toEqual({ kind: 'result', result: newer });
  });

  it.each([
    ['not JSON', 'paid!', [{ field: 'message', fault: 'is not JSON' }]],
    ['no object', '"paid"', [{ field: 'message', fault: 'is not what the contract says: Object' }]],
    [
      'of another version',
      { ...accepted, version: 2 },
      [{ field: 'version', fault: 'is not what the contract says: 1' }],
    ],
    ['without a status', { ...accepted, status: undefined }, [{ field: 'status', fault: 'is missing' }]],
    [
      'with a state that no result tells of',
      { ...accepted, status: 'submitting' },
      [{ field: 'status', fault: expect.stringContaining('"accepted" | "approved"') }],
    ],
    [
      'with an amount that is a number',
      { ...accepted, amount: 10.42 },
      [{ field: 'amount', fault: 'is not what the contract says: string' }],
    ],
    [
      'with a failure without a code',
      { ...accepted, failure: { message: 'no' } },
      [{ field: 'failure.code', fault: 'is missing' }],
    ],
  ])('%s is no result, and the fault names its field', (_what, message, faults) => {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    expect(parseResult(body)).toEqual({ kind: 'not-a-result', faults });
  });

  it('is never quoted in a fault', () => {
    const body = JSON.stringify({ ...accepted, status: '4111111111111111', amount: '4111111111111111x' });
    expect(JSON.stringify(parseResult(body))).not.toContain('4111');
  });
});

describe('the place of a result', () => {
  it.each([
    ['acme-eu/INV-1/2', 2, { subject: 'acme-eu/INV-1', revision: 2 }],
    ['acme-eu/a/b/3/12', 12, { subject: 'acme-eu/a/b/3', revision: 12 }],
  ])('%s is its order and its revision', (resultId, revision, place) => {
    expect(placeOf({ resultId, revision })).toEqual(place);
  });

  it('of a batch is the batch', () => {
    expect(placeOf({ resultId: '~batch/2026-11/1' })).toEqual({ subject: '~batch/2026-11/1', revision: 1 });
  });

  it('of a message that never became an order is that message: it supersedes no order', () => {
    expect(placeOf({ resultId: 'rejected/m-1/0123abcd' })).toEqual({ subject: 'rejected/m-1', revision: 1 });
  });
});
