// A CloudFormation template as data: what the doctor's rules look at. Text in, a stack or the reason why not out.

/** One resource of a stack. */
export interface Resource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Properties;
  readonly deletionPolicy?: string;
  readonly updateReplacePolicy?: string;
  /** By what an update moves it: of an alias, CodeDeploy and the functions that it asks. */
  readonly updatePolicy?: unknown;
  /** Name of the condition under which it is there. */
  readonly condition?: string;
}

/** Properties as they stand in the template: values, or `Ref`, `Fn::GetAtt` and the like. */
export type Properties = Readonly<Record<string, unknown>>;

/** The policy of a deployed stack is looked at like one of its resources. */
export const stackPolicyId = 'StackPolicy';

/** A template's resources by logical id. */
export type Stack = ReadonlyMap<string, Resource>;

/** A stack, or one sentence that says why there is none. */
type ReadStack =
  | { readonly kind: 'stack'; readonly stack: Stack }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads a synthesized template (JSON), with the values that its parameters are given; of the others their defaults. */
export function readStack(text: string, values: Readonly<Record<string, string>> = {}): ReadStack {
  let template: unknown;
  try {
    template = JSON.parse(text);
  } catch {
    return {
      kind: 'unreadable',
      reason: 'it is not JSON: give the synthesized template, which `npm run package` makes',
    };
  }
  const resources = recordOf(recordOf(template)['Resources']);
  const stack = new Map<string, Resource>();
  for (const [logicalId, value] of Object.entries(resources)) {
    const { Type, Properties, DeletionPolicy, UpdateReplacePolicy, UpdatePolicy, Condition } = recordOf(value);
    stack.set(logicalId, {
      logicalId,
      type: typeof Type === 'string' ? Type : '',
      properties: recordOf(switched(Properties)),
      ...(typeof DeletionPolicy === 'string' && { deletionPolicy: DeletionPolicy }),
      ...(typeof UpdateReplacePolicy === 'string' && { updateReplacePolicy: UpdateReplacePolicy }),
      ...(UpdatePolicy !== undefined && { updatePolicy: UpdatePolicy }),
      ...(typeof Condition === 'string' && { condition: Condition }),
    });
  }
  if (stack.size === 0) return { kind: 'unreadable', reason: 'it has no Resources' };
  // Parts of the template that decide about resources from beside them are compared like one.
  for (const [name, properties] of Object.entries(recordOf(template))) {
    if (/^(AWSTemplateFormatVersion|Description|Metadata|Resources)$/.test(name)) continue;
    const given = name === 'Parameters' ? withDefaults(recordOf(properties), values) : properties;
    stack.set(name, { logicalId: name, type: `Template::${name}`, properties: isPart(given) });
  }
  return { kind: 'stack', stack };
}

const withDefaults = (parameters: Properties, values: Readonly<Record<string, string>>): Properties =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, it]) => {
      const Default = values[name] ?? recordOf(it)['Default'];
      return [name, { ...recordOf(it), ...(Default !== undefined && { Default }) }];
    }),
  );

/** Switches that are written as text, which CloudFormation takes for the same; the variables of a function are text. */
function switched(value: unknown): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  if (Array.isArray(value)) return value.map(switched);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, it]) => [name, name === 'Variables' ? (it as unknown) : switched(it)]),
  );
}

const isPart = (value: unknown): Properties => (Array.isArray(value) ? { listed: value } : recordOf(value));

/** The resources of one type. */
export function ofType(stack: Stack, type: string): Resource[] {
  return [...stack.values()].filter((resource) => resource.type === type);
}

/**
 * The resource that a `Ref`, `Fn::GetAtt` or a one-part `Fn::Sub` points to, or a function's alias (its ARN and a name joined);
 * undefined for anything else.
 */
export function targetOf(stack: Stack, value: unknown): Resource | undefined {
  const { Ref: ref, 'Fn::GetAtt': attribute, 'Fn::Sub': sub, 'Fn::Join': joined } = recordOf(value);
  const [separator, parts] = listOf(joined);
  if (separator === ':' || (separator === '' && listOf(parts).length === 1)) return targetOf(stack, listOf(parts)[0]);
  const name = Array.isArray(attribute) ? attribute[0] : (attribute ?? ref ?? sub);
  if (typeof name !== 'string') return undefined;
  const target = stack.get(/^(?:\$\{)?([A-Za-z0-9]+)/.exec(name)?.[1] ?? '');
  return target?.type === 'AWS::Lambda::Alias' ? targetOf(stack, target.properties['FunctionName']) : target;
}

/** The value as an object; an empty one where it is none, so that a missing part reads as missing fields. */
export function recordOf(value: unknown): Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Properties) : {};
}

/** The value as a list; one thing alone is a list of it, as in IAM policies. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** A number that may be written as text; undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
