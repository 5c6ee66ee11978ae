// The product's pages: README.md and everything below infra/docs, as their readers have them.
import { readdirSync, readFileSync } from 'node:fs';

/** One page: its path from the root of the repository, and its text. */
export interface Page {
  readonly file: string;
  readonly text: string;
}

const root = new URL('../../', import.meta.url);

/** The page at this path. */
export function pageOf(file: string): Page {
  return { file, text: readFileSync(new URL(file, root), 'utf8') };
}

/** Every page, README.md first. */
export const pages: readonly Page[] = [
  'README.md',
  ...readdirSync(new URL('infra/docs', root), { recursive: true })
    .map((name) => `infra/docs/${name.toString()}`)
    .filter((file) => file.endsWith('.md'))
    .toSorted(),
].map(pageOf);

/** The READMEs that stand beside tests. */
export const suitePages: readonly Page[] = readdirSync(new URL('test', root), { recursive: true })
  .map((name) => `test/${name.toString()}`)
  .filter((file) => file.endsWith('README.md') && !file.includes('node_modules'))
  .toSorted()
  .map(pageOf);

/** The text of every block of one language, page by page. */
export function blocksOf(language: string): readonly { readonly file: string; readonly block: string }[] {
  const fence = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm');
  return pages.flatMap(({ file, text }) => [...text.matchAll(fence)].map(([, , block = '']) => ({ file, block })));
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf({ text }: Page): readonly string[] {
  const withoutBlocks = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...withoutBlocks.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
