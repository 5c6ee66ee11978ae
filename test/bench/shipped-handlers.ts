// The bundles of the submit function and of its peers, minified alike, loaded into this process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { build } from 'esbuild';
import { bundleFunction } from '../../infra/bundle.ts';
import { idempotencyTableName } from './surroundings/start-servers.ts';

/** A handler of the jobs queue. */
export type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

const root = join(import.meta.dirname, '..', '..');

/** Bundles a peer as its documentation advises: ES module, minified, the SDK in it. */
export async function bundlePeer(name: 'powertools' | 'middy' | 'bare'): Promise<{ file: string; bytes: number }> {
  const file = join(root, '.build', 'peers', name, 'index.mjs');
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, 'peers', `${name}-lambda.ts`)],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    metafile: true,
    logLevel: 'error',
  });
  return { file, bytes: Object.values(metafile.outputs)[0]?.bytes ?? 0 };
}

let loads = 0;

/**
 * The handlers over the given environment, each with so many jobs of a batch under way at once, peers' results in tens as ours. Loaded anew for each
 * call, as settings are read once. Their logs are written and dropped, so that they cost what they cost.
 */
export async function handlersWith(
  environment: Readonly<Record<string, string>>,
  concurrency: number,
): Promise<{ ours: Handler; powertools: Handler; middy: Handler }> {
  const settings = { IDEMPOTENCY_TABLE: idempotencyTableName, CONCURRENCY: String(concurrency), RESULTS: 'tens' };
  Object.assign(process.env, environment, settings);
  loads += 1;
  const handlerOf = async ({ file }: { file: string }): Promise<Handler> =>
    (await import(`${pathToFileURL(file).href}?load=${loads}`)).handler;
  return {
    ours: silently(await handlerOf(await bundleFunction('submit'))),
    powertools: silently(await handlerOf(await bundlePeer('powertools'))),
    middy: silently(await handlerOf(await bundlePeer('middy'))),
  };
}

let silent = 0;
let logged = 0;
const write = process.stdout.write;

/** What the handlers have written to their log so far. */
export const loggedBytes = (): number => logged;

const taken: typeof write = (text: string | Uint8Array) => {
  logged += Buffer.byteLength(text);
  return true;
};

function silently(handler: Handler): Handler {
  return async (event, context) => {
    silent += 1;
    process.stdout.write = taken;
    try {
      return await handler(event, context);
    } finally {
      silent -= 1;
      if (silent === 0) process.stdout.write = write;
    }
  };
}
