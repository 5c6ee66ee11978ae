// The second person of a decision, by the settings.
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { batchesTable } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { kmsClientOnDemand } from '../../aws/kms-client.ts';
import { newStsClient } from '../../aws/sts-client.ts';
import { systemClock } from '../../aws/system.ts';
import type { ApprovingPorts } from '../../batches/shared-decision.ts';
import { createSecondPerson, type SecondPersonSources } from '../../batches/decision-approval.ts';
import { createDynamoDbSafeguards } from '../../batches/dynamodb-safeguards.ts';
import { createKmsApprovalCheck, createKmsApprovalMaker } from '../../batches/kms-approvals.ts';
import { createStsIdentity } from '../../batches/sts-identity.ts';
import type { SecondPerson } from '../../payout/operate/decide.ts';

/** The ports that judge an approval which two persons share. */
export function secondPersonSources(config: WorkerConfig): SecondPersonSources {
  const aws = { limits: config.limits };
  return {
    store: createDynamoDbSafeguards(batchesTable(config, newDynamoDbClient(aws))),
    macs: createKmsApprovalCheck({ newClient: kmsClientOnDemand(aws), keyId: config.approvalKeyId }),
    identity: createStsIdentity(newStsClient(aws)),
    clock: systemClock,
  };
}

/** The ports that judge the second person of a decision. */
export const secondPersonOf = (config: WorkerConfig): SecondPerson => createSecondPerson(secondPersonSources(config));

/** The caller's approval, under the key that approvers alone may use. */
export function approvingPorts(config: WorkerConfig): ApprovingPorts {
  const aws = { limits: config.limits };
  return {
    maker: createKmsApprovalMaker({ newClient: kmsClientOnDemand(aws), keyId: config.approvalKeyId }),
    identity: createStsIdentity(newStsClient(aws)),
    clock: systemClock,
  };
}
