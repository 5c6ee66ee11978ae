// Imports that run against the order of rooms, each to be turned by gates and by types in the room that owns them.
export const notYet: ReadonlySet<string> = new Set([
  'lib/batches/check-rows.ts: lib/card-data/card-data.ts',
  'lib/dead-letters/plan-redrive.ts: lib/batches/approval.ts',
  'lib/dead-letters/plan-redrive.ts: lib/batches/check-approval.ts',
  'lib/dead-letters/plan-redrive.ts: lib/card-data/open-card-data.ts',
  'lib/payout/preflight.ts: lib/batches/approval.ts',
  'lib/payout/submit-job.ts: lib/batches/check-approval.ts',
  'lib/payout/submit-job.ts: lib/card-data/open-card-data.ts',
  'lib/payout/submit-job.ts: lib/card-data/send-with-cvv.ts',
]);
