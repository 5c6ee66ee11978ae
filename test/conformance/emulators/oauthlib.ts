// oauthlib from PyPI, and the small gateway around its signature check.
import { join } from 'node:path';
import { type EmulatorProcess, startEmulator } from './emulator-process.ts';
import { pythonTool } from './python-tool.ts';

/** How it is installed. */
export const oauthlibTool = pythonTool('oauthlib');

/** Starts the gateway; `keysFile` may be written later, it is read for each request. */
export const startOauthlibGateway = (directory: string, keysFile: string): Promise<EmulatorProcess> =>
  startEmulator('oauthlib gateway', (port) => ({
    program: join(directory, 'venv/bin/python'),
    args: [join(import.meta.dirname, 'oauthlib_gateway.py'), String(port), keysFile],
    cwd: directory,
  }));
