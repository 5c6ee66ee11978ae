// An emulator as a process of its own on a free loopback port, its output in a file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What to start. */
export interface EmulatorCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A running emulator. */
export interface EmulatorProcess {
  readonly url: string;
  stop(): Promise<void>;
}

const readyWithinMs = 180_000;

/** Starts an emulator and waits until it answers HTTP, whatever it answers. */
export async function startEmulator(
  name: string,
  commandFor: (port: number) => EmulatorCommand,
): Promise<EmulatorProcess> {
  const port = await freePort();
  const { program, args, cwd, env = {} } = commandFor(port);
  const logFile = join(cwd, 'output.log');
  await mkdir(cwd, { recursive: true });
  const log = openSync(logFile, 'w');
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const failed = exited.then(async () => {
    throw new Error(`${name} ended by itself:\n${(await readFile(logFile, 'utf8')).slice(-2000)}`);
  });
  await Promise.race([answering(name, url), failed]);
  failed.catch(() => {});
  return {
    url,
    async stop() {
      process.off('exit', kill);
      // All it holds is in memory, and Java takes its time to leave politely.
      kill();
      await exited;
    },
  };
}

async function answering(name: string, url: string): Promise<void> {
  for (const startedMs = Date.now(); Date.now() - startedMs < readyWithinMs; await sleep(100)) {
    try {
      await fetch(url, { signal: AbortSignal.timeout(2_000) });
      return;
    } catch {
      // Not listening yet.
    }
  }
  throw new Error(`${name} did not answer within ${readyWithinMs} ms`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
