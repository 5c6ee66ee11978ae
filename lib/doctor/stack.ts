// A deployed stack as the doctor reads it: its resources by logical id, its outputs, and the clients by which it asks about them.
import { DescribeStacksCommand, GetTemplateCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { newDynamoDbClient } from '../aws/dynamodb-table.ts';
import { newKmsClient } from '../aws/kms-client.ts';
import { newSecretsManagerClient } from '../aws/secrets-manager-credentials.ts';
import { newSqsClient } from '../aws/sqs-queues.ts';
import { newCloudFormationClient, newCloudWatchClient, newIamClient, newSnsClient } from './watching-clients.ts';
import { newLambdaClient } from '../aws/lambda-functions.ts';
import { patientAwsCalls } from '../payout/limits.ts';

/** One question, and what was found; nothing is well. A question that cannot be asked has that for its finding. */
interface Check {
  readonly name: string;
  readonly faults: readonly string[];
}

/** A resource of the stack. */
interface StackResource {
  readonly logicalId: string;
  readonly type: string;
  /** As the service calls it: a name, an ARN, or a URL. */
  readonly id: string;
}

/** The stack. */
export type DeployedStack = Awaited<ReturnType<typeof readStack>>;

/** Reads it by the standard environment. Rejects if it is not there. */
export async function readStack(name: string) {
  const aws = { limits: patientAwsCalls };
  const cloudFormation = newCloudFormationClient(aws);
  const [{ Stacks: [stack] = [] }, { TemplateBody = '{}' }] = await Promise.all([
    cloudFormation.send(new DescribeStacksCommand({ StackName: name })),
    cloudFormation.send(new GetTemplateCommand({ StackName: name })),
  ]);
  const resources: StackResource[] = [];
  for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: name }))
    for (const { LogicalResourceId = '', ResourceType = '', PhysicalResourceId = '' } of page.StackResourceSummaries ??
      [])
      resources.push({ logicalId: LogicalResourceId, type: ResourceType, id: PhysicalResourceId });
  return {
    name,
    isProtected: stack?.EnableTerminationProtection ?? false,
    deployedAt: stack?.LastUpdatedTime ?? stack?.CreationTime ?? new Date(0),
    template: JSON.parse(TemplateBody) as {
      readonly Resources: Readonly<
        Record<string, { readonly Properties?: Readonly<Record<string, unknown>> } | undefined>
      >;
    },
    resources,
    ids: new Set(resources.map(({ id }) => id)),
    of: (type: string) => resources.filter((it) => it.type === `AWS::${type}`),
    idOf: (logicalId: string) => resources.find((it) => it.logicalId === logicalId)?.id ?? '',
    cloudFormation,
    cloudWatch: newCloudWatchClient(aws),
    dynamodb: newDynamoDbClient(aws),
    iam: newIamClient(aws),
    kms: newKmsClient(aws),
    lambda: newLambdaClient(aws),
    secrets: newSecretsManagerClient(aws),
    sns: newSnsClient(aws),
    sqs: newSqsClient(aws),
  };
}

/** Asks questions, one after another. */
export async function asked(
  questions: Readonly<Record<string, (stack: DeployedStack) => Promise<readonly string[]>>>,
  stack: DeployedStack,
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const [name, question] of Object.entries(questions)) {
    const faults = await question(stack).catch((error: unknown) => [
      `could not be asked: ${error instanceof Error ? `${error.name}: ${error.message}` : 'no reason given'}`,
    ]);
    checks.push({ name, faults });
  }
  return checks;
}

/** The findings of each resource, side by side. */
export const ofEach = async <T>(
  all: readonly T[],
  question: (it: T) => Promise<readonly string[]>,
): Promise<string[]> => (await Promise.all(all.map(question))).flat();

/** The answer; undefined if the service does not have it. */
export const ifThere = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof Error && /NotFound|NonExistent|NoSuchEntity/.test(error.name)) return undefined;
    throw error;
  });
