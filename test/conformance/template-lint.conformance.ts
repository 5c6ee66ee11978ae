// The template as cfn-lint sees it, for every stage and with every part of it switched on.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { synthesized } from '../infra/synthesized.ts';
import { lint } from './emulators/cfn-lint.ts';

const directory = inject('cfnLint');
const dev = directory === null ? undefined : await synthesized(['--stage', 'dev']);

const ignored = [
  // A dependency that a GetAtt implies already: the packager adds it to every function with a role of its own.
  'W3005',
];

describe.skipIf(!dev)('cfn-lint', () => {
  const params = (...said: readonly string[]) => said.flatMap((it) => ['--param', it]);
  const everything = params('tracing=Active', 'resultsBus=shop', 'orderPaidRule=ENABLED', 'network=made');
  const given = params('network=given', 'subnetIds=subnet-0aaaaaaa,subnet-0bbbbbbb', 'securityGroupIds=sg-01234567');
  let files: Record<'dev' | 'prod' | 'everything on' | 'network given' | 'broken', string>;
  let findings: readonly string[];

  beforeAll(async () => {
    const prod = await synthesized(['--stage', 'prod']);
    const full = await synthesized(['--stage', 'full', ...everything]);
    files = {
      dev: dev?.templateFile ?? '',
      prod: prod?.templateFile ?? '',
      'everything on': full?.templateFile ?? '',
      'network given': (await synthesized(['--stage', 'full', ...given]))?.templateFile ?? '',
      broken: await brokenTemplate(),
    };
    // One call: most of its time goes into reading the schemas.
    findings = await lint(directory ?? '', Object.values(files), ignored);
  }, 180_000);

  async function brokenTemplate(): Promise<string> {
    const template = structuredClone(dev?.template) as { Resources: Record<string, { Properties: object }> };
    Object.assign(template.Resources['JobsQueue']?.Properties ?? {}, { VisibilityTimeOut: 730 });
    const file = join(await mkdtemp(join(tmpdir(), 'payouts-lint-')), 'template.json');
    await writeFile(file, JSON.stringify(template));
    return file;
  }

  it.each(['dev', 'prod', 'everything on', 'network given'] as const)(
    'finds nothing in the template of %s',
    (stage) => {
      expect(findings.filter((line) => line.startsWith(files[stage]))).toEqual([]);
    },
  );

  it('is awake: all that it finds is a property that does not exist', () => {
    expect(findings).toEqual([expect.stringMatching(/^.*template\.json:.*'VisibilityTimeOut' was unexpected.*$/)]);
    expect(findings[0]?.startsWith(files.broken)).toBe(true);
  });
});
