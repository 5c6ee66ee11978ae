// IAM policies of a template: their statements one by one, whatever form they are written in.
import { listOf, ofType, type Properties, type Resource, recordOf, type Stack } from '../support/stack.ts';

/** One statement and its place. */
export interface Statement {
  readonly where: string;
  readonly allows: boolean;
  readonly actions: readonly string[];
  /** ARNs as text: `Fn::Sub` as it is written, `Fn::GetAtt` as `${Name.Arn}`. */
  readonly resources: readonly string[];
  readonly principals: readonly string[];
  readonly conditions: Properties;
}

/** The statements of a policy document. */
export function statementsOf(document: unknown, where: string): Statement[] {
  return listOf(recordOf(document)['Statement'])
    .map(recordOf)
    .map(({ Effect, Action, Resource: resource, Principal, Condition, Sid }) => ({
      where: typeof Sid === 'string' ? `${where}.${Sid}` : where,
      allows: Effect === 'Allow',
      actions: listOf(Action).map(String),
      resources: listOf(resource).map(textOf).map(ofLedger),
      principals: Principal === '*' ? ['*'] : Object.values(recordOf(Principal)).flatMap(listOf).map(textOf),
      conditions: recordOf(Condition),
    }));
}

/** Policies name the ledger by its name, as a stage may name a restored table; other tables by their logical id. */
const ofLedger = (arn: string) => arn.replace(/^arn:.*:table\/payouts-prod-ledger(?=$|\/)/, '${LedgerTable.Arn}');

/** The statements that a role has: its own, those of policies that name it, and of the stack's policies that it names. */
export function statementsOfRole(stack: Stack, role: Resource): Statement[] {
  const own = listOf(role.properties['Policies']).map((it) => recordOf(it)['PolicyDocument']);
  const naming = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy']
    .flatMap((type) => ofType(stack, type))
    .filter(({ properties }) => listOf(properties['Roles']).some((it) => recordOf(it)['Ref'] === role.logicalId));
  const named = listOf(role.properties['ManagedPolicyArns']).flatMap((it) => stack.get(logicalIdIn(textOf(it))) ?? []);
  const attached = [...naming, ...named].map(({ properties }) => properties['PolicyDocument']);
  return [...own, ...attached].flatMap((document) => statementsOf(document, role.logicalId));
}

const logicalIdIn = (text: string) => text.replace(/^\$\{(.+)\}$/, '$1');

/** An ARN or a name as text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref: ref, 'Fn::GetAtt': attribute, 'Fn::Sub': sub, 'Fn::Join': join } = recordOf(value);
  if (typeof ref === 'string') return `\${${ref}}`;
  if (Array.isArray(attribute)) return `\${${attribute.join('.')}}`;
  if (typeof sub === 'string') return sub;
  if (Array.isArray(join)) return listOf(join[1]).map(textOf).join(String(join[0]));
  return JSON.stringify(value);
}
