// A process in which one command of the tool runs after the other, as each would in a process of its own: with its own
// arguments, environment, directory, standard input and outputs. Starting Node and loading the SDK for each takes ten times as
// long as most commands. Started by cli.ts, which sends what is to run and gets what it left.
import { Readable, Writable } from 'node:stream';
import { main } from '../../../lib/cli/main.ts';
import type { HostedCommand, HostedEnd } from './cli.ts';

/** The text that was written so far, and the stream that takes it. */
function writtenTo(name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  Object.defineProperty(process, name, { value: stream, configurable: true });
  return () => Buffer.concat(chunks).toString('utf8');
}

function become({ env, cwd, input }: HostedCommand): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.exitCode = undefined;
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false });
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
}

/** What a process does at its end: whatever was to be put in order then, is. */
function end(before: readonly NodeJS.ExitListener[]): void {
  for (const listener of process.listeners('exit').filter((it) => !before.includes(it))) {
    process.off('exit', listener);
    listener.call(process, Number(process.exitCode ?? 0));
  }
}

async function run(command: HostedCommand): Promise<HostedEnd> {
  become(command);
  const [stdout, stderr] = [writtenTo('stdout'), writtenTo('stderr')];
  const before = process.listeners('exit');
  try {
    await main([process.execPath, 'payouts', ...command.args]);
  } catch (error) {
    // As Node ends without a catch.
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  }
  end(before);
  return { id: command.id, code: Number(process.exitCode ?? 0), stdout: stdout(), stderr: stderr() };
}

let last: Promise<void> = Promise.resolve();
process.on('message', (command: HostedCommand) => {
  last = last.then(async () => void process.send?.(await run(command)));
});
process.on('disconnect', () => process.exit());
