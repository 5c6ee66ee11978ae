// What IAM would say to a call, by the roles of the template: some statement allows it and none refuses it. Knows the
// conditions that the template uses: who calls KMS for whom, leading keys, and names of attributes.
import { listOf, recordOf, type Resource, type Stack } from '../support/stack.ts';
import { type Statement, statementsOf, statementsOfRole, textOf } from './policy.ts';

/** A call as IAM sees it. */
export interface Call {
  readonly action: string;
  /** As the template writes the ARN: `${JobsQueue.Arn}`. */
  readonly resource: string;
  /** The service that calls KMS in the caller's name. */
  readonly via?: string;
  /** Partition keys, of a call to DynamoDB. */
  readonly keys?: readonly string[];
  /** Top-level attributes that the request names, in its item, update, conditions or projection. */
  readonly attributes?: readonly string[];
  /** What a request to DynamoDB says that it wants back; absent where it says nothing. */
  readonly select?: string;
  readonly returnValues?: string;
  /** Whose event source mapping it is. */
  readonly functionArn?: string;
  /** Of a call to a key: ARN of the role, and the name of its session. */
  readonly principal?: string;
  readonly session?: string;
}

/**
 * What the policy of a key says to a caller of the account, whatever IAM says beside it: a key of which the policy allows nothing is closed to
 * every role. Emulators ask no key policy.
 */
export function keyAllows(stack: Stack, key: string, call: Omit<Call, 'resource'>): boolean {
  const statements = statementsOf(stack.get(key)?.properties['KeyPolicy'], key).filter(
    (it) =>
      it.principals.some((one) => one.endsWith(':root') || one === '*') &&
      applies({ ...it, resources: ['*'] }, { ...call, resource: '*' }, ['*']),
  );
  return statements.some(({ allows }) => allows) && statements.every(({ allows }) => allows);
}

/** May this role make the call? The policy of a key of the stack is asked too. */
export function mayCall(stack: Stack, caller: string, call: Call): boolean {
  const role = stack.get(`${caller}Role`);
  const fitting = (role ? statementsOfRole(stack, role) : []).filter((it) => applies(it, call, namesOf(stack, call)));
  const byRole = fitting.some(({ allows }) => allows) && fitting.every(({ allows }) => allows);
  const key = /^\$\{(\w+)\.Arn\}$/.exec(call.resource)?.[1] ?? '';
  if (stack.get(key)?.type !== 'AWS::KMS::Key') return byRole;
  return byRole && keyAllows(stack, key, { principal: principalOf(caller, role), session: 'a-person', ...call });
}

/** The ARN of a role as the template's patterns name it: CloudFormation names a function's, the approver's has the name that a stage expects. */
function principalOf(caller: string, role: Resource | undefined): string {
  const said = role?.properties['RoleName'];
  const made = caller.includes('Approver') ? 'payouts-prod-approver' : `\${AWS::StackName}-${caller}Role-1A2B3C`;
  const name = typeof said === 'string' ? said : made;
  return `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/${name}`;
}

/** The resource as the template refers to it and, of a queue or a table, by its name: a pattern may say either. */
function namesOf(stack: Stack, { resource }: Call): readonly string[] {
  const [, id = '', rest = ''] = /^\$\{(\w+)\.Arn\}(.*)$/.exec(resource) ?? [];
  const { type, properties = {} } = stack.get(id) ?? {};
  const here = 'arn:${AWS::Partition}:';
  const there = ':${AWS::Region}:${AWS::AccountId}:';
  if (type === 'AWS::SQS::Queue') return [resource, `${here}sqs${there}${textOf(properties['QueueName'])}${rest}`];
  if (type !== 'AWS::DynamoDB::Table') return [resource];
  return [resource, `${here}dynamodb${there}table/${textOf(properties['TableName'])}${rest}`];
}

function applies({ actions, resources, conditions }: Statement, call: Call, names: readonly string[]): boolean {
  return (
    actions.some((pattern) => isLike(call.action, pattern)) &&
    resources.some((pattern) => names.some((name) => name === pattern || isLike(name, pattern))) &&
    Object.entries(conditions).every(([operator, keys]) =>
      Object.entries(recordOf(keys)).every(([key, values]) =>
        holds(operator, valuesOf(key, call), listOf(values).map(textOf)),
      ),
    )
  );
}

