// Judging a merchant's secret before payments depend on it: what the worker would make of it, whether its keys do what
// keys must, and a dry signature of every request that it may have to sign. Nothing is sent.
import { tool } from '../payout/operate/spelling.ts';
import { X509Certificate } from 'node:crypto';
import { methodsOf, privateKeyOf, sendingTime, signedRequest } from '../gateway/signed-request.ts';
import type { RsaPrivateKey } from '../oauth1/signing-key.ts';
import { operationNames, operations } from '../gateway/operations.ts';
import { statusRequest } from '../gateway/inquiry.ts';
import { profileRemarks, type Remark } from '../gateway/profile-remarks.ts';
import { publicKeyOf, signatureFits } from '../oauth1/key-pair.ts';
import { signRequest } from '../oauth1/sign-request.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';
import type { Clock, Random } from '../payout/ports.ts';
import type { StoredSecret } from './secret-ports.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';

/** The ports of a check. */
interface CheckSecretPorts {
  readonly clock: Clock;
  readonly random: Random;
}

/** The findings of a check. */
interface SecretCheck {
  readonly faults: readonly Remark[];
  readonly warnings: readonly Remark[];
  /** The parts that are in order, as sentences. */
  readonly fine: readonly string[];
}

/** Below this a control key could be guessed from a signature. */
const controlKeyMinimumBytes = 16;

/** Checks one stored version. */
export async function checkSecret(
  { read, contract, text }: StoredSecret,
  ports: CheckSecretPorts,
): Promise<SecretCheck> {
  if (read.kind === 'fault') {
    return { faults: [{ level: 'fault', field: 'secret', says: read.message }], warnings: [], fine: [] };
  }
  const { credentials } = read;
  const { profile } = credentials;
  const methods = new Set(methodsOf(credentials));
  const rsa = await rsaRemarks(credentials, ports);
  const dry = rsa.remarks.length > 0 ? nothing : await dryRun(credentials, methods, ports);
  const routes = [credentials, ...(credentials.earlierAccounts ?? [])].map((it, at) =>
    routeFindings(it, at === 0 ? '' : `earlierAccounts.${at - 1}.`, ports.clock.nowMs()),
  );
  const remarks = [
    ...oddCharacters('', JSON.parse(contract)),
    ...Object.values(JSON.parse(text) as object).flatMap((it) => oddCharacters('', it)),
    ...controlKeyRemarks(credentials),
    ...routes.flatMap((it) => it.remarks),
    ...rsa.remarks,
    ...dry.remarks,
    ...profileRemarks(profile, methods),
  ];
  return {
    faults: remarks.filter(({ level }) => level === 'fault'),
    warnings: remarks.filter(({ level }) => level === 'warning'),
    fine: ['every field is valid', ...rsa.fine, ...routes.flatMap((it) => it.fine), ...dry.fine],
  };
}

interface Found {
  readonly remarks: readonly Remark[];
  readonly fine: readonly string[];
}

const nothing: Found = { remarks: [], fine: [] };

function controlKeyRemarks({ controlKey }: MerchantCredentials): Remark[] {
  const bytes = controlKey?.symmetricKeySize;
  if (bytes === undefined || bytes >= controlKeyMinimumBytes) return [];
  const says = `has ${bytes} bytes; one below ${controlKeyMinimumBytes} can be guessed, ask the gateway for another`;
  return [{ level: 'warning', field: 'controlKey', says }];
}

/** In PEM line breaks have their place. */
const pemFields = /(?:^|\.)(?:privateKey|clientCertificate|clientKey|ca)$/;
const quotes = /["'`]/;

/** A text that was pasted with a line break, a blank, quotes or letters that look alike signs what the gateway does not know. */
function oddCharacters(field: string, value: unknown): Remark[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, it]) => oddCharacters(field === '' ? name : `${field}.${name}`, it));
  if (typeof value !== 'string' || pemFields.test(field)) return [];
  const last = [...value].length - 1;
  const odd = [...value].flatMap((it, at) => {
    const isEnd = at === 0 || at === last;
    const isFine = /[!-~]/.test(it) ? !isEnd || !quotes.test(it) : it === ' ' && !isEnd && field.endsWith('realm');
    const place = at === 0 ? 'at the start' : at === last ? 'at the end' : `as character ${at + 1}`;
    return isFine ? [] : [`U+${(it.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} ${place}`];
  });
  const more = odd.length > 3 ? ` and ${odd.length - 3} more` : '';
  const says = `has ${odd.slice(0, 3).join(', ')}${more}; take this out, unless the gateway gave it so`;
  return odd.length > 0 ? [{ level: 'warning', field, says }] : [];
}

