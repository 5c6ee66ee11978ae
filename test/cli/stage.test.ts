// One stage instead of thirty exports: the real command against an emulated stack, whose outputs it finds by itself.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../../lib/cli/main.ts';
import { exportLines } from '../../lib/cli/setup/stage.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { type EmulatedStack, startEmulatedStack } from '../support/emulated-stack.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { longIt } from '../support/long-proof.ts';
import { runCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { fieldsOf, putMerchant } from '../support/merchant-secrets.ts';

const directory = aDirectory();
let stack: EmulatedStack;

beforeAll(async () => {
  stack = await startEmulatedStack('prod');
  const secret = { login: 'x', controlKey: 'fake-control-key', baseUrl: 'https://gate.example.com' };
  const at = { gatewayUrl: 'https://gate.example.com', closedUrl: 'https://gate.example.com' };
  putMerchant(stack.aws.secrets, 'acme-eu', fieldsOf((await sampleSecrets(at))['acme-eu']));
  putMerchant(stack.aws.secrets, 'globex-us', { ...secret, mode: 'test' });
  stack.aws.secrets.put('payouts/_worker', workerSecret());
});
afterAll(() => stack.close());

const payouts = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  runCli(args, { env: { ...stack.shell, XDG_CACHE_HOME: join(directory.path(), 'cache'), ...more } });

describe('--stage', () => {
  it('finds the queues and tables of its stack, asks for them once, and keeps them', async () => {
    expect(await payouts(['todo', '--held', '--stage', 'prod'])).toMatchObject({
      code: 0,
      stdout: 'nothing waits for a person\n',
    });
    expect(await payouts(['lanes', '--stage', 'prod'])).toMatchObject({ code: 0 });
    expect(await payouts(['todo', '--held'], { PAYOUTS_STAGE: 'prod' })).toMatchObject({ code: 0 });
    expect(stack.asked()).toBe(1);
  });

  it('is read anew where somebody asks for it, as after a deployment', async () => {
    const before = stack.asked();
    const { code, stdout } = await payouts(['settings', '--stage', 'prod', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ LEDGER_TABLE_NAME: stack.environment['LEDGER_TABLE_NAME'] });
    expect(stack.asked()).toBe(before + 1);
  });

  it('reaches a plain shell by its settings as they are, blanks, quotes and dollars too', () => {
    const odd = `two addresses: 192.0.2.1, 192.0.2.2; $HOME's "own" \`pwd\``;
    const script = `eval "$1"; printf '%s' "$EGRESS_ADDRESSES"`;
    const lines = exportLines({ EGRESS_ADDRESSES: odd });
    expect(spawnSync('sh', ['-uc', script, 'sh', lines], { encoding: 'utf8' }).stdout).toBe(odd);
  });

  it('that is not there is told with its stack and where to look', async () => {
    expect(await payouts(['todo', '--held', '--stage', 'nope'])).toMatchObject({
      code: 2,
      stderr:
        "payouts: can't read the outputs of the stack payouts-nope: there is no such stack; look at --stage, AWS_REGION and AWS_PROFILE\n",
    });
    expect(await payouts(['todo', '--held', '--stage', 'a b'])).toMatchObject({ code: 2 });
  });

  it('is refused in a shell that still has the exports of a local run', async () => {
    const { AWS_ENDPOINT_URL_CLOUDFORMATION: _, ...local } = stack.shell;
    expect(await runCli(['todo', '--held', '--stage', 'prod'], { env: local })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this shell has the exports of a local run'),
    });
  });

  it('is what somebody is told of who has no settings at all, in a sentence', async () => {
    const { code, stderr } = await runCli(['todo', '--held']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^payouts: no stage is named: add --stage NAME[^\n]{0,160}\n$/);
  });
});

describe('while a ledger is restored', () => {
  it('the shell names the table that takes over, which is told; a table of another stage is none of it', async () => {
    const taken = await payouts(['settings', '--stage', 'prod', '--json']);
    const ofStack = (JSON.parse(taken.stdout) as Record<string, string>)['LEDGER_TABLE_NAME'];
    const next = await payouts(['order', 'acme-eu/INV-1', '--stage', 'prod'], {
      LEDGER_TABLE_NAME: 'payouts-prod-ledger-2',
    });
    expect(next.stderr).toContain(
      `payouts: the ledger is payouts-prod-ledger-2, as LEDGER_TABLE_NAME says; the stack's is ${ofStack}\n`,
    );
    const other = await payouts(['order', 'acme-eu/INV-1', '--stage', 'prod'], {
      LEDGER_TABLE_NAME: 'payouts-dev-ledger',
    });
    expect(other.stderr).toBe('payouts: there is no order acme-eu/INV-1, and no message of it\n');
  });
});

