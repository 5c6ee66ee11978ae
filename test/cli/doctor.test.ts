// `payouts doctor` as it is called: what it prints and how it ends. What it finds is test/infra/doctor.test.ts.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();

/** The stack that ships, whose jobs queue lost its key and whose submit may do anything with queues. */
async function exposed(): Promise<string> {
  const text = await readFile(new URL('../../lib/doctor/intended-stack.json', import.meta.url), 'utf8');
  const template = JSON.parse(text) as { readonly Resources: Readonly<Record<string, { Properties: object }>> };
  const { JobsQueue, SubmitRole } = template.Resources;
  for (const name of ['Submit', 'Inquire', 'Sweep', 'Callback']) {
    const it = template.Resources[`${name}LambdaFunction`];
    const Code = { S3Bucket: { Ref: 'CodeBucket' }, S3Key: `payouts/${name.toLowerCase()}-0123456789ab.zip` };
    if (it) it.Properties = { ...it.Properties, Code };
  }
  const Statement = [{ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }];
  if (SubmitRole) SubmitRole.Properties = { ...SubmitRole.Properties, Policies: [{ PolicyDocument: { Statement } }] };
  if (JobsQueue) JobsQueue.Properties = { ...JobsQueue.Properties, KmsMasterKeyId: undefined };
  return JSON.stringify(template);
}

describe.concurrent('payouts doctor', () => {
  it('tells each danger in a row and ends with 1', async () => {
    const { code, stdout, stderr } = await runCli(['doctor', await directory.file('exposed.json', await exposed())]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('SubmitRole.Policies');
    expect(stdout).toContain('nobody looks, or are gone before anybody did');
    expect(stdout).toContain('2 dangers. Do not deploy it like this.');
  });

  it('as JSON, in one line', async () => {
    const { code, stdout } = await runCli([
      'doctor',
      await directory.file('exposed-2.json', await exposed()),
      '--json',
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      found: [
        {
          rule: 'as-shipped',
          where: 'JobsQueue.KmsMasterKeyId',
          fault: expect.stringContaining('is not set, ships as'),
        },
        { rule: 'as-shipped', where: 'SubmitRole.Policies', fault: expect.stringContaining('sqs:*') },
      ],
    });
  });

  it.each([
    [['nowhere.json'], 'there is no nowhere.json: `npm run package` makes it, or name another template'],
    [['nowhere.json', '--stack', 'payouts-prod'], 'give a template or --stack, not both'],
  ])('%j: nothing to examine, 2', async (args, reason) => {
    expect(await runCli(['doctor', ...args])).toMatchObject({ code: 2, stdout: '', stderr: `payouts: ${reason}\n` });
  });

  it('a file that is no template: 2', async () => {
    const file = await directory.file('template.yml', 'Resources: {}');
    expect(await runCli(['doctor', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it is not JSON: give the synthesized template'),
    });
  });
});
