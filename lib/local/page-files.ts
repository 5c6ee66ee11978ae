// The files of a console's page: three by fixed names, in the directory `page` beside the console's own code, and the look that the
// consoles share.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const files: Readonly<Record<string, { readonly name: string; readonly type: string; readonly isShared?: true }>> = {
  '/': { name: 'console.html', type: 'text/html; charset=utf-8' },
  '/console.js': { name: 'console.js', type: 'text/javascript; charset=utf-8' },
  '/console.css': { name: 'console.css', type: 'text/css; charset=utf-8' },
  '/look.css': { name: 'look.css', type: 'text/css; charset=utf-8', isShared: true },
};

/** The file that a path asks for, and its content type; undefined where it asks for none of them. */
export async function pageFile(
  pathname: string,
  directory: string,
): Promise<{ readonly type: string; readonly content: Buffer } | undefined> {
  const file = files[pathname];
  if (!file) return undefined;
  const content = await readFile(join(file.isShared ? import.meta.dirname : directory, 'page', file.name));
  return { type: file.type, content };
}
