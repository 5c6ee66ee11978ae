// Sealing on the way: card data of a file goes onto the queue readable for the worker alone.
import { tool } from '../../payout/operate/spelling.ts';
import type { JobMessageToSend } from '../../batches/upload-slices.ts';
import type { CardKeyStore } from '../../card-data/sealed-params.ts';
import { type CardKeySet, sealJob } from '../../client/jose-seal-job.ts';
import { jsonFile } from '../../files/file-failure.ts';
import { UsageError } from '../../files/usage-error.ts';

/** Seals the card data of a message; leaves one without any as it is. The keys of CVVs are left in `cardKeys`. */
type Seal = (message: JobMessageToSend, cardKeys: CardKeyStore) => Promise<JobMessageToSend>;

/** A job with a card number, that shows whether the keys can be sealed under: no card of anybody's. */
const trial = {
  version: 1,
  operation: 'transfer',
  merchant: 'trial',
  endpointId: '1',
  orderId: 'trial',
  params: { amount: '1', currency: 'EUR', credit_card_number: '4111111111111111' },
};

/** Reads the worker's public card keys. Throws UsageError if they are none. */
export async function sealWith(file: string): Promise<Seal> {
  const jwks = await keySetOf(file);
  await sealJob(trial, { jwks }).catch((error: unknown) => {
    throw new UsageError(`--card-keys ${file}: ${error instanceof Error ? error.message : 'unknown'}`);
  });
  return (message, cardKeys) => sealJob(message, { jwks, cardKeys });
}

async function keySetOf(file: string): Promise<CardKeySet> {
  const value = await jsonFile(file);
  if (typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys))
    return { keys: value.keys };
  throw new UsageError(`--card-keys ${file} is no key set; write what \`${tool} card-keys jwks\` prints`);
}
