// The order's kernel as the model uses it: the very modules that ship, or copies of them in which one line is broken.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PlantedBug, withEdits } from '../../bugs/planted.ts';
import * as attribute from '../../../lib/payout/order/attribute.ts';
import * as facts from '../../../lib/payout/order/facts.ts';
import * as fold from '../../../lib/payout/order/fold.ts';
import * as next from '../../../lib/payout/order/next.ts';
import * as record from '../../../lib/payout/order/record.ts';

/** The pure modules of an order. */
export type Kernel = typeof attribute & typeof facts & typeof fold & typeof next & typeof record;

/** As it ships. */
export const shipped: Kernel = { ...attribute, ...facts, ...fold, ...next, ...record };

const repository = join(import.meta.dirname, '../../..');
/** What the modules of an order stand on: the pure ones on each other alone, the one that writes results on what these are made of. */
const writesResults = (file: string) => file.endsWith('/record.ts');
const pure = ['attribute', 'facts', 'fold', 'next'];

/** A kernel with the bug, in files of its own. */
export async function broken({ edits }: PlantedBug): Promise<Kernel> {
  const [{ file } = { file: '' }] = edits;
  const rooms = writesResults(file) ? ['lib/oauth1', 'lib/gateway', 'lib/payout'] : ['lib/payout/order'];
  await mkdir(join(repository, '.build'), { recursive: true });
  const copy = await mkdtemp(join(repository, '.build', 'broken-'));
  const order = join(copy, 'lib/payout/order');
  try {
    for (const room of rooms) await cp(join(repository, room), join(copy, room), { recursive: true });
    await writeFile(join(copy, file), withEdits(file, await readFile(join(copy, file), 'utf8'), edits));
    const names = writesResults(file) ? [...pure, 'record'] : pure;
    const modules = names.map(
      (name) => import(/* @vite-ignore */ pathToFileURL(join(order, `${name}.ts`)).href) as Promise<Partial<Kernel>>,
    );
    return Object.assign({}, shipped, ...(await Promise.all(modules))) as Kernel;
  } finally {
    await rm(copy, { recursive: true });
  }
}
