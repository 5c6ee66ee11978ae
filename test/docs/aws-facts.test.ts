// The page that answers what AWS does, fact by fact: none is left out, and whatever it points to is there.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pageOf } from './pages.ts';

const { text } = pageOf('infra/docs/aws-facts.md');
const rows = [...text.matchAll(/^\| (\d+) \| (.+?) \| (.+) \| `([^`]+)` \|$/gm)].map(
  ([, number, about = '', here = '', heldBy = '']) => ({ number: Number(number), about, here, heldBy }),
);

describe('AWS, fact by fact', () => {
  it('answers each of the 111, once and in order', () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 111 }, (_, index) => index + 1));
  });

  it('points to files that are there', () => {
    const root = new URL('../../', import.meta.url);
    expect(rows.filter(({ heldBy }) => !existsSync(new URL(heldBy, root)))).toEqual([]);
  });

  it('says a whole sentence of each', () => {
    expect(rows.filter(({ here }) => here.length < 7)).toEqual([]);
  });
});
