#!/usr/bin/env node
// Starts the tool under Node 24 or later, which runs TypeScript as it is. An older Node on the PATH hands over to the
// one that `npm ci` has put beside the dependencies, `npm ci --omit=dev` too.
import { spawn } from 'node:child_process';
import module, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const oldestMajor = 24;

if (Number(process.versions.node.split('.')[0]) >= oldestMajor) {
  // A file's rows are garbage a moment after they are read; the heap need not grow by them (and see submit-survey.ts).
  if (['submit', 'approve', 'reconcile'].includes(process.argv[2] ?? ''))
    setFlagsFromString('--heap-growing-percent=60');
  // Starts in a fifth of the time. Beside the code, not in a directory that others may write to: it is code too.
  module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/payouts', import.meta.url)));
  const { main } = await import('./main.ts');
  await main(process.argv);
} else {
  const node = installedNode();
  if (node === undefined) {
    process.stderr.write(
      `payouts needs Node ${oldestMajor}; this is ${process.version}. Run "npm ci", with --omit=dev or without, which brings it.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 128 + constants.signals[signal])));
}

/** @returns {string | undefined} */
function installedNode() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node');
  } catch {
    return undefined;
  }
}
