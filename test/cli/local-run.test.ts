// `payouts local` as an operator runs it, with files of a few jobs: what it counts, what it writes, how it ends. The runs
// wait far more than they work, so they are made side by side.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../lib/payout/message/result.ts';
import type { RunBooks } from '../../lib/local/run-books.ts';
import type { PaymentsVerdict } from '../../lib/operate/verdict.ts';
import { type GatewaySimulator, startGatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { quotedRun } from '../docs/sample-run.ts';
import { runCli, startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

type Printed = PaymentsVerdict & {
  readonly messages: number;
  readonly deadLetters: number;
  readonly books: RunBooks;
  readonly resultsFile: string;
  readonly logFile: string;
  readonly gatewayUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
};

const directory = aDirectory();
let simulator: GatewaySimulator;

const merchant = { login: 'northwind-login', controlKey: 'fake-control-key-northwind' };

beforeAll(async () => void (simulator = await startGatewaySimulator({ merchants: [merchant] })));
afterAll(() => simulator.close());

const jobsFile = (name: string, ...jobs: (JobBody | string)[]) =>
  directory.file(name, jobs.map((job) => (typeof job === 'string' ? job : JSON.stringify(job))).join('\n'));

describe.concurrent('a file of a few jobs', () => {
  it('ends with the books closed, printed as one JSON object, and every result in the file', async () => {
    const accepted = aPayoutJob({ orderId: 'CLI-1' });
    // Between an order and its copies, so that they are no busy order's: those would wait for a whole lease.
    const others = Array.from({ length: 27 }, (_, index) => aPayoutJob({ orderId: `OTHER-${index}` }));
    const jobs = await jobsFile(
      'few.jsonl',
      accepted,
      aPayoutJob({ orderId: 'CLI-2.validation-error' }),
      '{"version": 1, "operation": "payout"',
      aPayoutJob({ orderId: 'CLI-3.stall-after' }),
      ...others,
      accepted,
      aPayoutJob({ orderId: 'CLI-1', params: { amount: '99.99' } }),
    );
    const results = join(directory.path(), 'made', 'on', 'the', 'way', 'results.jsonl');
    const { code, stdout, stderr } = await runCli(['local', jobs, '--json', '--results', results]);
    // The books agree; but a line that is no job, a reused id and an order in doubt are not what their sender asked for.
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
    const printed = JSON.parse(stdout) as Printed;
    expect(printed).toMatchObject({
      messages: 33,
      payments: 32,
      deadLetters: 1,
      books: {
        agree: true,
        paidTwice: [],
        disagreements: [],
        counted: [{ currency: 'EUR', amount: '302.18', orders: 29 }],
      },
      settled: false,
      unsettled: 3,
      resultsFile: results,
      standings: { held: 1, accepted: 28, declined: 1, rejected: 2 },
      reasons: expect.arrayContaining([expect.objectContaining({ standing: 'held', code: 'HELD_UNPROVEN' })]),
    });
    expect(printed).not.toHaveProperty('environment');
    const told = await resultsIn(results);
    const byOrder = (orderId: string) => told.filter((it) => it.orderId === orderId && it.revision !== 0);
    expect(byOrder('CLI-1').every((it) => it.status === 'accepted' && it.payoutId !== undefined)).toBe(true);
    expect(byOrder('CLI-2.validation-error')).toMatchObject([{ status: 'declined', failure: { gatewayCode: '29' } }]);
    expect(byOrder('CLI-3.stall-after')).toMatchObject([{ status: 'held', failure: { code: 'HELD_UNPROVEN' } }]);
    const rejected = told.filter((it) => it.revision === 0).map((it) => it.failure?.code);
    expect(rejected.toSorted()).toEqual(['INVALID_MESSAGE', 'ORDER_ID_REUSED']);
    expect(await readFile(printed.logFile, 'utf8')).toContain('"event":"worker-started"');
  });
});

describe('the sample', () => {
  it('comes to what the README quotes', async () => {
    const { code, stdout } = await runCli(['local', '--json'], { cwd: directory.path() });
    expect(code).toBe(0);
    const { messages, deadLetters, books, verdict } = quotedRun;
    expect(JSON.parse(stdout) as Printed).toMatchObject({ messages, deadLetters, books, standings: verdict.standings });
  });
});

describe.concurrent('--keep', () => {
  it('is a stage of its own for as long as it runs, for two persons; its dead letters are those that it named', async () => {
    // given a local run that is kept
    const reused = aPayoutJob({ orderId: 'KEEP-2', params: { amount: '99.99' } });
    const jobs = await jobsFile('keep-text.jsonl', aPayoutJob({ orderId: 'KEEP-2' }), reused, '{}', '[]');
    const results = join(directory.path(), 'keep-text', 'results.jsonl');
    const env = { XDG_CACHE_HOME: join(directory.path(), 'cache') };
    const kept = startCli(['local', jobs, '--keep', '--results', results], { env });
    await expect.poll(() => kept.stdout(), { timeout: 60_000 }).toContain('still running');
    expect(kept.stdout()).toMatch(/says\s+--stage local-second/);
    expect(kept.stdout()).toContain(', 2 dead letters, ');
    expect(kept.stdout()).not.toContain('export ');

    // when its stage is named, by either person
    const letters = await runCli(['dlq', 'list', '--stage', 'local'], { env });
    expect(letters).toMatchObject({ code: 0, stdout: expect.stringMatching(/INVALID_MESSAGE[^]*2 dead letters\n$/) });
    const caps = ['safeguards', 'set', 'acme-eu', '--two-persons', 'on', '--uncapped', '--yes'];
    expect(await runCli([...caps, '--stage', 'local'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('AccessDenied'),
    });
    expect(await runCli([...caps, '--stage', 'local-second'], { env })).toMatchObject({ code: 0 });

    // then with the run its stage ends
    kept.child.kill('SIGINT');
    expect(await kept.ended).toMatchObject({ code: 1, signal: null, stderr: '' });
    expect(await runCli(['todo', '--stage', 'local'], { env })).toMatchObject({
      code: 2,
      stderr: 'payouts: --stage local: no local run is kept; start one: `node . local --keep`\n',
    });
  });
});

async function resultsIn(file: string): Promise<Result[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
}
