// moto's server: SQS, DynamoDB and Secrets Manager behind one address, from PyPI, in a virtual environment of its own.
import { join } from 'node:path';
import { type EmulatorProcess, startEmulator } from './emulator-process.ts';
import { pythonTool } from './python-tool.ts';

/** How it is installed. */
export const motoTool = pythonTool('moto');

/** Starts it. */
export const startMoto = (directory: string): Promise<EmulatorProcess> =>
  startEmulator('moto', (port) => ({
    program: join(directory, 'venv/bin/python'),
    args: [join(import.meta.dirname, 'moto_server.py'), String(port)],
    cwd: directory,
    env: { PYTHONUNBUFFERED: '1' },
  }));
