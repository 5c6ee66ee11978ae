// Is the stack what was deployed? CloudFormation compares each resource with the template, property by property. It does not see what the
// template leaves unsaid: beside.ts asks for that.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeStackDriftDetectionStatusCommand,
  DetectStackDriftCommand,
  GetStackPolicyCommand,
  paginateDescribeStackResourceDrifts,
} from '@aws-sdk/client-cloudformation';
import type { DeployedStack } from './stack.ts';

const looksAtMost = 200;

/** The questions. */
export const driftQuestions = {
  'each resource is as deployed': drifts,
  'the stack cannot be deleted or replaced by mistake': protection,
};

async function drifts({ name: StackName, cloudFormation }: DeployedStack, pauseMs = 3_000): Promise<readonly string[]> {
  const { StackDriftDetectionId } = await cloudFormation.send(new DetectStackDriftCommand({ StackName }));
  const look = new DescribeStackDriftDetectionStatusCommand({ StackDriftDetectionId });
  let status = await cloudFormation.send(look);
  for (let looks = 0; status.DetectionStatus === 'DETECTION_IN_PROGRESS' && looks < looksAtMost; looks += 1) {
    await sleep(pauseMs);
    status = await cloudFormation.send(look);
  }
  const found =
    status.DetectionStatus === 'DETECTION_COMPLETE'
      ? []
      : [`not all was compared: ${status.DetectionStatusReason ?? status.DetectionStatus}`];
  const which = { StackName, StackResourceDriftStatusFilters: ['MODIFIED' as const, 'DELETED' as const] };
  for await (const { StackResourceDrifts = [] } of paginateDescribeStackResourceDrifts(
    { client: cloudFormation },
    which,
  ))
    for (const { LogicalResourceId, StackResourceDriftStatus, PropertyDifferences = [] } of StackResourceDrifts)
      if (StackResourceDriftStatus === 'DELETED') found.push(`${LogicalResourceId} was deleted`);
      else
        for (const { PropertyPath = '', ExpectedValue, ActualValue } of PropertyDifferences)
          found.push(`${LogicalResourceId}${PropertyPath} is ${ActualValue}, deployed was ${ExpectedValue}`);
  return found;
}

async function protection({ name: StackName, isProtected, cloudFormation }: DeployedStack): Promise<readonly string[]> {
  const { StackPolicyBody = '' } = await cloudFormation.send(new GetStackPolicyCommand({ StackName }));
  return [
    ...(isProtected ? [] : ['its termination protection is off']),
    ...(/"Deny"/.test(StackPolicyBody) ? [] : ['it has no stack policy: the next deployment sets it']),
  ];
}
