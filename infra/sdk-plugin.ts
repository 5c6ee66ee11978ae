// The bundler's plugin that keeps the SDK out of what a cold start reads: in its place stands what loads it on demand.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** True of functions that somebody waits for. The others run by a schedule, and make other calls. */
export const isWaitedFor = (name: string): boolean => ['submit', 'inquire', 'callback'].includes(name);

/** The SDK's packages of services, as far as their clients, commands and errors go. */
const servicePackage = /^@aws-sdk\/client-(dynamodb|sqs|secrets-manager|kms)$/;

/**
 * In the place of the SDK's packages stands what loads them when a call needs them (lib/aws/sdk-on-demand.ts), from a file
 * beside the bundle. `wanted` learns the names that the function's own files ask for, by package.
 */
export function sdkOnDemand(wanted: Map<string, Set<string>>): Plugin {
  return {
    name: 'sdk-on-demand',
    setup({ onResolve, onLoad }) {
      const namespace = 'sdk-on-demand';
      onResolve({ filter: servicePackage }, async ({ path, importer }) => {
        if (importer.includes('node_modules')) return undefined;
        // Errors are known by their names, and need no class of the SDK's.
        const names = namesImported(await readFile(importer, 'utf8'), path).filter((it) =>
          /(Client|Command)$/.test(it),
        );
        // In one turn: files are resolved side by side, and none may write over what another has named.
        wanted.set(path, new Set([...(wanted.get(path) ?? []), ...names]));
        return { path, namespace };
      });
      onResolve({ filter: /^\.\/sdk\.mjs$/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace }, async ({ path }) => ({
        contents: onDemand(Object.keys((await import(path)) as object)),
        resolveDir: root,
      }));
    },
  };
}

/** The values that a file imports from a package. */
function namesImported(code: string, from: string): string[] {
  const imports = [...code.matchAll(new RegExp(String.raw`import (?!type)([^;]*?) from '${from}'`, 'g'))];
  const names = imports.flatMap(([, what = '']) => what.replaceAll(/^\{|\}$/g, '').split(','));
  const values = names.map((it) => it.trim()).filter((it) => it !== '' && !it.startsWith('type '));
  const odd = values.filter((it) => !/^\w+$/.test(it));
  if (odd.length > 0) throw new Error(`import names of ${from} as they are, one by one: ${odd.join(', ')}`);
  return values;
}

/** By their names, which are all that the SDK's many parts have in common. */
function onDemand(names: readonly string[]): string {
  const kindOf = (name: string) => /(?:^[A-Z]\w+)(Client|Command|Exception|Error)$/.exec(name)?.[1];
  const made: Readonly<Record<string, (name: string) => string>> = {
    Client: (name) => `clientOnDemand('${name}', load)`,
    Command: (name) => `commandOnDemand('${name}')`,
    Exception: (name) => `errorOnDemand('${name}')`,
    Error: (name) => `errorOnDemand('${name}')`,
  };
  const lines = names.flatMap((name) => {
    const make = made[kindOf(name) ?? ''];
    return make ? [`export const ${name} = /* @__PURE__ */ ${make(name)};`] : [];
  });
  return [
    `import { clientOnDemand, commandOnDemand, errorOnDemand } from './lib/aws/sdk-on-demand.ts';`,
    `const load = () => import('./sdk.mjs');`,
    ...lines,
  ].join('\n');
}
