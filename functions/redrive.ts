// Schedule → bring dead letters back that it is safe and useful to send again. Wiring only: what is imported here is what
// the function needs; the rules are lib/dead-letters/redrive-due.ts. Off until somebody switches its schedule on.
import { newDynamoDbClient } from '../lib/aws/dynamodb-client.ts';
import { createDynamoDbControls } from '../lib/aws/dynamodb-controls.ts';
import { createDynamoDbLanes } from '../lib/aws/dynamodb-lanes.ts';
import { ledgerTable } from '../lib/aws/dynamodb-table.ts';
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import { kmsClientOnDemand } from '../lib/aws/kms-client.ts';
import {
  deadlineOf,
  functionLog,
  type ScheduleHandler,
  scheduleReserveMs,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { newSecretsManagerClient } from '../lib/aws/secrets-manager-client.ts';
import { createSecretsManagerCredentials } from '../lib/aws/secrets-manager-credentials.ts';
import { newSqsClient } from '../lib/aws/sqs-client.ts';
import { systemClock } from '../lib/aws/system.ts';
import { closedApprovalGate, createApprovals } from '../lib/batches/approval.ts';
import { createDynamoDbApprovals } from '../lib/batches/dynamodb-approvals.ts';
import { createKmsApprovalCheck } from '../lib/batches/kms-approvals.ts';
import { closedCardDataGate } from '../lib/card-data/open-card-data.ts';
import { redriveDue, type RedriveDuePorts } from '../lib/dead-letters/redrive-due.ts';
import { createSqsDeadLetters } from '../lib/dead-letters/sqs-dead-letters.ts';
import { inGateOrder, kernelGates } from '../lib/payout/gates.ts';
import { plannedPacing } from '../lib/payout/pacing.ts';
import type { Ledger } from '../lib/payout/ports.ts';
import { createDynamoDbRestoration, ledgerOf } from '../lib/restore/dynamodb-restoration.ts';
import { controlsAfterRestore } from '../lib/restore/restored-ledger.ts';

/** What the function needs, the rules of its limits included. */
export type RedriveFunctionPorts = RedriveDuePorts & Pick<WorkerConfig, 'limits'>;

/** The handler over the given ports, by the rules of their limits. */
export function createRedrive(ports: RedriveFunctionPorts): ScheduleHandler {
  const { redriveAfterSeconds: afterSeconds, redriveBudget: budget, redriveTimes: timesAtMost } = ports.limits;
  return async (_event, context) => {
    const untilMs = deadlineOf(ports.clock, context) - scheduleReserveMs;
    await redriveDue({ afterSeconds, budget, timesAtMost }, ports, { untilMs });
  };
}

/** The shipped adapters; the operator's tool adds what it takes to end a letter. */
export function redrivePorts(
  config: WorkerConfig,
  write: WriteLine,
): RedriveFunctionPorts & { readonly ledger: Ledger } {
  const { limits, secretPrefix: prefix } = config;
  const clock = systemClock;
  const log = functionLog(write);
  const aws = { limits, log };

  const table = ledgerTable(config, newDynamoDbClient(aws));
  const restoration = createDynamoDbRestoration(table);
  const controls = controlsAfterRestore(createDynamoDbControls(table), restoration);
  const secrets = { client: newSecretsManagerClient(aws), prefix, ttlMs: limits.credentialsTtlMs, clock, log };
  const credentials = createSecretsManagerCredentials(secrets);
  const newKms = kmsClientOnDemand(aws);
  const macs = createKmsApprovalCheck({ newClient: newKms, keyId: config.approvalKeyId });
  const approvals = createApprovals({ credentials, batches: createDynamoDbApprovals(table), macs });
  const pacing = plannedPacing({ lanes: createDynamoDbLanes(table), clock });
  return {
    ledger: ledgerOf(table, restoration),
    credentials,
    fingerprinting: credentials,
    // The worker's gates in the worker's order; without card keys, no seal is opened.
    gates: inGateOrder({
      'card-data': closedCardDataGate({ credentials, clock }),
      approval: closedApprovalGate(approvals),
      ...kernelGates({ credentials, controls, clock, pacing }),
    }),
    dayTotals: controls,
    deadLetters: createSqsDeadLetters({ ...config, client: newSqsClient(aws) }),
    clock,
    log,
    limits,
  };
}

/** Made once per cold start, at the first event. */
let redrive: ScheduleHandler | undefined;

/** Called by AWS as its schedule says. */
export const handler: ScheduleHandler = (event, context) => {
  redrive ??= createRedrive(redrivePorts(readWorkerConfig(), writeLine));
  return redrive(event, context);
};
