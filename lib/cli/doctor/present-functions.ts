// Functions as they are in the account, and all that leads to them: what is live, who may call it, by which address and queue.
import {
  GetAliasCommand,
  GetEventSourceMappingCommand,
  type GetFunctionConfigurationCommandOutput,
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  GetFunctionEventInvokeConfigCommand,
  GetFunctionRecursionConfigCommand,
  GetFunctionUrlConfigCommand,
  GetPolicyCommand,
  type LambdaClient,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import { listOf, type Properties, recordOf } from '../../doctor/stack.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { isSame, type Made, madeOfType, type TemplateResource } from './evaluated.ts';
import { newLambdaClient } from '../../aws/lambda-live-functions.ts';
import { ifThere, parsed, type Present, type Reader } from './present.ts';

/** The readers. */
export function functionReaders(): Readonly<Record<string, Reader>> {
  const lambda = newLambdaClient({ limits: patientAwsCalls });
  return {
    'AWS::Lambda::Function': functionReader(lambda),
    'AWS::Lambda::Alias': aliasReader(lambda),
    'AWS::Lambda::EventSourceMapping': mappingReader(lambda),
    'AWS::Lambda::Permission': permissionReader(lambda),
    'AWS::Lambda::Url': async (_, { TargetFunctionArn }) => {
      const { AuthType, InvokeMode, Cors } = await lambda.send(
        new GetFunctionUrlConfigCommand(placeOf(TargetFunctionArn)),
      );
      return { properties: { AuthType, Cors, InvokeMode: InvokeMode === 'BUFFERED' ? undefined : InvokeMode } };
    },
    'AWS::Lambda::EventInvokeConfig': async (_, { FunctionName, Qualifier }) => {
      const given = { FunctionName: String(FunctionName), Qualifier: String(Qualifier) };
      const it = await lambda.send(new GetFunctionEventInvokeConfigCommand(given));
      const { MaximumEventAgeInSeconds, MaximumRetryAttempts, DestinationConfig } = it;
      return { properties: { MaximumEventAgeInSeconds, MaximumRetryAttempts, DestinationConfig } };
    },
  };
}

/** Name and alias of a function's ARN. */
function placeOf(arn: unknown): { readonly FunctionName: string; readonly Qualifier?: string } {
  const [, name = String(arn), Qualifier] = /function:([^:]+)(?::([^:]+))?$/.exec(String(arn)) ?? [];
  return { FunctionName: name, ...(Qualifier !== undefined && { Qualifier }) };
}

const alias = 'live';

function functionReader(lambda: LambdaClient): Reader {
  return async (FunctionName, wanted, made) => {
    const given = { FunctionName };
    const [latest, live, { ReservedConcurrentExecutions }, { RecursiveLoop }] = await Promise.all([
      lambda.send(new GetFunctionConfigurationCommand(given)),
      ifThere(lambda.send(new GetFunctionConfigurationCommand({ FunctionName, Qualifier: alias }))),
      lambda.send(new GetFunctionConcurrencyCommand(given)),
      lambda.send(new GetFunctionRecursionConfigCommand(given)).catch(() => unread),
    ]);
    // A change by hand is in one of the two: the next version takes the first, jobs go to the second.
    const [next, now] = [configurationOf(latest), live === undefined ? {} : configurationOf(live)];
    const properties: Record<string, unknown> = { ...next, ReservedConcurrentExecutions, RecursiveLoop };
    for (const [name, value] of Object.entries(now)) if (!isSame(value, wanted[name])) properties[name] = value;
    return { properties, beside: await othersThatCall(lambda, FunctionName, made) };
  };
}

function configurationOf(it: GetFunctionConfigurationCommandOutput): Readonly<Record<string, unknown>> {
  const { SubnetIds = [], SecurityGroupIds = [] } = it.VpcConfig ?? {};
  const { DeadLetterConfig: letters, Layers = [], FileSystemConfigs: files, KMSKeyArn } = it;
  return {
    Timeout: it.Timeout,
    Runtime: it.Runtime,
    Handler: it.Handler,
    Role: it.Role,
    Environment: it.Environment?.Variables && { Variables: it.Environment.Variables },
    Layers: Layers.length > 0 ? Layers.map(({ Arn }) => Arn) : undefined,
    VpcConfig: SubnetIds.length > 0 ? { SubnetIds, SecurityGroupIds } : undefined,
    DeadLetterConfig: letters?.TargetArn ? letters : undefined,
    FileSystemConfigs: files?.length ? files : undefined,
    KmsKeyArn: KMSKeyArn || undefined,
  };
}

/** A resource that can't be read is a danger, and not taken on trust. */
const unread = { RecursiveLoop: 'unknown: lambda:GetFunctionRecursionConfig gave no answer' };

/** Permissions, addresses and queues of a function and its alias that are not the stack's. */
async function othersThatCall(
  lambda: LambdaClient,
  FunctionName: string,
  made: Made,
): Promise<NonNullable<Present['beside']>> {
  const found: Record<string, TemplateResource> = {};
  const [granted, urls] = [madeOfType('AWS::Lambda::Permission', made), madeOfType('AWS::Lambda::Url', made)];
  const known = new Set(made.ids.values());
  for (const place of [{ FunctionName }, { FunctionName, Qualifier: alias }]) {
    for (const it of await statementsOn(lambda, place)) {
      const isOwn = known.has(String(it['Sid'])) || granted.some((own) => isGrant(it, own));
      if (!isOwn)
        found[`Permission ${String(it['Sid'])}`] = { Type: 'AWS::Lambda::Permission', Properties: grantOf(it) };
    }
    const url = await ifThere(lambda.send(new GetFunctionUrlConfigCommand(place)));
    const isOwn = urls.some(({ TargetFunctionArn }) => isSame(placeOf(TargetFunctionArn), place));
    if (url && !isOwn) found['Url'] = { Type: 'AWS::Lambda::Url', Properties: { AuthType: url.AuthType } };
    const name = Object.values(place).join(':');
    for await (const page of paginateListEventSourceMappings({ client: lambda }, { FunctionName: name }))
      for (const { UUID, EventSourceArn } of page.EventSourceMappings ?? [])
        if (!known.has(UUID))
          found[`Mapping ${UUID}`] = { Type: 'AWS::Lambda::EventSourceMapping', Properties: { EventSourceArn } };
  }
  return found;
}

async function statementsOn(lambda: LambdaClient, given: { FunctionName: string; Qualifier?: string }) {
  const { Policy } = (await ifThere(lambda.send(new GetPolicyCommand(given)))) ?? {};
  return listOf(recordOf(parsed(Policy))['Statement']).map(recordOf);
}

/** A statement of a function's policy as the template would have given it. */
function grantOf({ Action, Principal, Condition }: Properties): Properties {
  const { AWS: account, Service: service } = recordOf(Principal);
  const conditions = Object.values(recordOf(Condition)).flatMap((it) => Object.entries(recordOf(it)));
  const said = (name: string) => conditions.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return {
    Action,
    Principal: typeof Principal === 'string' ? Principal : (service ?? account),
    SourceArn: said('AWS:SourceArn'),
    SourceAccount: said('AWS:SourceAccount'),
    FunctionUrlAuthType: said('lambda:FunctionUrlAuthType'),
    InvokedViaFunctionUrl: said('lambda:InvokedViaFunctionUrl'),
  };
}

/** True where a statement says what a permission of the template says: by its id not every service knows it again. */
function isGrant(statement: Properties, { FunctionName: _function, ...permission }: Properties): boolean {
  return isSame(grantOf(statement), permission);
}

function permissionReader(lambda: LambdaClient): Reader {
  return async (physicalId, wanted) => {
    const statements = await statementsOn(lambda, placeOf(wanted['FunctionName']));
    const own = statements.find((it) => it['Sid'] === physicalId) ?? statements.find((it) => isGrant(it, wanted));
    return own ? { properties: grantOf(own) } : 'gone';
  };
}

function mappingReader(lambda: LambdaClient): Reader {
  return async (UUID) => {
    const it = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
    const { BatchSize, MaximumBatchingWindowInSeconds, FunctionResponseTypes, FilterCriteria, ScalingConfig } = it;
    return {
      properties: {
        BatchSize,
        MaximumBatchingWindowInSeconds,
        FunctionResponseTypes,
        FilterCriteria,
        ScalingConfig,
        Enabled: !(it.State ?? '').startsWith('Disabl'),
        EventSourceArn: it.EventSourceArn,
        FunctionName: it.FunctionArn,
      },
    };
  };
}

/** The version that an alias names: the stack's own, or which it is, and of what commit. */
function aliasReader(lambda: LambdaClient): Reader {
  return async (aliasArn, { FunctionVersion: own }): Promise<Present> => {
    const { FunctionName, Qualifier: Name = '' } = placeOf(aliasArn);
    const { FunctionVersion: Qualifier = '', RoutingConfig } = await lambda.send(
      new GetAliasCommand({ FunctionName, Name }),
    );
    const routed = Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {}).length > 0;
    const properties = { ...(routed && { RoutingConfig }) };
    if (Qualifier === own) return { properties: { ...properties, FunctionVersion: own } };
    const { Description } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName, Qualifier }));
    const FunctionVersion = `${Qualifier}, rolled back: ${Description ?? 'of no known commit'}`;
    return { properties: { ...properties, FunctionVersion } };
  };
}
