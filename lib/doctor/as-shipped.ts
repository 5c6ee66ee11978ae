// The whole stack beside the one that ships: whatever differs is seen, whether or not a rule knows the mistake. The rules say
// why numbers must fit each other; this says what somebody has changed.
import { type Choice, choiceOf, dangerOf, mayBeAdded } from './what-may-differ.ts';
import { isExpression, isPlain, meaningOf } from './one-meaning.ts';
import { type Resource, recordOf, type Stack, stackPolicyId } from './stack.ts';

/** One place where a stack is not as it ships. */
export interface Difference {
  /** Logical id and property: `WorkerKey.KeyPolicy.Statement`. */
  readonly where: string;
  /** The shipped and the present value. */
  readonly fault: string;
  readonly danger: string;
  /** False where it is the owner's choice: it is shown, and is no reason against the stack. */
  readonly refused: boolean;
}

/** Every difference of a stack from the shipped one. */
export function differencesOf(stack: Stack, shipped: Stack): readonly Difference[] {
  // The policy under which a template will be deployed is not known.
  const isDeployed = stack.has(stackPolicyId);
  const ids = [...new Set([...shipped.keys(), ...stack.keys()])].filter((it) => isDeployed || it !== stackPolicyId);
  return ids.flatMap((id) => compared(shipped.get(id), stack.get(id)));
}

function compared(shipped: Resource | undefined, is: Resource | undefined): Difference[] {
  const it = is ?? shipped;
  if (!it) return [];
  const danger = dangerOf(it.type);
  if (!is || !shipped) {
    const choice = choiceOf(it, '');
    const whole: Choice = choice === 'refused' && is && mayBeAdded(is) ? 'shown' : choice;
    const fault = is ? `does not ship: a ${it.type}` : `is gone: a ${it.type} ships`;
    return whole === 'nobody-cares' ? [] : [{ where: it.logicalId, fault, danger, refused: whole === 'refused' }];
  }
  // Nearly always, and much sooner found out so.
  if (JSON.stringify(shipped) === JSON.stringify(is)) return [];
  return changes(partsOf(shipped), partsOf(is), []).flatMap(({ path, shipped: from, is: to }) => {
    const choice: Choice = choiceOf(is, path, to, from);
    if (choice === 'nobody-cares') return [];
    const fault = `is ${shown(to)}, ships as ${shown(from)}`;
    return [{ where: `${it.logicalId}.${path}`, fault, danger, refused: choice === 'refused' }];
  });
}

/** The parts of a resource, properties and attributes alike. */
function partsOf({ type, properties, condition, ...it }: Resource): object {
  const attributes = { Type: type, DeletionPolicy: it.deletionPolicy, UpdateReplacePolicy: it.updateReplacePolicy };
  return { ...properties, ...attributes, UpdatePolicy: it.updatePolicy, Condition: condition };
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
