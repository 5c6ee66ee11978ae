// A template's expressions evaluated in the account, and the account's own values written as a template would have them: the two can't
// be compared otherwise.
import { isExpression, isPlain, meaningOf } from '../../doctor/one-meaning.ts';
import { listOf, type Properties, recordOf } from '../../doctor/stack.ts';

/** The values that CloudFormation gave to a template. */
export interface Made {
  readonly stackName: string;
  readonly region: string;
  readonly account: string;
  readonly partition: string;
  /** Values of the parameters; of those that are lists, parted by commas. */
  readonly parameters: ReadonlyMap<string, string | readonly string[]>;
  readonly conditions: Readonly<Record<string, unknown>>;
  /** Physical ids by logical ones. */
  readonly ids: ReadonlyMap<string, string | undefined>;
  readonly resources: Readonly<Record<string, TemplateResource>>;
}

/** One resource of a template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Properties;
  readonly Condition?: string;
}

/** The stack's own of a type that were made, with their properties as they came to be. */
export function madeOfType(type: string, made: Made): readonly Properties[] {
  return Object.entries(made.resources)
    .filter(([id, { Type }]) => Type === type && made.ids.has(id))
    .map(([, { Properties }]) => recordOf(evaluated(Properties, made)));
}

/** `AWS::NoValue`: as if it were not written. */
const noValue = Symbol('no value');
/** An expression that this file can't evaluate: it equals nothing in the account, and so it is reported. */
const unknown = '<can not be worked out>';

/** The value as it is in the account. */
export function evaluated(value: unknown, made: Made): unknown {
  const worked = evaluate(value, made);
  return worked === noValue ? undefined : worked;
}

function evaluate(value: unknown, made: Made): unknown {
  if (Array.isArray(value)) return value.map((it) => evaluate(it, made)).filter((it) => it !== noValue);
  if (typeof value !== 'object' || value === null) return value;
  const [[name = '', given] = [], ...more] = Object.entries(value);
  if (more.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) return worked(name, given, made);
  const members = Object.entries(value).map(([key, it]) => [key, evaluate(it, made)] as const);
  return Object.fromEntries(members.filter(([, it]) => it !== noValue));
}

function worked(name: string, given: unknown, made: Made): unknown {
  const list = listOf(given);
  const all = (it: unknown) => listOf(evaluate(it, made));
  switch (name) {
    case 'Ref':
      return referred(String(given), made);
    case 'Fn::GetAtt': {
      const [id, ...attribute] = typeof given === 'string' ? given.split('.') : list.map(String);
      return attributeOf(id ?? '', attribute.join('.'), made);
    }
    case 'Fn::Sub':
      return substituted(String(list[0]), recordOf(list[1]), made);
    case 'Fn::Join':
      return all(list[1]).map(String).join(String(list[0]));
    case 'Fn::Split':
      return String(evaluate(list[1], made)).split(String(list[0]));
    case 'Fn::Select':
      return all(list[1])[Number(list[0])] ?? unknown;
    case 'Fn::If':
      return evaluate(holds({ Condition: list[0] }, made) ? list[1] : list[2], made);
    default:
      return unknown;
  }
}

function holds(condition: unknown, made: Made): boolean {
  const [[name = '', given] = []] = Object.entries(recordOf(condition));
  const list = listOf(given);
  switch (name) {
    case 'Condition':
      return holds(made.conditions[String(given)], made);
    case 'Fn::Equals':
      return String(evaluate(list[0], made)) === String(evaluate(list[1], made));
    case 'Fn::Not':
      return !holds(list[0], made);
    case 'Fn::And':
      return list.every((it) => holds(it, made));
    case 'Fn::Or':
      return list.some((it) => holds(it, made));
    default:
      return false;
  }
}

