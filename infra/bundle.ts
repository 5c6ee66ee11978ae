// How a Lambda function becomes one file: the only place that says so, for the budget, the runtime tests and the
// packaging. `npm run build` bundles every function and holds them to their budget.
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { isWaitedFor, sdkOnDemand } from './sdk-plugin.ts';

/** A bundled function. */
interface Bundle {
  /** The function's module; its export `handler` is what Lambda calls. */
  readonly file: string;
  /** All that ships: the module, and beside it what it may load later. */
  readonly files: readonly string[];
  /** Of the module, as are those below: what a cold start reads. */
  readonly bytes: number;
  readonly gzipBytes: number;
  /** The source files in it, relative to the repository, sorted. */
  readonly inputs: readonly string[];
}

/** A cold start reads and compiles every byte. The SDK's weekly releases have some air below this. */
export const bundleLimitBytes = 280_000;

const root = join(import.meta.dirname, '..');

/**
 * In place of the SDK's search for credentials through profiles, SSO, STS, containers and instance metadata, which is
 * almost a third of the bundle: Lambda gives a Node.js function its role's credentials in the environment and nowhere else.
 * Should the SDK ever want another name from the module, esbuild stops with "No matching export".
 */
const environmentCredentials = `
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { CredentialsProviderError } from '@smithy/core/config';
export const defaultProvider = (init) => async () => {
  if (process.env.AWS_ACCESS_KEY_ID && process.env.AWS_SECRET_ACCESS_KEY) return fromEnv(init)();
  throw new CredentialsProviderError(
    'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: this bundle takes credentials from the environment only, where Lambda puts them',
    { tryNextLink: false },
  );
};`;

const credentialsFromEnvironment: Plugin = {
  name: 'credentials-from-environment',
  setup({ onResolve, onLoad, resolve }) {
    const namespace = 'credentials-from-environment';
    onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === namespace) return undefined;
      const replaced = await resolve(path, { resolveDir, kind, pluginData: namespace });
      return { path: replaced.path, errors: replaced.errors, namespace };
    });
    // As if it stood where the replaced module stands, so that it finds that module's own dependencies.
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: environmentCredentials, resolveDir: dirname(path) }));
  },
};

/**
 * Parts of the SDK that no call of ours can reach, 28 KB of every bundle: event streams, which no operation of these services
 * has, and the cache of endpoints that DynamoDB may be asked to discover, which is off unless somebody switches it on;
 * then each call would discover anew. Should the SDK want another name of them, esbuild stops with "No matching export".
 */
const unreached: Readonly<Record<string, string>> = {
  '@smithy/core/event-streams': `
    const refuse = () => { throw new Error('event streams are left out of this bundle'); };
    export const eventStreamSerdeProvider = refuse;
    export class EventStreamSerde { constructor() { refuse(); } }`,
  '@aws-sdk/endpoint-cache': `
    export class EndpointCache { getEndpoint() {} get() {} has() { return false; } set() {} delete() {} clear() {} }`,
};

const withoutUnreached: Plugin = {
  name: 'without-unreached',
  setup({ onResolve, onLoad }) {
    const namespace = 'without-unreached';
    onResolve({ filter: /^@smithy\/core\/event-streams$|^@aws-sdk\/endpoint-cache$/ }, ({ path }) => ({
      path,
      namespace,
    }));
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: unreached[path] ?? '' }));
  },
};

/**
 * Where an endpoint is plain http, the SDK's handler imports node:http, and whoever imports that asks for each of its
 * exports, undici's among them: 14 ms before the first answer.
 */
const httpWithoutUndici: Plugin = {
  name: 'http-without-undici',
  setup({ onLoad }) {
    onLoad({ filter: /node-http-handler[/\\]dist-es[/\\]node-http-handler\.js$/ }, async ({ path }) => {
      const whole = await readFile(path, 'utf8');
      const contents = whole.replace('await import("node:http")', 'process.getBuiltinModule("node:http")');
      if (contents === whole) throw new Error(`${path} imports node:http in another way now`);
      return { contents, loader: 'js' };
    });
  },
};

