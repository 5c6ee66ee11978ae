// `npm run deploy`, into moto's CloudFormation, and then the worker on the queues, the table and the secrets
// that came of it, with the settings that its functions were given: the books are closed at the end.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { synthesized } from '../infra/synthesized.ts';
import { runOn } from './full-run.ts';
import { leftOut } from './moto-plugin.ts';
import { deployToMoto, makeSecrets, type MotoStack } from './moto-stack.ts';

const url = inject('moto');
const packaged = url === null ? undefined : await synthesized(['--stage', 'moto']);

describe.skipIf(!packaged)('the stack in moto', () => {
  let stack: MotoStack;

  beforeAll(async () => {
    stack = await deployToMoto(url ?? '', 'moto');
    if (packaged) await makeSecrets(url ?? '', packaged.template);
  }, 180_000);

  it('has every resource of the template but those that moto can’t make', () => {
    const resources = Object.entries(packaged?.template.Resources ?? {});
    // What has a condition is off by default.
    const expected = resources.filter(([, { Type, Condition }]) => !(Type in leftOut) && Condition === undefined);
    expect([...stack.made].toSorted()).toEqual(expected.map(([logicalId, { Type }]) => [logicalId, Type]).toSorted());
    const made = [...stack.made.values()];
    const count = (type: string) => made.filter((it) => it === type).length;
    expect({ queues: count('AWS::SQS::Queue'), tables: count('AWS::DynamoDB::Table') }).toEqual({
      queues: 7,
      tables: 1,
    });
    expect({ roles: count('AWS::IAM::Role'), functions: count('AWS::Lambda::Function') }).toEqual({
      roles: 4,
      functions: 4,
    });
  });

  it('feeds submit from the jobs queue and inquire from the checks queue', async () => {
    const mappings = await stack.pauseMappings();
    expect(
      mappings.map((it) => [it.EventSourceArn.split(':').pop(), it.FunctionArn.split(':').pop(), it]).toSorted(),
    ).toMatchObject([
      [
        'payouts-moto-checks',
        'payouts-moto-inquire',
        { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      ],
      [
        'payouts-moto-jobs',
        'payouts-moto-submit',
        { BatchSize: 10, FunctionResponseTypes: ['ReportBatchItemFailures'] },
      ],
    ]);
  });

  it('is left alone by a second deployment of the same', { timeout: 180_000 }, async () => {
    expect(await stack.deployAgain()).toContain('No changes to deploy');
  });

  it('is where the worker brings every job to its one true end', { timeout: 180_000 }, async () => {
    const settings = await stack.environmentOf('payouts-moto-submit');
    const sample = new URL('../../lib/local/sample-jobs.jsonl', import.meta.url);
    const lines = (await readFile(sample, 'utf8')).trim().split('\n');
    const jobs = lines.filter((_, index) => index % 5 === 0).flatMap((line) => [line, line]);
    const directory = await mkdtemp(join(tmpdir(), 'payouts-stack-'));
    const urls = { sqsUrl: url ?? '', dynamoDbUrl: url ?? '', secretsManagerUrl: url ?? '' };
    const accounts = await runOn({ name: 'stack', settings, ...urls, jobs, directory, workerSecretExists: true });
    expect(accounts).toMatchObject({ messages: jobs.length, paidTwice: [], disagreements: [], agree: true });
    expect(accounts.endings).toMatchObject({ missing: 0, 'dead letter only': 0 });
    expect(accounts.endings.accepted).toBeGreaterThan(jobs.length / 2);
  });
});
