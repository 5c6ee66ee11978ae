// Versions and the alias `live`: each deployment publishes every function anew, and queues, schedules and the public door call
// the alias. To roll back is then to set five aliases, not to build. Part of the packager's plugin (bundle-plugin.ts).
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** What calls a function calls this alias of it. */
export const liveAlias = 'live';

/** A function as the framework has it. */
export interface FrameworkFunction {
  package?: { artifact?: string };
  description?: string;
  /** Set here; the framework then lets every event of the function go to it. */
  targetAlias?: { readonly name: string; readonly logicalId: string };
  /** Set by the framework once it has compiled the function. */
  readonly versionLogicalId?: string;
}

/** The part of a template that is touched here. */
export interface VersionedTemplate {
  readonly Resources: Record<
    string,
    {
      readonly Type: string;
      DeletionPolicy?: string;
      UpdateReplacePolicy?: string;
      DependsOn?: string | readonly string[];
      readonly Condition?: string;
      readonly Properties?: Readonly<Record<string, unknown>>;
    }
  >;
  readonly Outputs?: Record<string, unknown>;
  Metadata?: { readonly Payouts?: object };
}

const logicalIdOf = (name: string, what: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}${what}`;

/** Before anything is compiled: events go to the alias, and each function says which commit it is. */
export function aimAtAlias(functions: Readonly<Record<string, FrameworkFunction>>, commit: string): void {
  for (const [name, it] of Object.entries(functions)) {
    it.targetAlias = { name: liveAlias, logicalId: logicalIdOf(name, 'LiveAlias') };
    // Of the function and not of its version alone: Lambda publishes no second version of what has not changed.
    it.description = `${it.description ?? name} (commit ${commit})`;
  }
}

/** After all is compiled: the aliases themselves, and what becomes of a version that is not the newest any more. */
export function addAliases(template: VersionedTemplate, functions: Readonly<Record<string, FrameworkFunction>>): void {
  for (const [name, { versionLogicalId }] of Object.entries(functions)) {
    if (versionLogicalId === undefined) throw new Error(`the framework published no version of ${name}`);
    const version = template.Resources[versionLogicalId];
    // Kept when the next one takes its place in the template; a deployment that fails takes its own away again.
    if (version) Object.assign(version, { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    template.Resources[logicalIdOf(name, 'LiveAlias')] = {
      Type: 'AWS::Lambda::Alias',
      Properties: {
        FunctionName: { Ref: logicalIdOf(name, 'LambdaFunction') },
        FunctionVersion: { 'Fn::GetAtt': [versionLogicalId, 'Version'] },
        Name: liveAlias,
      },
    };
    // Outputs are settings of the operator's tool; the number of a version is none.
    delete template.Outputs?.[logicalIdOf(name, 'LambdaFunctionQualifiedArn')];
  }
}

/** The framework compiles functions side by side, and what is ready first would stand first: the same input, other bytes. */
export function putInOrder({ Resources }: VersionedTemplate): void {
  const racing = Object.keys(Resources).filter((id) =>
    /^AWS::Lambda::(Alias|EventInvokeConfig|Permission|Url|Version)$/.test(Resources[id]?.Type ?? ''),
  );
  for (const id of racing.toSorted()) {
    const it = Resources[id];
    delete Resources[id];
    if (it) Resources[id] = it;
  }
}

/** Writes into the template what it was made from. */
export function tellCommit(template: VersionedTemplate, commit: string): void {
  template.Metadata = { ...template.Metadata, Payouts: { ...template.Metadata?.Payouts, Commit: commit } };
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
