// `payouts doctor`: our own template is sound; each way to break it is refused with a sentence that names the danger.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { examine, rules } from '../../lib/doctor/examine.ts';
import { readStack } from '../../lib/doctor/stack.ts';
import type { BrokenStack, Template } from './broken-edits.ts';
import { brokenStacks } from './broken-stacks.ts';
import { synthesized } from './synthesized.ts';

const prod = await synthesized(['--stage', 'prod']);
const text = prod ? await readFile(prod.templateFile, 'utf8') : '';

function examined(templateText: string) {
  const read = readStack(templateText);
  if (read.kind === 'unreadable') throw new Error(read.reason);
  return examine(read.stack);
}

describe.skipIf(!prod)('the doctor', () => {
  it('finds nothing wrong with the template that ships', () => {
    expect(examined(text)).toEqual([]);
  });

  it.each(['dev', 'staging'])('finds nothing wrong with stage %s', async (stage) => {
    const other = await synthesized(['--stage', stage]);
    expect(examined(await readFile(other?.templateFile ?? '', 'utf8'))).toEqual([]);
  });

  it.each(brokenStacks.map((it) => [it.story, it] as const))('refuses: %s', (_, { edit, rule, says }: BrokenStack) => {
    const template = JSON.parse(text) as Template;
    edit(template);
    const found = examined(JSON.stringify(template)).filter((it) => it.rule === rule);
    expect(found.map(({ where, fault }) => `${where} ${fault}`)).toEqual([expect.stringContaining(says)]);
    expect(found[0]?.danger).toBe(rules.find(({ name }) => name === rule)?.danger);
  });

  it('has a broken template for every rule', () => {
    const tried = new Set(brokenStacks.map(({ rule }) => rule));
    expect(rules.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
    expect(brokenStacks.length).toBeGreaterThan(40);
  });
});

describe('what is no stack', () => {
  it.each([
    [
      'AWSTemplateFormatVersion: 2010-09-09',
      'it is not JSON: give the synthesized template, which `npm run package` makes',
    ],
    ['[]', 'it has no Resources'],
    ['{"Resources":{}}', 'it has no Resources'],
  ])('%s', (given, reason) => {
    expect(readStack(given)).toEqual({ kind: 'unreadable', reason });
  });

  it('and a stack without a worker is told as one', () => {
    const bucket = JSON.stringify({ Resources: { Bucket: { Type: 'AWS::S3::Bucket', Properties: {} } } });
    expect(examined(bucket)).toMatchObject([
      { rule: 'worker-functions', where: 'Resources', fault: 'hold no function with the setting LEDGER_TABLE_NAME' },
    ]);
  });
});
