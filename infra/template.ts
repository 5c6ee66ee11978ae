// From the framework's compiled template to the one that ships: one for every stage, region and account. A choice of a stage
// is a parameter of the template; CodeBucket and CodePrefix name the place of the code. Part of the packager's plugin.
import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';

/** The alias of a function, by which everything calls it. */
const liveAlias = 'live';

/** A function as the framework has it. */
export interface FrameworkFunction {
  package?: { artifact?: string };
  description?: string;
  /** Set here; the framework then lets every event of the function go to it. */
  targetAlias?: { readonly name: string; readonly logicalId: string };
  /** Set by the framework once it has compiled the function. */
  readonly versionLogicalId?: string;
}

/** The part of a template that is changed here. */
export interface ShippedTemplate {
  Resources: Record<string, TemplateResource>;
  Outputs?: Record<string, unknown>;
  Parameters?: Record<string, object>;
  Conditions?: Record<string, unknown>;
  Metadata?: object;
}

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly UpdatePolicy?: unknown;
  readonly DependsOn?: unknown;
  readonly Condition?: string;
}

const logicalIdOf = (name: string, what: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}${what}`;

/** Before anything is compiled: events of a function go to its alias. */
export function aimAtAlias(functions: Readonly<Record<string, FrameworkFunction>>): void {
  for (const [name, it] of Object.entries(functions))
    it.targetAlias = { name: liveAlias, logicalId: logicalIdOf(name, 'LiveAlias') };
}

const listOf = (it: unknown): readonly unknown[] => [it ?? []].flat();

/** Kept whatever happens to the stack, but for a first deployment that fails: the next try must find its name free. */
const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' } as const;

/** After everything is compiled: changes the template into the one that ships. `defaults` are the values of infra/parameters.yml. */
export function asShipped(
  template: ShippedTemplate,
  functions: Readonly<Record<string, FrameworkFunction>>,
  commit: string,
  defaults: Readonly<Record<string, unknown>>,
): void {
  const { Resources } = template;
  // The framework's own exports: its bucket is none of the stack's, and under its names nobody would look.
  for (const it of Object.values(template.Outputs ?? {}) as { Export?: { Name: unknown } }[])
    if (String(it.Export?.Name).startsWith('sls-')) delete it.Export;
  delete template.Outputs?.['ServerlessDeploymentBucketName'];
  for (const [name, it] of Object.entries(functions)) release(template, name, it, commit);
  for (const [id, it] of Object.entries(Resources)) {
    // A mapping depends on its function, which names its role.
    if (it.Type === 'AWS::Lambda::EventSourceMapping')
      Resources[id] = { ...it, DependsOn: listOf(it.DependsOn).filter((on) => !String(on).endsWith('Role')) };
    if (it.Type !== 'AWS::Logs::LogGroup') continue;
    // Log groups hold order ids and amounts, never card data or secrets.
    const KmsKeyId = { 'Fn::GetAtt': ['WorkerKey', 'Arn'] };
    const RetentionInDays = { Ref: 'LogRetentionDays' };
    Resources[id] = { ...it, ...kept, Properties: { ...it.Properties, RetentionInDays, KmsKeyId } };
  }
  for (const [name, it] of Object.entries(template.Parameters ?? {})) {
    const value = defaults[name.charAt(0).toLowerCase() + name.slice(1)];
    if (value !== undefined && !requiredParameters.has(name))
      Object.assign(it, { Default: (it as { Type?: string }).Type === 'Number' ? Number(value) : String(value) });
  }
  inOrder(template);
  secretLast(Resources);
  for (const part of ['Resources', 'Outputs', 'Conditions', 'Parameters'] as const)
    Object.assign(template, { [part]: withParameters(template[part]) });
  template.Metadata = { Payouts: { Commit: commit } };
}

/** The parameters without a value that would be right for every stage. */
export const requiredParameters: ReadonlySet<string> = new Set([
  'Stage',
  'Release',
  'CodeBucket',
  'SecretPrefix',
  'OperatorEmail',
]);

/** A function: its code, the description of its release, its version and its alias. */
function release(template: ShippedTemplate, name: string, it: FrameworkFunction, commit: string): void {
  const { Resources } = template;
  const id = logicalIdOf(name, 'LambdaFunction');
  const compiled = Resources[id];
  const version = Resources[it.versionLogicalId ?? ''];
  if (!compiled || !version) throw new Error(`the framework compiled no ${name}, or published no version of it`);
  // The digest covers the function and not its version alone: Lambda publishes no second version of what has not changed.
  const Description = { 'Fn::Sub': `${it.description ?? name} (commit ${commit}, release \${Release})` };
  const S3Key = { 'Fn::Sub': `\${CodePrefix}${basename(it.package?.artifact ?? '')}` };
  const Code = { S3Bucket: { Ref: 'CodeBucket' }, S3Key };
  Resources[id] = {
    ...compiled,
    // The function names its role; it does not name the log group, and Lambda would make one without a key.
    DependsOn: logicalIdOf(name, 'LogGroup'),
    Properties: { ...compiled.Properties, Code, Description },
  };
  delete Resources[it.versionLogicalId ?? ''];
  const versionId = logicalIdOf(name, 'Version');
  Resources[versionId] = { ...version, ...kept, Properties: { ...version.Properties, Description } };
  Resources[logicalIdOf(name, 'LiveAlias')] = {
    Type: 'AWS::Lambda::Alias',
    Properties: {
      FunctionName: { Ref: id },
      FunctionVersion: { 'Fn::GetAtt': [versionId, 'Version'] },
      Name: liveAlias,
    },
    UpdatePolicy: { 'Fn::If': ['RolloutOn', shiftedBy(name), { Ref: 'AWS::NoValue' }] },
  };
  Resources[logicalIdOf(name, 'Rollout')] = rolloutOf(name);
  // Outputs are settings of the operator's tool; the number of a version is none.
  delete template.Outputs?.[logicalIdOf(name, 'LambdaFunctionQualifiedArn')];
}

/** CloudFormation moves the alias by CodeDeploy, waits for its end, and undoes the whole update where it fails. */
const shiftedBy = (name: string) => ({
  CodeDeployLambdaAliasUpdate: {
    ApplicationName: { Ref: 'RolloutApplication' },
    DeploymentGroupName: { Ref: logicalIdOf(name, 'Rollout') },
  },
});

/** A group of the function's own, as a group moves one alias at a time; all watch the same alarms, so that a release goes back whole. */
const rolloutOf = (name: string): TemplateResource => ({
  Type: 'AWS::CodeDeploy::DeploymentGroup',
  Condition: 'RolloutOn',
  Properties: {
    ApplicationName: { Ref: 'RolloutApplication' },
    DeploymentGroupName: name,
    ServiceRoleArn: { 'Fn::GetAtt': ['RolloutRole', 'Arn'] },
    DeploymentConfigName: { 'Fn::Sub': 'CodeDeployDefault.Lambda${Rollout}' },
    DeploymentStyle: { DeploymentType: 'BLUE_GREEN', DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
    AlarmConfiguration: {
      Enabled: true,
      Alarms: [
        { Name: { Ref: 'ReleaseFailingAlarm' } },
        { 'Fn::If': ['CanaryOn', { Name: { Ref: 'CanaryFailingAlarm' } }, { Ref: 'AWS::NoValue' }] },
      ],
      // A rollout that nobody can watch stops.
      IgnorePollAlarmFailure: false,
    },
    AutoRollbackConfiguration: {
      Enabled: true,
      Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
    },
  },
});

/** The framework compiles functions side by side, and the first to be ready would come first: the same input, other bytes. */
function inOrder({ Resources }: ShippedTemplate): void {
  const racing = Object.keys(Resources).filter((id) =>
    /^AWS::Lambda::(Alias|EventInvokeConfig|Permission|Url|Version)$/.test(Resources[id]?.Type ?? ''),
  );
  for (const id of racing.toSorted()) {
    const it = Resources[id];
    delete Resources[id];
    if (it) Resources[id] = it;
  }
}

/**
 * A first deployment that fails takes away its resources, and Secrets Manager keeps the name of a deleted secret for a
 * while: the next try would find it taken. So the secret comes after all resources that may fail.
 */
function secretLast(resources: ShippedTemplate['Resources']): void {
  const secret = resources['WorkerSecret'];
  if (!secret) return;
  const needsSecret = (it: object) => /"(Ref|Fn::GetAtt)":\[?"WorkerSecret"/.test(JSON.stringify(it));
  // A resource that a parameter may leave out can't be waited for.
  const others = Object.entries(resources).filter(([, it]) => it !== secret && !it.Condition && !needsSecret(it));
  Object.assign(secret, { DependsOn: others.map(([logicalId]) => logicalId) });
}

/** The placeholders of serverless.yml for the stage and the prefix of secrets; no other text looks like them. */
const marks: readonly (readonly [mark: string, parameter: string])[] = [
  ['NAME-OF-STAGE', 'Stage'],
  ['PREFIX-OF-SECRETS', 'SecretPrefix'],
];

/** Every text with a mark becomes one that CloudFormation fills in. */
function withParameters(value: unknown, isSubstituted = false): unknown {
  if (typeof value === 'string') {
    const [text, count] = marked(value, isSubstituted);
    return count === 0 || isSubstituted ? text : { 'Fn::Sub': text };
  }
  if (Array.isArray(value)) return value.map((it: unknown) => withParameters(it));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, it]) => {
      if (name !== 'Fn::Sub') return [name, withParameters(it)];
      return [
        name,
        Array.isArray(it) ? [withParameters(it[0], true), withParameters(it[1])] : withParameters(it, true),
      ];
    }),
  );
}

function marked(text: string, isSubstituted: boolean): readonly [text: string, marks: number] {
  const found = marks.filter(([mark]) => text.includes(mark));
  // Within Fn::Sub `${!` means a plain `${`.
  const start = isSubstituted || found.length === 0 ? text : text.replaceAll('${', '${!');
  return [found.reduce((it, [mark, parameter]) => it.replaceAll(mark, `\${${parameter}}`), start), found.length];
}

/** Twelve digits of the commit, with `-dirty` where files differ from it; SOURCE_COMMIT where there is no repository. */
export function commitOf(): string {
  const said = process.env['SOURCE_COMMIT'];
  if (said) return said;
  try {
    const cwd = join(import.meta.dirname, '..');
    const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude', '*'];
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
