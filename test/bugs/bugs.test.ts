// The command from outside, as its user sees it: what is found, what survives, and that nothing is left behind.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { wholeIt } from '../support/long-proof.ts';

const timeout = 900_000;
let folder = '';
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'edits-'))));
afterEach(() => rm(folder, { recursive: true }));

async function bugs(...args: string[]): Promise<{ readonly exitCode: number | null; readonly said: string }> {
  const child = spawn(process.execPath, ['test/bugs/run.ts', '--worlds', '0', ...args]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (said += chunk));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, said };
}

const stateOfFiles = () => execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
const copies = () => readdirSync(tmpdir()).filter((it) => it.startsWith('bugs-'));

/** One line of a file changed, as git diff prints it. */
async function edit(name: string, file: string, was: string, is: string): Promise<string> {
  const at = readFileSync(file, 'utf8').split('\n').indexOf(was) + 1;
  const path = join(folder, name);
  await writeFile(path, `--- a/${file}\n+++ b/${file}\n@@ -${at},1 +${at},1 @@\n-${was}\n+${is}\n`);
  return path;
}

it('says which file there is not', async () => {
  expect(await bugs('--edit', 'nowhere.diff')).toEqual({ exitCode: 2, said: 'no such file: nowhere.diff\n' });
});

it('says what an edit must look like', async () => {
  const absent = await edit('words.diff', 'lib/oauth1/parameters.ts', 'no line of this file', 'another');
  const { exitCode, said } = await bugs('--edit', absent);
  expect(exitCode).toBe(2);
  expect(said).toContain('give it as git diff prints it');
});

wholeIt('draws by the seed, and names what found each', { timeout }, async () => {
  const [before, had] = [stateOfFiles(), copies()];
  const { exitCode, said } = await bugs('--seed', '8e889ad', '--count', '2', 'lib/oauth1/parameters.ts');
  const ends = [...said.matchAll(/^(found|SURVIVED) {2}lib\/oauth1\/parameters\.ts:\d+ .* → .*$/gm)].map(
    ([, it]) => it,
  );
  expect(ends).toHaveLength(2);
  expect(said.match(/^ {7}by test\/.*\.test\.ts: .+$/gm) ?? []).toHaveLength(
    ends.filter((it) => it === 'found').length,
  );
  expect(said).toContain('Seed 8e889ad.');
  expect(exitCode).toBe(ends.includes('SURVIVED') ? 1 : 0);
  expect(stateOfFiles()).toBe(before);
  expect(copies()).toEqual(had);
});

it('plants each edit by itself, and names what found it', { timeout }, async () => {
  const file = 'lib/oauth1/parameters.ts';
  const escapes = "  return encodeURIComponent(text).replace(/[!'()*]/g, escaped);";
  const escape = await edit('escape.diff', file, escapes, '  return encodeURIComponent(text);');
  const sorts =
    '    ([name, value], [otherName, otherValue]) => compared(name, otherName) || compared(value, otherValue),';
  const sort = await edit('sort.diff', file, sorts, sorts.replace('name, otherName', 'otherName, name'));
  const { exitCode, said } = await bugs('--edit', escape, '--edit', sort);
  expect(said).toContain(`found  ${escape}\n       by test/oauth1/`);
  expect(said).toMatch(/found {2}.*sort\.diff\n {7}by test\//);
  expect(exitCode).toBe(0);
});
