// Makes a restored table ready: waits for it, however long it takes, and switches on again what a restore leaves off (DynamoDB, "restores":
// point-in-time recovery, deletion protection). No order expires, so the ledger needs no time to live. Every call may be repeated.
import {
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../payout/ports.ts';

/** The ports of making a table ready. */
export interface ReadyPorts {
  readonly client: Pick<DynamoDBClient, 'send'>;
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>;
  /** Receives the progress, a line in five minutes. */
  readonly say: (line: string) => void;
}

/** The outcome. */
type Readied = { readonly kind: 'ready' } | { readonly kind: 'not-ready'; readonly why: string };
type Waits = { readonly kind: 'waits'; readonly for: string };

/** The wait between two checks. A restore takes from minutes to many hours, whatever the size of the table. */
const lookEveryMs = 15_000;
const sayEveryMs = 300_000;

/** Waits until `untilMs` at the longest. Then it answers with what is missing, and must be called again. */
export async function readyTable(
  TableName: string,
  untilMs: number,
  { client, clock, say }: ReadyPorts,
): Promise<Readied> {
  let saidMs = -Infinity;
  for (;;) {
    const state = await switchedOn(TableName, client);
    if (state.kind !== 'waits') return state;
    if (clock.nowMs() - saidMs >= sayEveryMs) {
      say(`${TableName}: ${state.for}`);
      saidMs = clock.nowMs();
    }
    if (clock.nowMs() + lookEveryMs > untilMs)
      return { kind: 'not-ready', why: `${TableName} is not ready yet: run it again` };
    await clock.sleep(lookEveryMs);
  }
}

/** A table in one of these states does not become active. */
const ended = /^(DELETING|ARCHIVED|ARCHIVING|INACCESSIBLE_ENCRYPTION_CREDENTIALS)$/;
/** By the first the leader finds open orders, by the other a batch finds its own. */
const indexesOfLedger = ['open-work', 'batch'];
/** DynamoDB begins the backups of a table only after it can be used. */
const tooEarly = /^(ContinuousBackupsUnavailable|ResourceInUse|LimitExceeded)Exception$/;

async function switchedOn(TableName: string, client: ReadyPorts['client']): Promise<Readied | Waits> {
  const refused = (why: string) => ({ kind: 'not-ready', why }) as const;
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const { TableStatus: status = '', GlobalSecondaryIndexes: indexes = [] } = Table ?? {};
    if (ended.test(status)) return refused(`${TableName} is ${status}`);
    if (status !== 'ACTIVE') return { kind: 'waits', for: `it is ${status}` };
    const missing = indexesOfLedger.find((name) => !indexes.some(({ IndexName }) => IndexName === name));
    if (missing !== undefined)
      return refused(`${TableName} has no index ${missing}: it is no ledger, or was restored without indexes`);
    const building = indexes.find(({ IndexStatus = 'ACTIVE' }) => IndexStatus !== 'ACTIVE');
    if (building) return { kind: 'waits', for: `its index ${building.IndexName} is ${building.IndexStatus}` };
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    if (Table?.DeletionProtectionEnabled !== true)
      await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }));
    return { kind: 'ready' };
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'ResourceNotFoundException') return refused(`there is no table ${TableName}: begin its restore first`);
    if (tooEarly.test(name)) return { kind: 'waits', for: 'its backups have not begun' };
    throw error;
  }
}
