// Calls a function's process as Lambda's service would.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A function that can be called. */
export interface DeployedFunction {
  /** What it answers; rejects when it throws. */
  call(event: unknown): Promise<unknown>;
  /** Everything that it wrote. */
  output(): string;
  close(): Promise<void>;
}

interface Answer {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: string;
}

/** Starts the process of a bundle, with this environment and nothing else. */
export function startFunction(bundle: string, env: Readonly<Record<string, string>>): DeployedFunction {
  const child = fork(join(import.meta.dirname, 'function-process.ts'), [bundle], { env, stdio: 'pipe' });
  const waiting = new Map<number, (answer: Answer) => void>();
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
  child.on('message', (answer: Answer) => waiting.get(answer.id)?.(answer));
  const exited = once(child, 'exit');
  let calls = 0;
  return {
    output: () => output.join(''),
    async call(event) {
      calls += 1;
      const id = calls;
      const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
      child.send({ id, event });
      const { answer, error } = await answered;
      waiting.delete(id);
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
