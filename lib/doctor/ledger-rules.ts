// Rules about what must not get lost or be read by others: the ledger, the key, the secrets.
import { type StackFinding, type Rule, unless } from './rule.ts';
import { listOf, ofType, type Resource, recordOf, targetOf } from './stack.ts';
import type { WorkerStack } from './worker-stack.ts';

const thatAreThere = (tables: readonly (Resource | undefined)[]): Resource[] =>
  [...new Set(tables)].flatMap((table) => table ?? []);

/** The ledger, and the tables of batches and controls, which are kept like it. */
function ofKeptTables(check: (table: Resource) => readonly StackFinding[]): Rule['check'] {
  return ({ ledger, batches, controls }) => thatAreThere([ledger, batches, controls]).flatMap(check);
}

/** Those that the sweeper finds open work in. */
function ofIndexedTables(check: (table: Resource) => readonly StackFinding[]): Rule['check'] {
  return ({ ledger, batches }) => thatAreThere([ledger, batches]).flatMap(check);
}

const keysOf = (schema: unknown) =>
  listOf(schema)
    .map((key) => `${String(recordOf(key)['AttributeName'])}:${String(recordOf(key)['KeyType'])}`)
    .join(' ');

const openWorkOf = ({ properties }: Resource) =>
  listOf(properties['GlobalSecondaryIndexes'])
    .map(recordOf)
    .find(({ IndexName }) => IndexName === 'open-work');

/** What a redeployment must not take away; deletion with the stack is the owner's choice per stage. */
function kept({ stack, ledger, batches, controls }: WorkerStack): Resource[] {
  const keys = [...ofType(stack, 'AWS::KMS::Key'), ...ofType(stack, 'AWS::SecretsManager::Secret')];
  return [...thatAreThere([ledger, batches, controls]), ...keys];
}

