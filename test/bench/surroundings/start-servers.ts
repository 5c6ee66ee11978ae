// Starts the other side of a benchmark (servers.ts) and points this process at it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tls from 'node:tls';
import { testCertificatePem } from '../../local/gateway/support/tls-certificate.ts';
import type { Manner } from './listen.ts';

/** Table of the idempotency library in the emulator. */
export const idempotencyTableName = 'bench-idempotency';

/** The running servers. */
export interface Servers {
  readonly environment: Readonly<Record<string, string>>;
  /** How the gateway answers from now on. */
  readonly answerAfter: (latencyMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts them; `instant` takes every AWS call, at once unless its manner says otherwise, `emulators` are those of `payouts local`. */
export async function startServers(kind: 'instant' | 'emulators', manner: Manner = {}): Promise<Servers> {
  const child = fork(join(import.meta.dirname, 'servers.ts'), [kind, JSON.stringify(manner)], { execArgv: [] });
  const stopWithUs = () => child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  const ended = once(child, 'exit');
  const crashed = ended.then(([code]) => Promise.reject(new Error(`the bench's servers ended with ${String(code)}`)));
  crashed.catch(() => {});
  const [ready] = (await Promise.race([once(child, 'message'), crashed])) as [
    { readonly environment: Record<string, string> },
  ];
  return {
    environment: ready.environment,
    answerAfter: async (latencyMs) => {
      child.send(latencyMs);
      await once(child, 'message');
    },
    stop: async () => {
      process.off('exit', stopWithUs);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** From now on this process trusts their certificate, until the returned function is called. */
export function trustingTheServers(): () => void {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, testCertificatePem]);
  return () => tls.setDefaultCACertificates(before);
}

/** The environment of a process that Lambda starts, which trusts the servers. */
export async function processEnvironment({ environment }: Servers): Promise<Record<string, string>> {
  const folder = join(import.meta.dirname, '..', '..', '..', '.build', 'peers');
  await mkdir(folder, { recursive: true });
  const trusted = join(folder, 'ca.pem');
  await writeFile(trusted, testCertificatePem);
  return {
    ...environment,
    NODE_EXTRA_CA_CERTS: trusted,
    // By it a process knows that it is started by Lambda.
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
    IDEMPOTENCY_TABLE: idempotencyTableName,
    CONCURRENCY: '10',
  };
}
