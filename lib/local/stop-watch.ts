// The causes that hold a local run up: merchants that are stopped on doubt, asked of the same controls, by the same rule, as the worker
// asks, and lanes that are closed or slow.
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { newDynamoDbClient } from '../aws/dynamodb-table.ts';
import { createDynamoDbControls } from '../aws/dynamodb-controls.ts';
import { createDynamoDbLanes } from '../aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../aws/dynamodb-waiting.ts';
import { isAboveDoubtLimit } from '../payout/operate/control.ts';
import { lanesNow, type LaneView } from '../payout/pace/lane-view.ts';
import { profileSchema, unreadSafeguards, type Profile } from '../gateway/profile.ts';
import type { EmbeddedAws } from './embedded-aws.ts';
import { clientConfigOf } from './local-environment.ts';
import { localCalls } from './local-limits.ts';
import type { MerchantSecrets } from './sample-merchants.ts';

/** The reasons for which jobs are held up. */
export interface Obstacles {
  /** Merchants with more money in doubt than they allow. */
  readonly stopped: readonly string[];
  readonly lanes: readonly LaneView[];
}

/** Watches the controls and the lanes. */
export type StopWatch = ReturnType<typeof createStopWatch>;

/** Watches the merchants that have a limit of doubt. */
export function createStopWatch(aws: EmbeddedAws, secrets: Readonly<Record<string, MerchantSecrets>>) {
  const client = newDynamoDbClient(localCalls, { ...clientConfigOf(aws, 'DYNAMODB'), maxAttempts: 1 });
  const controls = createDynamoDbControls({ client, tableName: aws.controlsTableName, nowMs: Date.now });
  const limited = Object.entries(secrets).flatMap(([merchant, { contract }]): [string, Profile][] => {
    const read = v.safeParse(profileSchema, contract['profile'] ?? {});
    return read.success && Object.keys(read.output.doubtLimits).length > 0
      ? [[merchant, { ...read.output, ...unreadSafeguards }]]
      : [];
  });
  const table = { client, tableName: aws.controlsTableName, sleep };
  const ports = {
    controls,
    lanes: createDynamoDbLanes(table),
    waiting: { jobs: createDynamoDbWaiting({ ...table, tableName: aws.waitingTableName }) },
  };
  let stopped: readonly string[] = [];
  let lanes: readonly LaneView[] = [];

  async function find(): Promise<void> {
    const found = limited.map(async ([merchant, profile]) =>
      isAboveDoubtLimit(await controls.of(merchant), profile) ? [merchant] : [],
    );
    stopped = (await Promise.all(found)).flat();
    lanes = await lanesNow(ports, Date.now());
  }

  return {
    /** As they were found last; sets off the next look. */
    look(): Obstacles {
      // For show only: what can't be read now is shown as it was.
      find().catch(() => {});
      return { stopped, lanes };
    },
    /** As they are now; as they were found last where that can't be read. */
    async now(): Promise<Obstacles> {
      await find().catch(() => {});
      return { stopped, lanes };
    },
    close: () => client.destroy(),
  };
}
