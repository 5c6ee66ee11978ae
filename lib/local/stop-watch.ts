// Which merchants of a local run are stopped on doubt: asked of the same controls, by the same rule, as the worker asks.
import * as v from 'valibot';
import { newDynamoDbClient } from '../aws/dynamodb-client.ts';
import { createDynamoDbControls } from '../aws/dynamodb-controls.ts';
import { isAboveDoubtLimit } from '../payout/control.ts';
import { type Profile, profileSchema } from '../gateway/profile.ts';
import type { EmbeddedAws } from './embedded-aws.ts';
import { clientConfigOf } from './local-environment.ts';
import { localCalls } from './local-limits.ts';
import type { MerchantSecret } from './sample-merchants.ts';

/** Watches the controls. */
export interface StopWatch {
  /** The merchants as they were found last; sets off the next look. */
  look(): readonly string[];
  close(): void;
}

/** Watches the merchants that have a limit of doubt. */
export function createStopWatch(aws: EmbeddedAws, secrets: Readonly<Record<string, MerchantSecret>>): StopWatch {
  const client = newDynamoDbClient(localCalls, { ...clientConfigOf(aws, 'DYNAMODB'), maxAttempts: 1 });
  const controls = createDynamoDbControls({ client, tableName: aws.ledgerTableName, nowMs: Date.now });
  const limited = Object.entries(secrets).flatMap(([merchant, secret]): [string, Profile][] => {
    const read = v.safeParse(profileSchema, secret['profile'] ?? {});
    return read.success && Object.keys(read.output.doubtLimits).length > 0 ? [[merchant, read.output]] : [];
  });
  let stopped: readonly string[] = [];

  async function find(): Promise<void> {
    const found = limited.map(async ([merchant, profile]) =>
      isAboveDoubtLimit(await controls.of(merchant), profile) ? [merchant] : [],
    );
    stopped = (await Promise.all(found)).flat();
  }

  return {
    look() {
      // For show only: what can't be read now is shown as it was.
      find().catch(() => {});
      return stopped;
    },
    close: () => client.destroy(),
  };
}
