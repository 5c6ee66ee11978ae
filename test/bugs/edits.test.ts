// Which small edits a syntax tree offers, and that a seed draws the same again.
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { drawn, type EditKind, editsOf, planted } from './edits.ts';
import { reachOf } from './reach.ts';

const offered = (source: string, kind: EditKind) =>
  editsOf('lib/a.ts', source)
    .filter((it) => it.kind === kind)
    .map((it) => planted(source, it));

describe('the edits of a source', () => {
  it.each<[kind: EditKind, source: string, bug: string]>([
    ['statement deleted', 'count(it);', ';'],
    ['statement deleted', "if (isOver) return 'over';", ';'],
    ['condition', 'if (isOver) end();', 'if (true) end();'],
    ['condition', 'const it = a && b;', 'const it = (b);'],
    ['condition', 'const it = a ?? b;', 'const it = (a);'],
    ['comparison', 'const it = nowMs >= endMs;', 'const it = nowMs > endMs;'],
    ['arithmetic', 'const it = a - b;', 'const it = a + b;'],
    ['constant', 'const most = 3;', 'const most = 4;'],
    ['constant', "const kind = 'held';", "const kind = 'held-';"],
    ['await left out', 'await write(it);', 'write(it);'],
    ['argument order', 'pay(from, to);', 'pay(to, from);'],
    ['unit', 'wait(pauseMs);', 'wait((pauseMs / 1000));'],
    ['unit', 'const it = days * 86_400;', 'const it = (days);'],
    ['key part left out', 'const key = `${mac} ${text}`;', 'const key = `${mac} `;'],
    ['field left out', 'const it = { a: 1, b: 2 };', 'const it = { a: 1 };'],
    ['field left out', 'const it = [one, two];', 'const it = [two];'],
    ['wiring left out', 'const it = restored(controls, restoration);', 'const it = controls;'],
    ['selection', 'const it = all.filter(isOpen);', 'const it = all;'],
    ['selection', 'const it = all.every(isOpen);', 'const it = all.some(isOpen);'],
  ])('%s: %s', (kind, source, bug) => {
    expect(offered(source, kind)).toContain(bug);
  });

  it('are none in types, imports, names of fields and words for people', () => {
    expect(editsOf('lib/a.ts', "import { a } from './a.ts';\ninterface B { readonly c: 'd' | 'e' }")).toEqual([]);
    expect(offered("const it = { 'content-type': 'a word to people' };", 'constant')).toEqual([]);
  });

  it('leave a text that can be read', () => {
    const source =
      "const of = async (it: It) => { if (it.a < 3) return { ...it, b: [1, 2] }; await go(it.toString(), 'x'); };";
    const broken = editsOf('lib/a.ts', source).filter((it) => parseSync('a.ts', planted(source, it)).errors.length > 0);
    expect(broken).toEqual([]);
  });
});

describe('a draw', () => {
  const edits = editsOf('lib/a.ts', 'if (a < 1) pay(b, c); const d = [1, 2, 3, 4, 5, 6, 7, 8]; await e(`${d} ${c}`);');

  it('is the same by the same seed, any other by another, and comes to all', () => {
    expect([...drawn(edits, '8e889ad')]).toEqual([...drawn(edits, '8e889ad')]);
    expect([...drawn(edits, '8e889ad')]).not.toEqual([...drawn(edits, '8e889ae')]);
    expect(new Set(drawn(edits, '8e889ad'))).toEqual(new Set(edits));
  });

  it('takes every kind as often, however many there are of it', () => {
    const firsts = Array.from({ length: 400 }, (_, seed) => drawn(edits, String(seed)).next().value?.kind);
    const shares = [...Map.groupBy(firsts, (it) => it).values()].map((it) => it.length / firsts.length);
    const kinds = new Set(edits.map(({ kind }) => kind)).size;
    for (const share of shares) expect(Math.abs(share - 1 / kinds)).toBeLessThan(0.06);
  });
});

describe('what reaches what', () => {
  const reach = reachOf(`${import.meta.dirname}/../..`);

  it('what ships is what the functions import, and no tool', () => {
    expect(reach.shipped()).toContain('lib/payout/order/fold.ts');
    expect(reach.shipped()).toContain('functions/submit.ts');
    expect(reach.shipped().filter((it) => /^lib\/(cli|local|doctor)\//.test(it))).toEqual([]);
  });

  it('the nearest tests of a file come first, and none of the long proof', () => {
    const tests = reach.testsOf(['lib/payout/submit/claim.ts']);
    expect(tests[0]).toBe('test/payout/submit/claim.test.ts');
    expect(tests).toContain('test/stories/answers.test.ts');
    expect(tests.filter((it) => it.startsWith('test/kill/'))).toEqual([]);
  });
});
