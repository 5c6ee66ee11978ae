// `payouts doctor` as it is called: what it prints and how it ends. What it finds is test/infra/doctor.test.ts.

import { describe, expect, it } from 'vitest';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();

const exposed = JSON.stringify({
  Resources: {
    JobsQueue: { Type: 'AWS::SQS::Queue', Properties: { SqsManagedSseEnabled: true } },
    JobsRole: {
      Type: 'AWS::IAM::Role',
      Properties: {
        Policies: [{ PolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'sqs:*', Resource: '*' }] } }],
      },
    },
  },
});

describe.concurrent('payouts doctor', () => {
  it('tells each danger in a row and ends with 1', async () => {
    const { code, stdout, stderr } = await runCli(['doctor', await directory.file('exposed.json', exposed)]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toContain('allows sqs:*');
    expect(stdout).toContain('payouts and keys cross the network');
    expect(stdout).toContain('4 dangers. Do not deploy it like this.');
  });

  it('as JSON, in one line', async () => {
    const { code, stdout } = await runCli(['doctor', await directory.file('exposed-2.json', exposed), '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      found: [
        { rule: 'worker-functions', where: 'Resources' },
        { rule: 'no-wildcard-action', where: 'JobsRole', fault: 'allows sqs:*' },
        { rule: 'no-wildcard-resource', where: 'JobsRole', fault: 'allows sqs:* on *' },
        { rule: 'no-plain-http', where: 'JobsQueue', fault: 'has no policy that refuses plain HTTP' },
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
