// The published schemas of ISO 20022, out of a package of PyPI that carries them. Nothing of its code is run.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonTool } from './python-tool.ts';

/** How it is installed. */
export const pain001Tool = pythonTool('pain001');

/** The schema of a message, as in `pain.001.001.03`. */
export function iso20022Schema(directory: string, message: string): string {
  const [found] = globSync(`venv/lib/python3*/site-packages/pain001/**/${message}.xsd`, { cwd: directory });
  if (found === undefined) throw new Error(`the package has no schema of ${message}`);
  return readFileSync(join(directory, found), 'utf8');
}
