// The part of DynamoDB's expressions that the ledger uses: conditions, and what an update sets, removes
// and adds. Written from the service's own grammar, so that a condition is judged by its text.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** An item as DynamoDB keeps it. */
export type Item = Record<string, AttributeValue>;

/** The names and values of an expression's placeholders. */
export interface Placeholders {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, AttributeValue>>;
}

type Condition = (item: Item, given: Placeholders) => boolean;

const known = new Map<string, Condition>();

/** True where the item (an empty one where there is none) fulfils the condition. */
export function fulfils(expression: string, item: Item, given: Placeholders): boolean {
  const condition = known.get(expression) ?? conditionOf(expression);
  known.set(expression, condition);
  return condition(item, given);
}

function conditionOf(expression: string): Condition {
  const tokens: readonly string[] = expression.match(/<=|>=|<>|[()=<>,]|[#:.\w]+/g) ?? [];
  let at = 0;
  const take = (token: string) => tokens[at] === token && (at += 1) > 0;

  function anyOf(): Condition {
    const terms = [allOf()];
    while (take('OR')) terms.push(allOf());
    return (item, given) => terms.some((it) => it(item, given));
  }
  function allOf(): Condition {
    const terms = [term()];
    while (take('AND')) terms.push(term());
    return (item, given) => terms.every((it) => it(item, given));
  }
  function term(): Condition {
    if (take('NOT')) {
      const negated = term();
      return (item, given) => !negated(item, given);
    }
    if (take('(')) {
      const inner = anyOf();
      take(')');
      return inner;
    }
    const name = tokens[at] ?? '';
    return tokens[at + 1] === '(' && name !== 'size' ? call() : comparison();
  }
  function call(): Condition {
    const name = tokens[at] ?? '';
    const [path = '', other = ''] = tokens.slice(at + 2, tokens.indexOf(')', at)).filter((it) => it !== ',');
    at = tokens.indexOf(')', at) + 1;
    switch (name) {
      case 'attribute_exists':
        return (item, given) => read(path, item, given) !== undefined;
      case 'attribute_not_exists':
        return (item, given) => read(path, item, given) === undefined;
      case 'begins_with':
        return (item, given) => read(path, item, given)?.S?.startsWith(read(other, item, given)?.S ?? '') ?? false;
      default:
        throw new Error(`the table knows no ${name}()`);
    }
  }
  function operand(): (item: Item, given: Placeholders) => string | number | undefined {
    const name = tokens[at] ?? '';
    if (name !== 'size') {
      at += 1;
      return (item, given) => plain(read(name, item, given));
    }
    const path = tokens[at + 2] ?? '';
    at += 4;
    return (item, given) => Object.keys(read(path, item, given)?.M ?? {}).length;
  }
  function comparison(): Condition {
    const left = operand();
    const operator = tokens[at] ?? '';
    at += 1;
    const right = operand();
    return (item, given) => {
      const [a, b] = [left(item, given), right(item, given)];
      if (a === undefined || b === undefined) return false;
      switch (operator) {
        case '=':
          return a === b;
        case '<>':
          return a !== b;
        case '<':
          return a < b;
        case '<=':
          return a <= b;
        case '>':
          return a > b;
        case '>=':
          return a >= b;
        default:
          throw new Error(`the table knows no ${operator}`);
      }
    };
  }
  const condition = anyOf();
  if (at !== tokens.length) throw new Error(`the table can't read ${expression}`);
  return condition;
}

/** A value, or the item's attribute of a name, or of a name in a map of it. */
function read(path: string, item: Item, { names, values }: Placeholders): AttributeValue | undefined {
  if (path.startsWith(':')) return values[path];
  const [name = '', place] = path.split('.');
  const found = item[names[name] ?? name];
  return place === undefined ? found : found?.M?.[names[place] ?? place];
}

const plain = (value: AttributeValue | undefined) => (value?.N === undefined ? value?.S : Number(value.N));

/** The item as an update leaves it. */
export function updated(expression: string, item: Item, given: Placeholders): Item {
  const next = { ...item };
  const clauses = expression
    .replaceAll(/if_not_exists\((\S+), (\S+)\)/g, '$1?$2')
    .split(/\b(SET|REMOVE|ADD) /)
    .slice(1);
  for (let at = 0; at < clauses.length; at += 2) {
    for (const part of (clauses[at + 1] ?? '').split(',')) {
      const [path = '', operator, value = operator ?? ''] = part.trim().split(' ');
      const [name = '', place] = path.split('.').map((it) => given.names[it] ?? it);
      if (clauses[at] === 'REMOVE') delete next[name];
      else if (clauses[at] === 'ADD') next[name] = sumOf(next[name], given.values[value]);
      else if (place === undefined) next[name] = valueOf(value, given);
      else next[name] = { M: { ...next[name]?.M, [place]: firstOf(value.split('?'), item, given) } };
    }
  }
  return next;
}

/** The attribute under the path, or else the value. */
const firstOf = ([path = '', value]: readonly string[], item: Item, given: Placeholders): AttributeValue =>
  value === undefined ? valueOf(path, given) : (read(path, item, given) ?? valueOf(value, given));

function valueOf(name: string, { values }: Placeholders): AttributeValue {
  const value = values[name];
  if (!value) throw new Error(`the update has no value ${name}`);
  return value;
}

function sumOf(stands: AttributeValue | undefined, added: AttributeValue | undefined): AttributeValue {
  return { N: String(Number(stands?.N ?? 0) + Number(added?.N ?? 0)) };
}
