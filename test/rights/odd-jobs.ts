// Jobs and orders that use rights which the sample file leaves unused.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbCardKeyStore } from '../../lib/card-data/dynamodb-card-key-store.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks, privateCardKeys } from '../support/card-keys.ts';
import { aPayoutJob, aTransferJob } from '../support/jobs.ts';
import { anOrder } from '../support/orders.ts';

const taken = { answer: { kind: 'taken', atMs: 0 }, ids: ['9000123'] } as const;
const refused = { kind: 'refused', about: 'pace', connected: false, atMs: 0, code: 'NOT_SENT', message: 'no' } as const;

/** Its first look is answered by an error, so that a second one is asked for. */
export const askedTwice = JSON.stringify(aPayoutJob({ merchant: 'globex-us', orderId: 'ASKED-1.status-500' }));

/** The second one comes while the first is still at the gateway, and waits. */
export const sentTwice = JSON.stringify(aPayoutJob({ orderId: 'TWICE-1.stall-after' }));

/** Its order is {@link locked}. */
export const aLockedJob = JSON.stringify(aPayoutJob({ orderId: 'LOCKED-1' }));

/** Under a fingerprint key that no worker has: its message can't be told from another's, and goes back each time. */
export const locked = [
  anOrder({ orderId: 'LOCKED-1', attempt: { ...taken, reports: ['approved'] } }),
  // Of one that waits for new card data, submit asks whether a key is there.
  anOrder({ orderId: 'ROW-LOCKED-1', attempt: { answer: refused, cardKeyId: 'key-0' } }),
];

/** The worker's card keys as their secret holds them. */
export const cardSecret = { current: 'ec-1', keys: privateCardKeys };

/** Sealed, the key of its CVV left where senders leave it. */
export async function aSealedJob(client: DynamoDBClient, tableName: string): Promise<string> {
  const cardKeys = createDynamoDbCardKeyStore({ client, tableName, nowMs: Date.now });
  return JSON.stringify(await sealJob(aTransferJob({ orderId: 'CARD-1' }), { jwks: cardJwks, cardKeys }));
}
