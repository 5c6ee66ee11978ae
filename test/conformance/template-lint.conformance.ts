// The template as cfn-lint and checkov see it, for every stage and with every part of it switched on.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { synthesized } from '../infra/synthesized.ts';
import { pageOf } from '../docs/pages.ts';
import { audited } from './emulators/checkov.ts';
import { lint } from './emulators/cfn-lint.ts';

const directory = inject('cfnLint');
const dev = directory === null ? undefined : await synthesized(['--stage', 'dev']);

const ignored = [
  // A dependency that a GetAtt implies already: the packager adds it to every function with a role of its own.
  'W3005',
];

const params = (...said: readonly string[]) => said.flatMap((it) => ['--param', it]);
const own = 'arn:aws:iam::111122223333:role/';
const everything = params(
  'rollout=Canary10Percent5Minutes',
  'resultsBus=shop',
  'orderPaidJobs=ENABLED',
  'network=made',
  'gatewayPort=8443',
  'callbacks=ENABLED',
  'callbackConcurrency=5',
  'tags=team=payments',
  'operatorEmail=a@example.com',
  `producerArns=${own}shop`,
  `consumerArns=${own}books`,
  `approverArns=${own}approver-*`,
  `cloudFormationRole=${own}deploy`,
  'permissionsBoundary=arn:aws:iam::111122223333:policy/edge',
  'signingKeyArns=arn:aws:kms:eu-central-1:111122223333:key/11111111-2222-3333-4444-555555555555',
);

describe.skipIf(!dev)('cfn-lint', () => {
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
  }, 600_000);

  async function brokenTemplate(): Promise<string> {
    // As it is packaged: what the tests read bears the values of its parameters.
    const text = await readFile(dev?.templateFile ?? '', 'utf8');
    const template = JSON.parse(text) as { Resources: Record<string, { Properties: object }> };
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

const checkov = inject('checkov');

/** Each finding that the page gives a reason for. */
function explained(): readonly string[] {
  const rows = pageOf('infra/docs/security.md').text.matchAll(/^\| (CKV_\w+) \|[^|]*\| ([^|]+) \| \S[^|]{20,}\|$/gm);
  return [...rows].flatMap(([, id, names = '']) =>
    names.split(', ').map((name) => `${id} ${name.replaceAll('`', '').trim()}`),
  );
}

describe.skipIf(!dev || checkov === null)('checkov', () => {
  const found = async (...args: readonly string[]) => {
    const packaged = await synthesized(args);
    const { findings, checks } = await audited(checkov ?? '', packaged?.templateFile ?? '');
    expect(checks).toBeGreaterThan(100);
    return findings;
  };

  it('finds with everything on what infra/docs/security.md explains, all of it', { timeout: 600_000 }, async () => {
    expect(await found('--stage', 'full', ...everything)).toEqual(explained().toSorted());
  });

  it('finds nothing else as it ships', { timeout: 600_000 }, async () => {
    const known = new Set(explained());
    expect((await found('--stage', 'prod')).filter((it) => !known.has(it))).toEqual([]);
  });
});
