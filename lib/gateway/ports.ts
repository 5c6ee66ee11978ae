// The port between the kernel and a gateway: a dialect, which says how one family of gateways is spoken to, the merchant's access,
// and the exchange itself. Adapters keep these words (test/contract); the kernel names no path, field, login or status word.
import type { KeyObject } from 'node:crypto';
import type { FailureOf, GatewayFailure } from './failures.ts';
import type { AskedOrder, Finding } from './finding.ts';
import type { GatewayOutcome } from './gateway-outcome.ts';
import type { OperationName } from './operations.ts';
import type { Profile } from './profile.ts';
import type { BodyFraming } from './reply.ts';
import type { SigningKey } from '../oauth1/signing-key.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';

/** A merchant's control key, as a key object: it does not print. */
export type ControlKey = KeyObject;

/** How one merchant's gateway is reached, where it is not by the straight way and the system's trust. */
export interface GatewayRoute {
  /** What is shown to a gateway that asks who connects: the certificate with its chain, in PEM, and its key. */
  readonly client?: { readonly certificatePem: string; readonly key: KeyObject };
  /** Certificates in PEM that are trusted, in the place of the system's. */
  readonly ca?: string;
  /** An HTTP proxy that is asked for a tunnel (CONNECT). It sees the gateway's name and nothing of what is said. */
  readonly proxy?: {
    readonly host: string;
    readonly port: number;
    /** The value of its Proxy-Authorization header; a key object, as it does not print. */
    readonly authorization?: KeyObject;
  };
}

/** How one family of gateways is spoken to. Pure but for the signing; each judgement concludes from what it is given alone. */
export interface Dialect {
  /** Digest of the account that an order goes to (72 bits at least); of a test account, with `test:` before it. */
  accountOf(access: MerchantAccess, endpointId: string): string;
  /** Why no request of this operation can be made with this access; undefined where one can. */
  lacks(operation: OperationName, access: MerchantAccess): GatewayFailure | undefined;
  /** Why the merchant's contract does not know this job as it is; undefined where it does. */
  outsideContract(order: Pick<StartedOrder, 'operation' | 'params'>, profile: Profile): string | undefined;
  /** The request that starts an order. Never rejects; nothing has been sent yet. */
  start(order: StartedOrder, access: MerchantAccess, sending: Sending): Promise<Signed>;
  judgeStart(evidence: Evidence, order: SentOrder, profile: Profile): GatewayOutcome;
  /** The request that asks about an order. */
  status(order: AskedOrder, endpointId: string, access: MerchantAccess, sending: Sending): Promise<Signed>;
  judgeStatus(evidence: Evidence, order: AskedOrder, profile: Profile): Finding;
  readonly callbacks: CallbackDialect;
}

/** How a family of gateways calls back. */
export interface CallbackDialect {
  /** Undefined where a part that the proof covers is missing, absurdly long or card data. */
  read(parameters: ReadonlyMap<string, string>): Callback | undefined;
  isAuthentic(callback: Callback, key: ControlKey): boolean;
  /** The accounts of a secret under whose key its proof is right: the present one, and those before; none if it is forged. */
  signersOf(callback: Callback, access: MerchantAccess): readonly MerchantAccess[];
  /** False where the same proof could have been made for another order: it ends nothing then. */
  isUnambiguous(callback: Callback): boolean;
  /** What its status says; `filtered`: declined, and perhaps as the double of an earlier attempt. */
  saysOf(status: string): 'approved' | 'declined' | 'filtered' | 'seen';
  /** What its transaction is to an order of this operation. */
  kindOf(type: string | undefined, operation: OperationName, profile: Profile): 'own' | 'undoing' | 'another';
  /** The same for whatever the same proof may be replayed with. */
  replayKey(callback: Pick<Callback, 'proof' | 'type'>): string;
}

/** What is looked at of a callback. */
export interface Callback {
  readonly status: string;
  /** The gateway's own order id. */
  readonly gatewayOrderId: string;
  readonly orderId: string;
  /** What shows that it is the gateway's. */
  readonly proof: string;
  /** Of the transaction: the payment itself, or one that undoes it. */
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
  /** The gateway's id of the checked order that this pays. */
  readonly paysId?: string;
}

/** An order as it was sent. */
export interface SentOrder extends Pick<StartedOrder, 'operation' | 'orderId' | 'params'> {
  /**
   * An earlier attempt of the order may have been processed: a refusal may then be about that one, as duplicate filters
   * answer so, and is never the proof that no money moved. Default false.
   */
  readonly earlierAttemptMayLive?: boolean;
}

/** Where what tells one sending from all others is made: a nonce, and the time. */
export interface Sending {
  readonly clock: { nowMs(): number };
  readonly random: { id(): string };
}

/** A request that may be sent, or why it can't be signed now. */
export type Signed =
  | { readonly kind: 'signed'; readonly request: Omit<GatewayRequest, 'notAfterMs'> }
  | { readonly kind: 'unsignable'; readonly failure: GatewayFailure };

/** A merchant's access to its gateway, as far as the kernel looks at it; what signs its requests is its dialect's alone. */
export interface MerchantAccess {
  readonly dialect: Dialect;
  readonly baseUrl: string;
  readonly profile: Profile;
  /** Absent: straight, by the system's trust, with no certificate of ours. */
  readonly route?: GatewayRoute;
  /** A test account moves no real money, and only it may have what is for tests alone. */
  readonly mode: 'live' | 'test';
  /** Accounts that orders were sent to before, for inquiry and callbacks alone; nothing is sent there any more. */
  readonly earlierAccounts?: readonly MerchantAccess[];
  /** Digests (`accountOf`) of former spellings of this same account: a host that was renamed, say. */
  readonly sameAccountAs?: readonly string[];
  /** Tells one stored version of the secret from another. */
  readonly version: string;
}