function referred(name: string, made: Made): unknown {
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::NoValue': noValue,
    'AWS::Region': made.region,
    'AWS::AccountId': made.account,
    'AWS::Partition': made.partition,
    'AWS::StackName': made.stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  return pseudo[name] ?? made.parameters.get(name) ?? made.ids.get(name) ?? unknown;
}

function substituted(text: string, own: Readonly<Record<string, unknown>>, made: Made): string {
  return text.replaceAll(/\$\{([^!}][^}]*)\}/g, (_, name: string) => {
    if (name in own) return String(evaluate(own[name], made));
    const [id = '', ...attribute] = name.split('.');
    return String(attribute.length > 0 ? attributeOf(id, attribute.join('.'), made) : referred(name, made));
  });
}

/** ARNs by type, of a physical id; the part behind the account. */
const arns: Readonly<Record<string, (id: string) => string>> = {
  'AWS::SQS::Queue': (url) => `sqs:REGION:ACCOUNT:${url.split('/').pop()}`,
  'AWS::DynamoDB::Table': (name) => `dynamodb:REGION:ACCOUNT:table/${name}`,
  'AWS::Lambda::Function': (name) => `lambda:REGION:ACCOUNT:function:${name}`,
  'AWS::KMS::Key': (id) => `kms:REGION:ACCOUNT:key/${id}`,
  'AWS::Events::Rule': (name) => `events:REGION:ACCOUNT:rule/${name.replace('|', '/')}`,
  'AWS::Logs::LogGroup': (name) => `logs:REGION:ACCOUNT:log-group:${name}:*`,
  'AWS::IAM::Role': (name) => `iam::ACCOUNT:role/${name}`,
  'AWS::S3::Bucket': (name) => `s3:::${name}`,
};

function attributeOf(logicalId: string, attribute: string, made: Made): string {
  const [id, type = ''] = [made.ids.get(logicalId), made.resources[logicalId]?.Type];
  if (id === undefined) return unknown;
  const arn = arns[type]?.(id);
  if (attribute === 'Arn' && id.startsWith('arn:')) return id;
  if (attribute === 'Arn' && arn !== undefined)
    return `arn:${made.partition}:${arn.replace('REGION', made.region).replace('ACCOUNT', made.account)}`;
  if (attribute === 'QueueName') return id.split('/').pop() ?? unknown;
  if (attribute === 'Version') return id.split(':').pop() ?? unknown;
  if (attribute === 'RegionalDomainName') return `${id}.s3.${made.region}.amazonaws.com`;
  return unknown;
}

/**
 * The account's value, as the template's expression wherever that evaluates to it: so the two can be compared.
 */
export function asWritten(written: unknown, present: unknown, made: Made): unknown {
  const wanted = evaluate(written, made);
  if (isSame(wanted === noValue ? undefined : wanted, present)) return written;
  if (isPlain(written) && isPlain(present) && !isExpression(written)) {
    const names = [...new Set([...Object.keys(written), ...Object.keys(present)])];
    const members = names.map((name) => [name, asWritten(recordOf(written)[name], recordOf(present)[name], made)]);
    return Object.fromEntries(members.filter(([, it]) => it !== undefined));
  }
  if (!Array.isArray(written) || !Array.isArray(present)) return present;
  const own = written.map((it) => ({ it: it as unknown, comesTo: evaluate(it, made) }));
  const left = own.filter(({ comesTo }) => comesTo === noValue).map(({ it }) => it);
  const inWords = (there: unknown): unknown => {
    const same = own.find(({ comesTo }) => isSame(comesTo, there));
    if (same) return same.it;
    const { PolicyName: name } = recordOf(there);
    const named = own.find(({ comesTo }) => name !== undefined && recordOf(comesTo)['PolicyName'] === name);
    return named ? asWritten(named.it, there, made) : there;
  };
  return [...left, ...present.map(inWords)];
}

/** AWS leaves out what is empty, and says one thing alone as a list of it, or a list of one thing as that thing. */
export const isSame = (one: unknown, other: unknown): boolean => meaningOf(one) === meaningOf(other);
