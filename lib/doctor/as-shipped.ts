// The whole stack beside the one that ships: whatever differs is seen, whether or not a rule knows the mistake. The rules say
// why numbers must fit each other; this says what somebody has changed.
import { type Choice, choiceOf, dangerOf, mayBeAdded } from './what-may-differ.ts';
import { type Resource, recordOf, type Stack } from './stack.ts';

/** One place where a stack is not as it ships. */
export interface Difference {
  /** Logical id and property: `WorkerKey.KeyPolicy.Statement`. */
  readonly where: string;
  /** What ships and what stands there. */
  readonly fault: string;
  readonly danger: string;
  /** False where it is the owner's choice: it is shown, and is no reason against the stack. */
  readonly refused: boolean;
}

/** Every difference of a stack from the shipped one. */
export function differencesOf(stack: Stack, shipped: Stack): readonly Difference[] {
  const present = asIfShipped(stack);
  const stage = stageOf(stack) ?? '';
  const ids = [...new Set([...shipped.keys(), ...present.keys()])];
  return ids.flatMap((id) => compared(shipped.get(id), present.get(id), stage));
}

function compared(shipped: Resource | undefined, is: Resource | undefined, stage: string): Difference[] {
  const it = is ?? shipped;
  if (!it || choiceOf(it, '', stage) === 'nobody-cares') return [];
  const danger = dangerOf(it.type);
  if (!is) return [{ where: it.logicalId, fault: `is gone: a ${it.type} ships`, danger, refused: true }];
  if (!shipped) {
    return [{ where: it.logicalId, fault: `does not ship: a ${it.type}`, danger, refused: !mayBeAdded(it.type) }];
  }
  return changes(partsOf(shipped), partsOf(is), []).flatMap(({ path, shipped: from, is: to }) => {
    const choice: Choice = choiceOf(is, path, stage, to);
    if (choice === 'nobody-cares') return [];
    const fault = `is ${shown(to)}, ships as ${shown(from)}`;
    return [{ where: `${it.logicalId}.${path}`, fault, danger, refused: choice === 'refused' }];
  });
}

/** What a resource consists of, properties and attributes alike. */
function partsOf({ type, properties, deletionPolicy, updateReplacePolicy, condition }: Resource): object {
  const attributes = { Type: type, DeletionPolicy: deletionPolicy, UpdateReplacePolicy: updateReplacePolicy };
  return { ...properties, ...attributes, Condition: condition };
}

interface Change {
  readonly path: string;
  readonly shipped: unknown;
  readonly is: unknown;
}

/** What AWS takes where nothing is said. */
const unsaid: Readonly<Record<string, unknown>> = { RecursiveLoop: 'Terminate', ActionsEnabled: true, Enabled: true };

function changes(shipped: unknown, is: unknown, path: readonly string[]): readonly Change[] {
  if (isPlain(shipped) && isPlain(is)) {
    const names = [...new Set([...Object.keys(shipped), ...Object.keys(is)])];
    return names.flatMap((name) => changes(recordOf(shipped)[name], recordOf(is)[name], [...path, name]));
  }
  const last = path.at(-1) ?? '';
  const same = canonical(shipped ?? unsaid[last]) === canonical(is ?? unsaid[last]);
  return same ? [] : [{ path: path.join('.'), shipped, is }];
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One text for one meaning: the order of names and of list entries says nothing, nor whether a number is written as text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    // Where a function of CloudFormation takes a list, order counts; its lists hold objects and texts of other kinds.
    return `[${value.map(canonical).toSorted().join(',')}]`;
  }
  if (!isPlain(value)) return String(value);
  const names = Object.keys(value).toSorted();
  return `{${names.map((name) => `${name}:${canonicalOf(name, recordOf(value)[name])}`).join(',')}}`;
}

/** Of `Fn::If` and its kind the order is the meaning. */
function canonicalOf(name: string, value: unknown): string {
  return name.startsWith('Fn::') && Array.isArray(value) ? `(${value.map(canonical).join(',')})` : canonical(value);
}

const longestShown = 120;

function shown(value: unknown): string {
  if (value === undefined) return 'not set';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

/** The stage, by the names of its functions. */
function stageOf(stack: Stack): string | undefined {
  for (const { type, properties } of stack.values()) {
    if (type !== 'AWS::Lambda::Function') continue;
    const [, stage] = /^payouts-([A-Za-z0-9-]+)-[a-z]+$/.exec(String(properties['FunctionName'])) ?? [];
    if (stage !== undefined) return stage;
  }
  return undefined;
}

/** A published version of a function is another thing with each change of its code, by a digest of it; here it is one. */
export function withoutVersions(text: string, logicalIds: Iterable<string>): string {
  let plain = text;
  for (const id of logicalIds) {
    const [, unversioned] = /^([A-Z][a-z]+LambdaVersion)[A-Za-z0-9]{30,}$/.exec(id) ?? [];
    if (unversioned !== undefined) plain = plain.replaceAll(`"${id}"`, `"${unversioned}"`);
  }
  return plain;
}

/** The stack under the names of the shipped stage. */
function asIfShipped(stack: Stack): Stack {
  const stage = stageOf(stack);
  if (stage === undefined) return stack;
  const text = withoutVersions(JSON.stringify([...stack]), stack.keys());
  const named = new RegExp(`(payouts[-/ ])${stage}(?![A-Za-z0-9])`, 'gi');
  const prefix = prefixOf(stack);
  const plain = prefix === undefined ? text : text.replaceAll(prefix, 'payouts/prod/');
  return new Map(JSON.parse(plain.replaceAll(named, '$1prod')) as [string, Resource][]);
}

/** Where merchants' secrets begin; a stage may choose it. */
function prefixOf(stack: Stack): string | undefined {
  for (const { type, properties } of stack.values()) {
    const { SECRET_PREFIX: prefix } = recordOf(recordOf(properties['Environment'])['Variables']);
    if (type === 'AWS::Lambda::Function' && typeof prefix === 'string' && prefix.endsWith('/')) return prefix;
  }
  return undefined;
}
