// `npm run build [-- --json]`: bundles every function and holds it to its budget. The bytes are a limit: a cold start
// reads and compiles each one. The time from nothing to a function that can be called depends on the machine, so it is
// printed, and only a ceiling that means a mistake (a client that connects at import, say) is asserted.
import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunction, bundleLimitBytes, functionNames } from './bundle.ts';

const importLimitMs = 2_000;
const rounds = 5;

/** Milliseconds to import a bundle in a process of its own, the process's own start not counted; the median of five. */
async function importMs(file: string): Promise<number> {
  const script = `const start = performance.now();
    const { handler } = await import(${JSON.stringify(file)});
    if (typeof handler !== 'function') throw new Error('no handler');
    console.log(performance.now() - start);`;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    times.push(Number(stdout));
  }
  return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Infinity;
}

const rows = [];
for (const name of functionNames()) {
  const { file, bytes, gzipBytes, inputs } = await bundleFunction(name);
  const ms = Math.round(await importMs(file));
  rows.push({ name, file: relative(process.cwd(), file), bytes, gzipBytes, inputs: inputs.length, importMs: ms });
}
const lines = rows.map(
  ({ file, bytes, gzipBytes, importMs: ms, inputs }) =>
    `${file}: ${(bytes / 1000).toFixed(1)} KB, ${(gzipBytes / 1000).toFixed(1)} KB gzipped, ready after ${ms} ms, ${inputs} source files`,
);
process.stdout.write(`${process.argv.includes('--json') ? JSON.stringify(rows) : lines.join('\n')}\n`);

const over = rows.filter((row) => row.bytes > bundleLimitBytes || row.importMs > importLimitMs);
for (const { name } of over) {
  process.stderr.write(`${name} is over its budget of ${bundleLimitBytes / 1000} KB and ${importLimitMs} ms\n`);
}
if (over.length > 0) process.exitCode = 1;
