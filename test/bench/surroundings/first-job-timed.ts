// Imports one bundle and gives its handler one batch, as Lambda does with a new process; says how long that took, and what
// processor time. A process of its own for each measurement.
import { pathToFileURL } from 'node:url';
import { lambdaContext } from '../payout-batches.ts';
import type { Handler } from '../shipped-handlers.ts';

const [, , file = '', batch = ''] = process.argv;

// Lines of the log are written and dropped, so that they cost what they cost.
const say = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const cpuBefore = process.cpuUsage();
const startMs = performance.now();
const { handler } = (await import(pathToFileURL(file).href)) as { handler: Handler };
const { batchItemFailures } = await handler(JSON.parse(batch), lambdaContext);
const sumMs = performance.now() - startMs;
const { user, system } = process.cpuUsage(cpuBefore);
say(JSON.stringify({ sumMs, cpuMs: (user + system) / 1000, failed: batchItemFailures.length }));
// Kept connections must not keep the process.
process.exit(0);
