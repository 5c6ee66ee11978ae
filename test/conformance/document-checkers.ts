// What judges the documents that we publish: AsyncAPI's official parser and CycloneDX's own schema. In a package folder
// of its own (document-checkers/): 170 packages and 62 MB for one test each. Nothing of it is run at install.
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { run, type Tool } from './emulators/tool-cache.ts';

const packageDirectory = join(import.meta.dirname, 'document-checkers');
const files = ['package.json', 'package-lock.json', '.npmrc'];

/** How they are installed. */
export const documentCheckersTool: Tool = {
  name: 'Document checkers',
  needs: ['npm'],
  pins: files.map((file) => join(packageDirectory, file)),
  async install(directory) {
    for (const file of files) await copyFile(join(packageDirectory, file), join(directory, file));
    await run('npm', ['ci', '--ignore-scripts'], { cwd: directory });
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

/** AsyncAPI's parser as it is installed there. */
export async function asyncApiParser(directory: string): Promise<Parser> {
  const entry = pathToFileURL(join(directory, 'node_modules/@asyncapi/parser/esm/index.js')).href;
  const { Parser } = (await import(entry)) as { Parser: new () => Parser };
  return new Parser();
}

/** CycloneDX's schema of a version, with the two that it leans on. */
export function cycloneDxCheck(directory: string, version: string): ValidateFunction {
  const schemaOf = (name: string) =>
    JSON.parse(
      readFileSync(join(directory, `node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.schema.json`), 'utf8'),
    );
  // Its own keywords and formats (an address with umlauts, say) are annotations to us.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  for (const name of ['spdx.SNAPSHOT', 'jsf-0.82.SNAPSHOT']) {
    ajv.addSchema({ ...schemaOf(name), $id: `http://cyclonedx.org/schema/${name}.schema.json` });
  }
  return ajv.compile(schemaOf(`bom-${version}.SNAPSHOT`));
}
