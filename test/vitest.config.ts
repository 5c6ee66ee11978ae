// The suites: which tests share a process, which need one of their own, and which belong to the long proof.
// test/README.md says what each proves, how long it takes and how it is run.
import { defineConfig } from 'vitest/config';

/** Whole files of the long proof: packaging, many processes, kill and silence runs, a cut at every byte, waits of real queues. */
export const longOnly = [
  'test/files/walks.test.ts',
  'test/cli/{bad-days,card-dump,card-keys,first-payout,keys,local-run,lost-waiting,payday,retry-by-name,submit-killed,two-persons,verdict,worker}.test.ts',
  'test/chaos/{reply-cuts,request-cuts,tls-cuts}.test.ts',
  'test/contract/{change-the-shards,fauxqs-queues,fauxqs-dead-letters}.test.ts',
  'test/infra/{bundle,inventory}.test.ts',
  'test/console/*.browser.test.ts',
  'test/bugs/bugs.test.ts',
  'test/published/client-package.test.ts',
  'test/{kill,rights}/**/*.test.ts',
  'test/silence/silence.test.ts',
  'test/docs/runbook.test.ts',
];

/** Files that have more to tell in the long proof than in the short one (support/long-proof.ts). */
const longerStories = [
  'test/{cli,simulation}/**/*.test.ts',
  'test/{aws/sqs-event-source,infra/stack}.test.ts',
  'test/{merchants/probe,oauth1/sign-request.property,payout/order/laws,model/order/breaks,published/job-schema.property}.test.ts',
  'test/payout/{end-delivery,lanes/lane-pace}.test.ts',
  'test/batches/{settle-batches,settle-batches-faults,upload-batch}.test.ts',
  'test/chaos/redelivery.test.ts',
  'test/contract/dynamodb-orders.test.ts',
  'test/stories/{callbacks,dead-letters,order-lives,outages,waiting}.test.ts',
];

/** What holds of every test of either. */
export const common = {
  root: import.meta.dirname + '/..',
  testTimeout: 90_000,
  hookTimeout: 60_000,
  setupFiles: [import.meta.dirname + '/support/property-seed.ts'],
  restoreMocks: true,
};

/** Stories of many processes, on machines that do other things too: a limit is there to end what hangs. */
const patient = { testTimeout: 300_000, hookTimeout: 300_000 };
const PROOF = process.env['PROOF'] ?? 'long';

export default defineConfig({
  test: {
    root: import.meta.dirname + '/..',
    // vitest leaves a core free by default; much of the time here is waiting on real queues and sockets.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'short',
          include: ['test/**/*.test.ts'],
          exclude: longOnly,
          env: { COMMANDS: 'hosted' },
          isolate: false,
        },
      },
      { test: { ...common, ...patient, name: 'long', include: longOnly, env: { PROOF } } },
      {
        test: {
          ...common,
          ...patient,
          name: 'long, beside the short',
          include: longerStories,
          exclude: longOnly,
          env: { PROOF, COMMANDS: 'hosted' },
        },
      },
    ],
  },
});
