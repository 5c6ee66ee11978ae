// The habit before a commit, as a developer meets it: what it prints, how it ends, and that it leaves nothing behind.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { copiesIn } from './options.ts';

const timeout = 240_000;

async function sampled(...args: string[]): Promise<{ readonly exitCode: number | null; readonly said: string }> {
  const child = spawn(process.execPath, ['test/mutation/sample.ts', ...args]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (said += chunk));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, said };
}

const stateOfFiles = () => execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });

it('tells what it is for', async () => {
  const { exitCode, said } = await sampled('--help');
  expect({ exitCode, said }).toEqual({ exitCode: 0, said: expect.stringMatching(/--lines.*\n.*--seed/) });
});

it('says which file there is not', async () => {
  expect(await sampled('lib/payout/nowhere.ts')).toEqual({
    exitCode: 2,
    said: 'no such file of lib/: lib/payout/nowhere.ts\n',
  });
});

it('says which files have no quick tests, instead of calling them tested', async () => {
  const { exitCode, said } = await sampled('lib/cli/main.ts');
  expect(said).toContain('Left out, as no quick tests are about them: lib/cli/main.ts');
  expect(exitCode).toBe(0);
});

it('plants faults, and shows each that survives where it is', { timeout }, async () => {
  const before = stateOfFiles();
  const { exitCode, said } = await sampled('lib/client/read-result.ts', '--lines', '4', '--seed', '2');
  const [, tried, survived] = /^(\d+) faults on 4 lines, (\d+) survived\. Seed 2\.$/m.exec(said) ?? [];
  expect(Number(tried)).toBeGreaterThan(5);
  expect(exitCode).toBe(Number(survived) > 0 ? 1 : 0);
  expect(said.match(/^lib\/client\/read-result\.ts:\d+:\d+ .*\n {2}- .*\n {2}\+ .*$/gm) ?? []).toHaveLength(
    Number(survived),
  );
  expect(stateOfFiles()).toBe(before);
  expect(existsSync(copiesIn)).toBe(false);
});

it('leaves nothing behind when it is stopped in the middle', { timeout }, async () => {
  const before = stateOfFiles();
  const child = spawn(process.execPath, ['test/mutation/sample.ts', 'lib/client/read-result.ts']);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void (said += chunk));
  const ended = once(child, 'close') as Promise<[number | null]>;
  while (!existsSync(copiesIn)) await pause(50);
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(130);
  expect(said).toContain('No file of yours was touched');
  expect(stateOfFiles()).toBe(before);
  expect(existsSync(copiesIn)).toBe(false);
});
