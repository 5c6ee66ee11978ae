// A command that shares a process with others leaves what it leaves in a process of its own.
import { expect, it } from 'vitest';
import { type CliPlace, runHosted, startCli } from './cli.ts';
import { aDirectory } from './files.ts';
import { lengthOf } from '../../support/long-proof.ts';

const directory = aDirectory();

const commands: { readonly leaves: string; readonly args: readonly string[]; readonly place?: CliPlace }[] = [
  { leaves: 'help', args: ['order', '--help'] },
  { leaves: 'a slip in the command line', args: ['order', '--nope'] },
  { leaves: 'settings that are not there', args: ['todo', '--held'] },
  { leaves: 'an environment of its own', args: ['todo', '--held'], place: { env: { PAYOUTS_STAGE: 'a b' } } },
  { leaves: 'what comes on standard input', args: ['sign'], place: { input: '{"method":"POST"}' } },
  { leaves: 'nothing on standard input', args: ['sign'] },
];

/** The loop takes every other. */
const stride = lengthOf({ short: 2, long: 1 });
it.each(commands.filter((_, place) => place % stride === stride - 1))('$leaves: $args', async ({ args, place }) => {
  // when a command runs in a process of its own, and in that of others, twice
  const own = await startCli(args, place).ended;
  const [hosted, again] = [await runHosted(args, place), await runHosted(args, place)];

  // then the exit code and every character are the same
  expect(hosted).toEqual(own);
  expect(again).toEqual(own);
});

const submitsIt = ['submit', 'pay.csv', '--dry-run', '--operation', 'payout', '--merchant', 'acme', '--endpoint', '1'];

it('a directory of its own', async () => {
  // given a file that is there by its name alone
  await directory.file('pay.csv', '');
  const place = { cwd: directory.path() };

  // when it is read from its directory, and then from another
  const own = await startCli(submitsIt, place).ended;
  const hosted = await runHosted(submitsIt, place);
  const elsewhere = await runHosted(submitsIt);

  // then
  expect(hosted).toEqual(own);
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining("can't read pay.csv") });
});
