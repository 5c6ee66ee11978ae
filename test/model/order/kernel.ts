// The order's kernel as laws and model use it: the very modules that ship, or copies of them in which one line is broken. Laws ask beside it
// the journey of a callback, and the last moment of a POST.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PlantedBug, withEdits } from '../../bugs/planted.ts';
import * as decisions from '../../../lib/payout/order/decisions.ts';
import * as drop from '../../../lib/payout/order/drop.ts';
import * as ends from '../../../lib/payout/order/ends.ts';
import * as facts from '../../../lib/payout/order/facts.ts';
import * as fold from '../../../lib/payout/order/fold.ts';
import * as join from '../../../lib/payout/order/join.ts';
import * as living from '../../../lib/payout/order/living.ts';
import * as record from '../../../lib/payout/order/record.ts';
import * as reports from '../../../lib/payout/order/reports.ts';
import * as signs from '../../../lib/payout/order/signs.ts';
import * as time from '../../../lib/payout/order/time.ts';
import * as projection from '../../../lib/payout/order/projection.ts';
import * as callback from '../../../lib/payout/inquire/handle-callback.ts';
import * as journey from '../../../lib/payout/submit/submit-job.ts';
import * as http from '../../../lib/gateway/http-gateway.ts';

/** As it ships. */
export const shipped = {
  ...decisions,
  ...drop,
  ...ends,
  ...facts,
  ...fold,
  ...join,
  ...living,
  ...record,
  ...reports,
  ...signs,
  ...time,
  ...projection,
  ...callback,
  ...journey,
  ...http,
};

/** The pure modules of an order. */
export type Kernel = typeof shipped;

const repository = joinPath(import.meta.dirname, '../../..');
const kernel = 'decisions drop ends facts fold join living record reports signs time projection';
const paths = [
  ...kernel.split(' ').map((name) => `payout/order/${name}`),
  'payout/inquire/handle-callback',
  'payout/submit/submit-job',
  'gateway/http-gateway',
];

/** A kernel with the bug, in files of its own. */
export async function broken({ edits }: PlantedBug): Promise<Kernel> {
  const [{ file } = { file: '' }] = edits;
  await mkdir(joinPath(repository, '.build'), { recursive: true });
  const copy = await mkdtemp(joinPath(repository, '.build', 'broken-'));
  try {
    for (const room of ['lib/oauth1', 'lib/gateway', 'lib/payout'])
      await cp(joinPath(repository, room), joinPath(copy, room), { recursive: true });
    await writeFile(joinPath(copy, file), withEdits(file, await readFile(joinPath(copy, file), 'utf8'), edits));
    const modules = paths.map(
      (path) =>
        import(/* @vite-ignore */ pathToFileURL(joinPath(copy, 'lib', `${path}.ts`)).href) as Promise<Partial<Kernel>>,
    );
    return Object.assign({}, ...(await Promise.all(modules))) as Kernel;
  } finally {
    await rm(copy, { recursive: true });
  }
}
