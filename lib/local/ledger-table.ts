// The tables as plain constants, so that every suite creates the same ones whichever emulator it talks to.
import type { CreateTableCommandInput, Projection } from '@aws-sdk/client-dynamodb';

/** Items under the partition key `pk`, and the sparse index of open work, which holds so much of them. */
const withOpenWork = (Projection: Projection) =>
  ({
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'openWork', AttributeType: 'S' },
      { AttributeName: 'openWorkAt', AttributeType: 'N' },
    ],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'open-work',
        KeySchema: [
          { AttributeName: 'openWork', KeyType: 'HASH' },
          { AttributeName: 'openWorkAt', KeyType: 'RANGE' },
        ],
        Projection,
      },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  }) satisfies Omit<CreateTableCommandInput, 'TableName'>;

const ofOrders = withOpenWork({ ProjectionType: 'INCLUDE', NonKeyAttributes: ['v', 'measured'] });

/** One item per order, and the sparse index of batches; on-demand billing. No item expires. */
export const ledgerTableDefinition: Omit<CreateTableCommandInput, 'TableName'> = {
  ...ofOrders,
  AttributeDefinitions: [...ofOrders.AttributeDefinitions, { AttributeName: 'batchShard', AttributeType: 'S' }],
  GlobalSecondaryIndexes: [
    ...ofOrders.GlobalSecondaryIndexes,
    {
      IndexName: 'batch',
      KeySchema: [{ AttributeName: 'batchShard', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['batchEntry'] },
    },
  ],
};

/** Batches: the ledger's keys, and an index that holds all of them. Items expire as those of plain tables. */
export const batchesTableDefinition: Omit<CreateTableCommandInput, 'TableName'> = withOpenWork({
  ProjectionType: 'ALL',
});

/** A table without an index: of card keys, of controls. AWS deletes items after `expiresAt` (epoch seconds); dynalite keeps them. */
export const plainTableDefinition: Omit<CreateTableCommandInput, 'TableName'> = {
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

/**
 * The table `waiting`: an item per parked job under `pk` (its order) and `sk` (digest of its message). The index of lines: partition `line`
 * (lane, line, shard), ordered by `goAt` (epoch ms from which it may go), with what finds and counts a job and no body. The sparse index
 * of expiries: partition `expiryLine` (lane, shard), ordered by `expiry`.
 */
export const waitingTableDefinition: Omit<CreateTableCommandInput, 'TableName'> = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'line', AttributeType: 'S' },
    { AttributeName: 'goAt', AttributeType: 'N' },
    { AttributeName: 'expiryLine', AttributeType: 'S' },
    { AttributeName: 'expiry', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'line',
      KeySchema: [
        { AttributeName: 'line', KeyType: 'HASH' },
        { AttributeName: 'goAt', KeyType: 'RANGE' },
      ],
      Projection: {
        ProjectionType: 'INCLUDE',
        NonKeyAttributes: ['jobClass', 'reason', 'since', 'notBefore', 'expiry', 'batchId', 'currency', 'minorUnits'],
      },
    },
    {
      IndexName: 'expiry',
      KeySchema: [
        { AttributeName: 'expiryLine', KeyType: 'HASH' },
        { AttributeName: 'expiry', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};
