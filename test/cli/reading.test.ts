// What is read at a terminal: help of 80 columns, tables no wider than it, and colour for states where there is a terminal.
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { program } from '../../lib/cli/main.ts';
import { plainTable } from '../../lib/cli/plain-table.ts';
import { coloured, inParagraphs } from '../../lib/cli/reading.ts';
import { runHosted } from './support/cli.ts';

describe('help', () => {
  const paths: string[][] = [];
  const note = (it: Command, path: string[]): void => {
    paths.push(path);
    it.commands.forEach((child) => note(child, [...path, child.name()]));
  };
  note(program, []);

  it.each(paths.map((path) => [path.join(' '), path] as const))(
    'of "%s" fits a terminal of 80 columns',
    async (_, path) => {
      const { stdout } = await runHosted([...path, '--help']);
      const wide = stdout.split('\n').filter((line) => line.length > 80);
      expect(wide).toEqual([]);
    },
  );

  it('is broken at words, in its own columns', () => {
    const text =
      'One sentence that\ngoes on.\n\n  --name <x>  a long word after a long word\n  node . command that is never broken';
    expect(inParagraphs(text, 28)).toBe(
      'One sentence that goes on.\n\n  --name <x>  a long word\n              after a long\n              word\n  node . command that is never broken',
    );
  });
});

it('a table is no wider than the terminal: its widest texts are broken at words', () => {
  const why = 'the gateway was asked four times and does not say how it ended, so that a person must';
  const table = plainTable(
    ['what', 'since', 'why'],
    ['left', 'right', 'left'],
    [['acme-eu/INV-1', '10 min ago', why]],
    60,
  );
  const lines = table.split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
  expect(table.replaceAll(/\s+/g, ' ')).toContain('acme-eu/INV-1 10 min ago');
  expect(plainTable(['why'], ['left'], [[why]])).toContain(why);
});

describe('states', () => {
  const text = '  now held · revision 1\n  ✔ agree\n  acme-eu  39915  open  the held-up lane';

  it('have colour on a terminal, and words within a sentence have none', () => {
    const shown = coloured(text, { isTTY: true });
    expect(shown).toContain('now \u001b[33mheld\u001b[39m');
    expect(shown).toContain('\u001b[32m✔\u001b[39m agree');
    expect(shown).toContain('\u001b[32mopen\u001b[39m  the held-up lane');
  });

  it('have the colour that the console gives them', () => {
    const now = (word: string) => coloured(`  now ${word}`, { isTTY: true });
    expect([now('id-taken'), now('dead-letter'), now('cancelled')]).toEqual([
      '  now \u001b[31mid-taken\u001b[39m',
      '  now \u001b[33mdead-letter\u001b[39m',
      '  now cancelled',
    ]);
  });

  it('have none where a program reads, or NO_COLOR is set', () => {
    expect(coloured(text, { isTTY: false })).toBe(text);
    process.env['NO_COLOR'] = '1';
    expect(coloured(text, { isTTY: true })).toBe(text);
    delete process.env['NO_COLOR'];
  });
});
