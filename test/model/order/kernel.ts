// The order's kernel as the model uses it: the very modules that ship, or copies of them in which one line is broken.
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as attribute from '../../../lib/payout/order/attribute.ts';
import * as facts from '../../../lib/payout/order/facts.ts';
import * as fold from '../../../lib/payout/order/fold.ts';
import * as next from '../../../lib/payout/order/next.ts';

/** The pure modules of an order. */
export type Kernel = typeof attribute & typeof facts & typeof fold & typeof next;

/** As it ships. */
export const shipped: Kernel = { ...attribute, ...facts, ...fold, ...next };

/** One line broken: what stands there once, and what stands there instead. */
export interface Break {
  readonly law: 'L1' | 'L2' | 'L3' | 'L4' | 'L5' | 'L6' | 'L7';
  readonly name: string;
  readonly file: 'attribute.ts' | 'facts.ts' | 'fold.ts' | 'next.ts';
  readonly replace: string;
  readonly by: string;
}

const source = join(import.meta.dirname, '../../../lib/payout/order');

/** A kernel with the break, in files of its own. Throws where the line is not there exactly once. */
export async function broken({ file, replace, by, name }: Break): Promise<Kernel> {
  const copy = await mkdtemp(join(tmpdir(), 'order-'));
  await cp(source, copy, { recursive: true });
  const text = await readFile(join(copy, file), 'utf8');
  if (text.split(replace).length !== 2)
    throw new Error(`"${name}" names a line that is not in ${file} exactly once: ${replace}`);
  await writeFile(
    join(copy, file),
    text.replace(replace, () => by),
  );
  const modules = ['attribute', 'facts', 'fold', 'next'].map(
    (it) => import(/* @vite-ignore */ pathToFileURL(join(copy, `${it}.ts`)).href) as Promise<Partial<Kernel>>,
  );
  return Object.assign({}, ...(await Promise.all(modules))) as Kernel;
}
