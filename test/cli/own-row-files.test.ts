// Files that may hold what somebody wrote in the wrong place are their owner's alone, and nothing is written through a link that
// another has laid there.
import { lstat, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLineFile } from '../../lib/cli/batches/row-list.ts';
import { openRowOutput } from '../../lib/cli/row-output.ts';
import { aDirectory } from './support/files.ts';

const files = aDirectory();

it('faults and rejects go into a file of their owner alone, whatever lay there', async () => {
  const path = join(files.path(), 'faults.csv');
  await writeFile(path, 'before', { mode: 0o666 });
  const file = await openLineFile(path, 'a,b\n');
  await file.close();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toBe('a,b\n');
});

it('a link in their place goes; what it points to stays as it was', async () => {
  const [elsewhere, path] = [join(files.path(), 'elsewhere'), join(files.path(), 'rejects.csv')];
  await writeFile(elsewhere, 'mine');
  await symlink(elsewhere, path);
  const file = await openLineFile(path, 'a,b\n');
  await file.close();
  expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  expect((await lstat(path)).isSymbolicLink()).toBe(false);
});

it('nor is a link beside it written through, where the file is made before it is put there', async () => {
  const [elsewhere, path] = [join(files.path(), 'elsewhere-2'), join(files.path(), 'report.csv')];
  await writeFile(elsewhere, 'mine');
  await symlink(elsewhere, `${path}.${process.pid}.part`);
  const file = await openRowOutput(path);
  await file.write('a\n');
  await file.close();
  expect([await readFile(elsewhere, 'utf8'), await readFile(path, 'utf8')]).toEqual(['mine', 'a\n']);
});
