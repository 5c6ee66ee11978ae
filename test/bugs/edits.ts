// Bugs drawn by chance: every small edit of a source that its syntax tree offers, and a draw of them by seed.
import { createHash } from 'node:crypto';
import { type Node, parseSync } from 'oxc-parser';
import { createChance } from '../simulation/chance.ts';

/** What an edit does to the code, named as a reviewer would. */
export type EditKind =
  | 'statement deleted'
  | 'condition'
  | 'comparison'
  | 'arithmetic'
  | 'constant'
  | 'await left out'
  | 'argument order'
  | 'unit'
  | 'key part left out'
  | 'field left out'
  | 'wiring left out'
  | 'selection';

/** One bug: this text of a file in the place of that. */
export interface Edit {
  readonly file: string;
  readonly kind: EditKind;
  /** Offsets in the file, in UTF-16 units; the end is not included. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Tree = Node & Readonly<Record<string, unknown>> & { readonly start: number; readonly end: number };

const isNode = (it: unknown): it is Tree =>
  typeof it === 'object' && it !== null && typeof (it as { type?: unknown }).type === 'string';

/** Types are no code; an import's text and a property's name are no constants. */
const holdsCode = (node: Tree) =>
  !node.type.startsWith('TS') || ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'].includes(node.type);

const comparisons: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
};
const sums: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' };
const otherSelections: ReadonlyMap<string, string> = new Map([
  ['every', 'some'],
  ['some', 'every'],
  ['find', 'findLast'],
  ['findLast', 'find'],
  ['min', 'max'],
  ['max', 'min'],
  ['allSettled', 'all'],
]);
/** What may be left out of a chain: what is before it goes on as it is. */
const leftOutOfChains = new Set(['filter', 'toSorted', 'toReversed', 'slice', 'trim', 'toLowerCase', 'toUpperCase']);

