// The framework's own commands either work or fail with one clear line.
import { describe, expect, it } from 'vitest';
import { PackagerMissing, runPackager } from '../../infra/packager.ts';

/** What the packager says at last; undefined where it can't be installed. */
async function lastLine(...args: string[]): Promise<string | undefined> {
  try {
    const environment = { DEPLOYED_BY: '', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    const { code, output } = await runPackager([...args, '--stage', 'dev'], { quiet: true, environment });
    return `${code}: ${output.trim().split('\n').at(-1)}`;
  } catch (error) {
    if (error instanceof PackagerMissing) return undefined;
    throw error;
  }
}
const isHere = (await lastLine('print')) !== undefined;

describe.skipIf(!isHere)('the framework itself', () => {
  it.each([
    [['deploy'], 'deploy by "npm run deploy -- --stage STAGE": it shows what changes, and asks the doctor'],
    [['deploy', 'function', '-f', 'submit'], 'one function is never deployed alone: "npm run deploy -- --stage STAGE"'],
    [['rollback', '-t', '1'], 'roll back by "npx --no payouts roll-back --stack payouts-STAGE"'],
    [
      ['rollback', 'function', '-f', 'submit', '--function-version', '1'],
      'roll back by "npx --no payouts roll-back --stack payouts-STAGE"',
    ],
  ])('refuses %s with what to do instead', async (args, remedy) => {
    expect(await lastLine(...args)).toBe(`1: ${remedy}`);
  });
});
