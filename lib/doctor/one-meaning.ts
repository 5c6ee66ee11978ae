// One text for one meaning: what a template says in different words is no difference. The order of names and of list entries
// says nothing, nor whether a number is written as text, one thing as a list of it, or a reference by another function.
import { listOf, recordOf } from './stack.ts';

/** AWS's defaults, by the name of the property. */
const unsaid: Readonly<Record<string, unknown>> = {
  RecursiveLoop: 'Terminate',
  ActionsEnabled: true,
  Enabled: true,
  State: 'ENABLED',
  DelaySeconds: 0,
  FifoQueue: false,
  VisibilityTimeout: 30,
  MessageRetentionPeriod: 345_600,
  ReceiveMessageWaitTimeSeconds: 0,
  KmsDataKeyReusePeriodSeconds: 300,
  DeletionProtectionEnabled: false,
  EnableKeyRotation: false,
  KeySpec: 'SYMMETRIC_DEFAULT',
  KeyUsage: 'ENCRYPT_DECRYPT',
  TableClass: 'STANDARD',
  TreatMissingData: 'missing',
  PackageType: 'Zip',
  InvokeMode: 'BUFFERED',
  MaxSessionDuration: 3600,
  Path: '/',
};

/** The text of a property's value; of one that is not set, that of what AWS takes then. */
export const meaningOf = (value: unknown, name = ''): string => textOf(plain(value) ?? unsaid[name]);

/** True for an object, and for no list. */
export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for `Ref`, `Fn::If` and their kind. */
export const isExpression = (value: object): boolean =>
  Object.keys(value).some((name) => name === 'Ref' || name.startsWith('Fn::'));

/** Without what says nothing; undefined where nothing is left. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const entries = value.map(plain).filter((it) => it !== undefined);
    return entries.length > 1 ? entries : entries[0];
  }
  if (!isPlain(value)) return value ?? undefined;
  if (isExpression(value)) return expression(value);
  const members = Object.entries(value)
    .map(([name, it]) => [name, /^(Not)?Action$/.test(name) ? lower(plain(it)) : plain(it)] as const)
    // An alarm's expression returns its data unless it says otherwise.
    .filter(([name, it]) => it !== undefined && !(name === 'ReturnData' && it === true));
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** Actions are the same in capitals. */
const lower = (actions: unknown): unknown => {
  if (Array.isArray(actions)) return actions.map(lower);
  return typeof actions === 'string' ? actions.toLowerCase() : actions;
};

/** A reference in one form: `Ref` and `Fn::GetAtt` as they are, whatever is put together of them as `Fn::Sub`. */
function expression(value: object): unknown {
  const { Ref: ref, 'Fn::GetAtt': attribute, 'Fn::Sub': sub, 'Fn::Join': join } = recordOf(value);
  if (ref === 'AWS::NoValue') return undefined;
  if (attribute !== undefined)
    return {
      'Fn::GetAtt': listOf(typeof attribute === 'string' ? attribute.split(/\.(.*)/s, 2) : attribute).join('.'),
    };
  const [separator, parts] = listOf(join);
  const text = join === undefined ? substitution(sub) : joined(String(separator), parts);
  if (text === undefined) {
    const [[name = '', given] = []] = Object.entries(value);
    // The arguments of `Fn::If` and its kind have an order that means something.
    return { [name]: Array.isArray(given) ? { ordered: given.map((it) => inOrder(it)) } : plain(given) };
  }
  const [, whole] = /^\$\{([^!${}]+)\}$/.exec(text) ?? [];
  if (whole !== undefined) return whole.includes('.') ? { 'Fn::GetAtt': whole } : { Ref: whole };
  return /\$\{[^!]/.test(text) ? { 'Fn::Sub': text } : text;
}

/** Within an expression nothing is left out: an empty branch is a branch. */
const inOrder = (value: unknown): unknown =>
  Array.isArray(value) ? { ordered: value.map((it) => inOrder(it)) } : (plain(value) ?? 'nothing');

function substitution(sub: unknown): string | undefined {
  const [text, own] = listOf(sub);
  return typeof text === 'string' && Object.keys(recordOf(own)).length === 0 ? text : undefined;
}

function joined(separator: string, parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  const texts = parts.map((it: unknown) => {
    if (typeof it === 'string') return it;
    const { Ref: ref, 'Fn::GetAtt': attribute, 'Fn::Sub': sub } = recordOf(plain(it));
    const inner = ref ?? attribute;
    return typeof sub === 'string' ? sub : inner === undefined ? undefined : `\${${String(inner)}}`;
  });
  return texts.includes(undefined) ? undefined : texts.join(separator);
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(textOf))].toSorted().join(',')}]`;
  if (!isPlain(value)) {
    const text = String(value);
    return /[{}[\](),"]/.test(text) ? JSON.stringify(text) : text;
  }
  const { ordered } = recordOf(value);
  if (Array.isArray(ordered)) return `(${ordered.map(textOf).join(',')})`;
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${name}:${textOf(recordOf(value)[name])}`).join(',')}}`;
}
