// Any text of Unicode, for property tests. fast-check's own (`unit: 'binary'`) lists all 1.1 million code points first: a second of
// CPU in each process, and most of what a file of rules takes alone.
import * as fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/** Any code point but half a character. */
const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((n) => String.fromCodePoint(n < surrogates.first ? n : n + surrogates.count));
/** One time in three of ASCII, which holds most of what a parser looks for. */
const character = fc.oneof(
  { weight: 2, arbitrary: codePoint },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0x7f }).map((n) => String.fromCodePoint(n)) },
);

/** Well-formed text of any characters, control characters and unassigned ones too. */
export const anyText = (constraints: Omit<fc.StringConstraints, 'unit'> = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character });
