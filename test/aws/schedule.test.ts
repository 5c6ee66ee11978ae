// What a schedule says to the sweeper: which part of the index is its own.
import { expect, it } from 'vitest';
import { sweepPartOf } from '../../lib/aws/lambda-handler.ts';

it('a sweep is for the part that its schedule names', () => {
  expect(sweepPartOf({ part: 3, of: 4 })).toEqual({ part: 3, of: 4 });
});

it.each([{}, undefined, 'now', { part: 1 }, { of: 4 }, { part: 4, of: 4 }, { part: -1, of: 4 }, { part: '1', of: 4 }])(
  'a sweep is for the whole index where the schedule says no part: %j',
  (event) => {
    expect(sweepPartOf(event)).toEqual({ part: 0, of: 1 });
  },
);
