// The operator's commands that can't be followed, their help, and AWS out of reach: no emulator is needed for these.
import { describe, expect, it } from 'vitest';
import { runCli } from './support/cli.ts';

/** Complete settings, and an AWS that nobody listens at. */
const env = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'fake',
  AWS_SECRET_ACCESS_KEY: 'fake',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
  JOBS_QUEUE_URL: 'http://127.0.0.1:1/jobs',
  DEAD_LETTER_QUEUE_URL: 'http://127.0.0.1:1/dead',
  RESULTS_QUEUE_URL: 'http://127.0.0.1:1/results',
  CHECKS_QUEUE_URL: 'http://127.0.0.1:1/checks',
  LINES_QUEUE_URL: 'http://127.0.0.1:1/lines',
  LEDGER_TABLE_NAME: 'ledger',
  CARD_KEYS_TABLE_NAME: 'card-keys',
  BATCHES_TABLE_NAME: 'batches',
  CONTROLS_TABLE_NAME: 'controls',
  WAITING_TABLE_NAME: 'waiting',
};

describe.concurrent('a command that can’t be followed', () => {
  it.each<[args: string[], message: string]>([
    [['order', 'A-1'], 'write the order as <merchant>/<order id>, not "A-1"'],
    [['release', 'acme-eu/A-1', '--as', 'paid'], 'say why with --reason'],
    [['release', 'acme-eu/A-1', '--as', 'paid', '--reason', ' '], 'say why with --reason'],
    [['release', 'acme-eu/A-1', '--reason', 'x'], "required option '--as <end>' not specified"],
    [['release', 'acme-eu/A-1', '--as', 'lost', '--reason', 'x'], 'Allowed choices are paid, not-paid'],
    [
      ['release', 'acme-eu/A-1', '--as', 'paid', '--reason', 'x', '--id', '90 00'],
      "--id must be the gateway's order id",
    ],
    [['cancel', '--reason', 'x'], 'name either an order or --batch'],
    [['cancel', 'acme-eu/A-1', '--batch', 'b', '--reason', 'x'], 'name either an order or --batch'],
    [['cancel', 'acme-eu/A-1'], 'say why with --reason'],
    [['cancel', 'acme eu/A-1', '--reason', 'x'], 'no job could bear the name "acme eu/A-1"'],
    [['cancel', '--batch', 'a/b', '--reason', 'x'], 'no job could bear the batch id "a/b"'],
    [['dlq', 'redrive', '--yes'], 'say which: --all, --plan FILE, or some of --order'],
    [['dlq', 'redrive', '--all', '--merchant', 'acme-eu', '--yes'], 'say which: --all, --plan FILE, or some of'],
    [['dlq', 'redrive', '--all'], 'nobody can be asked here; say --yes, or agree on a plan and give it with --plan'],
    [['dlq', 'redrive', '--plan', 'no-such-file.json'], "can't read no-such-file.json: there is no such file"],
    [['dlq', 'discard', '--reason', 'x'], 'name either --order or --message'],
    [['dlq', 'discard', '--order', 'acme-eu/A-1'], 'say why with --reason'],
    [['dlq', 'discard', '--order', 'acme-eu/A-1', '--reason', 'x'], 'nobody can be asked here; say --yes'],
    [['dlq', 'list', '--order', 'A-1'], 'write the order as <merchant>/<order id>, not "A-1"'],
    [['dlq', 'list', '--limit', '0'], 'must be a whole number from 1 to 1000000'],
    [['keys', 'new', 'acme eu'], 'no merchant could bear the name "acme eu"'],
    [['keys', 'activate', 'acme-eu'], 'nobody can be asked here; say --yes, or let the gateway be asked first with'],
    [['keys', 'activate', 'acme-eu', '--endpoint', '1 2'], '"1 2" is no endpoint id'],
    [['secrets', 'check', 'acme-eu', '--stage', 'NEXT'], 'Allowed choices are AWSCURRENT, AWSPENDING, AWSPREVIOUS'],
  ])('%j ends with 2', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args, { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it.each([
    ['order', 'a/b'],
    ['hold', 'list'],
    ['pause', '--yes'],
  ])('%s without settings names them and ends with 2', async (...args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^payouts: settings are missing or wrong: JOBS_QUEUE_URL is not set .*LEDGER_TABLE_NAME/);
  });

  it('while AWS does not answer: one line, 1', async () => {
    const { code, stdout, stderr } = await runCli(['order', 'acme-eu/A-1'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^payouts: AWS could not be reached \(ECONNREFUSED\); .*nothing is known to have changed\n$/,
    );
  });
});

describe.concurrent('help', () => {
  const groups = new Set(['hold', 'dlq', 'keys', 'secrets']);
  const commands =
    'order|hold|hold list|release|cancel|pause|resume|dlq|dlq list|dlq plan|dlq redrive|dlq discard|' +
    'keys|keys new|keys activate|secrets|secrets check';
  it.each(commands.split('|'))('of %s says how it is used and how it ends', async (command) => {
    const { code, stdout } = await runCli([...command.split(' '), '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: payouts ${command}`);
    expect(stdout.includes('Exit code: 0 done')).toBe(!groups.has(command));
  });
});
