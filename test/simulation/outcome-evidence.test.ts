// The answers by which a change of the table of outcomes is shown to change nothing: a row that none of them reaches would
// be taken for one that does not matter.
import { expect, test } from 'vitest';
import { answersByRow, judgedOtherwise } from './outcome-evidence.ts';

test('given the answers that tell one table of outcomes from another, then each row judges some of them', () => {
  expect([...answersByRow()].filter(([, answers]) => answers === 0)).toEqual([]);
});

test('given a table whose first two rows change places, then no answer is judged otherwise; without its first row some are', () => {
  expect(judgedOtherwise(([first, second, ...rest]) => (first && second ? [second, first, ...rest] : rest))).toBe(0);
  expect(judgedOtherwise((rows) => rows.slice(1))).toBeGreaterThan(0);
});
