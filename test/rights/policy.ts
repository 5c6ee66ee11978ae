// IAM policies as they stand in a template: statements one by one, whatever form they were written in.
import { listOf, ofType, type Properties, type Resource, recordOf, type Stack } from '../../lib/doctor/stack.ts';

/** One statement and where it stands. */
export interface Statement {
  readonly where: string;
  readonly allows: boolean;
  readonly actions: readonly string[];
  /** ARNs as text: `Fn::Sub` as it is written, `Fn::GetAtt` as `${Name.Arn}`. */
  readonly resources: readonly string[];
  readonly principals: readonly string[];
  readonly conditions: Properties;
}

/** The statements of a policy document. `Fn::If` counts with all its branches. */
function statementsOf(document: unknown, where: string): Statement[] {
  return listOf(recordOf(document)['Statement'])
    .flatMap(branchesOf)
    .map(recordOf)
    .filter(({ Effect }) => Effect !== undefined)
    .map(({ Effect, Action, Resource: resource, Principal, Condition, Sid }) => ({
      where: typeof Sid === 'string' ? `${where}.${Sid}` : where,
      allows: Effect === 'Allow',
      actions: listOf(Action).map(String),
      resources: listOf(resource).flatMap(branchesOf).flatMap(listOf).map(textOf),
      principals: Principal === '*' ? ['*'] : Object.values(recordOf(Principal)).flatMap(listOf).map(textOf),
      conditions: recordOf(Condition),
    }));
}

/** The statements that a role has: its own, those of policies that name it, and of the stack's that it names. */
export function statementsOfRole(stack: Stack, role: Resource): Statement[] {
  const own = listOf(role.properties['Policies']).map((it) => recordOf(it)['PolicyDocument']);
  const named = ofType(stack, 'AWS::IAM::Policy')
    .filter(({ properties }) => listOf(properties['Roles']).some((it) => recordOf(it)['Ref'] === role.logicalId))
    .map(({ properties }) => properties['PolicyDocument']);
  const attached = attachedTo(role)
    .flatMap((it) => stack.get(it) ?? [])
    .map(({ properties }) => properties['PolicyDocument']);
  return [...own, ...named, ...attached].flatMap((document) => statementsOf(document, role.logicalId));
}

/** The managed policies that a role names: logical ids of the stack's own, ARNs of others, in whatever form it says them. */
function attachedTo({ properties }: Resource): readonly string[] {
  return listOf(properties['ManagedPolicyArns'])
    .flatMap(branchesOf)
    .flatMap(listOf)
    .map((it) => textOf(it).replace(/^\$\{(.+)\}$/, '$1'))
    .filter((it) => it !== 'AWS::NoValue');
}

/** An ARN or a name as text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref: ref, 'Fn::GetAtt': attribute, 'Fn::Sub': sub, 'Fn::Join': join } = recordOf(value);
  if (typeof ref === 'string') return `\${${ref}}`;
  if (Array.isArray(attribute)) return `\${${attribute.join('.')}}`;
  if (typeof attribute === 'string') return `\${${attribute}}`;
  if (typeof sub === 'string') return sub;
  if (Array.isArray(join)) return listOf(join[1]).map(textOf).join(String(join[0]));
  return JSON.stringify(value);
}

/** An `Fn::If` as what it may come to; anything else as itself. */
export function branchesOf(statement: unknown): readonly unknown[] {
  const branches = recordOf(statement)['Fn::If'];
  return Array.isArray(branches) ? branches.slice(1).flatMap(branchesOf) : [statement];
}
