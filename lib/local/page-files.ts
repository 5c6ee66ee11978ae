// The files of a console's page: three by fixed names, in the directory `page` beside the console's own code.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const files: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'console.html', type: 'text/html; charset=utf-8' },
  '/console.js': { name: 'console.js', type: 'text/javascript; charset=utf-8' },
  '/console.css': { name: 'console.css', type: 'text/css; charset=utf-8' },
};

/** The file that a path asks for, and its content type; undefined where it asks for none of them. */
export async function pageFile(
  pathname: string,
  directory: string,
): Promise<{ readonly type: string; readonly content: Buffer } | undefined> {
  const file = files[pathname];
  return file && { type: file.type, content: await readFile(join(directory, 'page', file.name)) };
}
