// The ports by which a dead letter is judged, moved and ended: the worker's own gates, in the worker's order.
import type { WorkerConfig } from '../../aws/env-config.ts';
import { functionLog } from '../../aws/lambda-handler.ts';
import { closedApprovalGate, createApprovals } from '../../batches/approval.ts';
import { createDynamoDbApprovals } from '../../batches/dynamodb-approvals.ts';
import { closedCardDataGate } from '../../card-data/open-card-data.ts';
import { kernelGates } from '../../payout/gates.ts';
import { plannedPacing } from '../../payout/pace/pacing.ts';
import { controlsWhileKnown } from '../../restore/while-known.ts';
import { createToolPorts } from '../tool-ports.ts';

/** The ports by the settings. The log says who threw what away, on standard error: standard output is for the result. */
export function createDeadLetterPorts(config: WorkerConfig) {
  const log = functionLog((line) => process.stderr.write(`${line}\n`));
  const { guarded: credentials, ...its } = createToolPorts(config, log);
  const { clock, lanes, macs, ofBatches, orders, known } = its;
  const approvals = createApprovals({ credentials, batches: createDynamoDbApprovals(ofBatches), macs });
  const controls = controlsWhileKnown(its.controls, known);
  const pacing = plannedPacing({ lanes, clock });
  return {
    ...its,
    credentials,
    // Without card keys, no seal is opened.
    gates: {
      'card-data': closedCardDataGate,
      approval: closedApprovalGate(approvals),
      ...kernelGates({ credentials, controls, clock, pacing, orders, spending: undefined }),
    },
  };
}
