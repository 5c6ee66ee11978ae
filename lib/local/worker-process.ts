// The worker as a process of its own, as it would run in a container: `payouts worker`, its log in a file.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/** A running worker process. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Rejects with the end of its log when it ends by itself. */
  readonly crashed: Promise<never>;
  /** SIGTERM: it takes nothing more, finishes what it has and exits. */
  stop(): Promise<void>;
  /** SIGKILL: it ends in the middle of whatever it does. */
  kill(): Promise<void>;
}

const command = fileURLToPath(new URL('../cli/payouts.js', import.meta.url));
/** The parent's own AWS settings must not leak in: with AWS_PROFILE set, the SDK would prefer it to the fake keys. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'SystemRoot'];

/** Starts a worker with this environment and nothing else of ours. */
export function startWorkerProcess(
  environment: Readonly<Record<string, string>>,
  { logFile, args = [] }: { logFile: string; args?: readonly string[] },
): WorkerProcess {
  const own = Object.fromEntries(inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  const child = spawn(process.execPath, [command, 'worker', ...args], {
    env: { ...own, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  const exited = once(child, 'exit');
  // Also on the parent's sudden end: a worker without its queues would poll for ever.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let stopping = false;
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    stopping = true;
    process.off('exit', kill);
    if (isRunning(child)) child.kill(signal);
    await exited;
    log.end();
    await finished(log);
  };
  return {
    pid: child.pid,
    crashed: exited.then(async () => {
      if (stopping) return new Promise<never>(() => {});
      log.end();
      await finished(log);
      throw new Error(`the worker process ended by itself: ${await lastLines(logFile)}`);
    }),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** A worker that is started again when it ends by itself. */
export type KeptWorker = ReturnType<typeof keepWorkerRunning>;

/** More often is no accident. */
const restartsAtMost = 5;

/** Starts a worker and keeps it running: what it was at is in the ledger, and comes again from the queue. */
export function keepWorkerRunning(...how: Parameters<typeof startWorkerProcess>) {
  let worker = startWorkerProcess(...how);
  let restarts = 0;
  const keep = async (): Promise<never> => {
    for (;;) {
      const error: unknown = await worker.crashed.catch((it: unknown) => it);
      if (restarts === restartsAtMost) throw error;
      restarts += 1;
      worker = startWorkerProcess(...how);
    }
  };
  const crashed = keep();
  // A caller that waits for the process gets the error; a run that is over does not.
  crashed.catch(() => {});
  return {
    /** Rejects when it ends again and again. */
    crashed,
    /** How often it was started again. */
    restarts: () => restarts,
    stop: () => worker.stop(),
  };
}

const isRunning = (child: ChildProcess) => child.exitCode === null && child.signalCode === null;

async function lastLines(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trim().split('\n').slice(-5).join('\n');
}
