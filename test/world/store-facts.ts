// What DynamoDB, Secrets Manager and KMS do. Pages are those of the DynamoDB Developer Guide (`D/`), of the Secrets Manager
// and KMS guides (`SM/`, `KMS/`) and of the API reference (`api:`).
import type { Fact } from './fact.ts';

/** DynamoDB. */
export const ledgerFacts: readonly Fact[] = [
  {
    does: 'Answers 500 to a write that "may have succeeded or failed".',
    breaks: 'A claim that we hold is taken for lost, or one that we lost for won. An owner token tells them apart.',
    source: 'D/Programming.Errors',
    fault: 'a ledger call is done and its answer lost',
    bug: 'a claim whose answer was lost is taken for won',
  },
  {
    does: 'Throttles any call, on-demand tables too: above twice the last peak, or by one hot partition or index.',
    breaks: 'The settling write after a POST fails, and what the gateway answered with it.',
    source: 'D/bp-partition-key-design, D/warm-throughput, D/gsi-throttling',
    fault: 'a ledger call is throttled',
    bug: 'an answer is dropped on its way to the own queue',
  },
  {
    does: 'Serves an index always, and a read by default, as the table stood a moment ago.',
    breaks:
      'A sweep sees an order that has moved on, and writes over what came after. The base item must be read again, or the write be under condition.',
    source: 'api:GetItem, api:Query',
    fault: 'an index shows what has moved on',
    tests: ['test/payout/inquire/sweep.test.ts', 'test/contract/open-work-contract.ts'],
    bug: 'the sweep writes by what its index shows, whatever stands',
  },
  {
    does: 'Answers a read that does not ask for consistency as the item stood before its last write.',
    breaks: 'An order that was just claimed or ended is taken for free, and its newer state for lost.',
    source: 'api:GetItem',
    fault: 'a read is stale',
    bug: 'the orders\' table is not asked for "#ve = :was"',
  },
  {
    does: 'Says why a condition failed only if it is asked to (ALL_OLD): the item as it stood, in the error itself.',
    breaks: 'Whoever reads afterwards reads another moment: what stands now may be the claim of a third.',
    source: 'api:PutItem, js#5045',
    fault: 'a read is stale',
    tests: ['test/contract/orders-contract.ts'],
    bug: 'a conditional write that lost is reported as won',
  },
  {
    does: 'Throttles writes to the table where one of its indexes can not keep up, by the partitions of that index.',
    breaks: 'An index by state alone (all open orders in one partition) is the ceiling of the whole ledger.',
    source: 'D/gsi-throttling, D/bp-partition-key-design',
    tests: ['test/contract/open-work-contract.ts'],
  },
  {
    does: 'Is out of reach at once where its key is disabled, and an archived backup a week later.',
    breaks: 'A key that is tidied up takes the ledger along.',
    source: 'D/encryption.howitworks',
    tests: ['test/infra/stack.test.ts'],
  },
  {
    does: 'Judges `LeadingKeys` of a policy only where the request names a key; a scan names none.',
    breaks: 'A function that may see one part of a table reads all of it.',
    source: 'IAM/reference_policies_multi-value-conditions, D/specifying-conditions',
    tests: ['test/rights/rights.test.ts', 'test/infra/stack.test.ts'],
  },
  {
    does: 'Deletes an expired item within days, best effort; until then it is read and written as usual.',
    breaks: 'Expiry is used as a lock or as a window of idempotency; an open order expires.',
    source: 'D/ttl-expired-items, D/howitworks-ttl',
    tests: ['test/contract/orders-contract.ts', 'test/aws/order-item.test.ts'],
  },
  {
    does: 'Restores a table only under a new name, as it was about five minutes ago, without its alarms, TTL and backups.',
    breaks: 'The last minutes are forgotten: orders that were sent in them would be sent again.',
    source: 'D/PointInTimeRecovery_Howitworks',
    fault: 'the ledger is restored to an earlier moment',
    tests: ['test/simulation/restore.test.ts', 'test/journey/restored-ledger.test.ts'],
    bug: 'a worker does not ask whether its ledger was restored',
  },
  {
    does: 'Refuses an item above 400 KB, and rounds a write up to 1 KB.',
    breaks: 'A history that only grows one day refuses the write that matters.',
    source: 'D/ServiceQuotas, D/ProvisionedThroughput',
    tests: ['test/aws/order-item.test.ts', 'test/contract/orders-contract.ts'],
  },
  {
    does: 'Loses a table with its replacement or with one wrong delete unless both are forbidden.',
    breaks: 'The ledger is gone, and every order may be paid again.',
    source: 'CFN/aws-attribute-updatereplacepolicy, D/GlobalTables',
    tests: ['test/infra/stack.test.ts'],
  },
  {
    does: 'Lets two Regions win the same condition in a global table: the last writer wins.',
    breaks: 'One claim is won twice.',
    source: 'D/V2globaltables_HowItWorks',
    tests: ['test/infra/stack.test.ts'],
  },
];

