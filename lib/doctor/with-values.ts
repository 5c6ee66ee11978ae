// A template with the values of its parameters in their place: what a stage will be, as far as its parameters decide it.
// References to resources stay as they are.
import { listOf, recordOf, type Resource, type Stack } from './stack.ts';

/** A parameter's value: as it was given, or its default; undefined where there is neither. */
export function valueOf(stack: Stack, parameter: string): string | undefined {
  const { Default: value } = recordOf(stack.get('Parameters')?.properties[parameter]);
  return value === undefined ? undefined : String(value);
}

/** The entries of a parameter that is a list. */
export const entriesOf = (stack: Stack, parameter: string): readonly string[] =>
  (valueOf(stack, parameter) ?? '')
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '');

/** The stack with values in the place of parameters, and of conditions over them. */
export function withValues(stack: Stack): Stack {
  const filled = [...stack].map(([id, it]): [string, Resource] => [
    id,
    it.type.startsWith('Template::') ? it : { ...it, properties: recordOf(fill(it.properties, stack)) },
  ]);
  return new Map(filled);
}

function fill(value: unknown, stack: Stack): unknown {
  if (Array.isArray(value)) return value.map((it: unknown) => fill(it, stack)).filter((it) => it !== noValue);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::Sub': text, 'Fn::Join': joined, 'Fn::If': choice } = recordOf(value);
  if (Ref === 'AWS::NoValue') return noValue;
  if (typeof Ref === 'string') return valueOf(stack, Ref) ?? value;
  if (typeof text === 'string') {
    const said = text.replaceAll(/\$\{(\w+)\}/g, (all, name: string) => valueOf(stack, name) ?? all);
    return /\$\{[^!]/.test(said) ? { 'Fn::Sub': said } : said;
  }
  if (Array.isArray(joined)) {
    const parts = listOf(fill(joined[1], stack));
    if (parts.every((it) => typeof it === 'string')) return parts.join(String(joined[0]));
  }
  if (Array.isArray(choice)) return fill(choice[holds(stack, choice[0]) ? 1 : 2], stack);
  const members = Object.entries(value).map(([name, it]) => [name, fill(it, stack)] as const);
  return Object.fromEntries(members.filter(([, it]) => it !== noValue));
}

const noValue = Symbol('AWS::NoValue');

/** Whether a condition of the template holds; one that asks what is only known in the account does not. */
function holds(stack: Stack, name: unknown): boolean {
  const decide = (condition: unknown): boolean => {
    const [[kind = '', given] = []] = Object.entries(recordOf(condition));
    const operands = listOf(given);
    if (kind === 'Condition') return decide(stack.get('Conditions')?.properties[String(given)]);
    if (kind === 'Fn::Equals') return textOf(operands[0]) === textOf(operands[1]);
    if (kind === 'Fn::Not') return !decide(operands[0]);
    if (kind === 'Fn::And') return operands.every(decide);
    return kind === 'Fn::Or' && operands.some(decide);
  };
  const textOf = (it: unknown): string => String(fill(it, stack));
  return decide({ Condition: name });
}
