// The tables as plain constants, so that every suite creates the same ones whichever emulator it talks to.
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/**
 * One item per order under the partition key `pk`, and the sparse index of open work; on-demand billing. Time to live is
 * not part of CreateTable: in AWS it is switched on for the attribute `expiresAt` (epoch seconds), dynalite has no such
 * call and keeps items for ever.
 */
export const ledgerTableDefinition: Omit<CreateTableCommandInput, 'TableName'> = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'wk', AttributeType: 'S' },
    { AttributeName: 'wa', AttributeType: 'N' },
  ],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'open-work',
      KeySchema: [
        { AttributeName: 'wk', KeyType: 'HASH' },
        { AttributeName: 'wa', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};

/** A table without an index: of card keys, of controls. Time to live as above. The table of batches has the ledger's keys and index. */
export const plainTableDefinition: Omit<CreateTableCommandInput, 'TableName'> = {
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

/**
 * What waits: one item per waiting message under `pk`, and the index of lines: partition `li` (lane, class, shard), ordered by
 * `go` (epoch ms from which it may go, 16 digits, "/", order key and place), with what finds and counts a row and no body.
 */
export const waitingTableDefinition: Omit<CreateTableCommandInput, 'TableName'> = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'li', AttributeType: 'S' },
    { AttributeName: 'go', AttributeType: 'S' },
  ],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'line',
      KeySchema: [
        { AttributeName: 'li', KeyType: 'HASH' },
        { AttributeName: 'go', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['si', 'ex', 'ba', 'cu', 'mi'] },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};
