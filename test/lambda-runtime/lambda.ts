// One execution environment of a function, as Lambda keeps it: a process under AWS's runtime interface client, started
// at the first invocation, used again for the next, killed when the deadline passes, started anew after it died.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { interfaceClientModule } from './interface-client.ts';
import { type Answer, type RuntimeApi, startRuntimeApi } from './runtime-api.ts';

/** A function to run. */
export interface LambdaOptions {
  /** Where the interface client is installed. */
  readonly interfaceClient: string;
  /** The bundle; its export `handler` is called. */
  readonly file: string;
  readonly timeoutMs: number;
  /** The function's environment; the first process is number 1. */
  readonly environmentOf: (processNumber: number) => Readonly<Record<string, string>>;
}

/** How an invocation ended. */
export type End = Answer | { readonly kind: 'timed-out' } | { readonly kind: 'exited'; readonly code: number | null };

/** The running function. */
export interface Lambda {
  invoke(event: unknown): Promise<End>;
  /** How many processes were started. */
  coldStarts(): number;
  /** Everything the processes wrote. */
  output(): string;
  close(): Promise<void>;
}

interface Sandbox {
  readonly api: RuntimeApi;
  readonly process: ChildProcess;
  readonly exited: Promise<End>;
}

/** A function without a process yet. One invocation at a time, as in Lambda's environments. */
export function createLambda(options: LambdaOptions): Lambda {
  const { interfaceClient, file, timeoutMs, environmentOf } = options;
  let sandbox: Sandbox | undefined;
  let coldStarts = 0;
  const output: string[] = [];

  async function start(): Promise<Sandbox> {
    coldStarts += 1;
    const api = await startRuntimeApi();
    const child = spawn(process.execPath, [interfaceClientModule(interfaceClient)], {
      env: { ...runtimeEnvironment(api, file), ...environmentOf(coldStarts) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => output.push(String(chunk)));
    const exited = once(child, 'exit').then(([code]): End => ({ kind: 'exited', code: code as number | null }));
    return { api, process: child, exited };
  }

  async function end(ended: Sandbox): Promise<void> {
    if (sandbox === ended) sandbox = undefined;
    ended.process.kill('SIGKILL');
    await ended.exited;
    await ended.api.close();
  }

  return {
    coldStarts: () => coldStarts,
    output: () => output.join(''),
    async invoke(event) {
      sandbox ??= await start();
      const used = sandbox;
      const invocation = {
        requestId: randomUUID(),
        event,
        deadlineMs: Date.now() + timeoutMs,
      };
      const over = new AbortController();
      const deadline = sleep<End>(timeoutMs, { kind: 'timed-out' }, { signal: over.signal });
      const result = await Promise.race([used.api.invoke(invocation), used.exited, deadline]);
      over.abort();
      deadline.catch(() => {});
      if (result.kind === 'timed-out' || result.kind === 'exited') await end(used);
      return result;
    },
    close: async () => (sandbox ? end(sandbox) : undefined),
  };
}

/** What Lambda sets by itself, the credentials apart. */
const runtimeEnvironment = ({ address }: RuntimeApi, file: string) => ({
  AWS_LAMBDA_RUNTIME_API: address,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: 'submit',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/submit',
  AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/21/[$LATEST]0',
  LAMBDA_TASK_ROOT: dirname(file),
  _HANDLER: `${basename(file, '.mjs')}.handler`,
  TZ: ':UTC',
});
