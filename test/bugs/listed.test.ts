// The listed bugs: each can be planted, and some are found here; `npm run bugs` plants all.
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { lengthOf } from '../support/long-proof.ts';
import { handmadeBugs, plantedBugs } from './list.ts';
import { withEdits } from './planted.ts';
import { walked } from './walks.ts';

const shortly = [
  'a claim whose answer was lost is taken for won',
  'a reset is counted as not sent',
  'an order of a newer version is taken for none',
];
const longer = [
  ...shortly,
  'a result bears another revision when it goes out again',
  'the key of a CVV is read where it should be taken',
  'an order that only results or a report name is not made after a restore',
];
const soonFound = lengthOf({ short: shortly.slice(1, 2), long: longer });

describe('the worlds find', () => {
  it.each(handmadeBugs.filter(({ name }) => soonFound.includes(name)))(
    '$name',
    { timeout: 400_000 },
    async ({ edits, foundBy, breaks }) => {
      const end = await walked({ edits, kinds: foundBy ? [foundBy] : [], worlds: 60, most: 0 });
      expect(end?.fault).toMatch(breaks);
    },
  );
});

it('each changes text that is there once, and leaves a source that can be read', () => {
  const broken = plantedBugs.flatMap(({ name, edits }) =>
    [...new Set(edits.map(({ file }) => file))].flatMap((file) => {
      const { errors } = parseSync(file, withEdits(file, readFileSync(file, 'utf8'), edits));
      return errors.map(({ message }) => `${name}: ${message}`);
    }),
  );
  expect(broken).toEqual([]);
});

it('each has a name of its own, and is a change', () => {
  expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
  expect(plantedBugs.filter(({ edits }) => edits.length === 0 || edits.some(({ was, is }) => was === is))).toEqual([]);
  expect(handmadeBugs.filter(({ name }) => longer.includes(name))).toHaveLength(longer.length);
});
