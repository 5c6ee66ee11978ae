// The port between the kernel and a gateway: the dialect, which builds requests and judges answers of one family of gateways; the
// merchant's access; and the exchange itself. The suites of test/contract hold the adapters to it.
import type { KeyObject } from 'node:crypto';
import type { AskedOrder, Finding } from './finding.ts';
import type { GatewayOutcome, FailureOf, GatewayFailure } from './gateway-outcome.ts';
import type { OperationName } from './operations.ts';
import type { Profile } from './profile.ts';
import type { BodyFraming } from './reply.ts';
import type { SigningKey } from '../oauth1/signing-key.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';

/** A merchant's control key, as a key object: it does not print. */
export type ControlKey = KeyObject;

/** How to reach one merchant's gateway, if not directly with the system's trust. */
export interface GatewayRoute {
  /** Our certificate with its chain, in PEM, and its key, for a gateway that asks for one. */
  readonly client?: { readonly certificatePem: string; readonly key: KeyObject };
  /** Trusted certificates in PEM, instead of the system's. */
  readonly ca?: string;
  /** An HTTP proxy that is asked for a tunnel (CONNECT). It sees the gateway's name and nothing of the exchange. */
  readonly proxy?: {
    readonly host: string;
    readonly port: number;
    /** The value of the Proxy-Authorization header, as a key object that does not print. */
    readonly authorization?: KeyObject;
  };
}

/** The dialect of one family of gateways. Pure but for the signing; each judgement follows from its arguments alone. */
export interface Dialect {
  /** Digest of the account that an order goes to, at least 72 bits; a test account's begins with `test:`. */
  accountOf(access: MerchantAccess, endpointId: string): string;
  /** Why no request of this operation can be made with this access; undefined if one can, or if the keys may not be read. */
  lacks(operation: OperationName, access: MerchantAccess): GatewayFailure | undefined;
  /** The remedy if the job has fields outside the merchant's contract; undefined if it has none. */
  outsideContract(order: Pick<StartedOrder, 'operation' | 'params'>, profile: Profile): string | undefined;
  /** The request that starts an order. Never rejects; nothing has been sent yet. */
  start(order: StartedOrder, access: MerchantAccess, sending: Sending): Promise<Signed>;
  judgeStart(evidence: Evidence, order: SentOrder, profile: Profile): GatewayOutcome;
  /** The request that asks about an order. */
  status(order: AskedOrder, endpointId: string, access: MerchantAccess, sending: Sending): Promise<Signed>;
  judgeStatus(evidence: Evidence, order: AskedOrder, profile: Profile): Finding;
  readonly callbacks: CallbackDialect;
}

/** The callbacks of one family of gateways. */
export interface CallbackDialect {
  /**
   * Undefined if a part that the proof covers is missing or too long, if our order id is empty, or if status, type or order id hold card
   * data.
   */
  read(parameters: ReadonlyMap<string, string>): Callback | undefined;
  isAuthentic(callback: Callback, key: ControlKey): boolean;
  /** The accounts of a secret, present and earlier, whose key made the proof; none if it is forged. */
  signersOf(callback: Callback, access: MerchantAccess): readonly MerchantAccess[];
  /** False if the same proof also fits another order: the callback then ends nothing. */
  isUnambiguous(callback: Callback): boolean;
  /** The meaning of a status; `filtered`: declined, perhaps as the duplicate of an earlier attempt. */
  saysOf(status: string): 'approved' | 'declined' | 'filtered' | 'seen';
  /** How a transaction of this type relates to an order of this operation. */
  kindOf(type: string | undefined, operation: OperationName, profile: Profile): 'own' | 'undoing' | 'another';
}

/** The parts of a callback that are read. */
export interface Callback {
  readonly status: string;
  /** The gateway's own order id. */
  readonly gatewayOrderId: string;
  readonly orderId: string;
  /** The proof that the gateway made it. */
  readonly proof: string;
  /** The type of the transaction: the payment itself, or one that undoes it. */
  readonly type?: string;
  readonly amount?: string;
  readonly currency?: string;
}

/** An order that is about to be sent. */
export interface StartedOrder {
  readonly operation: OperationName;
  readonly orderId: string;
  readonly endpointId: string;
  readonly params: Readonly<Record<string, string>>;
}

/** An order as it was sent. */
export interface SentOrder extends Pick<StartedOrder, 'operation' | 'orderId' | 'params'> {
  /**
   * An earlier attempt of the order may have been processed. A refusal may then be a duplicate filter's answer to this attempt, and
   * does not prove that no money moved. Default false.
   */
  readonly earlierAttemptMayLive?: boolean;
}

/** Clock and chance, which make each sending unique. */
export interface Sending {
  readonly clock: { nowMs(): number };
  readonly random: { id(): string };
}

/** A request that may be sent, or why it can't be signed now. */
export type Signed =
  | { readonly kind: 'signed'; readonly request: Omit<GatewayRequest, 'notAfterMs'> }
  | { readonly kind: 'unsignable'; readonly failure: GatewayFailure };

/** A merchant's access to its gateway, as far as the kernel reads it. Only the dialect reads the signing keys. */
export interface MerchantAccess {
  readonly dialect: Dialect;
  readonly baseUrl: string;
  readonly profile: Profile;
  /** Absent: direct, under the system's trust, with no certificate of ours. */
  readonly route?: GatewayRoute;
  /** A test account moves no real money; only it may have settings for tests. */
  readonly mode: 'live' | 'test';
  /** Former accounts: used for inquiries and callbacks, never for new orders. */
  readonly earlierAccounts?: readonly MerchantAccess[];
  /** An earlier account of the contract is missing above, as no approver has registered it: orders may have been sent there. */
  readonly leavesOut?: true;
  /** Digests (`accountOf`) of former names of this same account, such as a renamed host. */
  readonly sameAccountAs?: readonly string[];
  /** Distinguishes the stored versions of the secrets. */
  readonly version: string;
}

