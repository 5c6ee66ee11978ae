// `payouts doctor`: our own template is sound; each way to break it is refused with a sentence that names the danger, unless somebody
// has waived just that.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { choicesOf } from '../../infra/arguments.ts';
import { examine } from '../../lib/doctor/examine.ts';
import { rules } from '../../lib/doctor/rules.ts';
import { readStack } from '../../lib/doctor/stack.ts';
import { readWaivers, type Waiver } from '../../lib/doctor/waivers.ts';
import { additions } from './additions.ts';
import { type BrokenStack, set, type Template } from './broken-edits.ts';
import { brokenStacks } from './broken-stacks.ts';
import { synthesized } from './synthesized.ts';

const prod = await synthesized(['--stage', 'prod']);
const text = prod ? await readFile(prod.templateFile, 'utf8') : '';

function examined(
  templateText: string,
  waivers: readonly Waiver[] = [],
  values: Readonly<Record<string, string>> = {},
) {
  const read = readStack(templateText, values);
  if (read.kind === 'unreadable') throw new Error(read.reason);
  return examine(read.stack, waivers);
}

function after(edit: (template: Template) => unknown, waivers: readonly Waiver[] = []) {
  const template = JSON.parse(text) as Template;
  edit(template);
  return examined(JSON.stringify(template), waivers);
}

describe.skipIf(!prod)('the doctor', () => {
  it('finds nothing wrong with the template that ships', () => {
    expect(examined(text)).toEqual({ found: [], waived: [], chosen: [], idle: [] });
  });

  it.each(['dev', 'staging', 'trial'])('finds nothing wrong with what stage %s chooses', (stage) => {
    const values = Object.entries(choicesOf(['--stage', stage]).values);
    const given = values.map(([name, it]) => [name.replace(/^./, (at) => at.toUpperCase()), it]);
    expect(examined(text, [], Object.fromEntries(given) as Record<string, string>).found).toEqual([]);
  });

  it.each([
    ['approvers by the beginning of their names', { ApproverArns: 'arn:aws:iam::111122223333:role/approver-*' }],
    ['a producer of another account', { ProducerArns: 'arn:aws:iam::999999999999:role/shop' }],
    ['callbacks with a reserve', { Callbacks: 'ENABLED', CallbackConcurrency: '5' }],
    ['a network', { Network: 'made', GatewayPort: '8443' }],
    ['a rollout', { Rollout: 'Canary10Percent5Minutes' }],
    ['a canary order', { Rollout: 'Canary10Percent5Minutes', Canary: '39915:1234567890' }],
    ['a restored ledger', { RestoredLedger: 'payouts-prod-ledger-2' }],
  ])('finds nothing wrong with %s', (_, values) => {
    expect(examined(text, [], values).found).toEqual([]);
  });

  it.each(brokenStacks.map((it) => [it.story, it] as const))('refuses: %s', (_, { edit, rule, says }: BrokenStack) => {
    const { found } = after(edit);
    expect(found.length).toBeGreaterThan(0);
    if (rule === undefined) return;
    const own = found.filter((it) => it.rule === rule);
    expect(own.map(({ where, fault }) => `${where} ${fault}`)).toContainEqual(expect.stringContaining(says ?? ''));
    expect(own[0]?.danger).toBe(rules.find(({ name }) => name === rule)?.danger);
  });

  it('has for every rule a template that only this rule refuses, and no rule beside', () => {
    const isSeenOtherwise = ({ edit }: BrokenStack) => after(edit).found.some((it) => it.rule === 'as-shipped');
    const needed = new Set(brokenStacks.filter((it) => it.rule && !isSeenOtherwise(it)).map((it) => it.rule));
    // The one beside them is about what is no stack of ours at all.
    expect(rules.map(({ name }) => name).filter((it) => !needed.has(it))).toEqual(['worker-functions']);
    expect(brokenStacks.length).toBeGreaterThan(60);
  });

  describe('waivers', () => {
    const waiverOf = (resource: string): Waiver => ({ resource, reason: 'decided by two of us', until: '2099-12-31' });

    it.each(additions.map((it) => [it.story, it] as const))(
      'let through what is refused without one: %s',
      (_, { edit, resources }) => {
        const refused = after(edit).found.map(({ where }) => where);
        expect(refused.length).toBeGreaterThan(0);
        const waivers = resources.map(waiverOf);
        expect(after(edit, waivers)).toMatchObject({ found: [], idle: [] });
        expect(after(edit, waivers).waived.map(({ where }) => where)).toEqual(refused);
      },
    );

    it('let nothing else through', () => {
      const [first] = additions;
      const both = (template: Template) => {
        first?.edit(template);
        set('JobsQueue', 'MessageRetentionPeriod', 60)(template);
      };
      expect(after(both, first?.resources.map(waiverOf)).found.map(({ where }) => where)).toEqual([
        'JobsQueue.MessageRetentionPeriod',
      ]);
    });

    it('that waive nothing are told', () => {
      const waiver = waiverOf('HeldAlarm.AlarmActions');
      expect(examined(text, [waiver]).idle).toEqual([waiver]);
    });

    it('hold to their last day', () => {
      const file = JSON.stringify([waiverOf('A'), { ...waiverOf('B'), until: '2026-11-23' }]);
      expect(readWaivers(file, '2026-11-24')).toMatchObject({ valid: [{ resource: 'A' }], over: [{ resource: 'B' }] });
      expect(readWaivers(file, '2026-11-23').over).toEqual([]);
    });

    it.each([
      ['no JSON', 'HeldAlarm', 'the waivers are not JSON'],
      ['no reason', [{ resource: 'HeldAlarm', until: '2027-01-01' }], '0.reason'],
      ['a reason of a word', [{ ...waiverOf('HeldAlarm'), reason: 'ok' }], 'reason is a sentence'],
      ['no day', [{ ...waiverOf('HeldAlarm'), until: 'soon' }], 'until is a day'],
      ['everything', [waiverOf('*')], 'resource is a logical id'],
      ['a field more', [{ ...waiverOf('HeldAlarm'), who: 'ada' }], '0.who'],
    ])('are refused where one says %s', (_, given, why) => {
      const file = typeof given === 'string' ? given : JSON.stringify(given);
      expect(() => readWaivers(file, '2026-11-24')).toThrow(why);
    });
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
    expect(examined(bucket).found).toMatchObject([
      { rule: 'worker-functions', where: 'Resources', fault: 'hold no function with the setting LEDGER_TABLE_NAME' },
    ]);
  });
});
