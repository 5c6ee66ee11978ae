// AWS's linter of CloudFormation templates: it knows every resource's schema and each region's limits. moto's CloudFormation
// validates by it, so it is installed with moto.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What it says of the templates, a line each: file, place, rule, sentence. */
export async function lint(
  directory: string,
  templateFiles: readonly string[],
  ignored: readonly string[],
): Promise<readonly string[]> {
  const options = ['--ignore-checks', ...ignored, '--regions', 'eu-central-1', 'us-east-1', '--format', 'parseable'];
  const args = [...options, '--template', ...templateFiles];
  const { stdout, stderr } = await promisify(execFile)(join(directory, 'venv/bin/cfn-lint'), args).catch(
    // It ends with a number when it finds something; without a line it was not the linter that ended so.
    (error: { stdout?: string; stderr?: string }) => ({
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? String(error),
    }),
  );
  return `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
}
