// Jobs and orders that use rights which the sample file leaves unused.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbCardKeyStore } from '../../lib/card-data/dynamodb-card-key-store.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks, privateCardKeys } from '../support/card-keys.ts';
import { aPayoutJob, aTransferJob } from '../support/jobs.ts';
import { aView } from '../support/orders.ts';

/** Its first look is answered by an error, so that a second one is asked for. */
export const askedTwice = JSON.stringify(aPayoutJob({ merchant: 'globex-us', orderId: 'ASKED-1.status-500' }));

/** The second one comes while the first is still at the gateway, and goes round as a copy. */
export const sentTwice = JSON.stringify(aPayoutJob({ orderId: 'TWICE-1.stall-after' }));

/** Its order is {@link locked}. */
export const aLockedJob = JSON.stringify(aPayoutJob({ orderId: 'LOCKED-1' }));

/** Under a fingerprint key that no worker has: its message can't be told from another's, and goes back each time. */
export const locked = [
  aView({ orderId: 'LOCKED-1', state: 'approved' }),
  // Of one that waits for new card data, submit asks whether a key is there.
  aView({
    orderId: 'ROW-LOCKED-1',
    state: 'held',
    failure: { code: 'NEW_CARD_DATA_NEEDED', message: 'seal anew' },
  }),
];

/** The worker's card keys as their secret holds them. */
export const cardSecret = { current: 'ec-1', keys: privateCardKeys };

/** Sealed, the key of its CVV left where senders leave it. */
export async function aSealedJob(client: DynamoDBClient, tableName: string): Promise<string> {
  const cardKeys = createDynamoDbCardKeyStore({ client, tableName, nowMs: Date.now });
  return JSON.stringify(await sealJob(aTransferJob({ orderId: 'CARD-1' }), { jwks: cardJwks, cardKeys }));
}
