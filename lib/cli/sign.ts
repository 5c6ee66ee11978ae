// `payouts sign`: one request as JSON in, every stage of its signature as JSON out. It sends nothing.
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { systemClock, systemRandom } from '../aws/system.ts';
import type { Parameter } from '../oauth1/parameters.ts';
import { isRecord } from '../payout/message/inbound.ts';
import { scalarsOf } from '../payout/message/json-text.ts';
import { parseRequestUrl, type SignedRequest, signRequest } from '../oauth1/sign-request.ts';
import { type SigningKey } from '../oauth1/signing-key.ts';
import { parseSigningKey, RSA_MINIMUM_BITS, SIGNATURE_METHODS } from '../oauth1/signature-methods.ts';
import { signatureMethodNames, OAuth1Error, type OAuth1ErrorCode } from '../oauth1/vocabulary.ts';

/** The outcome, the printed stages in the order of RFC 5849; `reason` is one line that names the field and the remedy, never a value. */
type SignResult =
  | { readonly kind: 'signed'; readonly output: Omit<SignedRequest, 'url'>; readonly warnings: string[] }
  | { readonly kind: 'bad-input'; readonly reason: string };

const scalar = v.pipe(v.union([v.string(), v.number(), v.boolean()]), v.transform(String));
const oneOrMore = v.union([scalar, v.array(scalar)]);
const filledText = v.pipe(v.string(), v.minLength(1));
const wholeSeconds = v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.regex(/^\d+$/));

const inputSchema = v.looseObject({
  method: filledText,
  url: filledText,
  params: v.nullish(
    v.pipe(
      // As pairs from the start: of an object the library leaves out `constructor` and `__proto__`.
      v.unknown(),
      v.transform((it) => (isRecord(it) ? Object.entries(it) : it)),
      v.array(v.strictTuple([v.string(), oneOrMore])),
    ),
    [],
  ),
  consumerKey: filledText,
  signatureMethod: v.picklist(signatureMethodNames),
  consumerSecret: v.nullish(v.string()),
  privateKey: v.nullish(v.string()),
  nonce: v.nullish(filledText),
  timestamp: v.nullish(wholeSeconds),
  realm: v.nullish(v.string()),
  token: v.nullish(v.string()),
  tokenSecret: v.nullish(v.string()),
  oauthVersion: v.optional(v.nullable(v.string()), '1.0'),
});

type SignInput = v.InferOutput<typeof inputSchema>;

// Fixed texts instead of the schema library's, which repeat the value that was given: it may be a key.
const remedies: Readonly<Record<string, string>> = {
  method: 'write the HTTP method as text, such as "POST"',
  url: 'write the whole address as text, such as "https://gate.example.com/paynet/api/v4/payout/1"',
  params: 'write an object, or a list of ["name", "value"] pairs; values are text, numbers, true or false',
  consumerKey: 'write the merchant login as text',
  signatureMethod: `write one of ${signatureMethodNames.join(', ')}`,
  consumerSecret: 'write the merchant control key as text',
  privateKey: 'write the RSA private key as PEM text',
  nonce: 'write text that is not empty, or leave it out to have one made',
  timestamp: 'write whole seconds since 1970, or leave it out to take the present time',
  oauthVersion: 'write "1.0", or null to leave oauth_version out',
};

const fieldByErrorCode: Readonly<Partial<Record<OAuth1ErrorCode, string>>> = {
  OAUTH1_URL_INVALID: 'url',
  OAUTH1_REALM_INVALID: 'realm',
  OAUTH1_TEXT_MALFORMED: 'params',
  OAUTH1_PARAMETER_CONFLICT: 'params',
};

