// Checkov, which looks at a template for what auditors ask of everybody: from PyPI, in a virtual environment of its own.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonTool } from './python-tool.ts';

/** How it is installed. */
export const checkovTool = pythonTool('checkov');

interface Report {
  readonly results: {
    readonly failed_checks: readonly { readonly check_id: string; readonly resource: string }[];
  };
  readonly summary: { readonly passed: number; readonly failed: number };
}

/** What it finds in a template: `CKV_AWS_28 CardKeysTable`, and how many checks it made. It makes no request. */
export async function audited(
  directory: string,
  templateFile: string,
): Promise<{ readonly findings: readonly string[]; readonly checks: number }> {
  const options = ['--framework', 'cloudformation', '--compact', '--quiet', '--skip-download', '--output', 'json'];
  const program = join(directory, 'venv/bin/checkov');
  const { stdout } = await promisify(execFile)(program, ['--file', templateFile, ...options, '--soft-fail'], {
    maxBuffer: 50_000_000,
  });
  const { results, summary } = JSON.parse(stdout) as Report;
  const findings = results.failed_checks.map((it) => `${it.check_id} ${it.resource.split('.').pop()}`);
  return { findings: findings.toSorted(), checks: summary.passed + summary.failed };
}
