// A directory of its own for each file of stories, gone when they are over.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** The directory, there once the stories have begun. */
export function aDirectory() {
  let path = '';
  beforeAll(async () => void (path = await mkdtemp(join(tmpdir(), 'payouts-cli-'))));
  afterAll(() => rm(path, { recursive: true, force: true }));
  return {
    path: () => path,
    /** Makes a folder in it; answers with its path. */
    async folder(name: string): Promise<string> {
      await mkdir(join(path, name));
      return join(path, name);
    },
    /** Writes a file into it, whole at once, as stories beside each other may write the same; answers with its path. */
    async file(name: string, text: string): Promise<string> {
      const whole = join(path, name);
      const begun = `${whole}.${randomUUID()}`;
      await writeFile(begun, text);
      await rename(begun, whole);
      return whole;
    },
  };
}
