// What a page's commands call, one program at a time: `aws` is AWS's own command line, `node .` the tool, `npm run deploy` and
// `npm run preview` their programs without the build. Each call is written down with its exit code, and ends as it ended.
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const [program = '', ...args] = process.argv.slice(2);

/** The program that replaces it; undefined for what is there already. */
function commandOf(): readonly [string, readonly string[]] | undefined {
  // To SQS it goes by an address of its own, whatever AWS_ENDPOINT_URL says.
  const endpoint = ['--endpoint-url', process.env['AWS_ENDPOINT_URL'] ?? ''];
  if (program === 'aws') return [process.env['WALKED_AWS'] ?? 'aws', [...args, ...endpoint]];
  if (program === 'node') return [process.execPath, args];
  const [command, script, , ...rest] = args;
  if (program !== 'npm' || command !== 'run') return undefined;
  if (script === 'deploy')
    return [process.execPath, [join(root, 'node_modules/osls/bin/serverless.js'), 'deploy', '--force', ...rest]];
  if (script === 'preview') return [process.execPath, ['infra/preview.ts', ...rest]];
  return undefined;
}

const command = commandOf();
const ended = command
  ? spawnSync(command[0], command[1], { stdio: ['inherit', 'inherit', 'pipe'], encoding: 'utf8' })
  : { status: 0, stderr: '' };
process.stderr.write(ended.stderr);
const line = { words: [program, ...args].join(' '), code: ended.status, stderr: ended.stderr };
appendFileSync(process.env['WALKED_LOG'] ?? '', `${JSON.stringify(line)}\n`);
process.exitCode = ended.status ?? 1;
