// `npm run build`: bundles each function into one file, dist/<name>.mjs, and fails if it is too large. The package, the bill of materials
// and the tests use the same bundles.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';

/** A bundled function. */
interface Bundle {
  /** The function's module; Lambda calls its export `handler`. */
  readonly file: string;
  /** What a cold start reads. */
  readonly bytes: number;
  readonly gzipBytes: number;
  /** The source files in it, relative to the repository, sorted. */
  readonly inputs: readonly string[];
}

/** Largest bundle, with room for the SDK's weekly releases: a cold start reads and compiles every byte. */
export const bundleLimitBytes = 692_000;

const root = join(import.meta.dirname, '..');

const options = {
  absWorkingDir: root,
  bundle: true,
  // `require` of node:http does not read each of its exports, as `import` does, which lengthens each cold start.
  format: 'cjs',
  platform: 'node',
  target: 'node24',
  // esbuild's default for Node prefers CommonJS, whose unused code stays: a third more bytes.
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  // In a file of its own, which Lambda never loads: stacks are decoded afterwards.
  sourcemap: 'external',
  // An ES module: Lambda awaits the start of the function (`await` below).
  banner: {
    js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url),module={exports:{}};",
  },
  footer: { js: 'export const handler=await module.exports.handler;' },
  metafile: true,
} as const satisfies BuildOptions;

/** The names of the functions: the files of functions/, without compose.ts. */
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
