// The doctor beside the stack that ships: every property that money, answers or secrets depend on is changed in turn, and it
// sees each; what endangers nothing is passed over.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { intendedStack, intendedStackFile } from '../../infra/intended-stack.ts';
import { examine } from '../../lib/doctor/examine.ts';
import { readStack } from '../../lib/doctor/stack.ts';
import { lengthOf } from '../support/long-proof.ts';
import { attribute, remove, set, type Template } from './broken-edits.ts';
import { brokenStacks } from './broken-stacks.ts';
import { harmlessEdits } from './harmless-edits.ts';
import { outsidersEdits } from './outsiders-edits.ts';
import { synthesized } from './synthesized.ts';
import { unseenEdits } from './unseen-edits.ts';

const prod = await synthesized(['--stage', 'prod']);
/** A landing changes every eleventh property: each change is a comparison of the whole stack. */
const stride = lengthOf({ short: 11, long: 11, whole: 1 });
const text = prod ? await readFile(prod.templateFile, 'utf8') : '{}';

function examined(template: Template) {
  const read = readStack(JSON.stringify(template));
  if (read.kind === 'unreadable') throw new Error(read.reason);
  const { found, chosen } = examine(read.stack);
  return { refused: found, chosen };
}

function after(edit: (template: Template) => unknown) {
  const template = JSON.parse(text) as Template;
  edit(template);
  return examined(template);
}

/** Properties in which nothing but looks and costs lies; of a function its code, which is proven otherwise. */
const isIndifferent = (type: string, path: string) =>
  /^(Tags|Description|AlarmDescription|DisplayName)\b/.test(path) ||
  /Dashboard|QueryDefinition/.test(type) ||
  (type === 'AWS::Lambda::Function' && /^(MemorySize|Code)\b/.test(path)) ||
  (type === 'AWS::Lambda::Version' && path === 'CodeSha256') ||
  (type === 'AWS::Logs::LogGroup' && path === 'RetentionInDays');

/** Each leaf below a value, and each list as a whole. */
function leavesOf(value: unknown, path: readonly string[] = []): readonly { path: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return [{ path: path.join('.'), value }];
  const inner = Object.entries(value).flatMap(([name, it]) => leavesOf(it, [...path, name]));
  return Array.isArray(value) ? [{ path: path.join('.'), value }, ...inner] : inner;
}

/** Another value of the same kind. */
function otherThan(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(1);
  if (typeof value === 'boolean') return !value;
  return typeof value === 'number' ? value + 1 : `${String(value)}x`;
}

describe.skipIf(!prod)('the stack beside the one that ships', () => {
  it('which is written down as it is packaged: `node infra/intended-stack.ts` after a change of infra/', async () => {
    const policy = await readFile(join(prod?.directory ?? '', 'stack-policy.json'), 'utf8');
    expect(intendedStack(text, policy)).toBe(await readFile(intendedStackFile, 'utf8'));
  });

  it('is the same', () => {
    expect(after(() => {})).toEqual({ refused: [], chosen: [] });
  });

  it('is seen to differ whichever property is changed, or taken away', { timeout: 300_000 }, () => {
    const template = JSON.parse(text) as Template;
    const unseen: string[] = [];
    let leaves = 0;
    let tried = 0;
    let stopped = 0;
    // A mapping of which nothing is said is enabled.
    const isSaidByAws = (type: string, path: string) =>
      (type === 'AWS::Lambda::EventSourceMapping' && path === 'Enabled') ||
      (type === 'AWS::Events::Rule' && path === 'State') ||
      // It ships as an empty one.
      (type === 'AWS::Lambda::EventInvokeConfig' && path === 'DestinationConfig');
    for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
      const changed = leavesOf(Properties).map(({ path, value }) => ({ path, to: otherThan(value) }));
      const gone = Object.keys(Properties)
        .filter((path) => !isSaidByAws(Type, path))
        .map((path) => ({ path, to: undefined }));
      for (const { path, to } of [...changed, ...gone].filter((it) => !isIndifferent(Type, it.path))) {
        leaves += 1;
        if (leaves % stride !== 0) continue;
        tried += 1;
        const { refused, chosen } = after(set(id, path, to));
        if (refused.length > 0) stopped += 1;
        if (refused.length + chosen.length === 0) unseen.push(`${id}.${path}`);
      }
    }
    const seen = tried - unseen.length;
    process.stdout.write(
      `the doctor saw ${seen} of ${tried} changed properties, refused ${stopped}, and showed what a stage may choose\n`,
    );
    expect(unseen).toEqual([]);
    expect(tried).toBeGreaterThan(4_000 / stride);
  });

  it('is refused whichever resource is gone, its policies are changed, or its condition', () => {
    const template = JSON.parse(text) as Template;
    const kept = Object.entries(template.Resources).filter(([, { Type }]) => !isIndifferent(Type, ''));
    const edits = kept.flatMap(([id, { DeletionPolicy, UpdateReplacePolicy }]) => [
      { id, edit: remove(id) },
      { id, edit: attribute(id, 'Condition', 'Never') },
      // What goes with its stack on purpose is no difference.
      ...(DeletionPolicy && DeletionPolicy !== 'Delete'
        ? [{ id, edit: attribute(id, 'DeletionPolicy', 'Delete') }]
        : []),
      ...(DeletionPolicy && UpdateReplacePolicy !== 'Delete'
        ? [{ id, edit: attribute(id, 'UpdateReplacePolicy', 'Delete') }]
        : []),
    ]);
    expect(edits.filter(({ edit }) => after(edit).refused.length === 0).map(({ id }) => id)).toEqual([]);
    process.stdout.write(`the doctor refused ${edits.length} stacks with something gone or not kept\n`);
  });

  it.each(unseenEdits.map((it) => [it.story, it] as const))('is refused: %s', (_, { edit, where }) => {
    expect(after(edit).refused.map((it) => it.where)).toEqual(expect.arrayContaining([expect.stringContaining(where)]));
  });

  it.each(outsidersEdits.map((it) => [it.story, it] as const))(
    'is refused to an outsider: %s',
    (_, { edit, where }) => {
      expect(after(edit).refused.map((it) => it.where)).toEqual(
        expect.arrayContaining([expect.stringContaining(where)]),
      );
    },
  );

  it.each(harmlessEdits.map((it) => [it.story, it.edit] as const))('is as good: %s', (_, edit) => {
    expect(after(edit)).toEqual({ refused: [], chosen: [] });
  });

  it('is tried in many ways by people who did not write the doctor', () => {
    const unsafe = unseenEdits.length + outsidersEdits.length + brokenStacks.length;
    expect([unsafe >= 153, harmlessEdits.length >= 25]).toEqual([true, true]);
    process.stdout.write(`the doctor saw no difference in ${harmlessEdits.length} harmless variants\n`);
    process.stdout.write(`the doctor refused ${unsafe} unsafe edits by hand\n`);
  });
});
