// A CloudFormation template as data, for tests that ask what it lets whom do.
import type { Template } from '../infra/packaged.ts';

/** One resource of a stack. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Properties;
}

/** Properties as the template writes them: values, or `Ref`, `Fn::GetAtt` and the like. */
export type Properties = Readonly<Record<string, unknown>>;

/** A template's resources by logical id. */
export type Stack = ReadonlyMap<string, Resource>;

/** The resources of a template. */
export function stackOf({ Resources }: Pick<Template, 'Resources'>): Stack {
  return new Map(
    Object.entries(Resources).map(([logicalId, { Type, Properties = {} }]) => [
      logicalId,
      { logicalId, type: Type, properties: Properties },
    ]),
  );
}

/** The resources of one type. */
export function ofType(stack: Stack, type: string): Resource[] {
  return [...stack.values()].filter((resource) => resource.type === type);
}

/** The resource that a `Ref` or `Fn::GetAtt` names; undefined for anything else. */
export function targetOf(stack: Stack, value: unknown): Resource | undefined {
  const { Ref: ref, 'Fn::GetAtt': attribute } = recordOf(value);
  return stack.get(String(ref ?? listOf(attribute)[0]));
}

/** The value as an object; an empty one if it is none, so that a missing part reads as missing fields. */
export function recordOf(value: unknown): Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Properties) : {};
}

/** The value as a list; one thing alone is a list of it, as in IAM policies. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
