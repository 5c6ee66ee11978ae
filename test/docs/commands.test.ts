// Commands of the pages work as they are printed, on any system, and name what the stack and the code have.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limitSettings, textSettings } from '../../lib/aws/env-config.ts';
import { failureCodeNames } from '../../lib/payout/message/failures.ts';
import { tool } from '../../lib/payout/operate/spelling.ts';
import { packaged } from '../infra/packaged.ts';
import { blocksOf, pages } from './pages.ts';

const everything = pages.map(({ text }) => text).join('\n');

describe('the tool is called', () => {
  it('in one way, as the code prints it', () => {
    expect(everything).toContain(`${tool} local --keep`);
    // Through npx a mistake would fetch what somebody has published under the name.
    expect(everything).not.toMatch(/npx (--no )?(-- )?payouts|npm (exec|run) payouts|`payouts [a-z]/);
  });

  it.each(['--help', '--version', 'submit --help'])('as a clone has it after npm ci: %s', (words) => {
    const [command = '', ...first] = tool.split(' ');
    const { status, stdout } = spawnSync(command, [...first, ...words.split(' ')], { encoding: 'utf8' });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    expect(status).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(words === '--version' ? version : /^Usage: node \. /);
  });
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

describe('what the pages call by name', () => {
  it('resources of the stack: each is in its template', () => {
    const template = JSON.stringify(packaged('example').template);
    const there = new Set([...template.matchAll(/payouts-example-([a-z]+(?:-[a-z]+)*)/g)].map(([, name = '']) => name));
    // A role of people, which the first day makes.
    there.add('operator').add('approver');
    const named = [...everything.matchAll(/payouts-(?:\$STAGE|<stage>)-([a-z]+(?:-[a-z]+)*)/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });

  it('settings and failure codes: each is one', () => {
    const there = new Set([...Object.keys({ ...textSettings, ...limitSettings }), ...failureCodeNames]);
    const foreign =
      /^(AWS_|PAYOUTS_STAGE$|NODE_TLS_REJECT_UNAUTHORIZED$|SIGN_VERIFY$|SIGTERM$|RSA_4096$|HTTP_4xx$|CAPABILITY_NAMED_IAM$|(DEPLOY|PREVIEW|BACKUP)_ROLE_ARN$|OTHER_VAULT_ARN$)/;
    const named = [...everything.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_x]+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(60);
    expect([...new Set(named)].filter((name) => !there.has(name) && !foreign.test(name))).toEqual([]);
  });
});
