// Commands of the pages work as they are printed, on any system, and name what the stack and the code have.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { limitSettings, textSettings } from '../../lib/aws/env-config.ts';
import { failureCodeNames } from '../../lib/payout/message/failures.ts';
import { blocksOf, pages } from './pages.ts';

const everything = pages.map(({ text }) => text).join('\n');

it('npx runs what is here alone: outside the clone it would fetch whatever somebody has published under the name', () => {
  expect(everything).toContain('npx --no payouts ');
  expect(everything).not.toMatch(/npx payouts/);
});

describe('a block of commands', () => {
  const blocks = blocksOf('sh').map(({ file, block }) => [file, block] as const);

  it('is taken by a plain shell', async () => {
    // One process looks at all: a hundred that are started from here cost a second.
    const folder = await mkdtemp(join(tmpdir(), 'blocks-'));
    for (const [place, [file, block]] of blocks.entries())
      await writeFile(join(folder, `${place} of ${file.replaceAll('/', '-')}`), block);
    const { stdout, stderr } = spawnSync('sh', ['-c', 'for file in *; do sh -n "$file" && echo "$file"; done'], {
      cwd: folder,
      encoding: 'utf8',
    });
    await rm(folder, { recursive: true });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toHaveLength(blocks.length);
  });

  it('is complete as printed: no place to be filled in, no comment that a shell may take for words', () => {
    const odd = blocks.flatMap(([file, block]) =>
      (block.match(/<[a-z][\w -]*>|…|\s#\s.*/gi) ?? []).map((it) => `${file}: ${it}`),
    );
    expect(odd).toEqual([]);
  });

  it('is for every system: nothing that GNU alone knows, no program that is not asked for', () => {
    const foreign = /\bdate -d|\bdate --|\bsed -[ir]\b|\bgrep -P|\breadlink -f|\bxargs -r|\bstat -c|\bjq\b/g;
    const odd = blocks.flatMap(([file, block]) => (block.match(foreign) ?? []).map((it) => `${file}: ${it}`));
    expect(odd).toEqual([]);
  });
});

describe('the example of a workflow', () => {
  const { jobs, permissions, concurrency } = parse(
    readFileSync(new URL('../../infra/docs/deploy-workflow.yml', import.meta.url), 'utf8'),
  );
  const steps: readonly { readonly run?: string; readonly with?: object }[] = jobs.deploy.steps;
  const commands = steps.flatMap(({ run }) => run ?? []);

  it('may ask for a role by OIDC, and holds no key', () => {
    expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(JSON.stringify(steps)).not.toMatch(/secrets\.|aws-(access|secret)/i);
    expect([jobs.deploy.environment, concurrency['cancel-in-progress']]).toEqual(['prod', false]);
  });

  it('runs commands that there are, with parameters that there are, and agrees to nothing by itself', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { default: parameters } = parse(readFileSync(new URL('../../infra/parameters.yml', import.meta.url), 'utf8'));
    const text = commands.join('\n');
    const named = (form: RegExp) => [...text.matchAll(form)].map(([, name = '']) => name);
    expect(named(/npm run (\w+)/g)).toEqual(['check', 'package', 'deploy']);
    expect(named(/npm run (\w+)/g).filter((name) => !(name in scripts))).toEqual([]);
    expect(named(/--param (\w+)=/g).filter((name) => !(name in parameters))).toEqual([]);
    expect(text).not.toContain('--yes');
  });
});

describe('what the pages call by name', () => {
  const infra = (name: string) => readFileSync(new URL(`../../infra/${name}`, import.meta.url), 'utf8');

  it('resources of the stack: each is in its templates', () => {
    const there = new Set([
      ...[
        ...(
          infra('queues.yml') +
          infra('parameters.yml') +
          infra('ledger.yml') +
          infra('events.yml') +
          infra('alarms.yml')
        ).matchAll(/[ ']payouts-\$\{sls:stage\}-([a-z-]+)/g),
      ].map(([, name = '']) => name),
      ...Object.keys(parse(infra('functions.yml'))),
    ]);
    const named = [...everything.matchAll(/payouts-(?:\$STAGE|<stage>)-([a-z]+(?:-[a-z]+)*)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });

  it('parameters of the stack: each is in parameters.yml', () => {
    const { default: parameters } = parse(infra('parameters.yml'));
    const named = [...everything.matchAll(/--param (\w+)=/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((name) => !(name in parameters))).toEqual([]);
  });

  it('settings and failure codes: each is one', () => {
    const there = new Set([...Object.keys({ ...textSettings, ...limitSettings }), ...failureCodeNames]);
    const foreign =
      /^(AWS_|PAYOUTS_STAGE$|NODE_TLS_REJECT_UNAUTHORIZED$|SIGN_VERIFY$|SIGTERM$|RSA_4096$|HTTP_4xx$|(DEPLOY|BACKUP)_ROLE_ARN$|OTHER_VAULT_ARN$)/;
    const named = [...everything.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_x]+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(60);
    expect([...new Set(named)].filter((name) => !there.has(name) && !foreign.test(name))).toEqual([]);
  });
});