/** Signs the request that a JSON text describes. */
export async function signFromJson(text: string): Promise<SignResult> {
  const read = readInput(text);
  if (read.kind === 'bad-input') return read;
  const { input } = read;
  try {
    const key = readKey(input);
    if (key === undefined) return badInput(keyFieldOf(input));
    const { url: _, ...output } = await signRequest({
      method: input.method,
      url: input.url,
      params: withoutQuery(pairsOf(input.params), parseRequestUrl(input.url).queryParameters),
      consumerKey: input.consumerKey,
      signatureMethod: input.signatureMethod,
      key,
      nonce: input.nonce ?? systemRandom.id(),
      timestamp: input.timestamp ?? String(Math.floor(systemClock.nowMs() / 1000)),
      oauthVersion: input.oauthVersion,
      realm: input.realm ?? undefined,
      token: input.token ?? undefined,
      tokenSecret: input.tokenSecret ?? undefined,
    });
    return { kind: 'signed', output, warnings: warningsOf(input, key) };
  } catch (error) {
    if (!(error instanceof OAuth1Error)) throw error;
    return badInput(fieldByErrorCode[error.code] ?? keyFieldOf(input), error.message);
  }
}

/** The command itself: 0 when signed, 2 on bad input. Warnings and reasons go to standard error. */
export async function runSignCommand(): Promise<number> {
  const result = await signFromJson(await text(process.stdin));
  if (result.kind === 'bad-input') {
    process.stderr.write(`payouts sign: ${result.reason}\n`);
    return 2;
  }
  for (const warning of result.warnings) process.stderr.write(`payouts sign: warning: ${warning}\n`);
  process.stdout.write(`${JSON.stringify(result.output, null, 2)}\n`);
  return 0;
}

function readInput(text: string): { kind: 'input'; input: SignInput } | { kind: 'bad-input'; reason: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return badInput('input', 'it is not JSON: write one object on standard input (see --help)');
  }
  if (scalarsOf(text).length !== scalarsOf(JSON.stringify(json)).length)
    return badInput(
      'input',
      'a name comes twice, and its first value would be lost; write it once, with a list of values',
    );
  const parsed = v.safeParse(inputSchema, isRecord(json) ? json : undefined);
  if (parsed.success) return { kind: 'input', input: parsed.output };
  const field = parsed.issues[0].path?.[0]?.key;
  return typeof field === 'string' ? badInput(field) : badInput('input', 'write one JSON object (see --help)');
}

function badInput(field: string, remedy = remedies[field] ?? 'write it as text, or leave it out') {
  return { kind: 'bad-input' as const, reason: `${field}: ${remedy}` };
}

const pairsOf = (params: SignInput['params']): Parameter[] =>
  params.flatMap(([name, value]) => [value].flat().map((each): Parameter => [name, each]));

/** Published vectors list the pairs of the query among the params too. If all of them are there, they are the same pairs. */
function withoutQuery(params: readonly Parameter[], query: readonly Parameter[]): Parameter[] {
  const left = [...params];
  for (const [name, value] of query) {
    const at = left.findIndex((pair) => pair[0] === name && pair[1] === value);
    if (at < 0) return [...params];
    left.splice(at, 1);
  }
  return left;
}

function keyFieldOf({ signatureMethod }: SignInput): 'consumerSecret' | 'privateKey' {
  return SIGNATURE_METHODS[signatureMethod].keyKind === 'shared-secret' ? 'consumerSecret' : 'privateKey';
}

function readKey(input: SignInput): SigningKey | undefined {
  const given = input[keyFieldOf(input)];
  // Published vectors of the base string alone have no secret (null): it is an empty one (RFC 5849, section 3.4.2), with a warning.
  const material = given === null && keyFieldOf(input) === 'consumerSecret' ? '' : given;
  // Published vectors have small keys; a worker's credentials are read without this leave.
  return typeof material === 'string'
    ? parseSigningKey(input.signatureMethod, material, { allowSmallKeys: true })
    : undefined;
}

function warningsOf(input: SignInput, key: SigningKey): string[] {
  const unknown = Object.keys(input).filter((field) => !Object.hasOwn(inputSchema.entries, field));
  const warnings = unknown.length === 0 ? [] : [`ignored, as these are no fields: ${unknown.join(', ')}`];
  if (input.consumerSecret === null && key.kind === 'shared-secret')
    warnings.push('consumerSecret: null, so the signature is that of an empty secret');
  if (key.kind === 'rsa-private-key' && key.bits < RSA_MINIMUM_BITS) {
    warnings.push(`privateKey: ${key.bits} bits are too few for money, a worker takes ${RSA_MINIMUM_BITS} or more`);
  }
  return warnings;
}
