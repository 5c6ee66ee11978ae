// A program from PyPI in a virtual environment of its own: exactly the packages of a list, nothing resolved.
import { join } from 'node:path';
import { run, type Tool } from './tool-cache.ts';

/** The tool whose packages `<name>-requirements.txt` beside this file pins; its interpreter is `venv/bin/python`. */
export function pythonTool(name: string): Tool {
  const requirements = join(import.meta.dirname, `${name}-requirements.txt`);
  return {
    name,
    needs: ['python3'],
    pins: [requirements],
    async install(directory) {
      await run('python3', ['-m', 'venv', 'venv'], { cwd: directory });
      const quiet = ['--quiet', '--disable-pip-version-check', '--no-compile', '--no-deps'];
      await run('venv/bin/python', ['-m', 'pip', 'install', ...quiet, '-r', requirements], { cwd: directory });
    },
  };
}
