// Cheap equivalents for the long walk. Work that is dear and the same every time (reading a job, opening a seal, a fingerprint)
// is done once and remembered; results that nothing in a simulated world reads (a signature's digest, a log line, a
// result's shape beside the contract) are left out. One world in a hundred lives with the real ones, and once more with
// these: both lives must be the same, so a stand-in can't hide anything.
import { registerHooks } from 'node:module';
import type { accountOf } from '../../lib/gateway/signed-request.ts';
import type { RequestToSign } from '../../lib/oauth1/sign-request.ts';

type AnyFunction = (...given: never[]) => unknown;
type StandIn = (real: AnyFunction) => AnyFunction;

/** More texts than one world knows; then the memory is emptied, all at once. */
const textsAtMost = 10_000;

/** Remembers by the one text that is given. */
const byText: StandIn = (real) => {
  const known = new Map<unknown, unknown>();
  return (...given) => {
    const [text] = given;
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = real(...given);
    if (known.size >= textsAtMost) known.clear();
    known.set(text, made);
    return made;
  };
};

/** Remembers by the given job, and the other arguments, which are always alike in a world. */
const byJob: StandIn = (real) => {
  const known = new WeakMap<object, { readonly beside: unknown; readonly made: unknown }>();
  return (...given) => {
    const [job, beside] = given;
    const found = known.get(job as unknown as object);
    if (found && found.beside === beside) return found.made;
    const made = real(...given);
    known.set(job as unknown as object, { beside, made });
    return made;
  };
};

/** Remembers by all parts of an account. */
const byAccount: StandIn = (real) => {
  const known = new Map<string, unknown>();
  return (...given) => {
    const [{ baseUrl, login, mode, profile }, endpointId] = given as unknown as Parameters<typeof accountOf>;
    const account = `${baseUrl} ${login} ${mode} ${profile.apiPath} ${endpointId}`;
    const found = known.get(account) ?? real(...given);
    known.set(account, found);
    return found;
  };
};

const nothing: StandIn = () => () => undefined;
const noFields: StandIn = () => () => ({});
/** Every part of a signed request but its digest: the simulated gateway knows its merchants by their logins. */
const unsigned: StandIn = () =>
  (async (request: RequestToSign) => {
    // Takes as many turns as the real one: work beside it must find the same order.
    const signature = await Promise.resolve('unsigned');
    const body = request.params.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    return { url: request.url, body, signature, authorization: `OAuth oauth_consumer_key="${request.consumerKey}"` };
  }) as AnyFunction;

const standIns: Readonly<Record<string, Readonly<Record<string, StandIn>>>> = {
  'lib/payout/message/job.ts': { parseJob: byText },
  'lib/payout/message/read-job.ts': { readJob: byText },
  'lib/payout/message/fingerprint.ts': { fingerprints: byJob },
  'lib/card-data/sealed-params.ts': { unsealed: byJob },
  'lib/oauth1/sign-request.ts': { signRequest: unsigned },
  'lib/gateway/signed-request.ts': { accountOf: byAccount },
  'lib/payout/log-fields.ts': { recordFields: noFields, orderFields: noFields },
  'test/support/published-result.ts': { breachOfContract: nothing },
};

const mark = '?stand-in';
let isReal = false;

/** From now on the real ones work in their places, or the stand-ins do. */
export const useReal = (real: boolean): void => void (isReal = real);

/** Puts the stand-ins into every module that is loaded from now on. */
export function installStandIns(): void {
  const root = new URL('../../', import.meta.url).href;
  Object.assign(globalThis, { standInFor });
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isTheirs = context.parentURL?.endsWith(mark) ?? false;
      if (isTheirs || !resolved.url.startsWith(root) || !(resolved.url.slice(root.length) in standIns)) return resolved;
      return { ...resolved, url: resolved.url + mark, format: 'module', shortCircuit: true };
    },
    load(url, context, next) {
      if (!url.endsWith(mark)) return next(url, context);
      const real = url.slice(0, -mark.length);
      const path = real.slice(root.length);
      const lines = Object.keys(standIns[path] ?? {}).map(
        (name) => `export const ${name} = standInFor(${JSON.stringify(path)}, '${name}', real.${name});`,
      );
      const source = `import * as real from '${real}';\nexport * from '${real}';\n${lines.join('\n')}`;
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

function standInFor(path: string, name: string, real: AnyFunction): AnyFunction {
  const cheap = standIns[path]?.[name]?.(real) ?? real;
  return (...given) => (isReal ? real(...given) : cheap(...given));
}
