// The page on other tools: what it shows to CDK, Terraform and SAM parses, gives the stack every parameter that has no value of its
// own and none that it has not, and imports what the stack exports. And deploy.sh, run over a command line of AWS that only notes.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import intended from '../../lib/doctor/intended-stack.json' with { type: 'json' };
import { requiredParameters } from '../../infra/template.ts';
import { blocksOf, pageOf } from './pages.ts';

const page = 'infra/docs/other-tools.md';
const blockOf = (language: string) => blocksOf(language).find(({ file }) => file === page)?.block ?? '';
const required = [...requiredParameters].toSorted();
const exported = Object.values(intended.Outputs).flatMap((it) =>
  'Export' in it ? [it.Export.Name['Fn::Sub'].replace('${Stage}', 'prod')] : [],
);

it('the stack refuses to go without the parameters that are called required, an empty release among them', () => {
  const parameters: Readonly<Record<string, object>> = intended.Parameters;
  const without = Object.keys(parameters).filter((name) => !('Default' in (parameters[name] ?? {})));
  expect(without.toSorted()).toEqual(required);
  expect('').not.toMatch(new RegExp(intended.Parameters.Release.AllowedPattern));
  expect('aaaaaaaaaaaa-0123456789ab').toMatch(new RegExp(intended.Parameters.Release.AllowedPattern));
});

describe('the snippet', () => {
  it('for CDK is TypeScript, and names resources and parameters of the stack', async () => {
    await expect(transform(blockOf('ts'), { loader: 'ts' })).resolves.toMatchObject({ warnings: [] });
    const [, resource = ''] = /getResource\('(\w+)'\)/.exec(blockOf('ts')) ?? [];
    expect(Object.keys(intended.Resources)).toContain(resource);
    const given = [...pageOf(page).text.matchAll(/--parameters (\w+)=/g)].map(([, name]) => name);
    expect(given.toSorted()).toEqual(required);
  });

  it('for Terraform gives the parameters', () => {
    const [, parameters = ''] = /parameters = \{\n([^}]*)\}/.exec(blockOf('hcl')) ?? [];
    expect([...parameters.matchAll(/^ +(\w+) +=/gm)].map(([, name]) => name).toSorted()).toEqual(required);
    expect(exported).toContain(
      /data "aws_cloudformation_export" "\w+" \{\n +name = "([\w-]+)"/.exec(blockOf('hcl'))?.[1],
    );
  });

  it('for SAM gives the parameters, and imports what is exported', () => {
    const template = parse(blockOf('yaml'), { logLevel: 'silent' }) as {
      readonly Resources: { readonly Payouts: { readonly Properties: { readonly Parameters: object } } };
    };
    expect(Object.keys(template.Resources.Payouts.Properties.Parameters).toSorted()).toEqual(required);
    const imported = [...blockOf('yaml').matchAll(/Fn::ImportValue: ([\w-]+)/g)].map(([, name = '']) => name);
    expect(imported.length).toBeGreaterThan(1);
    expect(imported.filter((name) => !exported.includes(name))).toEqual([]);
  });

  it('of what others import is the list of exports', () => {
    const [, list = ''] = /## What others import\n\n([\s\S]+)$/.exec(pageOf(page).text) ?? [];
    const named = [...list.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => `payouts-prod-${name}`);
    expect(named.toSorted()).toEqual(exported.toSorted());
  });
});

describe('deploy.sh', () => {
  /** A release of which only the names matter, and a command line of AWS that notes what it is asked. */
  async function aRelease() {
    const directory = await mkdtemp(join(tmpdir(), 'payouts-release-'));
    const write = (name: string, text: string) => writeFile(join(directory, name), text);
    await copyFile('infra/deploy.sh', join(directory, 'deploy.sh'));
    for (const name of ['submit-0123456789ab.zip', 'submit-0123456789ab.map', 'template.json', 'stack-policy.json'])
      await write(name, name);
    await write('commit.txt', 'aaaaaaaaaaaa\n');
    const { stdout } = await promisify(execFile)('sha256sum', ['template.json', 'submit-0123456789ab.zip'], {
      cwd: directory,
    });
    await write('SHA256SUMS', stdout);
    // Knows no stack until one is deployed.
    const aws = `#!/bin/sh\necho "$@" >> ${directory}/asked\ncase "$2" in describe-stacks) test -e ${directory}/there;; deploy) touch ${directory}/there;; esac\n`;
    await write('aws', aws);
    await chmod(join(directory, 'aws'), 0o755);
    const asked = async () => (await readFile(join(directory, 'asked'), 'utf8')).trim().split('\n');
    const run = async (...parameters: readonly string[]) => {
      const env = { PATH: `${directory}:/usr/bin:/bin` };
      await write('asked', '');
      await promisify(execFile)('sh', ['deploy.sh', 'prod', 'bucket', ...parameters], { cwd: directory, env });
      const lines = await asked();
      return { lines, releases: lines.flatMap((line) => / Release=(\S+)/.exec(line)?.[1] ?? []) };
    };
    return { run, write };
  }

  it('uploads, makes the stack unprotected, protects it, and sets policy and protection', async () => {
    const { run } = await aRelease();
    const first = await run('OperatorEmail=elsewhere');
    expect(first.lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      's3 cp',
      's3 cp',
      'cloudformation describe-stacks',
      'cloudformation deploy',
      'cloudformation deploy',
      'cloudformation set-stack-policy',
      'cloudformation update-termination-protection',
    ]);
    const deployments = first.lines.filter((line) => line.startsWith('cloudformation deploy'));
    expect(deployments.map((line) => /LedgerProtection=\w+/.exec(line)?.[0])).toEqual([
      'LedgerProtection=false',
      'LedgerProtection=true',
    ]);
    const again = await run('OperatorEmail=elsewhere');
    expect(again.lines.filter((line) => line.startsWith('cloudformation deploy'))).toHaveLength(1);
  });

  it('makes one release of one package and one choice, and another of any other', async () => {
    const { run } = await aRelease();
    await run('OperatorEmail=elsewhere');
    const [same, other] = [
      await run('OperatorEmail=elsewhere'),
      await run('OperatorEmail=elsewhere', 'LogRetentionDays=731'),
    ];
    expect(same.releases).toEqual((await run('OperatorEmail=elsewhere')).releases);
    expect(other.releases).not.toEqual(same.releases);
    for (const it of [...same.releases, ...other.releases]) expect(it).toMatch(/^a{12}-[0-9a-f]{12}$/);
  });

  it('deploys nothing of a package that did not come whole', async () => {
    const { run, write } = await aRelease();
    await write('template.json', 'changed on its way');
    await expect(run()).rejects.toThrow('sha256sum');
  });
});
