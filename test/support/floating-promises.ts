// Promises that are not awaited: what they do is cut off where an invocation ends, and what they fail with is lost. No types are
// known here: a function counts that is called by its own name, in its file or where it is imported.
import { type Node, parseSync, Visitor } from 'oxc-parser';
import type { Source } from './sources.ts';

/** Every call of a function that answers with a promise whose promise goes nowhere, as "path:line: name". */
export function floatingPromises(sources: readonly Pick<Source, 'path' | 'text'>[]): readonly string[] {
  const files = sources.map(namesIn);
  // An exported name is one of its own in the whole house.
  const exported = new Set(files.flatMap((it) => it.exported));
  return files.flatMap(({ path, calls, awaitable, others, imported }) =>
    calls
      .filter(({ name }) => (imported.has(name) ? exported : awaitable).has(name) && !others.has(name))
      .map(({ name, line }) => `${path}:${line}: ${name}`),
  );
}

function namesIn({ path, text }: Pick<Source, 'path' | 'text'>) {
  const [awaitable, others, imported] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const exported: string[] = [];
  const calls: { readonly name: string; readonly line: number }[] = [];
  const declare = (name: string | undefined, it: Called) => {
    const { start = 0, end = 0 } = it.returnType?.typeAnnotation ?? {};
    const isAwaitable = (it.async && !it.generator) || text.slice(start, end).startsWith('Promise<');
    if (name !== undefined) (isAwaitable ? awaitable : others).add(name);
  };
  new Visitor({
    FunctionDeclaration: (it) => declare(it.id?.name, it),
    VariableDeclarator: ({ id, init }) => {
      if (init?.type === 'ArrowFunctionExpression') declare(nameOf(id), init);
    },
    'ExportNamedDeclaration:exit': ({ declaration: it }) => {
      if (it?.type === 'FunctionDeclaration' && it.id && awaitable.has(it.id.name)) exported.push(it.id.name);
    },
    ImportSpecifier: ({ local }) => void imported.add(local.name),
    ExpressionStatement: ({ expression, start }) => {
      const name = expression.type === 'CallExpression' ? nameOf(expression.callee) : undefined;
      if (name !== undefined) calls.push({ name, line: text.slice(0, start).split('\n').length });
    },
  }).visit(parseSync(path, text).program);
  return { path, calls, awaitable, others, imported, exported };
}

interface Called {
  readonly async: boolean;
  readonly generator: boolean;
  readonly returnType?: { readonly typeAnnotation: { readonly start: number; readonly end: number } } | null;
}

const nameOf = (it: Node): string | undefined => (it.type === 'Identifier' ? it.name : undefined);
