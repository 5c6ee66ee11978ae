// A merchant's RSA key, rotated in two steps: a new pair whose private half goes straight into Secrets Manager as the
// pending version, and the move of AWSCURRENT to it once the gateway knows the public half.
import { tool } from '../payout/operate/spelling.ts';
import * as v from 'valibot';
import { jsonObject } from '../payout/message/job-fields.ts';
import { keyFieldOf, privateKeyOf, sendingTime, signedRequest } from '../gateway/signed-request.ts';
import { judgeInquiry, statusParameters, statusRequest } from '../gateway/inquiry.ts';
import type { Remark } from '../gateway/profile-remarks.ts';
import { type PublicKey, publicKeyOf } from '../oauth1/key-pair.ts';
import { parseRsaPrivateKey } from '../oauth1/signature-methods.ts';
import { checkSecret } from './check-secret.ts';
import type { Gateway, MerchantCredentials } from '../gateway/ports.ts';
import type { Clock, Random } from '../payout/ports.ts';
import type { KeyMaker, SecretAdmin, SecretStage, StoredSecret } from './secret-ports.ts';

/** The ports of a rotation. */
export interface RotatePorts {
  readonly secretAdmin: SecretAdmin;
  readonly keyMaker: KeyMaker;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly random: Random;
}

/** Bits of a new key. */
export const newKeyBits = 4096;

/** How making a new key went. */
type NewKey =
  | {
      readonly kind: 'staged';
      readonly version: string;
      readonly publicKey: PublicKey;
      /** For the caller that asked for a copy only. */
    }
  | { readonly kind: 'refused'; readonly why: string };

/** Makes a key and stores it as the pending version; every other field is that of the current one. */
export async function stageNewKey(merchant: string, replace: boolean, ports: RotatePorts): Promise<NewKey> {
  const { secretAdmin, keyMaker } = ports;
  const current = await secretAdmin.read(merchant, 'AWSCURRENT');
  if (!current)
    return refused(`there is no secret for a merchant "${merchant}"; make it first, see infra/docs/settings.md`);
  const fields = fieldsOf(current);
  if (!fields) return refused('its contract, or its current keys, can not be read; correct them first');
  if (fields.own['kmsKeyId'] !== undefined)
    return refused('its key is kept in AWS KMS (kmsKeyId): make the new one there');
  const pending = await secretAdmin.read(merchant, 'AWSPENDING');
  if (pending && pending.version !== current.version && !replace)
    return refused(
      `there is a pending version already (${pending.version}), whose public key the gateway may have; activate it, or add --force`,
    );
  const privateKey = await keyMaker.newPrivateKey(newKeyBits);
  const text = JSON.stringify({ ...fields.all, [fields.login]: { ...fields.own, privateKey } }, null, 2);
  const version = await secretAdmin.stage(merchant, text);
  return { kind: 'staged', version, publicKey: publicKeyOf(parseRsaPrivateKey(privateKey)) };
}

/** The version to be made current, and the certainty that it needs. */
export interface Activation {
  /** Back to the version before. */
  readonly rollback: boolean;
  /** Although fields beside the key have changed in the current version since. */
  readonly evenChanged: boolean;
  /** Where the gateway can be asked first whether it takes the new signature: an endpoint id of the merchant. */
  readonly endpointId?: string;
}

/** The effect of an activation, or why it must not be. */
export type Activatable =
  | {
      readonly kind: 'ready';
      readonly from: string;
      readonly to: string;
      readonly warnings: readonly Remark[];
      /** The gateway has taken a signature by the new key. */
      readonly taken: boolean;
      readonly fingerprint?: string;
    }
  | { readonly kind: 'already'; readonly version: string }
  | { readonly kind: 'refused'; readonly why: string; readonly faults: readonly Remark[] };