/** A merchant's contract, without its keys: what the tools of people read. */
export interface MerchantContract extends MerchantAccess {
  readonly login: string;
  readonly earlierAccounts?: readonly MerchantContract[];
}

/** The keys and the address of one merchant's requests. Key objects never print. */
export interface MerchantCredentials extends MerchantContract {
  readonly keys: Readonly<Partial<Record<SignatureMethodName, SigningKey>>>;
  readonly earlierAccounts?: readonly MerchantCredentials[];
  /** Checks the `control` of callbacks; absent if the merchant has no control key. */
  readonly controlKey?: ControlKey;
}

/** Why there are no credentials: unknown merchant, malformed secret, no answer of the store, or a login that no approver has registered. */
export type CredentialsFailure = FailureOf<
  'MERCHANT_UNKNOWN' | 'SECRET_INVALID' | 'CREDENTIALS_UNAVAILABLE' | 'ACCOUNT_UNKNOWN'
>;

/** A merchant's credentials, or why there are none now; the reason names a field, never a value. */
export type CredentialsAnswer<Access extends MerchantAccess = MerchantAccess> =
  | { readonly kind: 'credentials'; readonly credentials: Access }
  | { readonly kind: 'unavailable'; readonly failure: CredentialsFailure };

/** Secrets, cached with a time to live; the last good value serves while the service fails. Never rejects. */
export interface Credentials<Access extends MerchantAccess = MerchantAccess> {
  of(merchant: string): Promise<CredentialsAnswer<Access>>;
  /** The stored value, read anew after `stale` met a 401, a 403 or a callback it does not fit. Concurrent calls share one read. */
  refresh(merchant: string, stale: MerchantAccess): Promise<CredentialsAnswer<Access>>;
}

/** One signed request, ready to be sent. */
export interface GatewayRequest {
  /** Default POST; a read-only request may be a GET, and has no body then. */
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The route of the merchant's credentials. */
  readonly route?: GatewayRoute;
  /** No byte may leave after this moment (epoch ms), judged right before the first one does. */
  readonly notAfterMs: number;
  /** The same by a monotonic clock (`uptimeMs`); the earlier of the two counts. Only for requests that move money. */
  readonly notAfterUptimeMs?: number;
  /** The connection begun for this request. If it is used, old, closed or to another address, a new one is made. */
  readonly ahead?: ConnectionAhead;
}

/** A connection that was begun before its request. It serves at most one request. */
export interface ConnectionAhead {
  /** Closes the connection unless a request took it. Never rejects. */
  close(): Promise<void>;
}

/** The evidence of one POST: what the socket and the answer prove. */
export type Evidence =
  /**
   * No byte of the request was handed to a connection: DNS, refused, TLS, connect time-out. With `isLate` no time was left to start, which
   * shows nothing of the gateway.
   */
  | { readonly kind: 'not-sent'; readonly reason: string; readonly isLate?: true }
  /** Bytes may have left and no whole answer came back. */
  | { readonly kind: 'no-answer'; readonly reason: string; readonly httpStatus?: number }
  /** A whole answer. */
  | {
      readonly kind: 'answer';
      readonly httpStatus: number;
      /** Empty if it could not be turned into text. */
      readonly body: string;
      /** Why the body could not be decoded: its coding or charset. An unread answer is doubt, not a refusal. */
      readonly unreadable?: string;
      readonly framing: BodyFraming;
      /** The Retry-After header in seconds, if there was one. */
      readonly retryAfterSeconds?: number;
    };

/**
 * Sends exactly one POST: no retry, no redirect, its own connection. Reports the evidence and does not judge it. Never rejects. A
 * gateway for inquiries may keep connections, and ask once more if a kept one was closed: inquiries move no money.
 */
export interface Gateway {
  post(request: GatewayRequest): Promise<Evidence>;
  /** Begins to connect while the right to send is still being fetched. Absent if that takes no time. */
  connectAhead?(address: string, route?: GatewayRoute): ConnectionAhead;
}

/** Time limits of an exchange, and the longest answer. */
export interface GatewayLimits {
  /** DNS, TCP, the proxy's tunnel and TLS together. */
  readonly gatewayConnectTimeoutMs: number;
  /** From the last byte handed over to the answer's headers. */
  readonly gatewayHeadersTimeoutMs: number;
  /** From the answer's headers to its last byte. */
  readonly gatewayBodyTimeoutMs: number;
  /** The whole exchange; then the socket is closed. */
  readonly gatewayTotalTimeoutMs: number;
  /** Largest answer that is read; the gateway's are well under 1 KB. */
  readonly gatewayReplyLimitBytes: number;
}

/** A connection that is ready for the first byte of a request, or why there is none. */
export type Connection<Socket> =
  | { readonly kind: 'connected'; readonly socket: Socket }
  | { readonly kind: 'not-connected'; readonly socket: Socket; readonly reason: string };

/** The transport of requests: sockets, or a simulated network. */
export interface Wire<Socket> {
  /** Resolves as not connected soon after `calledOff` aborts. */
  connect(url: URL, route?: GatewayRoute, calledOff?: AbortSignal): Promise<Connection<Socket>>;
  /** True while the peer has neither closed the connection nor sent a byte unasked. */
  isQuiet(socket: Socket): boolean;
  /** Sends within the call, before anything is awaited, and waits for the whole answer. */
  exchange(socket: Socket, url: URL, request: GatewayRequest): Promise<Evidence>;
  /** Resolves when nothing of the connection is left. */
  close(socket: Socket): Promise<void>;
}
