// The lanes of a local run, as they are while it runs.
import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoDbControls } from '../aws/dynamodb-controls.ts';
import { createDynamoDbLanes } from '../aws/dynamodb-lanes.ts';
import { newDynamoDbClient } from '../aws/dynamodb-table.ts';
import { createDynamoDbWaiting } from '../aws/dynamodb-waiting.ts';
import { lanesNow, type LaneView } from '../payout/pace/lane-view.ts';
import type { EmbeddedAws } from './embedded-aws.ts';
import { clientConfigOf } from './local-environment.ts';
import { localCalls } from './local-limits.ts';

/** Watches the lanes. */
export type LaneWatch = ReturnType<typeof createLaneWatch>;

/** Watches the lanes of this environment. */
export function createLaneWatch(aws: EmbeddedAws) {
  const client = newDynamoDbClient(localCalls, { ...clientConfigOf(aws, 'DYNAMODB'), maxAttempts: 1 });
  const table = { client, tableName: aws.controlsTableName, sleep };
  const controls = createDynamoDbControls({ ...table, nowMs: Date.now });
  const ports = {
    controls,
    controlsAdmin: controls,
    lanes: createDynamoDbLanes(table),
    waiting: { jobs: createDynamoDbWaiting({ ...table, tableName: aws.waitingTableName }) },
  };
  let lanes: readonly LaneView[] = [];
  const find = async (): Promise<void> => void (lanes = await lanesNow(ports, Date.now()));

  return {
    /** The last reading; begins the next. */
    look(): readonly LaneView[] {
      // For show only: an old reading will do.
      find().catch(() => {});
      return lanes;
    },
    /** The lanes now; the last reading if the table does not answer. */
    async now(): Promise<readonly LaneView[]> {
      await find().catch(() => {});
      return lanes;
    },
    close: () => client.destroy(),
  };
}
