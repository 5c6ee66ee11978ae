// `npm run deploy` into moto's CloudFormation: what it asks, says and does, down to the bucket, the zips and the stack.
import {
  CloudFormationClient,
  DeleteStackCommand,
  ListStackResourcesCommand,
  UpdateTerminationProtectionCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { GetAliasCommand, GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateSecretCommand, GetRandomPasswordCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Template } from '../infra/synthesized.ts';
import { deployIntoMoto } from './moto-deploy.ts';
import { fakeCredentials } from './table.ts';

/** A stack in moto. */
export interface MotoStack {
  /** Type of each resource that was made, by logical id. */
  readonly made: ReadonlyMap<string, string>;
  /** The environment of a function as it was deployed. */
  environmentOf(functionName: string): Promise<Record<string, string>>;
  /**
   * Switches the event source mappings off and says what they are: moto would take each message off its queue and call
   * the function in Docker. Deleting one is not enough, the queue goes on calling it.
   */
  pauseMappings(): Promise<readonly EventSourceMapping[]>;
  /** Deploys once more, this commit (default the first one's); what a person was told. */
  deployAgain(commit?: string, ...more: readonly string[]): Promise<readonly string[]>;
  /** The functions, with the settings of what is live and of what was last deployed. */
  versions(): Promise<readonly MotoFunction[]>;
  /** Takes it down. */
  remove(): Promise<void>;
}

/** A function behind its alias. */
interface MotoFunction {
  readonly functionName: string;
  readonly live: number;
  readonly liveSettings: object;
  readonly latestSettings: object;
}

interface EventSourceMapping {
  readonly UUID: string;
  readonly EventSourceArn: string;
  readonly FunctionArn: string;
}

const region = 'eu-central-1';

/** Of which the first deployment is said to be. */
export const firstCommit = 'aaaaaaaaaaaa';

/** Where moto is, and by which address the tools themselves ask it, should that be another one. */
export interface MotoAddress {
  readonly url: string;
  readonly toolsUrl?: string;
}

/** Deploys a stage for the first time, in the two steps of a first deployment. */
export async function deployToMoto(
  { url, toolsUrl = url }: MotoAddress,
  stage: string,
  ...params: readonly string[]
): Promise<MotoStack> {
  // The deployment asks CloudFormation and Lambda from this process.
  Object.assign(process.env, onlyMoto(toolsUrl), { AWS_REGION: region });
  const StackName = `payouts-${stage}`;
  const deployAgain = async (commit = firstCommit, ...more: readonly string[]): Promise<readonly string[]> => {
    const args = ['--stage', stage, '--region', region, '--param', 'operatorEmail=elsewhere', ...more];
    const { code, said } = await deployIntoMoto(args, commit);
    if (code !== 0) throw new Error(`the deployment ended with ${code}: ${said.join('; ')}`);
    return said;
  };
  const remove = async (): Promise<void> => {
    const client = new CloudFormationClient({ region, endpoint: url, credentials: fakeCredentials });
    await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
    await client.send(new DeleteStackCommand({ StackName }));
    await waitUntilStackDeleteComplete({ client, minDelay: 1, maxWaitTime: 60 }, { StackName });
    client.destroy();
  };
  await deployAgain(firstCommit, ...params);
  const versions = () => functionsOf(url, StackName);
  return { made: await resourcesOf(url, StackName), deployAgain, versions, remove, ...stackInMoto(url, stage) };
}

/** A stage that is deployed, whoever did it. */
export function stackInMoto(url: string, stage: string): Pick<MotoStack, 'environmentOf' | 'pauseMappings'> {
  return {
    async environmentOf(functionName) {
      const path = `/2015-03-31/functions/${functionName}/configuration`;
      const answer = (await call(url, 'GET', path)) as { Environment: { Variables: Record<string, string> } };
      // moto names queues that CloudFormation made by AWS's address.
      const local = (value: unknown) => String(value).replace(/^https:\/\/sqs\.[^/]+/, url);
      return Object.fromEntries(Object.entries(answer.Environment.Variables).map(([name, it]) => [name, local(it)]));
    },
    async pauseMappings() {
      const path = '/2015-03-31/event-source-mappings/';
      const answer = (await call(url, 'GET', path)) as { EventSourceMappings: EventSourceMapping[] };
      const own = answer.EventSourceMappings.filter((it) => it.FunctionArn.includes(`:function:payouts-${stage}-`));
      for (const { UUID } of own) await call(url, 'PUT', path + UUID, '{"Enabled":false}');
      return own;
    },
  };
}

/** For a shell that has read the outputs: moto names queues that CloudFormation made by AWS's address. */
export const queuesOfMoto = (url: string): string =>
  `for name in JOBS BATCH_JOBS DEAD_LETTER RESULTS CHECKS CALLBACKS LINES; do eval "export \${name}_QUEUE_URL=$(printenv \${name}_QUEUE_URL | sed 's#https://sqs[^/]*#${url}#')"; done\n`;

/** Nothing of this machine's own settings can lead to AWS. */
export const onlyMoto = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_ACCESS_KEY_ID: fakeCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: fakeCredentials.secretAccessKey,
  AWS_SESSION_TOKEN: '',
  AWS_PROFILE: '',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
});

