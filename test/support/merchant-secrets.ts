// A merchant's two secrets out of one flat list of fields: what is about the account goes into the contract, the rest is the keys of its login.
import { readContract, readKeys, type SignerFor, withKeys } from '../../lib/aws/merchant-secret.ts';
import type { MerchantCredentials } from '../../lib/gateway/ports.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { type MerchantSecrets, putMerchants } from '../../lib/local/sample-merchants.ts';

type Fields = Readonly<Record<string, unknown>>;

const keyNames = new Set(['controlKey', 'privateKey', 'kmsKeyId', 'clientCertificate', 'clientKey', 'ca', 'proxy']);

/** The two secrets; each of `earlierAccounts` is flat, too. */
export function merchantSecrets(fields: object): MerchantSecrets {
  const { earlierAccounts, ...own } = fields as Fields & { readonly earlierAccounts?: readonly object[] };
  const accounts = [own, ...(earlierAccounts ?? [])].map((it) => Object.entries(it as Fields));
  const [contract, ...earlier] = accounts.map((it) => Object.fromEntries(it.filter(([name]) => !keyNames.has(name))));
  const keys = accounts.map((it) => [
    String(Object.fromEntries(it)['login']),
    Object.fromEntries(it.filter(([name]) => keyNames.has(name))),
  ]);
  return {
    contract: { ...contract, ...(earlierAccounts && { earlierAccounts: earlier }) },
    keys: Object.fromEntries(keys.toReversed()) as MerchantSecrets['keys'],
  };
}

/** The fields of two secrets side by side, of the present account alone. */
export const fieldsOf = (secrets: MerchantSecrets | undefined): Fields => ({
  ...secrets?.contract,
  ...secrets?.keys[String(secrets.contract['login'])],
});

/** Another login at the same gateway, which signs with a control key alone. */
export function anotherLogin(
  { enrol }: Pick<GatewaySimulator, 'enrol'>,
  beside: MerchantSecrets | undefined,
  login = 'another-login',
): Fields {
  const account = { login, controlKey: 'FAKE-CONTROL-KEY-ANOTHER' };
  enrol(account);
  return { ...account, baseUrl: beside?.contract['baseUrl'], profile: { signatureMethod: { payout: 'HMAC-SHA1' } } };
}

/** Stores the secrets of one merchant. */
export const putMerchant = (
  desk: Parameters<typeof putMerchants>[0],
  name: string,
  fields: object,
  prefix?: string,
): void => putMerchants(desk, { [name]: merchantSecrets(fields) }, prefix);

/** The worker's reading of these fields. */
export function readFields(fields: object, version = 'v1', signerFor?: SignerFor): MerchantCredentials {
  const { contract, keys } = merchantSecrets(fields);
  return withKeys(readContract(JSON.stringify(contract), version), readKeys(JSON.stringify(keys)), signerFor);
}