const dayMs = 86_400_000;
/** Getting a new certificate from a gateway takes people on both sides. */
const certificateWarningDays = 30;

/** Expired certificates connect no more: every job of the merchant waits from that day on. */
function routeFindings({ route }: MerchantCredentials, of: string, nowMs: number): Found {
  const fields = [
    ['clientCertificate', route?.client?.certificatePem.split(/(?=-----BEGIN)/, 1) ?? []],
    ['ca', route?.ca?.split(/(?=-----BEGIN)/) ?? []],
  ] as const;
  const remarks: Remark[] = [];
  const fine: string[] = [];
  for (const [name, pems] of fields) {
    for (const pem of pems) {
      const { validFromDate, validToDate, fingerprint256 } = new X509Certificate(pem);
      const field = of + name;
      const until = validToDate.toISOString().slice(0, 10);
      const days = (validToDate.getTime() - nowMs) / dayMs;
      if (days < 0) remarks.push({ level: 'fault', field, says: `was valid until ${until}: nothing can connect` });
      else if (validFromDate.getTime() > nowMs)
        remarks.push({ level: 'fault', field, says: `is valid from ${validFromDate.toISOString().slice(0, 10)} on` });
      else if (days < certificateWarningDays)
        remarks.push({ level: 'warning', field, says: `is valid until ${until} only; get a new one` });
      else fine.push(`${field}: valid until ${until}, SHA-256 ${fingerprint256}`);
    }
  }
  if (route?.proxy) {
    const { host, port, authorization } = route.proxy;
    fine.push(`${of}proxy: ${host}:${port}, ${authorization ? 'with a name and password' : 'without a password'}`);
  }
  return { remarks, fine };
}

/** Signs and verifies: a key that was put together wrongly makes signatures that no gateway takes. */
async function rsaRemarks(credentials: MerchantCredentials, ports: CheckSecretPorts): Promise<Found> {
  const key = privateKeyOf(credentials);
  if (key?.kind === 'rsa-signer') return { remarks: [], fine: ['the private key is kept in AWS KMS'] };
  if (key?.kind !== 'rsa-private-key') return { remarks: [], fine: [] };
  if (!(await signsAndVerifies(key, ports))) {
    const says = `makes signatures that its own public half does not take; make a new one with \`${tool} keys new MERCHANT\``;
    return { remarks: [{ level: 'fault', field: 'privateKey', says }], fine: [] };
  }
  const { fingerprint } = publicKeyOf(key);
  return { remarks: [], fine: [`privateKey: RSA, ${key.bits} bits, signs and verifies; public key ${fingerprint}`] };
}

async function signsAndVerifies(key: RsaPrivateKey, { clock, random }: CheckSecretPorts): Promise<boolean> {
  try {
    const { baseString, signature } = await signRequest({
      method: 'POST',
      url: 'https://gateway.invalid/key-check',
      params: [],
      consumerKey: 'key-check',
      signatureMethod: 'RSA-SHA256',
      key,
      nonce: random.id(),
      timestamp: String(Math.floor(clock.nowMs() / 1000)),
    });
    return signatureFits(key, baseString, signature);
  } catch {
    // The library's own words have seen the key.
    return false;
  }
}

/** One request of each kind is signed as it would be for a job. */
async function dryRun(
  credentials: MerchantCredentials,
  methods: ReadonlySet<SignatureMethodName>,
  ports: CheckSecretPorts,
): Promise<Found> {
  const { signatureMethod, statusInquiry } = credentials.profile;
  const rows = operationNames.map((name) => ({
    name,
    operation: operations[name],
    chosen: signatureMethod[name],
  }));
  const status = { name: 'status', operation: statusRequest, chosen: signatureMethod.status } as const;
  const remarks: Remark[] = [];
  const signed: string[] = [];
  for (const { name, operation, chosen } of statusInquiry ? [...rows, status] : rows) {
    const method = chosen ?? operation.signatureMethod;
    if (!methods.has(method)) continue;
    const parameters = [[operation.orderIdField, 'DRY-RUN']] as const;
    const request = { operation, endpointId: '1', signatureMethod: method, parameters };
    const { kind, ...made } = await signedRequest(request, credentials, sendingTime(ports));
    if (kind === 'signed') signed.push(`${name} by ${method}`);
    else if ('failure' in made) remarks.push({ level: 'fault', field: name, says: made.failure.message });
  }
  return { remarks, fine: signed.length > 0 ? [`signed dry: ${signed.join(', ')}`] : [] };
}
