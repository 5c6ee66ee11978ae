// What judges the documents that we publish: the schemas of AsyncAPI and CycloneDX, by those who wrote their rules. In a package
// folder of its own (document-checkers/), for one test each. Nothing of it is run at install.
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** AsyncAPI's own schema of a version. */
export function asyncApiSchema(directory: string, version: string): ValidateFunction {
  const file = join(directory, `node_modules/@asyncapi/specs/schemas/${version}.json`);
  // It brings the schemas of JSON Schema itself along.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, meta: false, validateSchema: false });
  return ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
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
