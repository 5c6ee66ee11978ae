// A command that the tool prints as a remedy works as it is printed: the tool's own parser takes each that is anywhere in
// its texts, with the words that it asks for, and no other spelling of a command is given as advice.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { program } from '../../lib/cli/main.ts';
import { reasonToFill } from '../../lib/payout/operate/spelling.ts';
import { remedyFor } from '../../lib/operate/remedies.ts';
import { failureCodes } from '../../lib/payout/message/failures.ts';
import { wordsOf } from './support/cli.ts';

const sources = readdirSync('lib', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join('lib', name), 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '') }));

/** The placeholder in a text for what only its time knows. */
const filled = (command: string) =>
  command
    .replaceAll(/ledger begin \$\{[^}]*\}/g, 'ledger begin payouts-prod-ledger')
    .replaceAll(/\$\{[^}]*words\}/g, 'november.csv --merchant acme-eu --operation payout --endpoint 39915')
    .replaceAll(/\$\{(end|it\.as)\}/g, 'paid')
    .replaceAll('${it.kind}', 'pause')
    .replaceAll('${verb}', 'resume')
    .replaceAll('${seen}', 'AAAAAAAAAAAAAAAA')
    .replaceAll(/\$\{(shellWord\()?(key|operated\.key)\)?\}|\bORDER\b/g, 'acme-eu/INV-1')
    .replaceAll(/\$\{shellWord\(operated\.decider\)\}/g, 'arn:aws:iam::000000000000:user/ada')
    .replaceAll(reasonToFill, 'seen')
    .replace(/ --stage local(-second)?$/, '')
    .replaceAll(/\$\{whose\}/g, ' acme-eu')
    .replaceAll(/\$\{[^}]*\}/g, 'x1');

/** In backticks, as the tool prints what is to be typed. */
const printedIn = (text: string) =>
  [...text.matchAll(/\\?`(?:[^`|]*\| )?(?:\$\{tool\}|node \.) ([^`\n]*?)\\?`/g)].map(([, command = '']) =>
    filled(command.replace(/ >.*/, '')),
  );

/** The names of all commands. */
const named: string[] = [];
const note = (it: Command, path: string): void => {
  if (path !== '') named.push(path);
  it.commands.forEach((child) => note(child, `${path} ${child.name()}`.trim()));
};
note(program, '');

/** What is wrong with a command; undefined where the tool would begin with its work. */
async function faultOf(command: string): Promise<string | undefined> {
  let begun: Command | undefined;
  const prepare = (it: Command): void => {
    it.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    if (it.commands.length === 0 || it.name() === 'lanes')
      it.action((...given: unknown[]) => void (begun = given.at(-1) as Command));
    it.commands.forEach(prepare);
  };
  prepare(program);
  try {
    await program.parseAsync(['node', 'payouts', ...wordsOf(command)]);
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    // A command that is only named has no words of its own.
    return code === 'commander.helpDisplayed' || named.includes(command) ? undefined : message;
  }
  return begun ? undefined : 'no command';
}

it('is taken by the parser, wherever it is', async () => {
  const printed = sources.flatMap(({ name, text }) => printedIn(text).map((command) => ({ name, command })));
  expect(printed.length).toBeGreaterThan(30);
  const faults: string[] = [];
  for (const { name, command } of printed) {
    const fault = await faultOf(command);
    if (fault !== undefined) faults.push(`${name}: ${command}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

it('is taken in the remedy for each failure', async () => {
  for (const code of Object.keys(failureCodes)) {
    const commands = printedIn(remedyFor({ code, message: '' }));
    for (const command of commands) expect([command, await faultOf(command)]).toEqual([command, undefined]);
  }
});

it('is complete: what follows the product’s name is the bare name of a command', () => {
  const odd = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/[`"]payouts ([a-z][^`"'\n]*)/g)]
      .map(([, words = '']) => `${name}: ${words.replace(/[\\.,:;)].*$/, '').trim()}`)
      .filter((it) => !named.includes(it.slice(it.indexOf(': ') + 2))),
  );
  expect(odd).toEqual([]);
});

it('would be found if it were wrong', async () => {
  expect(await faultOf('lanes prob acme-eu')).toContain('too many arguments');
  expect(await faultOf('release acme-eu/INV-1 --as paid')).toContain("required option '--reason <text>'");
  expect(await faultOf('submit --yes')).toContain("missing required argument 'file'");
});