/** Every edit that this source offers, in the order of the text. */
export function editsOf(file: string, source: string): readonly Edit[] {
  const edits: Edit[] = [];
  const textOf = ({ start, end }: Tree) => source.slice(start, end);
  const put = (kind: EditKind, { start, end }: { readonly start: number; readonly end: number }, text: string) => {
    if (source.slice(start, end) !== text) edits.push({ file, kind, start, end, text });
  };
  /** An item of a list goes with the comma behind it, or with that before it. */
  const leaveOut = (kind: EditKind, items: readonly Tree[], index: number) => {
    const [item, before, behind] = [items[index], items[index - 1], items[index + 1]];
    if (!item) return;
    if (behind) put(kind, { start: item.start, end: behind.start }, '');
    else put(kind, { start: before?.end ?? item.start, end: item.end }, '');
  };
  const ofKind: Readonly<Record<string, (node: Tree) => void>> = {
    ExpressionStatement: (node) => {
      if (typeof node['directive'] !== 'string') put('statement deleted', node, ';');
    },
    IfStatement: (node) => {
      conditionOf(node['test'] as Tree);
      if (!node['alternate']) put('statement deleted', node, ';');
    },
    ConditionalExpression: (node) => conditionOf(node['test'] as Tree),
    WhileStatement: (node) => put('condition', node['test'] as Tree, 'false'),
    LogicalExpression: (node) => {
      const [left, right] = [textOf(node['left'] as Tree), textOf(node['right'] as Tree)];
      put('condition', node, `(${left})`);
      if (node['operator'] === '??') return;
      put('condition', node, `(${right})`);
      put('condition', node, node['operator'] === '&&' ? `(${left} || ${right})` : `((${left}) && (${right}))`);
    },
    UnaryExpression: (node) => {
      if (node['operator'] === '!') put('condition', node, `(${textOf(node['argument'] as Tree)})`);
    },
    BinaryExpression: (node) => {
      const [left, right] = [node['left'] as Tree, node['right'] as Tree];
      const operator = String(node['operator']);
      const between = { start: left.end, end: right.start };
      for (const other of comparisons[operator] ?? []) put('comparison', between, ` ${other} `);
      const sum = sums[operator];
      if (sum !== undefined) put('arithmetic', between, ` ${sum} `);
      if (sum !== undefined) put('unit', node, `(${textOf(left)})`);
    },
    AwaitExpression: (node) => put('await left out', node, textOf(node['argument'] as Tree)),
    CallExpression: (node) => {
      const given = node['arguments'] as readonly Tree[];
      for (const [index, argument] of given.entries()) {
        const next = given[index + 1];
        if (next)
          put('argument order', { start: argument.start, end: next.end }, `${textOf(next)}, ${textOf(argument)}`);
      }
      const callee = node['callee'] as Tree;
      const wrapped = given[0];
      // A port that is wrapped (traced, guarded, restored): what is inside is a port as well.
      if (callee.type === 'Identifier' && wrapped && given.length <= 2) put('wiring left out', node, textOf(wrapped));
      if (callee.type !== 'MemberExpression' || callee['computed'] === true) return;
      const [object, property] = [callee['object'] as Tree, callee['property'] as Tree];
      const name = textOf(property);
      const other = otherSelections.get(name);
      if (other !== undefined) put('selection', property, other);
      if (leftOutOfChains.has(name)) put('selection', node, textOf(object));
    },
    Literal: (node) => {
      const { value } = node as unknown as { readonly value: unknown };
      if (typeof value === 'boolean') put('constant', node, String(!value));
      if (typeof value === 'number') {
        put('constant', node, String(value + 1));
        if (value !== 0) put('constant', node, '0');
      }
      // Words for people are no rule.
      if (typeof value === 'string' && value !== '' && !value.includes(' ')) put('constant', node, `'${value}-'`);
    },
    Identifier: (node) => {
      const name = textOf(node);
      if (/[a-z]Ms$/.test(name)) put('unit', node, `(${name} / 1000)`);
      if (/[a-z]Seconds$/.test(name)) put('unit', node, `(${name} * 1000)`);
    },
    TemplateLiteral: (node) => {
      const parts = node['expressions'] as readonly Tree[];
      if (parts.length < 2) return;
      for (const part of parts)
        put(
          'key part left out',
          { start: source.lastIndexOf('${', part.start), end: source.indexOf('}', part.end) + 1 },
          '',
        );
    },
    ArrayExpression: (node) => {
      const items = node['elements'] as readonly Tree[];
      for (const index of items.keys()) leaveOut('field left out', items, index);
    },
    ObjectExpression: (node) => {
      const items = node['properties'] as readonly Tree[];
      for (const index of items.keys()) leaveOut('field left out', items, index);
    },
  };
  const conditionOf = (test: Tree) => {
    put('condition', test, `!(${textOf(test)})`);
    put('condition', test, 'true');
    put('condition', test, 'false');
  };
  visit(parseSync(file, source).program as unknown as Tree);
  return edits;

  function visit(node: Tree): void {
    if (!holdsCode(node) || node.type === 'ImportDeclaration') return;
    if (node.type.startsWith('Export') && node['source']) return;
    ofKind[node.type]?.(node);
    for (const [name, value] of Object.entries(node)) {
      const isName =
        (name === 'key' && node['computed'] !== true) ||
        (name === 'property' && node['computed'] !== true) ||
        ['id', 'param', 'params', 'label', 'typeAnnotation'].includes(name);
      // A shorthand field is one name in two places.
      if (isName || (node.type === 'Property' && node['shorthand'] === true)) continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  }
}

/** The file's text with the bug in it. */
export const planted = (source: string, { start, end, text }: Edit): string =>
  source.slice(0, start) + text + source.slice(end);

/** Any text is a seed; a commit's hash is one. */
const seedNumber = (seed: string): number => createHash('sha256').update(seed).digest().readUIntBE(0, 6);

/**
 * All of these in the order of a draw: a kind by chance, then one of its kind, so that seldom kinds come as often as constants.
 * The same seed and sources give the same order.
 */
export function* drawn(edits: readonly Edit[], seed: string): Generator<Edit, void> {
  const chance = createChance(seedNumber(seed));
  const left = Map.groupBy(edits, ({ kind }) => kind);
  while (left.size > 0) {
    const kinds = [...left.keys()].toSorted();
    const kind = kinds[chance.between(0, kinds.length - 1)];
    const ofKind = kind === undefined ? undefined : left.get(kind);
    if (kind === undefined || !ofKind) return;
    yield* ofKind.splice(chance.between(0, ofKind.length - 1), 1);
    if (ofKind.length === 0) left.delete(kind);
  }
}