async function resourcesOf(url: string, StackName: string): Promise<ReadonlyMap<string, string>> {
  const client = new CloudFormationClient({ region, endpoint: url, credentials: fakeCredentials });
  const { StackResourceSummaries = [] } = await client.send(new ListStackResourcesCommand({ StackName }));
  client.destroy();
  // Of a resource whose condition does not hold moto lists an empty line.
  const lines = StackResourceSummaries.filter(({ LogicalResourceId }) => LogicalResourceId);
  return new Map(lines.map(({ LogicalResourceId = '', ResourceType = '' }) => [LogicalResourceId, ResourceType]));
}

async function functionsOf(url: string, stackName: string): Promise<readonly MotoFunction[]> {
  const client = new LambdaClient({ region, endpoint: url, credentials: fakeCredentials });
  const settingsOf = async (FunctionName: string, Qualifier?: string) => {
    const it = await client.send(
      new GetFunctionConfigurationCommand({ FunctionName, ...(Qualifier && { Qualifier }) }),
    );
    const { CodeSha256, Description, Environment, MemorySize, Role, Timeout, VpcConfig } = it;
    return { CodeSha256, Description, Environment, MemorySize, Role, Timeout, VpcConfig };
  };
  const functions: MotoFunction[] = [];
  for (const name of ['submit', 'inquire', 'sweep', 'callback']) {
    const functionName = `${stackName}-${name}`;
    const { FunctionVersion = '' } = await client.send(
      new GetAliasCommand({ FunctionName: functionName, Name: 'live' }),
    );
    functions.push({
      functionName,
      live: Number(FunctionVersion),
      liveSettings: await settingsOf(functionName, FunctionVersion),
      latestSettings: await settingsOf(functionName),
    });
  }
  client.destroy();
  return functions;
}

/** What CloudFormation does for a secret with GenerateSecretString. */
export async function makeSecrets(url: string, { Resources }: Template): Promise<void> {
  const client = new SecretsManagerClient({ region, endpoint: url, credentials: fakeCredentials });
  for (const { Type, Properties } of Object.values(Resources)) {
    if (Type !== 'AWS::SecretsManager::Secret') continue;
    const { SecretStringTemplate, GenerateStringKey, ...rule } = Properties['GenerateSecretString'] as {
      SecretStringTemplate: string;
      GenerateStringKey: string;
      PasswordLength: number;
    };
    const { RandomPassword } = await client.send(new GetRandomPasswordCommand(rule));
    const value = { ...(JSON.parse(SecretStringTemplate) as object), [GenerateStringKey]: RandomPassword };
    const { Name } = Properties as { Name: string };
    await client.send(new CreateSecretCommand({ Name, SecretString: JSON.stringify(value) }));
  }
  client.destroy();
}

/** A call of Lambda's API; moto reads account and region out of the header, and checks no signature. */
async function call(url: string, method: string, path: string, body?: string): Promise<unknown> {
  const credential = `${fakeCredentials.accessKeyId}/20260101/${region}/lambda/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=fake`;
  const answer = await fetch(url + path, { method, headers: { authorization }, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(`moto refused ${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