/** Secrets Manager and KMS. */
export const secretFacts: readonly Fact[] = [
  {
    does: 'Does not answer, for a while.',
    breaks: 'Jobs fail for good because of something that is not about them.',
    source: 'SM/reference_limits',
    fault: 'Secrets Manager is down',
    bug: 'an order is released without asking the gateway',
  },
  {
    does: 'Shows a new version of a secret to one process sooner than to another.',
    breaks: 'The old key signs after the gateway has changed over: refused, and sent again with the very same key.',
    source: 'api:PutSecretValue, api:ListSecrets',
    fault: 'a key is rotated',
    tests: ['test/journey/rotated-key.test.ts'],
    bug: 'a 401 that answers the second try of a possibly processed request is believed',
  },
  {
    does: 'Lets a person change everything in a secret while orders are open: host, login, endpoint, profile.',
    breaks: 'The new host says "no such order", and an order that the old one has is paid again.',
    fault: 'an account moves to another host and login',
    tests: ['test/cli/accounts.test.ts', 'test/journey/changed-account.test.ts'],
    bug: 'whom to ask about an order is read in the secret of now, wherever it was sent',
  },
  {
    does: 'Moves `AWSCURRENT` at once when a value is put, and knows nothing of the gateway that has the old key still.',
    breaks:
      'A half-done rotation signs with a key that the gateway has not: each refusal is taken for one of the order.',
    source: 'api:PutSecretValue',
    tests: ['test/merchants/rotate-key.test.ts'],
  },
  {
    does: 'Is eventually consistent in its rights as well: grants, keys and policies take seconds, sometimes minutes.',
    breaks: 'The first minutes after a deployment fail, and what fails then is taken for refused for good.',
    source: 'KMS/programming-eventual-consistency, IAM/troubleshoot_general',
    fault: 'Secrets Manager is down',
    tests: ['test/journey/no-secret-for-days.test.ts'],
    bug: 'an order is released without asking the gateway',
  },
  {
    does: 'Takes 4,096 bytes for a MAC, and no HMAC-SHA1 at all; shares its requests per second among all callers of a Region.',
    breaks: 'A long list fails in production alone; a busy neighbour throttles every signature.',
    source: 'api:GenerateMac, api:CreateKey, KMS/requests-per-second',
    tests: ['test/batches/approval-proof.test.ts', 'test/contract/kms-signer.test.ts'],
  },
  {
    does: 'Fails at once and for days with a key that is disabled or about to be deleted.',
    breaks: 'A permanent error is retried until the dead-letter queue.',
    source: 'KMS/concepts, api:ScheduleKeyDeletion',
    tests: ['test/journey/key-in-kms.test.ts', 'test/contract/rsa-signer-contract.ts'],
  },
];
