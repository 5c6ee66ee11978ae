// Whether the running version is the one that was deployed last. Calls go to the version that the alias `live` names; a deployment, or a
// person, changes $LATEST. Where the two differ for long, a parameter or a repair has not taken effect, and nothing else shows it.
import {
  type AliasConfiguration,
  type FunctionConfiguration,
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { clientsOf } from './aws-calls.ts';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import { errorFields } from '../payout/log-fields.ts';
import type { Log } from '../payout/ports.ts';

/** A client of Lambda, for doctor, roll-back and sweeper; with deadlines of ours. */
export const newLambdaClient = clientsOf(LambdaClient);

/** The functions of a stack, by the end of their names. */
const functionsOfStack = ['submit', 'inquire', 'sweep', 'callback'] as const;

/** The alias of a function, by which everything calls it. */
export const liveAlias = 'live';

/** The version to which a rollout leads a part of the alias's calls by now. */
export const shiftsTo = ({ RoutingConfig }: Pick<AliasConfiguration, 'RoutingConfig'>): string | undefined =>
  Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {})[0];

/** The names of a stack's functions, by that of its sweeper; none where it has another form. */
export function functionsBeside(sweeper: string | undefined): readonly string[] {
  const stack = /^(.+)-sweep$/.exec(sweeper ?? '')?.[1];
  return stack === undefined ? [] : functionsOfStack.map((it) => `${stack}-${it}`);
}

/** The settings that decide how a function runs, the release in its description among them; its state is left out. */
function settingsOf(it: FunctionConfiguration): string {
  const { CodeSha256, Description, Environment, Handler, Layers, MemorySize, Role, Runtime, Timeout } = it;
  const { SubnetIds = [], SecurityGroupIds = [] } = it.VpcConfig ?? {};
  const layers = (Layers ?? []).map(({ Arn }) => Arn);
  const variables = Object.entries(Environment?.Variables ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const network = [SubnetIds.toSorted(), SecurityGroupIds.toSorted()];
  return JSON.stringify([
    [CodeSha256, Description, Handler, MemorySize, Role, Runtime, Timeout],
    [layers, variables, network],
  ]);
}

/** `shifts`: CodeDeploy is giving it a growing part of the calls. */
type LiveState = 'live' | 'shifts' | 'differs';

/**
 * Counts the functions whose live version is not the one deployed last, and apart from them those that are on their way there. One that
 * can't be read counts as the former, as nobody knows its version; it is logged, and the sweep goes on.
 */
export function liveFunctionsRound(
  names: readonly string[],
  { lambda, log }: { readonly lambda: Pick<LambdaClient, 'send'>; readonly log: Log },
): SweepRound {
  const read = async (FunctionName: string, Qualifier?: string) =>
    settingsOf(
      await lambda.send(new GetFunctionConfigurationCommand({ FunctionName, ...(Qualifier && { Qualifier }) })),
    );
  async function stateOf(FunctionName: string): Promise<LiveState> {
    try {
      const next = shiftsTo(await lambda.send(new GetAliasCommand({ FunctionName, Name: liveAlias })));
      const isDeployed = (await read(FunctionName)) === (await read(FunctionName, next ?? liveAlias));
      if (!isDeployed) return 'differs';
      return next === undefined ? 'live' : 'shifts';
    } catch (error) {
      log.write('error', 'live-unread', errorFields(error));
      return 'differs';
    }
  }
  return {
    name: 'live-functions',
    async run() {
      const found = await Promise.all(names.map(stateOf));
      const countOf = (state: LiveState) => found.filter((it) => it === state).length;
      const [liveDiffers, trafficShifts] = [countOf('differs'), countOf('shifts')];
      return { ...(liveDiffers > 0 && { liveDiffers }), ...(trafficShifts > 0 && { trafficShifts }) };
    },
  };
}
