// The template of every stage file as cfn-lint and checkov see it.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { packaged, stageNames } from '../infra/packaged.ts';
import { pageOf } from '../docs/pages.ts';
import { audited } from './emulators/checkov.ts';
import { lint } from './emulators/cfn-lint.ts';

const directory = inject('cfnLint');

const ignored = [
  // A dependency that a GetAtt implies already: osls adds it to every function with a role of its own.
  'W3005',
];

describe.skipIf(directory === null)('cfn-lint', () => {
  const files = Object.fromEntries(stageNames.map((stage) => [stage, packaged(stage).templateFile]));
  let broken: string;
  let findings: readonly string[];

  beforeAll(async () => {
    const template = structuredClone(packaged('prod').template);
    Object.assign(template.Resources['JobsQueue']?.Properties ?? {}, { VisibilityTimeOut: 730 });
    broken = join(await mkdtemp(join(tmpdir(), 'payouts-lint-')), 'template.json');
    await writeFile(broken, JSON.stringify(template));
    // One call: most of its time goes into reading the schemas.
    findings = await lint(directory ?? '', [...Object.values(files), broken], ignored);
  }, 600_000);

  it.each(stageNames)('finds nothing in the template of %s', (stage) => {
    expect(findings.filter((line) => line.startsWith(files[stage] ?? ''))).toEqual([]);
  });

  it('is awake: all that it finds is a property that does not exist', () => {
    expect(findings).toEqual([expect.stringMatching(/^.*template\.json:.*'VisibilityTimeOut' was unexpected.*$/)]);
    expect(findings[0]?.startsWith(broken)).toBe(true);
  });
});

const checkov = inject('checkov');

/** Each finding that the page gives a reason for. */
function explained(): readonly string[] {
  const rows = pageOf('infra/docs/security.md').text.matchAll(/^\| (CKV_\w+) \|[^|]*\| ([^|]+) \| \S[^|]{20,}\|$/gm);
  return [...rows].flatMap(([, id, names = '']) =>
    names.split(', ').map((name) => `${id} ${name.replaceAll('`', '').trim()}`),
  );
}

describe.skipIf(checkov === null)('checkov', () => {
  const found = async (stage: string) => {
    const { findings, checks } = await audited(checkov ?? '', packaged(stage).templateFile);
    expect(checks).toBeGreaterThan(100);
    return findings;
  };

  it(
    'finds with every option in use what infra/docs/security.md explains, all of it',
    { timeout: 600_000 },
    async () => {
      expect(await found('example')).toEqual(explained().toSorted());
    },
  );

  it(
    'finds in prod, where options are off, what the page says of that, and nothing else',
    { timeout: 600_000 },
    async () => {
      const known = new Set([
        ...explained(),
        'CKV_AWS_115 DoorLambdaFunction',
        'CKV_AWS_117 InquireLambdaFunction',
        'CKV_AWS_117 SubmitLambdaFunction',
      ]);
      expect((await found('prod')).filter((it) => !known.has(it))).toEqual([]);
    },
  );
});
