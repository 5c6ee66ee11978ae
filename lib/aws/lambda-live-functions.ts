// Whether what runs is what was deployed last. Calls go to the version that the alias `live` names; a deployment, or somebody by
// hand, changes $LATEST. Where the two differ for long, a parameter or a repair has not taken effect, and nothing else says so.
import { type FunctionConfiguration, GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import { errorFields } from '../payout/log-fields.ts';
import type { Log } from '../payout/ports.ts';

/** The functions of a stack, by the end of their names. */
const functionsOfStack = ['submit', 'inquire', 'sweep', 'callback'] as const;

/** The names of a stack's functions, by that of its sweeper; none where it bears another. */
export function functionsBeside(sweeper: string | undefined): readonly string[] {
  const stack = /^(.+)-sweep$/.exec(sweeper ?? '')?.[1];
  return stack === undefined ? [] : functionsOfStack.map((it) => `${stack}-${it}`);
}

/** What decides how a function runs, the release in its description among it; in which state it is does not. */
function settingsOf(it: FunctionConfiguration): string {
  const { CodeSha256, Description, Environment, Handler, Layers, MemorySize, Role, Runtime, Timeout } = it;
  const { Mode } = it.TracingConfig ?? {};
  const { SubnetIds = [], SecurityGroupIds = [] } = it.VpcConfig ?? {};
  const layers = (Layers ?? []).map(({ Arn }) => Arn);
  const variables = Object.entries(Environment?.Variables ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const network = [SubnetIds.toSorted(), SecurityGroupIds.toSorted()];
  return JSON.stringify([
    [CodeSha256, Description, Handler, MemorySize, Role, Runtime, Timeout, Mode],
    [layers, variables, network],
  ]);
}

/**
 * Counts the functions whose live version is not what was deployed last. One that can't be read counts too, as nobody knows; it is
 * logged, and the sweep goes on.
 */
export function liveFunctionsRound(
  names: readonly string[],
  { lambda, log }: { readonly lambda: Pick<LambdaClient, 'send'>; readonly log: Log },
): SweepRound {
  const read = async (FunctionName: string, Qualifier?: string) =>
    settingsOf(
      await lambda.send(new GetFunctionConfigurationCommand({ FunctionName, ...(Qualifier && { Qualifier }) })),
    );
  const differs = async (name: string): Promise<boolean> => {
    try {
      return (await read(name)) !== (await read(name, 'live'));
    } catch (error) {
      log.write('error', 'live-unread', errorFields(error));
      return true;
    }
  };
  return {
    name: 'live-functions',
    async run() {
      const found = await Promise.all(names.map(differs));
      const liveDiffers = found.filter(Boolean).length;
      return liveDiffers > 0 ? { liveDiffers } : {};
    },
  };
}
