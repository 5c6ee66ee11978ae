// The whole stack beside the one that ships: whatever differs is seen, whether or not a rule knows the mistake. The rules say
// why numbers must fit each other; this says what somebody has changed.
import { type Choice, choiceOf, dangerOf, mayBeAdded } from './what-may-differ.ts';
import { isExpression, isPlain, meaningOf } from './one-meaning.ts';
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
  if (!it) return [];
  const danger = dangerOf(it.type);
  if (!is || !shipped) {
    const choice = choiceOf(it, '', stage);
    const whole: Choice = choice === 'refused' && is && mayBeAdded(is) ? 'shown' : choice;
    const fault = is ? `does not ship: a ${it.type}` : `is gone: a ${it.type} ships`;
    return whole === 'nobody-cares' ? [] : [{ where: it.logicalId, fault, danger, refused: whole === 'refused' }];
  }
  // Nearly always, and much sooner found out so.
  if (JSON.stringify(shipped) === JSON.stringify(is)) return [];
  return changes(partsOf(shipped), partsOf(is), []).flatMap(({ path, shipped: from, is: to }) => {
    const choice: Choice = choiceOf(is, path, stage, to, from);
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

function changes(shipped: unknown, is: unknown, path: readonly string[]): readonly Change[] {
  const last = path.at(-1);
  if (meaningOf(shipped, last) === meaningOf(is, last)) return [];
  if (isPlain(shipped) && isPlain(is) && !isExpression(shipped) && !isExpression(is)) {
    const names = [...new Set([...Object.keys(shipped), ...Object.keys(is)])];
    return names.flatMap((name) => changes(recordOf(shipped)[name], recordOf(is)[name], [...path, name]));
  }
  return [{ path: path.join('.'), shipped, is }];
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
    if (unversioned !== undefined) plain = plain.replaceAll(id, unversioned);
  }
  return plain;
}

/** The stack under the names of the shipped stage; what bears that stage's name in another one does not become its own. */
function asIfShipped(stack: Stack): Stack {
  const stage = stageOf(stack);
  if (stage === undefined) return stack;
  const text = withoutVersions(JSON.stringify([...stack]), stack.keys());
  const [own, elsewhere] = [`payouts/${stage}/`, 'payouts/of another stage/'];
  const prefix = prefixOf(stack) ?? own;
  const prefixed =
    prefix === own ? text : text.replaceAll(new RegExp(`${own}(?!_worker)`, 'g'), elsewhere).replaceAll(prefix, own);
  const named = (name: string) => new RegExp(`(payouts[-/ ])${name}(?![A-Za-z0-9])`, 'gi');
  const [mark, shipped] = ['\u0001', 'prod'];
  const plain = prefixed.replaceAll(named(stage), `$1${mark}`).replaceAll(named(shipped), '$1of another stage');
  return new Map(JSON.parse(plain.replaceAll(mark, shipped)) as [string, Resource][]);
}

/** Where merchants' secrets begin; a stage may choose it, for all of its functions alike. */
function prefixOf(stack: Stack): string | undefined {
  const prefixes = new Set<unknown>();
  for (const { type, properties } of stack.values()) {
    const { SECRET_PREFIX: prefix } = recordOf(recordOf(properties['Environment'])['Variables']);
    if (type === 'AWS::Lambda::Function' && prefix !== undefined) prefixes.add(prefix);
  }
  const [prefix, ...others] = prefixes;
  return others.length === 0 && typeof prefix === 'string' && prefix.endsWith('/') ? prefix : undefined;
}
