// Schedule → store ended orders and cut down what the ledger keeps of them. Wiring only: what is imported here is what the
// function needs; the rule is lib/archive/archive-orders.ts. Without an archive it does nothing.
import { archiveOrders, type ArchivePorts } from '../lib/archive/archive-orders.ts';
import { createDynamoDbArchivable } from '../lib/archive/dynamodb-archivable.ts';
import { createS3Archive } from '../lib/archive/s3-archive.ts';
import { newDynamoDbClient } from '../lib/aws/dynamodb-client.ts';
import { ledgerTable } from '../lib/aws/dynamodb-table.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import {
  atFirstEvent,
  deadlineOf,
  functionLog,
  type ScheduleHandler,
  scheduleReserveMs,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { systemClock } from '../lib/aws/system.ts';
import { patientAwsCalls } from '../lib/payout/limits.ts';
import { createDynamoDbRestoration } from '../lib/restore/dynamodb-restoration.ts';

/** The handler over the given ports; without any, nothing is archived. */
export function createArchive(ports: ArchivePorts | undefined): ScheduleHandler {
  return async (_event, context) => {
    if (ports) await archiveOrders(deadlineOf(ports.clock, context) - scheduleReserveMs, ports);
  };
}

/** The shipped adapters; undefined where the settings name no archive. */
export function archivePorts(config: WorkerConfig, write: WriteLine): ArchivePorts | undefined {
  const { archiveUrl: url } = config;
  if (url === '') return undefined;
  const clock = systemClock;
  const log = functionLog(write);
  // Nobody's answer is in hand, and an object is larger than an order.
  const limits = { ...config.limits, ...patientAwsCalls };
  const client = newDynamoDbClient({ limits, log });
  const table = ledgerTable(config, client);
  const restoration = createDynamoDbRestoration(table);
  return {
    ledger: createDynamoDbArchivable(table),
    archive: createS3Archive({ client, url, timeoutMs: limits.awsCallTimeoutMs, nowMs: clock.nowMs }),
    async isLedger() {
      const standing = await restoration.standing();
      return standing.kind === 'ledger' || (standing.kind === 'restored' && standing.restored.settled);
    },
    afterDays: limits.archiveAfterDays,
    clock,
    log,
  };
}

/** Called by AWS every hour. */
export const handler: ScheduleHandler = atFirstEvent(() => createArchive(archivePorts(readWorkerConfig(), writeLine)));
