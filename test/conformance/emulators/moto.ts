// moto's server: SQS, DynamoDB and Secrets Manager behind one address, from PyPI, in a virtual environment of its own.
import { join } from 'node:path';
import { type EmulatorProcess, startEmulator } from './emulator-process.ts';
import { run, type Tool } from './tool-cache.ts';

const requirements = join(import.meta.dirname, 'moto-requirements.txt');

/** How it is installed: exactly the packages of the list, nothing resolved. */
export const motoTool: Tool = {
  name: 'moto',
  needs: ['python3'],
  pins: [requirements],
  async install(directory) {
    await run('python3', ['-m', 'venv', 'venv'], { cwd: directory });
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-compile', '--no-deps'];
    await run('venv/bin/python', ['-m', 'pip', 'install', ...quiet, '-r', requirements], { cwd: directory });
  },
};

/** Starts it. */
export const startMoto = (directory: string): Promise<EmulatorProcess> =>
  startEmulator('moto', (port) => ({
    program: join(directory, 'venv/bin/python'),
    args: [join(import.meta.dirname, 'moto_server.py'), String(port)],
    cwd: directory,
    env: { PYTHONUNBUFFERED: '1' },
  }));
