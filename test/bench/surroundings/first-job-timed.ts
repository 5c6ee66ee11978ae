// Imports one bundle and gives its handler one event, as Lambda does with a new process; says how long either took, and
// what processor time both. A process of its own for each measurement.
import { pathToFileURL } from 'node:url';
import type { Handler } from '../shipped-handlers.ts';

const [, , file = '', event = ''] = process.argv;
const asked: unknown = JSON.parse(event);
const context = { getRemainingTimeInMillis: () => 120_000, functionName: 'bench', awsRequestId: 'bench' };

// Lines of the log are written and dropped, so that they cost what they cost.
const say = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const cpuBefore = process.cpuUsage();
const startMs = performance.now();
const { handler } = (await import(pathToFileURL(file).href)) as {
  handler: (...asked: readonly unknown[]) => Promise<Partial<Awaited<ReturnType<Handler>>>>;
};
const importedMs = performance.now();
// A function URL's answer has none.
const { batchItemFailures = [] } = await handler(asked, context);
const endMs = performance.now();
const { user, system } = process.cpuUsage(cpuBefore);
const failed = batchItemFailures.length;
const times = { importMs: importedMs - startMs, jobMs: endMs - importedMs, sumMs: endMs - startMs };
say(JSON.stringify({ ...times, cpuMs: (user + system) / 1000, failed }));
// Kept connections must not keep the process.
process.exit(0);
