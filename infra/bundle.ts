// `npm run build`: bundles each function into one file, dist/<name>.mjs, and holds it to its budget. The only place where bundles are made,
// for the package, the bill of materials and the tests.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';

/** A bundled function. */
interface Bundle {
  /** The function's module; its export `handler` is what Lambda calls. */
  readonly file: string;
  /** The bytes that a cold start reads. */
  readonly bytes: number;
  readonly gzipBytes: number;
  /** The source files in it, relative to the repository, sorted. */
  readonly inputs: readonly string[];
}

/** A cold start reads and compiles every byte. The SDK's weekly releases have some air below this. */
export const bundleLimitBytes = 692_000;

const root = join(import.meta.dirname, '..');

const options = {
  absWorkingDir: root,
  bundle: true,
  // An `import` of node:http reads each of its exports, fetch and WebSocket too: an eighth of a cold start. A `require` does not.
  format: 'cjs',
  platform: 'node',
  target: 'node24',
  // esbuild's default for Node prefers CommonJS sources, which can't be shaken: a third more bytes.
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  // A file of its own without a comment that names it: stacks are decoded afterwards, Lambda never loads it.
  sourcemap: 'external',
  // Lambda takes the file as an ES module, so that it waits for the start of the function.
  banner: {
    js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url),module={exports:{}};",
  },
  footer: { js: 'export const handler=await module.exports.handler;' },
  metafile: true,
} as const satisfies BuildOptions;

/** The functions by name: the files of functions/, but for what they share. */
export function functionNames(): string[] {
  const extension = '.ts';
  const files = readdirSync(join(root, 'functions')).filter((it) => it.endsWith(extension) && it !== 'compose.ts');
  return files.map((file) => file.slice(0, -extension.length)).toSorted();
}

/** Bundles functions/<name>.ts into <directory>/<name>.mjs, with its source map beside it. */
export async function bundleFunction(name: string, directory = join(root, 'dist')): Promise<Bundle> {
  const file = join(directory, `${name}.mjs`);
  const { metafile } = await build({ ...options, entryPoints: [`functions/${name}.ts`], outfile: file });
  const output = metafile.outputs[relative(root, file)];
  if (!output) throw new Error(`esbuild wrote no ${relative(root, file)}`);
  const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return {
    file,
    bytes: output.bytes,
    gzipBytes: gzipSync(await readFile(file)).length,
    inputs: used.map(([input]) => input).toSorted(),
  };
}

if (import.meta.main) {
  const bundles = await Promise.all(functionNames().map((name) => bundleFunction(name)));
  for (const { file, bytes, gzipBytes } of bundles) {
    const size = `${relative(root, file)}: ${(bytes / 1000).toFixed(1)} KB, ${(gzipBytes / 1000).toFixed(1)} KB gzipped`;
    process.stdout.write(
      `${size}${bytes > bundleLimitBytes ? `, over its budget of ${bundleLimitBytes / 1000} KB` : ''}\n`,
    );
    if (bytes > bundleLimitBytes) process.exitCode = 1;
  }
}