/** The rules; each is a row. */
export const ledgerRules: readonly Rule[] = [
  {
    name: 'point-in-time-recovery',
    danger: 'a table lost by mistake is lost with all memory of what was paid: each redelivered message pays again',
    check: ofKeptTables(({ logicalId, properties }) =>
      unless(
        recordOf(properties['PointInTimeRecoverySpecification'])['PointInTimeRecoveryEnabled'] === true,
        `${logicalId}.PointInTimeRecoverySpecification`,
        'is not on',
      ),
    ),
  },
  {
    name: 'deletion-protection',
    danger: 'one wrong click deletes the memory of what was paid',
    check: ofKeptTables(({ logicalId, properties }) =>
      unless(properties['DeletionProtectionEnabled'] === true, `${logicalId}.DeletionProtectionEnabled`, 'is not true'),
    ),
  },
  {
    name: 'kept-on-replacement',
    danger:
      'an update that replaces it starts empty: an empty ledger pays again, without its keys no order is recognised',
    check: (worker) =>
      kept(worker).flatMap(({ logicalId, updateReplacePolicy }) =>
        unless(
          updateReplacePolicy === 'Retain',
          `${logicalId}.UpdateReplacePolicy`,
          `is ${updateReplacePolicy ?? 'not set'}`,
        ),
      ),
  },
  {
    name: 'billing-on-demand',
    danger: 'payday is throttled: answers that the ledger can not take travel round the queue',
    check: ofKeptTables(({ logicalId, properties }) =>
      unless(properties['BillingMode'] === 'PAY_PER_REQUEST', `${logicalId}.BillingMode`, 'is not PAY_PER_REQUEST'),
    ),
  },
  {
    name: 'ledger-keys',
    danger: 'the worker can not find its orders, and no job is taken',
    check: ofKeptTables(({ logicalId, properties }) => {
      const keys = keysOf(properties['KeySchema']);
      return unless(keys === 'pk:HASH', `${logicalId}.KeySchema`, `is ${keys || 'empty'}, should be pk:HASH`);
    }),
  },
  {
    name: 'open-work-index',
    danger: 'the sweeper is blind: orders that stand still are never set moving, doubt is never counted',
    check: ofIndexedTables((ledger) => {
      const index = openWorkOf(ledger);
      const where = `${ledger.logicalId}.GlobalSecondaryIndexes.open-work`;
      const projection = recordOf(index?.['Projection'])['ProjectionType'];
      return [
        ...unless(keysOf(index?.['KeySchema']) === 'wk:HASH wa:RANGE', where, 'is not there with the keys wk and wa'),
        ...unless(index === undefined || projection === 'ALL', where, `projects ${String(projection)}, should be ALL`),
      ];
    }),
  },
  {
    name: 'time-to-live',
    danger:
      'items go by another clock than the one that the worker sets; an order that goes before its last message is paid again by it',
    check: ofKeptTables(({ logicalId, properties }) => {
      const { AttributeName: name, Enabled: on } = recordOf(properties['TimeToLiveSpecification']);
      return unless(
        on === true && name === 'expiresAt',
        `${logicalId}.TimeToLiveSpecification`,
        `is ${on === true ? `on ${String(name)}` : 'off'}, should be on expiresAt`,
      );
    }),
  },
  {
    name: 'ledger-encryption',
    danger: 'who may read payouts is not decided by a key of your own, and not logged',
    check: ({ stack, ledger, cardKeys, batches, controls }) =>
      thatAreThere([ledger, cardKeys, batches, controls]).flatMap((table) => {
        const { SSEEnabled: on, KMSMasterKeyId: key } = recordOf(table.properties['SSESpecification']);
        const isOwn = on === true && targetOf(stack, key)?.type === 'AWS::KMS::Key';
        return unless(isOwn, `${table.logicalId}.SSESpecification`, 'names no key of this stack');
      }),
  },
  {
    name: 'card-keys-apart',
    danger:
      "who may leave the key of a CVV may write over orders, and the ledger's backups bring keys of spent CVVs back",
    check: ({ ledger, cardKeys }) =>
      ledger ? unless(cardKeys !== ledger, ledger.logicalId, 'holds the card keys as well') : [],
  },
  {
    name: 'approvals-and-controls-apart',
    danger:
      'who may move orders may approve a batch or end a pause, and a restore of the orders brings back what was called off',
    check: ({ ledger, batches, controls }) =>
      ledger
        ? [
            ...unless(batches !== ledger, ledger.logicalId, 'holds batches and their approvals as well'),
            ...unless(controls !== ledger, ledger.logicalId, 'holds the controls as well'),
            ...unless(!batches || batches !== controls, batches?.logicalId ?? '', 'holds the controls as well'),
          ]
        : [],
  },
  {
    name: 'card-keys-not-kept',
    danger: 'a key that comes back opens the CVV of an order that was sent, which PCI DSS 3.3.1 forbids to keep',
    check: ({ ledger, cardKeys }) => {
      if (!cardKeys || cardKeys === ledger) return [];
      const { logicalId, properties, deletionPolicy, updateReplacePolicy } = cardKeys;
      const { PointInTimeRecoveryEnabled: recovered } = recordOf(properties['PointInTimeRecoverySpecification']);
      const { AttributeName: name, Enabled: on } = recordOf(properties['TimeToLiveSpecification']);
      const streams = ['StreamSpecification', 'KinesisStreamSpecification'].filter(
        (it) => properties[it] !== undefined,
      );
      const kept = [deletionPolicy, updateReplacePolicy].some((it) => it !== undefined && it !== 'Delete');
      return [
        ...unless(recovered !== true, `${logicalId}.PointInTimeRecoverySpecification`, 'is on'),
        ...streams.flatMap((it) => unless(false, `${logicalId}.${it}`, 'is there')),
        ...unless(!kept, logicalId, 'is kept or copied when it goes'),
        ...unless(on === true && name === 'expiresAt', `${logicalId}.TimeToLiveSpecification`, 'is not on expiresAt'),
      ];
    },
  },
  {
    name: 'queue-encryption',
    danger: 'messages lie readable for whoever reaches the storage',
    check: ({ stack }) =>
      ofType(stack, 'AWS::SQS::Queue').flatMap(({ logicalId, properties }) =>
        unless(
          properties['KmsMasterKeyId'] !== undefined || properties['SqsManagedSseEnabled'] === true,
          `${logicalId}.KmsMasterKeyId`,
          'is not set',
        ),
      ),
  },
  {
    name: 'key-rotation',
    danger: 'one key for ever: what once leaked stays readable',
    check: ({ stack }) =>
      ofType(stack, 'AWS::KMS::Key').flatMap(({ logicalId, properties }) =>
        unless(
          // KMS rotates no HMAC keys; under such a key nothing lies encrypted.
          properties['EnableKeyRotation'] === true || properties['KeyUsage'] === 'GENERATE_VERIFY_MAC',
          `${logicalId}.EnableKeyRotation`,
          'is not true',
        ),
      ),
  },
  {
    name: 'no-secret-in-template',
    danger: 'everybody who may read the stack reads the key',
    check: ({ stack }) =>
      ofType(stack, 'AWS::SecretsManager::Secret').flatMap(({ logicalId, properties }) =>
        unless(properties['SecretString'] === undefined, `${logicalId}.SecretString`, 'stands in the template'),
      ),
  },
];
