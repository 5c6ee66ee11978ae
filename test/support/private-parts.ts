// Second files that are private parts of an adapter; no other adapter may know them. Part of the house rules.

/** By the file that knows them. */
export const privateParts: Readonly<Record<string, readonly string[]>> = {
  'lib/adapters/dynamodb-ledger.ts': [
    'lib/adapters/card-key-item.ts',
    'lib/adapters/ledger-item.ts',
    'lib/adapters/open-work-item.ts',
  ],
  'lib/adapters/dynamodb-open-work.ts': ['lib/adapters/ledger-item.ts', 'lib/adapters/open-work-item.ts'],
  'lib/adapters/ledger-item.ts': ['lib/adapters/open-work-item.ts'],
  'lib/adapters/dynamodb-batches.ts': [
    'lib/adapters/batch-item.ts',
    'lib/adapters/conditional-write.ts',
    'lib/adapters/dynamodb-batch-parts.ts',
    'lib/adapters/dynamodb-grants.ts',
    'lib/adapters/open-work-item.ts',
  ],
  'lib/adapters/dynamodb-controls.ts': ['lib/adapters/kept-reads.ts'],
  'lib/adapters/dynamodb-restoration.ts': ['lib/adapters/kept-reads.ts'],
  'lib/adapters/dynamodb-all-orders.ts': ['lib/adapters/ledger-item.ts'],
  'lib/adapters/dynamodb-batch-rows.ts': [
    'lib/adapters/card-key-item.ts',
    'lib/adapters/conditional-write.ts',
    'lib/adapters/dynamodb-many-items.ts',
    'lib/adapters/ledger-item.ts',
  ],
  'lib/adapters/dynamodb-batch-parts.ts': [
    'lib/adapters/batch-item.ts',
    'lib/adapters/conditional-write.ts',
    'lib/adapters/dynamodb-grants.ts',
    'lib/adapters/dynamodb-many-items.ts',
  ],
  'lib/adapters/batch-item.ts': ['lib/adapters/dynamodb-grants.ts'],
  'lib/adapters/secrets-manager-credentials.ts': ['lib/adapters/secret-cache.ts', 'lib/adapters/secret-schemas.ts'],
  'lib/adapters/secrets-manager-desk.ts': ['lib/adapters/secret-schemas.ts'],
  'lib/adapters/secrets-manager-card-keys.ts': [
    'lib/adapters/card-key-schema.ts',
    'lib/adapters/secret-cache.ts',
    'lib/adapters/secret-schemas.ts',
  ],
  'lib/adapters/dynamodb-card-key-depot.ts': ['lib/adapters/card-key-item.ts', 'lib/adapters/ledger-item.ts'],
  'lib/adapters/memory-card-key-depot.ts': ['lib/adapters/memory-ledger.ts'],
  'lib/adapters/card-key-item.ts': ['lib/adapters/ledger-item.ts'],
  'lib/adapters/jose-card-vault.ts': ['lib/adapters/card-key-schema.ts'],
  'lib/adapters/secrets-manager-card-ring.ts': ['lib/adapters/card-key-schema.ts'],
  'lib/adapters/card-key-schema.ts': ['lib/adapters/secret-schemas.ts'],
  'lib/adapters/secret-cache.ts': ['lib/adapters/secret-schemas.ts'],
  'lib/adapters/sqs-event-source.ts': ['lib/adapters/lambda-invocation.ts', 'lib/adapters/polled-queue.ts'],
};
