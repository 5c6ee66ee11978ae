// Files of a local run hold results, ids and log lines of the person who runs it: no other user of the machine reads them.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Makes the file, empty, for its owner alone; also a missing folder, and `.local` in any case. */
export async function ownFile(path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (basename(folder) === '.local') await chmod(folder, 0o700);
  await writeFile(path, '', { mode: 0o600 });
  await chmod(path, 0o600);
}
