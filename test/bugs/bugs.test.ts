// Bugs from outside, as whoever plants them meets the command: what is found, what survives, and that nothing is left behind.
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

const diff = (was: string, is: string) => `--- a/lib/payout/message/plain-digest.ts
+++ b/lib/payout/message/plain-digest.ts
@@ -0,1 +0,1 @@
-${was}
+${is}
`;

/** As git diff prints it, found by its text. */
const edit = (file: string, was: readonly string[], is: readonly string[]) => {
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.indexOf(was[0] ?? '') + 1;
  const sides = [...was.map((it) => `-${it}`), ...is.map((it) => `+${it}`)].join('\n');
  return `--- a/${file}\n+++ b/${file}\n@@ -${at},${was.length} +${at},${is.length} @@\n${sides}\n`;
};

it('says which file there is not', async () => {
  expect(await bugs('--edit', 'nowhere.diff')).toEqual({ exitCode: 2, said: 'no such file: nowhere.diff\n' });
});

it('says what an edit must look like', async () => {
  const edit = join(folder, 'words.diff');
  await writeFile(edit, diff('no line of this file', 'another'));
  const { exitCode, said } = await bugs('--edit', edit);
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
  const [escape, sort] = [join(folder, 'escape.diff'), join(folder, 'sort.diff')];
  await writeFile(
    escape,
    edit(
      'lib/oauth1/parameters.ts',
      ["  return encodeURIComponent(text).replace(/[!'()*]/g, escaped);"],
      ['  return encodeURIComponent(text);'],
    ),
  );
  await writeFile(
    sort,
    edit(
      'lib/oauth1/parameters.ts',
      ['    ([name, value], [otherName, otherValue]) => compared(name, otherName) || compared(value, otherValue),'],
      ['    ([name, value], [otherName, otherValue]) => compared(otherName, name) || compared(value, otherValue),'],
    ),
  );
  const { exitCode, said } = await bugs('--edit', escape, '--edit', sort);
  expect(said).toContain(`found  ${escape}\n       by test/oauth1/`);
  expect(said).toMatch(/found {2}.*sort\.diff\n {7}by test\//);
  expect(exitCode).toBe(0);
});
