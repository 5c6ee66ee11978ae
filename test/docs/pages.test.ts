// What the pages point at is there: paths, links, headings; and what they may not say.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, pageOf, pages, suitePages } from './pages.ts';

const root = join(import.meta.dirname, '../..');
const isThere = (path: string) => existsSync(join(root, path));

/** Paths of this repository that a text names: `test/…`, `lib/…`, `infra/…`, `functions/…`, `.ci/…`. */
function pathsIn(text: string): readonly string[] {
  const named = text.matchAll(/(?<![\w./…*<>-])((?:test|lib|infra|functions|\.ci)\/[\w./-]*[\w/])(?![\w*<])/g);
  return [...named].map(([, path = '']) => path);
}

/** The relative links of a text, as written. */
const linksIn = (text: string) =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link));

it('the readers of pages have not gone blind', () => {
  expect(pages.length).toBeGreaterThan(15);
  expect(pathsIn('see `test/nowhere.test.ts`, lib/payout/message/job.ts. And infra/docs')).toEqual([
    'test/nowhere.test.ts',
    'lib/payout/message/job.ts',
    'infra/docs',
  ]);
  expect(linksIn('[a](b.md#c), ![d](../e.png), [f](https://g.example)')).toEqual(['b.md#c', '../e.png']);
});

describe.each([...pages, ...suitePages])('$file', ({ file, text }) => {
  it('names paths that exist', () => {
    expect(pathsIn(text).filter((path) => !isThere(path))).toEqual([]);
  });

  it('links to pages and headings that exist', () => {
    const broken = linksIn(text).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : normalize(join(dirname(file), path));
      if (!isThere(target)) return true;
      return anchor !== undefined && !anchorsOf(pageOf(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('has one title, and no heading twice', () => {
    const anchors = anchorsOf({ file, text });
    expect(text).toMatch(/^# [^\n]+\n\n/);
    expect(new Set(anchors).size).toBe(anchors.length);
  });
});

it('speaks in the terms of the field', () => {
  const terms: readonly [private_: RegExp, term: string][] = [
    [/\b(?:a|the|each|every|next|last|first|one) looks?\b/gi, 'inquiry'],
    [/(?<!dead[ -])\bletters?\b(?!, digits| or digits)/gi, 'dead letter'],
    [/\bfigures?\b/gi, 'metric'],
    [/\bdepots?\b/gi, 'key store'],
    [/\b(?:desk|tally|tallies)\b/gi, 'store, count'],
    [/\b(?:was|were|is|are|be|been|could be) told\b(?! apart)/gi, 'published, reported'],
  ];
  const found = pages.flatMap(({ file, text }) =>
    terms.flatMap(([private_, term]) =>
      (text.replaceAll(/\s+/g, ' ').match(private_) ?? []).map((it) => `${file}: "${it}" is ${term}`),
    ),
  );
  expect(found).toEqual([]);
});

it('every page is reached from the README', () => {
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const link of linksIn(pageOf(file).text)) {
      const target = normalize(join(dirname(file), link.split('#')[0] ?? ''));
      if (target.endsWith('.md')) visit(target);
    }
  };
  visit('README.md');
  expect(pages.map(({ file }) => file).filter((file) => !reached.has(file))).toEqual([]);
});

it('every page that the code names exists', () => {
  const files = ['lib', 'functions', 'infra', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => `${folder}/${name.toString()}`)
      .filter((name) => /\.(ts|yml)$/.test(name) && !name.includes('node_modules')),
  );
  expect(files.length).toBeGreaterThan(300);
  const gone = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\binfra\/[\w/-]+\.md\b/g)]
      .filter(([path]) => !isThere(path))
      .map(([path]) => `${file}: ${path}`),
  );
  expect(gone).toEqual([]);
});

it('the suites have a row for each promise, and tests in every row', () => {
  const rows = [...pageOf('test/README.md').text.matchAll(/^\| (\d) \| .+ \| (.+) \|$/gm)];
  expect(rows.map(([, number]) => number)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  expect(rows.filter(([, , tests = '']) => !/^(`test\/[\w/.-]+\.ts`(, |$))+$/.test(tests))).toEqual([]);
});