function valuesOf(
  key: string,
  { via, keys, attributes, select, returnValues, functionArn, principal, session }: Call,
): readonly string[] | undefined {
  switch (key) {
    case 'kms:ViaService':
      return via === undefined ? [] : [via];
    case 'dynamodb:LeadingKeys':
      return keys ?? [];
    case 'dynamodb:Attributes':
      return attributes ?? [];
    case 'dynamodb:Select':
      return select === undefined ? [] : [select];
    case 'dynamodb:ReturnValues':
      return returnValues === undefined ? [] : [returnValues];
    case 'lambda:FunctionArn':
      return functionArn === undefined ? [] : [functionArn];
    case 'aws:PrincipalArn':
      return principal === undefined ? [] : [principal];
    case 'aws:userid':
      return session === undefined ? [] : [`AROAEXAMPLE:${session}`];
    // Of the algorithm there is one in all the code.
    case 'kms:MacAlgorithm':
    case 'kms:SigningAlgorithm':
      return undefined;
    default:
      throw new Error(`the evaluator knows no ${key}: teach it, or the proof is none`);
  }
}

function holds(operator: string, given: readonly string[] | undefined, allowed: readonly string[]): boolean {
  if (given === undefined) return true;
  const like = (value: string) => allowed.some((pattern) => isLike(value, pattern));
  switch (operator) {
    case 'StringEquals':
      // A service is named by the beginning of its address.
      return given.some((value) => allowed.some((it) => it === value || it.startsWith(`${value}.`)));
    case 'ArnLike':
    case 'StringLike':
      return given.length > 0 && given.every(like);
    case 'StringNotLike':
      return given.every((value) => !like(value));
    case 'StringEqualsIfExists':
      return given.every((value) => allowed.includes(value));
    case 'ForAllValues:StringLike':
      return given.every(like);
    case 'ForAllValues:StringNotLike':
      return given.every((value) => !like(value));
    case 'ForAllValues:StringEquals':
      return given.every((value) => allowed.includes(value));
    case 'ForAnyValue:StringLike':
      return given.some(like);
    case 'ForAnyValue:StringEquals':
      return given.some((value) => allowed.includes(value));
    default:
      throw new Error(`the evaluator knows no ${operator}: teach it, or the proof is none`);
  }
}

/** IAM's patterns: `*` is anything, `?` one character. */
export function isLike(text: string, pattern: string): boolean {
  const literal = pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const source = literal.replaceAll(String.raw`\*`, '.*').replaceAll(String.raw`\?`, '.');
  return new RegExp(`^${source}$`, 's').test(text);
}

type Body = Readonly<Record<string, unknown>>;

/** Partition keys and attribute names of a request to DynamoDB. */
export function accessOf(body: Body): Pick<Call, 'keys' | 'attributes' | 'select' | 'returnValues'> {
  const item = recordOf(body['Item']);
  const batches = Object.values(recordOf(body['RequestItems'])).map(recordOf);
  const many = batches.flatMap((it) => listOf(it['Keys']));
  const keyed = [recordOf(body['Key']), item, ...many.map(recordOf)].filter((it) => it['pk'] !== undefined);
  const values = recordOf(body['ExpressionAttributeValues']);
  const queried =
    body['KeyConditionExpression'] === undefined ? [] : [recordOf(values[':partition'] ?? values[':line'])];
  const keys = [...keyed.map((it) => recordOf(it['pk'])), ...queried].map(({ S }) => String(S));
  const expressions = ['UpdateExpression', 'ConditionExpression', 'KeyConditionExpression', 'ProjectionExpression'].map(
    (it) => body[it],
  );
  const names = recordOf(body['ExpressionAttributeNames']);
  const named = [
    ...expressions.flatMap((it) => (typeof it === 'string' ? namesIn(it, names) : [])),
    ...batches.flatMap((it) =>
      namesIn(String(it['ProjectionExpression'] ?? ''), recordOf(it['ExpressionAttributeNames'])),
    ),
  ];
  const { Select: select, ReturnValues: returnValues } = body;
  return {
    keys,
    ...(typeof select === 'string' && { select }),
    ...(typeof returnValues === 'string' && { returnValues }),
    attributes: [...new Set([...keyed.flatMap((it) => Object.keys(it)), ...Object.keys(item), ...named])],
  };
}

const words =
  /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|IN|BETWEEN|attribute_exists|attribute_not_exists|attribute_type|begins_with|contains|size|if_not_exists|list_append)$/i;

function namesIn(expression: string, names: Body): string[] {
  const tokens = expression.match(/(?<![.#\w])[#:]?[A-Za-z_]\w*/g) ?? [];
  return tokens.flatMap((token) => {
    if (token.startsWith(':') || words.test(token)) return [];
    return [token.startsWith('#') ? String(names[token]) : token];
  });
}
