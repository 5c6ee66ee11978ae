// The framework's own commands that would go around `npm run deploy` fail with one clear line.
import { describe, expect, it } from 'vitest';
import { PackagerMissing, runPackager } from '../../infra/packager.ts';
import { serviceCopy } from './synthesized.ts';

/** The framework works in the directory of its service: two at once would take each other's files away. */
const serviceDirectory = await serviceCopy();

/** What the packager says at last; undefined where it can't be installed. */
async function lastLine(...args: string[]): Promise<string | undefined> {
  try {
    const environment = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    const { code, output } = await runPackager(args, { serviceDirectory, quiet: true, environment });
    return `${code}: ${output.trim().split('\n').at(-1)}`;
  } catch (error) {
    if (error instanceof PackagerMissing) return undefined;
    throw error;
  }
}
const isHere = (await lastLine('print')) !== undefined;

describe.skipIf(!isHere)('the framework itself', () => {
  it.each([
    [['deploy']],
    [['deploy', 'function', '-f', 'submit']],
    [['rollback', '-t', '1']],
    [['rollback', 'function', '-f', 'submit', '--function-version', '1']],
    [['remove']],
  ])('refuses %s with what to do instead', async (args) => {
    const remedy = '"npm run deploy -- --stage STAGE" deploys; infra/docs/deploying.md has the rest';
    expect(await lastLine(...args)).toBe(`1: ${remedy}`);
  });
});
