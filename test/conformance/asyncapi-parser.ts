// AsyncAPI's official parser, in a package folder of its own (asyncapi-parser/): 169 packages and 55 MB that one test
// needs. Nothing of it is run at install.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { run, type Tool } from './emulators/tool-cache.ts';

const packageDirectory = join(import.meta.dirname, 'asyncapi-parser');
const files = ['package.json', 'package-lock.json', '.npmrc'];

/** How it is installed. */
export const asyncApiParserTool: Tool = {
  name: 'AsyncAPI parser',
  needs: ['npm'],
  pins: files.map((file) => join(packageDirectory, file)),
  async install(directory) {
    for (const file of files) await copyFile(join(packageDirectory, file), join(directory, file));
    await run('npm', ['ci'], { cwd: directory });
  },
};

/** What the parser has to say of a text: severity 0 is an error, 1 a warning, 2 and 3 are hints. */
interface Diagnostic {
  readonly severity: number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** As much of the parser as is used here. */
interface Parser {
  parse(text: string): Promise<{
    readonly document?: { allOperations(): { all(): { id(): string }[] } };
    readonly diagnostics: readonly Diagnostic[];
  }>;
}

/** The parser as it is installed there. */
export async function asyncApiParser(directory: string): Promise<Parser> {
  const entry = pathToFileURL(join(directory, 'node_modules/@asyncapi/parser/esm/index.js')).href;
  const { Parser } = (await import(entry)) as { Parser: new () => Parser };
  return new Parser();
}
