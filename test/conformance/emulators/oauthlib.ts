// oauthlib from PyPI, and the small gateway around its signature check.
import { join } from 'node:path';
import { type EmulatorProcess, startEmulator } from './emulator-process.ts';
import { run, type Tool } from './tool-cache.ts';

const requirements = join(import.meta.dirname, 'oauthlib-requirements.txt');

/** How it is installed: exactly the packages of the list, nothing resolved. */
export const oauthlibTool: Tool = {
  name: 'oauthlib',
  needs: ['python3'],
  pins: [requirements],
  async install(directory) {
    await run('python3', ['-m', 'venv', 'venv'], { cwd: directory });
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-compile', '--no-deps'];
    await run('venv/bin/python', ['-m', 'pip', 'install', ...quiet, '-r', requirements], { cwd: directory });
  },
};

/** Starts the gateway; `keysFile` may be written later, it is read for each request. */
export const startOauthlibGateway = (directory: string, keysFile: string): Promise<EmulatorProcess> =>
  startEmulator('oauthlib gateway', (port) => ({
    program: join(directory, 'venv/bin/python'),
    args: [join(import.meta.dirname, 'oauthlib_gateway.py'), String(port), keysFile],
    cwd: directory,
  }));
