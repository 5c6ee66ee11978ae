import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startEmbeddedAws } from './lib/local/embedded-aws.ts';
import { workerEnvironment } from './lib/local/local-environment.ts';
import { localWorkerLimits } from './lib/local/local-limits.ts';
import { sampleSecrets, workerSecret } from './lib/local/sample-merchants.ts';
const aws = await startEmbeddedAws();
for (const [m, s] of Object.entries(await sampleSecrets({ gatewayUrl: 'http://127.0.0.1:9', closedUrl: 'http://127.0.0.1:9' }))) aws.secrets.put(`payouts/${m}`, s);
aws.secrets.put('payouts/_worker', workerSecret());
const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...workerEnvironment(aws, localWorkerLimits.environment) };
const run = async (...args) => {
  const child = spawn('/usr/bin/time', ['-f', 'cpu %U+%S s, %M KB, wall %e s', process.execPath, 'lib/cli/payouts.js', ...args], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'close'); console.log('exit', code);
};
for (const line of process.argv.slice(2)) await run(...line.split(' '));
await aws.close();
