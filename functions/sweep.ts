// Schedule → set every order moving again that has stopped. Wiring only. The rule is lib/payout/inquire/sweep.ts.
import { createDynamoDbControls } from '../lib/aws/dynamodb-controls.ts';
import { createDynamoDbDrainRights } from '../lib/aws/dynamodb-drain-rights.ts';
import { createDynamoDbDueWork, createDynamoDbLooks } from '../lib/aws/dynamodb-due-work.ts';
import { createDynamoDbLanes } from '../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../lib/aws/dynamodb-waiting.ts';
import {
  batchesTable,
  cardKeysTable,
  controlsTable,
  ledgerTable,
  waitingTable,
  newDynamoDbClient,
} from '../lib/aws/dynamodb-table.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import {
  atFirstEvent,
  deadlineOf,
  functionLog,
  type ScheduleHandler,
  scheduleReserveMs,
  sweepPartOf,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { createSqsQueueDepths, measuredQueues } from '../lib/aws/sqs-queue-depths.ts';
import { createSqsLinesQueue, createSqsOwnQueue, newSqsClient } from '../lib/aws/sqs-queues.ts';
import { systemClock } from '../lib/aws/system.ts';
import { createDynamoDbSafeguardsChanges } from '../lib/batches/dynamodb-safeguards.ts';
import { safeguardsRound } from '../lib/batches/safeguards.ts';
import { createDynamoDbBatches } from '../lib/batches/dynamodb-batches.ts';
import { createDynamoDbBatchRows, createDynamoDbOrderChanges } from '../lib/batches/dynamodb-batch-rows.ts';
import { createSqsBatchResults } from '../lib/batches/sqs-batch-queues.ts';
import { batchesRound } from '../lib/batches/settle-batches.ts';
import { cardKeysRound, createDynamoDbLeftCardKeys } from '../lib/card-data/dynamodb-left-card-keys.ts';
import { createSweepPace } from '../lib/payout/inquire/resume-due.ts';
import { lineFiguresRound } from '../lib/payout/waiting/line-figures.ts';
import { linesRound } from '../lib/payout/waiting/lines-round.ts';
import { sweep as sweepOnce, type SweepPorts } from '../lib/payout/inquire/sweep.ts';
import { createDynamoDbRestoreAdmin, restorationRound } from '../lib/restore/dynamodb-restore-admin.ts';
import { createEmfMetrics } from '../lib/aws/cloudwatch-lines.ts';

/** The handler over the given ports. */
export function createSweep(ports: SweepPorts): ScheduleHandler {
  return async (event, context) => {
    await sweepOnce(deadlineOf(ports.clock, context) - scheduleReserveMs, ports, sweepPartOf(event));
  };
}

/** The shipped adapters. */
export function sweepPorts(config: WorkerConfig, write: WriteLine): SweepPorts {
  const clock = systemClock;
  const log = functionLog(write);
  const aws = { limits: config.limits, log };

  const sqs = newSqsClient(aws);
  const dynamodb = newDynamoDbClient(aws);
  const ledger = ledgerTable(config, dynamodb);
  const lanesAndControls = controlsTable(config, dynamodb);
  const controlsAdmin = createDynamoDbControls(lanesAndControls);
  const lanes = createDynamoDbLanes(lanesAndControls);
  const waiting = {
    rows: createDynamoDbWaiting(waitingTable(config, dynamodb)),
    rights: createDynamoDbDrainRights(lanesAndControls),
    lines: createSqsLinesQueue({ client: sqs, queueUrl: config.linesQueueUrl }),
  };
  const lines = linesRound({ waiting, lanes, controls: controlsAdmin, clock, log });
  const leftCardKeys = createDynamoDbLeftCardKeys(cardKeysTable(config, dynamodb), ledger);
  const batches = {
    batches: createDynamoDbBatches(batchesTable(config, dynamodb)),
    batchRows: createDynamoDbBatchRows(ledger),
    orderChanges: createDynamoDbOrderChanges(ledger),
    batchResults: createSqsBatchResults({ client: sqs, queueUrl: config.resultsQueueUrl }),
    controlsAdmin,
    clock,
    log,
  };
  return {
    dueWork: createDynamoDbDueWork(ledger),
    orders: createDynamoDbLooks(ledger),
    ownQueue: createSqsOwnQueue({ client: sqs, queueUrl: config.checksQueueUrl }),
    queueDepths: createSqsQueueDepths({ client: sqs, queueUrls: measuredQueues(config) }),
    controlsAdmin,
    rounds: [
      lines,
      restorationRound(createDynamoDbRestoreAdmin(ledger)),
      lineFiguresRound({ drainRights: waiting.rights, waiting: waiting.rows, lanes, unnamed: lines.unnamed, clock }),
      cardKeysRound(leftCardKeys, clock.nowMs),
      batchesRound(batches),
      safeguardsRound(createDynamoDbSafeguardsChanges(batchesTable(config, dynamodb)), { clock, log }),
    ],
    metrics: createEmfMetrics({ write, nowMs: clock.nowMs, namespace: config.metricsNamespace }),
    doubtAlarm: config.doubtAlarm,
    pace: createSweepPace(),
    clock,
    log,
  };
}

/** Called by AWS every minute. */
export const handler: ScheduleHandler = atFirstEvent(() => createSweep(sweepPorts(readWorkerConfig(), writeLine)));
