// The functions of a stack behind their alias, as Lambda has them, and the one write there is: which version the alias names.
import { paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { GetAliasCommand, paginateListVersionsByFunction, UpdateAliasCommand } from '@aws-sdk/client-lambda';
import { patientAwsCalls } from '../../payout/limits.ts';
import { newCloudFormationClient } from '../doctor/watching-clients.ts';
import { liveAlias, shiftsTo, newLambdaClient } from '../../aws/lambda-live-functions.ts';
import { type Published, releaseIn, type Step } from './roll-back-plan.ts';

const aws = { limits: patientAwsCalls };

/** The versions of a stack's functions. */
export type LiveVersions = ReturnType<typeof liveVersionsOf>;

/** By the standard environment. */
export function liveVersionsOf(stackName: string) {
  const cloudFormation = newCloudFormationClient(aws);
  const lambda = newLambdaClient(aws);

  async function publishedOf(functionName: string): Promise<Published> {
    const alias = await lambda.send(new GetAliasCommand({ FunctionName: functionName, Name: liveAlias }));
    const next = shiftsTo(alias);
    const versions = [];
    let latest: string | undefined;
    for await (const page of paginateListVersionsByFunction({ client: lambda }, { FunctionName: functionName })) {
      for (const { Version, Description } of page.Versions ?? []) {
        if (Version === '$LATEST') latest = releaseIn(Description);
        else versions.push({ number: Number(Version), release: releaseIn(Description) });
      }
    }
    const live = Number(alias.FunctionVersion);
    return { functionName, live, ...(next !== undefined && { shiftsTo: Number(next) }), latest, versions };
  }

  return {
    /** Every function that has an alias in the stack. */
    async read(): Promise<readonly Published[]> {
      const functions: Published[] = [];
      for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName: stackName })) {
        for (const { ResourceType, PhysicalResourceId = '' } of page.StackResourceSummaries ?? []) {
          const functionName = /:function:([^:]+):/.exec(PhysicalResourceId)?.[1];
          if (ResourceType !== 'AWS::Lambda::Alias' || functionName === undefined) continue;
          functions.push(await publishedOf(functionName));
        }
      }
      return functions;
    },
    /** From now on calls go to the other version; what is under way ends with the one that it began with. */
    async set({ functionName, to }: Pick<Step, 'functionName' | 'to'>): Promise<void> {
      await lambda.send(
        new UpdateAliasCommand({
          FunctionName: functionName,
          Name: liveAlias,
          FunctionVersion: String(to),
          // All calls: what is not said here stays, and a part of them would go on to the version of a rollout.
          RoutingConfig: { AdditionalVersionWeights: {} },
        }),
      );
    },
  };
}
