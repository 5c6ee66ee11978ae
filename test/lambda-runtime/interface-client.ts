// AWS's runtime interface client for Node (`aws-lambda-ric`): the program that Lambda's own images run a handler with.
// Its install compiles curl and a native addon, so it is a package of its own (interface-client/), out of `npm ci`.
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { directoriesOnPath, run, type Tool } from '../conformance/emulators/tool-cache.ts';

const packageDirectory = join(import.meta.dirname, 'interface-client');
const files = ['package.json', 'package-lock.json', '.npmrc'];

/** How it is installed: under a minute on two cores. */
export const interfaceClientTool: Tool = {
  name: 'Lambda runtime interface client',
  needs: ['npm', 'cmake', 'make', 'g++', 'python3', 'xz'],
  pins: files.map((file) => join(packageDirectory, file)),
  async install(directory) {
    for (const file of files) await copyFile(join(packageDirectory, file), join(directory, file));
    await run('npm', ['ci'], { cwd: directory, env: headers() });
  },
};

/** The module that is run as the function's process. */
export const interfaceClientModule = (directory: string): string =>
  join(directory, 'node_modules/aws-lambda-ric/index.mjs');

/**
 * The addon speaks Node-API, which is the same in every Node, but Node 24 out of npm brings no C headers and node-gyp
 * would download them: those of a Node installed on the machine do.
 */
function headers(): Record<string, string> {
  const prefixes = directoriesOnPath().map(dirname);
  const prefix = prefixes.find((it) => existsSync(join(it, 'include/node/node_api.h')));
  return prefix === undefined ? {} : { npm_config_nodedir: prefix };
}