/** All that is needed to sign and address one merchant's requests. Key objects never print. */
export interface MerchantCredentials extends MerchantAccess {
  readonly login: string;
  readonly keys: Readonly<Partial<Record<SignatureMethodName, SigningKey>>>;
  readonly earlierAccounts?: readonly MerchantCredentials[];
  /** Checks the `control` of callbacks; absent where the merchant has no control key. */
  readonly controlKey?: ControlKey;
}

/** Why there are no credentials now: nobody knows the merchant, its secret is malformed, it has no safeguards, or nobody answers. */
export type CredentialsFailure = FailureOf<
  'MERCHANT_UNKNOWN' | 'SECRET_INVALID' | 'CREDENTIALS_UNAVAILABLE' | 'SAFEGUARDS_MISSING'
>;

/** A merchant's credentials, or why there are none now; the reason names a field, never a value. */
export type CredentialsAnswer<Access extends MerchantAccess = MerchantAccess> =
  | { readonly kind: 'credentials'; readonly credentials: Access }
  | { readonly kind: 'unavailable'; readonly failure: CredentialsFailure };

/** Secrets, cached with a time to live; the last good value serves while the service fails. Never rejects. */
export interface Credentials<Access extends MerchantAccess = MerchantAccess> {
  of(merchant: string): Promise<CredentialsAnswer<Access>>;
  /** After a 401 or 403 to `stale`, or a callback that does not fit it: the stored value as it is now, one fetch however many ask at once. */
  refresh(merchant: string, stale: MerchantAccess): Promise<CredentialsAnswer<Access>>;
}

/** One signed request, ready to be sent. */
export interface GatewayRequest {
  /** Default POST; what is only asked for may be a GET, and has no body then. */
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** That of the merchant's credentials. */
  readonly route?: GatewayRoute;
  /** No byte may leave after this moment (epoch ms), judged right before the first one does. */
  readonly notAfterMs: number;
  /** The same by the clock that nobody sets (`uptimeMs`): whichever is over first counts. Only what moves money has it. */
  readonly notAfterUptimeMs?: number;
  /** The connection that was begun for it; where it is spent, old, closed or to another address, a new one is made. */
  readonly ahead?: ConnectionAhead;
}

/** A connection on its way, of which no byte of a request leaves until a request names it. It serves one, or none. */
export interface ConnectionAhead {
  /** Resolves when nothing of it is left; at once where a request took it. Never rejects. */
  close(): Promise<void>;
}

/** What the socket and the answer prove about one POST. A dialect judges it and touches nothing. */
export type Evidence =
  /** No byte of the request was handed to a connection: DNS, refused, TLS, connect time-out, or no time left to start. */
  | { readonly kind: 'not-sent'; readonly reason: string }
  /** Bytes may have left and no whole answer came back. */
  | { readonly kind: 'no-answer'; readonly reason: string; readonly httpStatus?: number }
  /** A whole answer. */
  | {
      readonly kind: 'answer';
      readonly httpStatus: number;
      /** Empty where it could not be turned into text. */
      readonly body: string;
      /** Why the body could not be turned into text: its coding or charset. Unread is not refused. */
      readonly unreadable?: string;
      readonly framing: BodyFraming;
      /** The Retry-After header in seconds, where there was one. */
      readonly retryAfterSeconds?: number;
    };

/**
 * Sends exactly one POST: no retry, no redirect, its own connection. Never rejects; reports, never judges. One for inquiries
 * alone may keep connections, and ask once more where a kept one was found closed: they move no money.
 */
export interface Gateway {
  post(request: GatewayRequest): Promise<Evidence>;
  /** Begins to connect while the right to send is still being fetched. Absent where that takes no time. */
  connectAhead?(address: string, route?: GatewayRoute): ConnectionAhead;
}

/** How long each part of an exchange may last, and how long an answer may be. */
export interface GatewayLimits {
  /** DNS, TCP, the proxy's tunnel and TLS together. */
  readonly gatewayConnectTimeoutMs: number;
  /** From the last byte handed over to the answer's headers. */
  readonly gatewayHeadersTimeoutMs: number;
  /** From the answer's headers to its last byte. */
  readonly gatewayBodyTimeoutMs: number;
  /** The whole POST; after it the socket is closed whatever happens. */
  readonly gatewayTotalTimeoutMs: number;
  /** Largest answer that is read; the gateway's are well under 1 KB. */
  readonly gatewayReplyLimitBytes: number;
}

/** A connection that is ready for request bytes, none of which it has been given; or why there is none. */
export type Connection<Socket> =
  | { readonly kind: 'connected'; readonly socket: Socket }
  | { readonly kind: 'not-connected'; readonly socket: Socket; readonly reason: string };

/** What requests leave by: sockets, or a simulated network. */
export interface Wire<Socket> {
  /** Once it is called off, it answers as not connected, soon. */
  connect(url: URL, route?: GatewayRoute, calledOff?: AbortSignal): Promise<Connection<Socket>>;
  /** True while the other side has neither closed the connection nor said a word unasked. */
  isQuiet(socket: Socket): boolean;
  /** Sends in the very turn in which it is called, and waits for the whole answer. */
  exchange(socket: Socket, url: URL, request: GatewayRequest): Promise<Evidence>;
  /** Resolves when nothing of the connection is left. */
  close(socket: Socket): Promise<void>;
}
