// A table that a restore makes: awaited however long it takes, and given again the settings that a restore drops (DynamoDB, "restores":
// time to live, point-in-time recovery, deletion protection). Every step may be repeated, and begins at the present state.
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../payout/ports.ts';

/** The ports of making a table ready. */
export interface ReadyPorts {
  readonly client: Pick<DynamoDBClient, 'send'>;
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>;
  /** Receives the progress, a line now and then. */
  readonly say: (line: string) => void;
}

/** The outcome. */
type Readied = { readonly kind: 'ready' } | { readonly kind: 'not-ready'; readonly why: string };

/** The wait between two looks. A restore takes from minutes to many hours, whatever the size of the table. */
const lookEveryMs = 15_000;
const tellEveryMs = 300_000;

/** Waits until `untilMs` at the longest; then it reports what is missing, and is called again. */
export async function readyTable(TableName: string, untilMs: number, ports: ReadyPorts): Promise<Readied> {
  const { client, clock, say } = ports;
  const sinceMs = clock.nowMs();
  let toldMs = -Infinity;
  for (;;) {
    const missing = await nextMissing(TableName, client);
    if (missing === undefined) return { kind: 'ready' };
    if (missing.kind === 'refused') return { kind: 'not-ready', why: missing.why };
    if (missing.kind === 'step') {
      say(missing.what);
      const done = await missing.take();
      // DynamoDB refuses like this for a table whose backups begin only after it can be used.
      if (!done) say(`${TableName}: not yet taken; tried again`);
      else continue;
    } else if (clock.nowMs() - toldMs >= tellEveryMs) {
      const minutes = Math.round((clock.nowMs() - sinceMs) / 60_000);
      say(`${missing.what}${minutes > 0 ? ` (for ${minutes} min)` : ''}`);
      toldMs = clock.nowMs();
    }
    if (clock.nowMs() + lookEveryMs > untilMs)
      return { kind: 'not-ready', why: `${TableName} is not ready yet: say the same again` };
    await clock.sleep(lookEveryMs);
  }
}

type Missing =
  | { readonly kind: 'wait'; readonly what: string }
  | { readonly kind: 'step'; readonly what: string; readonly take: () => Promise<boolean> }
  | { readonly kind: 'refused'; readonly why: string };

async function nextMissing(TableName: string, client: ReadyPorts['client']): Promise<Missing | undefined> {
  const table = await describedTable(TableName, client);
  if (!table) return { kind: 'refused', why: `there is no table ${TableName}: say the restore first` };
  const {
    TableStatus: status = '',
    GlobalSecondaryIndexes: indexes = [],
    DeletionProtectionEnabled: isProtected,
  } = table;
  // A table in any state but these is on its way to be active; this one is not.
  if (/^(DELETING|ARCHIVED|ARCHIVING|INACCESSIBLE_ENCRYPTION_CREDENTIALS)$/.test(status))
    return { kind: 'refused', why: `${TableName} is ${status}` };
  if (status !== 'ACTIVE') return { kind: 'wait', what: `${TableName} is ${status}` };
  if (!indexes.some(({ IndexName }) => IndexName === 'open-work'))
    return {
      kind: 'refused',
      why: `${TableName} has no index open-work: it is no ledger, or was restored without indexes`,
    };
  const building = indexes.find(({ IndexStatus }) => IndexStatus !== undefined && IndexStatus !== 'ACTIVE');
  if (building) return { kind: 'wait', what: `its index ${building.IndexName} is ${building.IndexStatus}` };
  const step = (what: string, take: () => Promise<unknown>): Missing => ({
    kind: 'step',
    what: `${TableName}: ${what}`,
    take: () => take().then(isDone, isTooEarly),
  });
  const { TimeToLiveDescription: life } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (life?.TimeToLiveStatus !== 'ENABLED' && life?.TimeToLiveStatus !== 'ENABLING') {
    const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true };
    return step('time to live is switched on', () =>
      client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification })),
    );
  }
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus !== 'ENABLED') {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    return step('point-in-time recovery is switched on', () =>
      client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification })),
    );
  }
  if (isProtected !== true)
    return step('it is protected against deletion', () =>
      client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true })),
    );
  return undefined;
}

async function describedTable(TableName: string, client: ReadyPorts['client']) {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

const isDone = () => true;

function isTooEarly(error: unknown): boolean {
  if (
    error instanceof Error &&
    /^(ContinuousBackupsUnavailable|ResourceInUse|LimitExceeded)Exception$/.test(error.name)
  )
    return false;
  throw error;
}
