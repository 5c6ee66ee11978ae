// Imports one module and says how long it took and what it holds in memory. A process of its own for each measurement.
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const startMs = performance.now();
await import(pathToFileURL(process.argv[2] ?? '').href);
const importMs = performance.now() - startMs;
const { rss, heapUsed } = process.memoryUsage();
process.stdout.write(JSON.stringify({ importMs, rssMb: rss / 1e6, heapMb: heapUsed / 1e6 }));
// Open handles of a peer must not keep the process.
process.exit(0);