/** Checks the version that is to become current as the worker would meet it. Nothing is changed. */
export async function checkActivation(merchant: string, it: Activation, ports: RotatePorts): Promise<Activatable> {
  const stage: SecretStage = it.rollback ? 'AWSPREVIOUS' : 'AWSPENDING';
  const [current, next] = await Promise.all([
    ports.secretAdmin.read(merchant, 'AWSCURRENT'),
    ports.secretAdmin.read(merchant, stage),
  ]);
  if (!current) return { ...refused(`there is no secret for a merchant "${merchant}"`), faults: [] };
  if (!next) return { ...refused(`the secret has no version ${stage}`), faults: [] };
  if (next.version === current.version) return { kind: 'already', version: next.version };
  const { faults, warnings } = await checkSecret(next, ports);
  if (faults.length > 0 || next.read.kind === 'fault')
    return { ...refused(`the version ${stage} can't be used`), faults };
  const changed = it.rollback || it.evenChanged ? [] : changedFields(current, next);
  if (changed.length > 0)
    return {
      ...refused(
        `besides the key, ${changed.join(', ')} of the current version would change; make a key on it (\`${tool} keys new ${merchant} --force\`), or add --force`,
      ),
      faults: [],
    };
  const { credentials } = next.read;
  const asked = it.endpointId === undefined ? undefined : await askWith(credentials, it.endpointId, ports);
  if (asked !== undefined && asked !== 'taken') return { ...refused(asked), faults: [] };
  const key = privateKeyOf(credentials);
  return {
    kind: 'ready',
    from: current.version,
    to: next.version,
    warnings,
    taken: asked === 'taken',
    fingerprint: key?.kind === 'rsa-private-key' ? publicKeyOf(key).fingerprint : undefined,
  };
}

/** Names of the fields beside the key that differ. A change made after the pending version would be lost. */
function changedFields(current: StoredSecret, next: StoredSecret): string[] {
  const [before, after] = [fieldsOf(current), fieldsOf(next)];
  const differ = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);
  const names = new Set([...Object.keys(before?.own ?? {}), ...Object.keys(after?.own ?? {})]);
  const own = [...names].filter((name) => name !== 'privateKey' && differ(before?.own[name], after?.own[name]));
  return differ(before?.others, after?.others) ? [...own, 'keys of other logins'] : own;
}

const loginOf = v.pipe(v.string(), v.parseJson(), v.object({ login: v.string() }));
const keysByLogin = v.pipe(v.string(), v.parseJson(), v.record(v.string(), jsonObject));

/** The keys of the contract's login and of all others; undefined if it can't be read: the parser's own message quotes the text. */
function fieldsOf({ contract, text }: StoredSecret) {
  const [ofContract, keys] = [v.safeParse(loginOf, contract), v.safeParse(keysByLogin, text)];
  if (!ofContract.success || !keys.success) return undefined;
  const { login } = ofContract.output;
  const { [login]: own = {}, ...others } = keys.output;
  return { login, own, others, all: keys.output };
}

async function askWith(credentials: MerchantCredentials, endpointId: string, ports: RotatePorts): Promise<string> {
  const signatureMethod = inquirySignature(credentials);
  if (keyFieldOf(signatureMethod) !== 'privateKey')
    return `the gateway can't be asked about the key: this merchant's inquiries are signed by ${signatureMethod}; leave --endpoint out`;
  const answer = await askSigned(credentials, endpointId, ports);
  if (answer.kind === 'refused')
    return 'the gateway refused a signature by the new key: it does not know the public key yet (or the login, or the endpoint)';
  return answer.kind === 'taken' ? 'taken' : answer.why;
}

const inquirySignature = ({ profile }: MerchantCredentials) =>
  profile.signatureMethod.status ?? statusRequest.signatureMethod;

/** The gateway's answer to a signature. */
type SignatureAnswer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unclear'; readonly why: string };

/** Asks the gateway about an order that does not exist, signed with these credentials: "no such order" accepts the signature. */
export async function askSigned(
  credentials: MerchantCredentials,
  endpointId: string,
  { gateway, clock, random }: Pick<RotatePorts, 'gateway' | 'clock' | 'random'>,
): Promise<SignatureAnswer> {
  const { login, profile } = credentials;
  const signatureMethod = inquirySignature(credentials);
  const nowMs = clock.nowMs();
  const nobodys = { operation: 'payout', orderId: `key-check-${random.id()}` } as const;
  const parameters = statusParameters(nobodys, login, profile);
  const request = { operation: statusRequest, endpointId, signatureMethod, parameters } as const;
  const signed = await signedRequest(request, credentials, sendingTime({ clock, random }));
  if (signed.kind === 'unsignable') return { kind: 'unclear', why: signed.failure.message };
  const finding = judgeInquiry(await gateway.post({ ...signed.request, notAfterMs: nowMs + askWithinMs }), nobodys);
  if (finding.kind === 'credentials-refused') return { kind: 'refused' };
  return finding.kind === 'unclear'
    ? { kind: 'unclear', why: `the gateway gave no clear answer (${finding.reason}); try again` }
    : { kind: 'taken' };
}

const askWithinMs = 30_000;

const refused = (why: string) => ({ kind: 'refused', why }) as const;