/** The SDK's clients read their own version out of their package.json, of which nothing else is asked: 2 KB for each. */
const versionAlone: Plugin = {
  name: 'version-alone',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk[/\\]client-[^/\\]+[/\\]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8')) as { readonly version: string };
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/**
 * DynamoDB, KMS and SQS know a hundred errors by classes of their own, 30 KB in a bundle that calls all three; nothing here asks
 * for a class of them, but for a failed condition's, which bears the item. Without it an error still bears its name, its
 * message and whose fault it is, in the class that all of them extend.
 */
const errorsByNameAlone: Plugin = {
  name: 'errors-by-name-alone',
  setup({ onLoad }) {
    onLoad({ filter: /client-(dynamodb|kms|sqs)[/\\]dist-es[/\\]schemas[/\\]schemas_0\.js$/ }, async ({ path }) => {
      const whole = await readFile(path, 'utf8');
      const contents = whole.replaceAll(
        /^n0_registry\.registerError\((?!ConditionalCheckFailedException\$).*\);$/gm,
        '',
      );
      if (contents === whole) throw new Error(`${path} registers its errors in another way now`);
      return { contents, loader: 'js' };
    });
  },
};

/** Tables whose rows also say to people what they mean: that is read by the documents alone, and is 8 KB. */
const withoutMeanings: Plugin = {
  name: 'without-meanings',
  setup({ onLoad }) {
    onLoad(
      {
        filter:
          /lib[/\\](payout[/\\](metrics|job-message|log-fields)|gateway[/\\]profile(-limits)?|aws[/\\](merchant-secret|secret-schemas|env-config))\.ts$/,
      },
      async ({ path }) => {
        const whole = await readFile(path, 'utf8');
        const literal = String.raw`(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`;
        // A setting without a default is told with its meaning where it is missing; a limit has one.
        const told = path.endsWith('env-config.ts') ? String.raw`limit: '\w+',\s*meaning:` : String.raw`\bmeaning:`;
        const meaning = new RegExp(String.raw`((?:${told}|\bv\.description\()\s*)${literal}`, 'g');
        const contents = whole.replaceAll(meaning, "$1''");
        if (contents === whole) throw new Error(`${path} has no meanings to be left out any more`);
        return { contents, loader: 'ts' };
      },
    );
  },
};

const options = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // esbuild's default for Node prefers CommonJS, which can't be shaken: a third more bytes.
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  // A file of its own without a comment that names it: stacks are decoded afterwards, Lambda never loads it.
  sourcemap: 'external',
  // CommonJS packages call require(), which an ES module has not.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  metafile: true,
  plugins: [
    credentialsFromEnvironment,
    withoutUnreached,
    httpWithoutUndici,
    versionAlone,
    errorsByNameAlone,
    withoutMeanings,
  ],
} as const satisfies BuildOptions;

/** The functions by name: the files of functions/. */
export function functionNames(): string[] {
  const extension = '.ts';
  const files = readdirSync(join(root, 'functions')).filter((file) => file.endsWith(extension));
  return files.map((file) => file.slice(0, -extension.length)).toSorted();
}

/** Bundles functions/<name>.ts into <directory>/<name>/index.mjs, the SDK that it may need beside it, and source maps. */
export async function bundleFunction(name: string, directory = join(root, '.build')): Promise<Bundle> {
  const file = join(directory, name, 'index.mjs');
  const wanted = new Map<string, Set<string>>();
  const plugins = [...(isWaitedFor(name) ? [sdkOnDemand(wanted)] : []), ...options.plugins];
  const first = await bundled({ ...options, plugins, entryPoints: [`functions/${name}.ts`], outfile: file });
  const lines = [...wanted].map(([from, names]) => `export { ${[...names].toSorted().join(', ')} } from '${from}';`);
  const sdkFile = join(directory, name, 'sdk.mjs');
  const stdin = { contents: lines.toSorted().join('\n'), resolveDir: root, sourcefile: 'sdk-on-demand' };
  const sdk = lines.length > 0 ? await bundled({ ...options, stdin, outfile: sdkFile }) : undefined;
  return {
    file,
    files: [file, ...(sdk ? [sdkFile] : [])],
    bytes: first.bytes,
    gzipBytes: gzipSync(await readFile(file)).length,
    inputs: [...new Set([...first.inputs, ...(sdk?.inputs ?? [])])].toSorted(),
  };
}

async function bundled(it: BuildOptions & { readonly outfile: string }): Promise<Pick<Bundle, 'bytes' | 'inputs'>> {
  const { metafile } = await build(it);
  const output = metafile?.outputs[relative(root, it.outfile)];
  if (!output) throw new Error(`esbuild wrote no ${relative(root, it.outfile)}`);
  const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { bytes: output.bytes, inputs: used.map(([input]) => input) };
}
