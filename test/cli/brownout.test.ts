// `payouts local --faults brownout`: the gateway has a bad day, and one can watch doubt rise, submissions stop and
// everything settle once it recovers. The books agree with what the simulator counted.
import { expect, it } from 'vitest';
import type { Accounts } from '../../lib/local/accounts.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();

it('a merchant that can ask is stopped on doubt, and all its orders settle after the recovery', async () => {
  const jobs = Array.from({ length: 60 }, (_, index) =>
    aPayoutJob({ merchant: 'globex-us', orderId: `BAD-${index}`, params: { amount: '900.00', currency: 'USD' } }),
  );
  const file = await directory.file('jobs.jsonl', jobs.map((job) => JSON.stringify(job)).join('\n'));
  const { code, stdout, stderr } = await startCli(['local', file, '--faults', 'brownout'], { cwd: directory.path() })
    .ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/ [1-9]\d* in doubt /);
  expect(stdout).toContain('globex-us stopped on doubt');
  const [, table = ''] = stdout.split('dead letters');
  // Of the endings, these two at most: nothing is left in doubt.
  const endings = ['checked', 'declined', 'failed', 'in doubt', 'missing'] satisfies (keyof Accounts['endings'])[];
  for (const ending of endings) expect(table).not.toMatch(new RegExp(`^ +${ending} +\\d`, 'm'));
  expect(table).toMatch(/USD +54000\.00 \(60\) +54000\.00 \(60\) +0\.00 \(0\) +0\.00/);
  expect(table).toContain('✔ all 60 jobs: 60 ');
}, 600_000);
