// A second dialect, of a gateway that does not exist: JSON under REST paths, a bearer token, amounts in minor units, a MAC over its
// callbacks. Nothing of it is like the family that ships; it is here to show that the kernel knows neither.
import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Finding } from '../../lib/gateway/finding.ts';
import { isGatewayId, type GatewayFailure } from '../../lib/gateway/gateway-outcome.ts';
import { formatMinorUnits, minorUnitsOf } from '../../lib/gateway/money.ts';
import type { Callback, Dialect, Evidence, MerchantAccess, MerchantCredentials } from '../../lib/gateway/ports.ts';
import { someCredentials } from '../support/fake-credentials.ts';

/** What a merchant's secret holds of this gateway: a token, and no login and key. */
interface MeridianAccess extends MerchantAccess {
  readonly token: string;
  readonly controlKey?: KeyObject;
}

/** A payment as the gateway writes it. */
export interface MeridianPayment {
  readonly id: string;
  readonly reference: string;
  readonly state: 'queued' | 'paid' | 'bounced';
  readonly value: { readonly minor: number; readonly currency: string };
}

interface MeridianAnswer extends Partial<MeridianPayment> {
  readonly problem?: string;
}

function readAnswer({ body }: Extract<Evidence, { kind: 'answer' }>): MeridianAnswer | undefined {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    return undefined;
  }
}

const failed = (code: GatewayFailure['code'], message: string) => ({ failure: { code, message } });
const idOf = ({ id }: MeridianAnswer) => (id !== undefined && isGatewayId(id) ? { gatewayOrderId: id } : {});
const requestTo = ({ token, baseUrl }: MeridianAccess, path: string) => ({
  url: baseUrl + path,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
});

/** The dialect of the fictitious gateway. */
export const meridian: Dialect = {
  // A token is a key: who gets another one keeps the account.
  accountOf: ({ baseUrl, mode }, endpointId) =>
    (mode === 'test' ? 'test:' : '') +
    createHash('sha256')
      .update(JSON.stringify([baseUrl, endpointId]))
      .digest('base64url')
      .slice(0, 12),
  lacks: (_, { token }: MeridianAccess) =>
    token === '' ? { code: 'SECRET_INVALID', message: "the merchant's secret has no token" } : undefined,
  outsideContract: ({ operation }) => (operation === 'payout' ? undefined : `${operation} is not offered there`),
  async start({ orderId, params }, access: MeridianAccess) {
    const { amount = '', currency = '', account_number: iban } = params;
    const body = { reference: orderId, value: { minor: Number(minorUnitsOf(amount, currency)), currency }, iban };
    return { kind: 'signed', request: { ...requestTo(access, '/payments'), body: JSON.stringify(body) } };
  },
  judgeStart(evidence, { orderId }) {
    if (evidence.kind === 'not-sent')
      return { kind: 'not-processed', reason: 'not-sent', ...failed('NOT_SENT', evidence.reason) };
    if (evidence.kind === 'no-answer') return { kind: 'in-doubt', ...failed('NO_ANSWER', evidence.reason) };
    const answer = readAnswer(evidence);
    const doubt = { kind: 'in-doubt', ...failed('UNCLEAR_ANSWER', `the gateway answered ${evidence.httpStatus}`) };
    if (answer?.reference !== undefined && answer.reference !== orderId) return { ...doubt, kind: 'in-doubt' };
    if (evidence.httpStatus === 201 && answer?.reference === orderId) return { kind: 'accepted', ...idOf(answer) };
    if (answer?.id !== undefined) return { ...doubt, kind: 'in-doubt', ...idOf(answer) };
    if (evidence.httpStatus === 422 && answer?.problem !== undefined)
      return { kind: 'declined', ...failed('GATEWAY_REFUSED', answer.problem) };
    if (evidence.httpStatus === 401)
      return { kind: 'not-processed', reason: 'credentials-refused', ...failed('AUTHENTICATION', 'token refused') };
    return { ...doubt, kind: 'in-doubt' };
  },
  async status({ orderId }, _, access: MeridianAccess) {
    return { kind: 'signed', request: { method: 'GET', ...requestTo(access, `/payments/${orderId}`), body: '' } };
  },
  judgeStatus(evidence, { orderId, money }): Finding {
    if (evidence.kind !== 'answer') return { kind: 'unclear', reason: 'no answer' };
    if (evidence.httpStatus === 401) return { kind: 'credentials-refused' };
    const answer = readAnswer(evidence);
    if (evidence.httpStatus === 404 && answer?.problem === 'unknown-payment') return { kind: 'unknown-order' };
    if (evidence.httpStatus !== 200 || answer?.reference !== orderId)
      return { kind: 'unclear', reason: 'it does not say which payment it is about' };
    const { value, state = '' } = answer;
    if (money && (value?.currency !== money.currency || BigInt(value.minor) !== money.minorUnits))
      return { kind: 'amount-differs', amount: JSON.stringify(value), status: state, ...idOf(answer) };
    if (state === 'paid') return { kind: 'approved', ...idOf(answer) };
    if (state === 'bounced')
      return { kind: 'declined', ...failed('GATEWAY_DECLINED', 'the bank sent it back'), ...idOf(answer) };
    return { kind: 'pending', status: state, ...idOf(answer) };
  },
  callbacks: {
    read(parameters) {
      const [status, gatewayOrderId, orderId, proof, minor, currency] = [
        'state',
        'payment',
        'reference',
        'mac',
        'minor',
        'currency',
      ].map((name) => parameters.get(name));
      if (status === undefined || gatewayOrderId === undefined || orderId === undefined || proof === undefined)
        return undefined;
      const money = minor !== undefined && currency !== undefined && /^\d{1,15}$/.test(minor);
      const told = money ? { amount: formatMinorUnits(BigInt(minor), currency), currency } : {};
      return { status, gatewayOrderId, orderId, proof, ...told };
    },
    isAuthentic: (callback, key) => callback.proof === macOf(callback, key),
    signersOf: (callback, access: MeridianAccess) =>
      access.controlKey && callback.proof === macOf(callback, access.controlKey) ? [access] : [],
    isUnambiguous: () => true,
    saysOf: (status) => (status === 'paid' ? 'approved' : status === 'bounced' ? 'declined' : 'seen'),
    kindOf: () => 'own',
  },
};

/** Over its parts with marks between them, so that none can be cut elsewhere. */
export function macOf(
  { status, gatewayOrderId, orderId }: Pick<Callback, 'status' | 'gatewayOrderId' | 'orderId'>,
  key: KeyObject,
): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([gatewayOrderId, orderId, status]))
    .digest('hex');
}

/** The key of callbacks of {@link aMeridianMerchant}. */
export const meridianKey = createSecretKey('fake-key-of-callbacks', 'utf8');

/** A merchant of this gateway. Of what the family that ships takes from a secret, it has nothing. */
export function aMeridianMerchant(
  changes: { readonly token?: string; readonly version?: string } = {},
): MerchantCredentials {
  const { token = 'fake-token', version = 'v1' } = changes;
  const { profile } = someCredentials({ profile: { statusInquiry: true } });
  const access = {
    dialect: meridian,
    baseUrl: 'https://meridian.test',
    token,
    controlKey: meridianKey,
    profile,
    version,
    mode: 'live',
  } satisfies MeridianAccess;
  return { ...access, login: '', keys: {} };
}
