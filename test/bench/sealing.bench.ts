// What sealed card data costs per job, in CPU: its sender, and the worker that opens it. The ledger is left out: leaving a
// CVV's key is one write there.
import { createJoseCardDecrypter } from '../../lib/card-data/jose-card-decrypter.ts';
import { createMemoryCardKeyStore } from '../support/memory-card-key-store.ts';
import { cardDataGate } from '../../lib/card-data/open-card-data.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import { type CardKeySet, sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks, createFakeCardKeys, rsaCardJwks } from '../support/card-keys.ts';
import { createFakeCredentials } from '../support/fake-credentials.ts';
import { aTransferJob, withoutParams } from '../support/jobs.ts';
import { type Benchmark, sideBySide } from './harness.ts';

const withCode = aTransferJob();
const withoutCode = withoutParams(withCode, 'cvv2');
const ports = {
  clock: { nowMs: Date.now },
  credentials: createFakeCredentials({}),
  cardDecrypter: createJoseCardDecrypter({ keys: createFakeCardKeys() }),
};

/** CPU of all threads; the other side does next to nothing, as only our own figure counts. */
async function microsecondsOf(work: () => Promise<unknown>): Promise<number> {
  const contest = { ours: work, reference: async () => {}, callsPerRound: 200, rounds: 9, clock: 'cpu' } as const;
  return (await sideBySide(contest)).oursMicrosecondsPerCall;
}

function seal(jwks: CardKeySet): Promise<number> {
  return microsecondsOf(() => sealJob(withoutCode, { jwks }));
}

function sealCode(): Promise<number> {
  const cardKeys = createMemoryCardKeyStore();
  return microsecondsOf(() => sealJob(withCode, { jwks: cardJwks, cardKeys }));
}

async function open(jwks: CardKeySet): Promise<number> {
  const parsed = parseJob(JSON.stringify(await sealJob(withoutCode, { jwks })));
  if (parsed.kind === 'rejected') throw new Error('the sealed job is none');
  const { job } = parsed;
  const gate = cardDataGate(ports);
  return microsecondsOf(() => gate({ received: job, job }));
}

/** One benchmark. */
export const sealingBenchmarks: readonly Benchmark[] = [
  {
    name: 'sealing',
    description: 'Card data sealed by its sender and opened by the worker, per job (P-256, and RSA of 2048 bits)',
    async run() {
      const figures = {
        sealCpuMicroseconds: await seal(cardJwks),
        sealWithCvvCpuMicroseconds: await sealCode(),
        sealByRsaCpuMicroseconds: await seal(rsaCardJwks),
        openCpuMicroseconds: await open(cardJwks),
        openByRsaCpuMicroseconds: await open(rsaCardJwks),
      };
      const sealing = ['sealCpuMicroseconds', 'sealWithCvvCpuMicroseconds', 'sealByRsaCpuMicroseconds'];
      return { figures, bounds: sealing.map((figure) => ({ kind: 'most', figure, most: 1_000 }) as const) };
    },
  },
];