// Every command that sends money, keeps it from being sent, says where it went, or what it may be.
const acme = '  stage prod · acme-eu: live\n';
const everybody = '  stage prod · every merchant: live and test\n';
const reason = ['--reason', 'seen in the back office'];
const seen = ['--seen', 'AAAAAAAAAAAAAAAA'];
const touching: Readonly<Record<string, readonly [words: readonly string[], says: string]>> = {
  release: [['acme-eu/INV-1', '--as', 'paid', ...reason, ...seen], acme],
  cancel: [['acme-eu/INV-2', ...reason], acme],
  pause: [['--yes', ...reason], everybody],
  resume: [[], everybody],
  'lanes probe': [['acme-eu'], acme],
  submit: [['FILE', '--yes'], acme],
  approve: [['pay', 'FILE', '--yes'], acme],
  erase: [['acme-eu/INV-1'], acme],
  'dlq redrive': [['--order', 'acme-eu/DEAD-1', '--yes'], acme],
  'dlq discard': [['--order', 'acme-eu/DEAD-2', '--yes', ...reason], acme],
  'keys activate': [['globex-us', '--yes', '--force'], '  stage prod · globex-us: test\n'],
  'safeguards set': [['acme-eu', '--two-persons', 'off', '--uncapped', '--yes'], acme],
  'ledger begin': [['payouts-prod-ledger', '--yes'], everybody],
  'restore doubt': [['/dev/null'], everybody],
  worker: [['--once', '1'], everybody],
  // Last, as everything is paused then.
  'restore begin': [reason, everybody],
};
/** What reads, or writes what is no money (reports, keys that nothing signs with yet, rights, texts); a retry is submitted, which says it. */
const untouching = `
  local, sign, setup, settings, doctor, console, todo, order,
  lanes, batch, report, reconcile, dlq list, safeguards show,
  probe, keys new, secrets check, card-keys new, card-keys jwks, card-keys remove,
  callbacks allow, callbacks forbid, callbacks list, restore status, restore ready, restore fence, retry`
  .trim()
  .split(/,\s+/);

describe('whatever touches money', () => {
  const namesOf = (command: Command, path: readonly string[] = []): string[] =>
    command.commands.flatMap((it) => {
      const own = [...path, it.name()];
      return it.commands.length > 0 && it.name() !== 'lanes' ? namesOf(it, own) : [own.join(' '), ...namesOf(it, own)];
    });

  it('is known: a new command says which it is', () => {
    expect(namesOf(program).toSorted()).toEqual([...Object.keys(touching), ...untouching].toSorted());
  });

  it.each([
    ['acme-eu', 'live'],
    ['globex-us', 'test'],
    ['nobody', 'live or test: the secret could not be read'],
  ])('says the stage, and that the money of %s is %s', async (merchant, mode) => {
    const release = ['release', `${merchant}/INV-1`, '--as', 'paid', ...reason, ...seen];
    const { stdout, stderr } = await payouts([...release, '--stage', 'prod']);
    expect(stderr).toBe(`  stage prod · ${merchant}: ${mode}\npayouts: the ledger has no such order\n`);
    expect(stdout).toBe('');
  });

  longIt.each(Object.entries(touching))('payouts %s', async (name, [words, says]) => {
    // Another payment than the one of `submit`, which would be warned of.
    const payment = name === 'approve' ? 'PAY-2,11.42' : 'PAY-1,10.42';
    const row = `${payment},EUR,DE89370400440532013000,Cool bank`;
    const file = await directory.file('pay.csv', `order id,amount,currency,iban,bank\n${row}\n`);
    const asked = ['--operation', 'payout', '--merchant', 'acme-eu', '--endpoint', '39915'];
    if (name.startsWith('dlq')) await lay(words[1]?.split('/')[1] ?? '');
    if (name === 'approve')
      await payouts(['submit', file, ...asked, '--batch', 'pay', '--hold', '--yes', '--stage', 'prod']);
    if (name === 'keys activate') await payouts(['keys', 'new', 'globex-us', '--stage', 'prod']);
    const given = [...words.map((it) => (it === 'FILE' ? file : it)), ...(name === 'submit' ? asked : [])];
    const { stderr, code } = await payouts([...name.split(' '), ...given], { PAYOUTS_STAGE: 'prod' });
    expect(stderr).toContain(says);
    expect(code).not.toBe(2);
  });

  async function lay(orderId: string): Promise<void> {
    const sqs = new SQSClient(clientConfigOf(stack.aws, 'SQS'));
    const MessageBody = JSON.stringify(aPayoutJob({ orderId }));
    await sqs.send(new SendMessageCommand({ QueueUrl: stack.aws.queueUrls.jobsDeadLetter, MessageBody }));
    sqs.destroy();
  }
});
