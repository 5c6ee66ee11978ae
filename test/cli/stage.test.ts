// One stage instead of thirty exports: the real command against an emulated stack, whose outputs it finds by itself.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workerSecret } from '../../lib/local/sample-merchants.ts';
import { type EmulatedStack, startEmulatedStack } from '../support/emulated-stack.ts';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
let stack: EmulatedStack;

beforeAll(async () => {
  stack = await startEmulatedStack('prod');
  const secret = { login: 'x', controlKey: 'fake-control-key', baseUrl: 'https://gate.example.com' };
  stack.aws.secrets.put('payouts/acme-eu', secret);
  stack.aws.secrets.put('payouts/globex-us', { ...secret, mode: 'test' });
  stack.aws.secrets.put('payouts/_worker', workerSecret());
});
afterAll(() => stack.close());

const payouts = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  runCli(args, { env: { ...stack.shell, XDG_CACHE_HOME: join(directory.path(), 'cache'), ...more } });

describe('--stage', () => {
  it('finds the queues and tables of its stack, asks for them once, and keeps them', async () => {
    expect(await payouts(['hold', 'list', '--stage', 'prod'])).toMatchObject({ code: 0, stdout: 'no order is held\n' });
    expect(await payouts(['lanes', '--stage', 'prod'])).toMatchObject({ code: 0 });
    expect(await payouts(['hold', 'list'], { PAYOUTS_STAGE: 'prod' })).toMatchObject({ code: 0 });
    expect(stack.asked()).toBe(1);
  });

  it('is read anew where somebody asks for it, as after a deployment', async () => {
    const before = stack.asked();
    const { code, stdout } = await payouts(['settings', '--stage', 'prod', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ LEDGER_TABLE_NAME: stack.environment['LEDGER_TABLE_NAME'] });
    expect(stack.asked()).toBe(before + 1);
  });

  it('that is not there is told with its stack and where to look', async () => {
    expect(await payouts(['hold', 'list', '--stage', 'nope'])).toMatchObject({
      code: 2,
      stderr:
        "payouts: can't read the outputs of the stack payouts-nope: there is no such stack; look at --stage, AWS_REGION and AWS_PROFILE\n",
    });
    expect(await payouts(['hold', 'list', '--stage', 'a b'])).toMatchObject({ code: 2 });
  });

  it('is refused in a shell that still has the exports of a local run', async () => {
    const { AWS_ENDPOINT_URL_CLOUDFORMATION: _, ...local } = stack.shell;
    expect(await runCli(['hold', 'list', '--stage', 'prod'], { env: local })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this shell has the exports of a local run'),
    });
  });

  it('is what somebody is told of who has no settings at all', async () => {
    const { code, stderr } = await runCli(['hold', 'list']);
    expect(code).toBe(2);
    expect(stderr).toContain('Name a deployed stage with --stage or PAYOUTS_STAGE, or paste the exports');
  });
});

describe('whatever touches money', () => {
  it.each([
    ['acme-eu', 'live'],
    ['globex-us', 'test'],
    ['nobody', 'live or test: the secret could not be read'],
  ])('says the stage, and that the money of %s is %s', async (merchant, mode) => {
    const release = ['release', `${merchant}/INV-1`, '--as', 'paid', '--reason', 'seen in the back office'];
    const { stdout, stderr } = await payouts([...release, '--stage', 'prod']);
    expect(stderr).toBe(`  stage prod · ${merchant}: ${mode}\n`);
    expect(stdout).toBe('the ledger has no such order\n');
  });

  it('says so before a file is sent', async () => {
    const row = 'PAY-1,10.42,EUR,DE89370400440532013000,Cool bank';
    const file = await directory.file('pay.csv', `order id,amount,currency,iban,bank\n${row}\n`);
    const submit = ['submit', file, '--yes', '--stage', 'prod'];
    const { stderr } = await payouts([
      ...submit,
      '--operation',
      'payout',
      '--merchant',
      'acme-eu',
      '--endpoint',
      '39915',
    ]);
    expect(stderr).toContain('  stage prod · acme-eu: live\n');
  });
});
