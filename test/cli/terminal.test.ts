// Words of strangers on a terminal: no sequence of theirs moves the cursor, hides a line or turns the direction of writing.
import { describe, expect, it } from 'vitest';
import { shownSafely } from '../../lib/cli/terminal.ts';

describe('a text loses', () => {
  it.each([
    ['control sequences', 'paid\u001b[2K\u001b[1A no', 'paid[2K[1A no'],
    ['the same in eight bits', 'paid\u009b2K no', 'paid2K no'],
    ['a title of the window', '\u001b]0;owned\u0007x', ']0;ownedx'],
    ['a line written over', 'declined\rapproved', 'declinedapproved'],
    ['directions of writing', 'INV-\u202e100\u202c \u2066x\u2069', 'INV-100 x'],
    ['what can not be seen', 'a\u200bb\u2060c\ufeff', 'abc'],
    ['line separators', 'a\u2028b', 'ab'],
  ])('%s', (_, text, shown) => {
    expect(shownSafely(text)).toBe(shown);
  });
});

it('keeps line feeds, tabs and every letter', () => {
  expect(shownSafely('  Приклад\t名前 ✔\n · 10.42\n')).toBe('  Приклад\t名前 ✔\n · 10.42\n');
});

it('JSON says the same as before', () => {
  const value = { message: 'a\u009bb\u202ec\u007f', orderId: 'INV-1' };
  const shown = shownSafely(JSON.stringify(value));
  expect(shown).not.toMatch(/[\u007f-\u009f\u202e]/);
  expect(JSON.parse(shown)).toEqual(value);
});
