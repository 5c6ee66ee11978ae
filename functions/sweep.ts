// Schedule → order the inquiries that are due, and release parked jobs. Wiring only. The duties are lib/payout/inquire/sweep.ts, the
// release is lib/payout/wait/release.ts.
import { compose } from './compose.ts';
import { createDynamoDbControls } from '../lib/aws/dynamodb-controls.ts';
import { createDynamoDbDueWork } from '../lib/aws/dynamodb-due-work.ts';
import { createDynamoDbLanes } from '../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbLeader } from '../lib/aws/dynamodb-leader.ts';
import { createDynamoDbWaiting } from '../lib/aws/dynamodb-waiting.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import {
  atFirstEvent,
  deadlineOf,
  type ScheduleHandler,
  scheduleReserveMs,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { createSqsOwnQueue, createSqsReferences, newSqsClient } from '../lib/aws/sqs-queues.ts';
import { later } from '../lib/aws/system.ts';
import { createDynamoDbSafeguardsChanges } from '../lib/batches/dynamodb-safeguards.ts';
import { safeguardsRound } from '../lib/batches/safeguards.ts';
import { createDynamoDbBatches } from '../lib/batches/dynamodb-batches.ts';
import { createDynamoDbBatchIndex, createDynamoDbKnownOrders } from '../lib/batches/dynamodb-batch-index.ts';
import { createSqsBatchResults } from '../lib/batches/sqs-batch-queues.ts';
import { batchesRound } from '../lib/batches/settle-batches.ts';
import { cardKeysRound, createDynamoDbLeftCardKeys } from '../lib/card-data/dynamodb-left-card-keys.ts';
import { createDueQuestions } from '../lib/payout/inquire/due-questions.ts';
import { createPacing } from '../lib/payout/pace/pacing.ts';
import { sweep as sweepOnce, type SweepPorts } from '../lib/payout/inquire/sweep.ts';
import { lineFiguresRound } from '../lib/payout/wait/line-figures.ts';
import { calledOffRound, lead, type ReleasePorts } from '../lib/payout/wait/release.ts';
import { controlsWhileKnown, dueWorkWhileKnown } from '../lib/restore/while-known.ts';
import type { KnownTables } from '../lib/restore/known-tables.ts';
import { createLedgerRegion, regionRound } from '../lib/restore/dynamodb-ledger-region.ts';

/** The ports of the function. */
type SweepFunctionPorts = SweepPorts & ReleasePorts & { readonly tables: KnownTables };

/** The handler over the given ports. Its other duties run beside leading, and end within the minute. */
export function createSweep(ports: SweepFunctionPorts): ScheduleHandler {
  return async (_event, context) => {
    // The first answer of DynamoDB corrects the clock, by which the remaining time is counted.
    await ports.leader.read().catch(() => {});
    const deadlineMs = Math.min(deadlineOf(ports.clock, context) - scheduleReserveMs, ports.clock.nowMs() + dutiesMs);
    if ((await ports.tables.verdict()).kind === 'unknown') return reportUnknown(ports);
    const failed = (await Promise.allSettled([sweepOnce(deadlineMs, ports), lead(ports)])).find(
      (it) => it.status === 'rejected',
    );
    if (failed) throw failed.reason;
  };
}

/** Reports that the tables are not known; nothing else is done. */
function reportUnknown({ log, metrics }: SweepFunctionPorts): void {
  log.write('error', 'ledger-unknown', {});
  metrics.publish({ values: { ledgerUnknown: 1 }, perCurrency: new Map() });
}

/** The duties end before the next minute's sweep begins. */
const dutiesMs = 45_000;

/** The shipped adapters. */
export function sweepPorts(config: WorkerConfig, write: WriteLine): SweepFunctionPorts {
  const { aws, tables, known, clock, random, metrics, log } = compose(config, write);
  const sqs = newSqsClient(aws);
  const controlsAdmin = createDynamoDbControls(tables.controls);
  const lanes = createDynamoDbLanes(tables.controls);
  const waiting = {
    jobs: createDynamoDbWaiting(tables.waiting),
    references: createSqsReferences({ client: sqs, queueUrl: config.referencesQueueUrl }),
  };
  const dueWork = dueWorkWhileKnown(createDynamoDbDueWork(tables.ledger), known);
  const ownQueue = createSqsOwnQueue({ client: sqs, queueUrl: config.checksQueueUrl });
  const leftCardKeys = createDynamoDbLeftCardKeys(tables.cardKeys, tables.ledger);
  const batches = {
    batches: createDynamoDbBatches(tables.batches),
    knownOrders: createDynamoDbKnownOrders(tables.ledger),
    batchIndex: createDynamoDbBatchIndex(tables.ledger),
    batchResults: createSqsBatchResults({ client: sqs, queueUrl: config.resultsQueueUrl }),
    controlsAdmin,
    clock,
    log,
  };
  return {
    dueWork,
    questions: createDueQuestions({ dueWork, ownQueue, clock }),
    controlsAdmin,
    // While the tables are not known, every merchant counts as paused: no turn is taken in vain.
    controls: controlsWhileKnown(controlsAdmin, known),
    tables: known,
    waiting,
    lanes,
    pacing: createPacing({ lanes, clock, later }),
    leader: createDynamoDbLeader(tables.controls),
    random,
    rounds: [
      regionRound(createLedgerRegion(tables.ledger), known),
      calledOffRound({ waiting, controls: controlsAdmin, lanes, clock }),
      lineFiguresRound({ waiting, lanes, clock }),
      cardKeysRound(leftCardKeys, clock.nowMs),
      batchesRound(batches),
      safeguardsRound(createDynamoDbSafeguardsChanges(tables.batches), { clock, log }),
    ],
    metrics,
    doubtAlarm: config.doubtAlarm,
    clock,
    log,
  };
}

/** Called by AWS every minute. */
export const handler: ScheduleHandler = atFirstEvent(() => createSweep(sweepPorts(readWorkerConfig(), writeLine)));
