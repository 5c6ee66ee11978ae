// One HTTP exchange from first byte to delivery: path, method, size, authentication, then the desk that answers.
import type { IncomingMessage } from 'node:http';
import { authenticate, type Authentication, type RegisteredMerchant } from './authentication.ts';
import type { Delivery } from './delivery.ts';
import { readBody } from './listener.ts';
import { clientOrderIdOf, type Fields } from './operation-fields.ts';
import { type OctetPair, textOfOctets } from './percent-encoding.ts';
import type { ReplayGuard } from './replay-guard.ts';
import { formatOf, plainAnswer } from './reply.ts';
import { type Route, routeOf } from './route.ts';
import type { SimulatedOperation, ScenarioRequest } from './scenario.ts';
import type { SimulatorSettings } from './simulator-options.ts';
import { type Desk, takeStartRequest } from './start-routes.ts';
import { takeStatusRequest } from './status-routes.ts';

/** A request that was refused at the gate. */
export type Refusal = Omit<Extract<Authentication, { kind: 'refused' }>, 'kind'> & {
  readonly operation: SimulatedOperation;
  readonly atMs: number;
};

/** A request that passed the gate, with what was signed. */
export interface SeenRequest {
  readonly atMs: number;
  readonly operation: SimulatedOperation;
  readonly endpointId: string;
  readonly orderId: string;
  readonly login: string;
  /** As `HTTP 200`, or how the connection ended. */
  readonly answer: string;
  readonly baseString: string;
  readonly signature: string;
}

/** The ports of an exchange; the rest lives as long as the simulator. */
export interface SimulatedGateway extends Desk {
  readonly merchants: ReadonlyMap<string, RegisteredMerchant>;
  readonly replayGuard: ReplayGuard;
  readonly nextSerialNumber: () => string;
  /** Counts sends: 1 for the first of this login, kind of order and order id. */
  readonly nextSendNumber: (login: string, route: Route, orderId: string) => number;
  readonly onRouted: (operation: SimulatedOperation) => void;
  readonly onRefused: (refusal: Refusal) => void;
  readonly onSeen: (request: SeenRequest) => void;
}

const bodyLimitBytes = 64 * 1024;

/** Runs one exchange up to what is to be delivered. */
export async function answerExchange(gateway: SimulatedGateway, request: IncomingMessage): Promise<Delivery> {
  const { settings } = gateway;
  const target = request.url ?? '';
  const route = routeOf(target);
  if (route === undefined || (route.kind === 'inquiry' && settings.statusInquiry === 'absent'))
    return plain(404, 'Not Found');
  if (request.method !== 'POST') return plain(405, 'Method Not Allowed', { allow: 'POST' });
  const body = await readBody(request, bodyLimitBytes);
  if (body === 'too-large') return plain(413, 'Content Too Large', { connection: 'close' });
  gateway.onRouted(route.operation);
  const authentication = authenticateExchange(gateway, { request, target, body, route });
  if (authentication.kind === 'refused') {
    const { kind: _kind, ...why } = authentication;
    gateway.onRefused({ ...why, operation: route.operation, atMs: settings.nowMs() });
    return settings.authFailureStatus === 401
      ? plain(401, 'Unauthorized', { 'www-authenticate': 'OAuth' })
      : plain(403, 'Forbidden');
  }
  return answerAuthentic(gateway, route, { ...authentication, accept: request.headers.accept });
}

interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly target: string;
  readonly body: Buffer;
  readonly route: Route;
}

function authenticateExchange(gateway: SimulatedGateway, { request, target, body }: ReceivedRequest): Authentication {
  const { merchants, replayGuard } = gateway;
  const { host = '', authorization, 'content-type': contentType } = request.headers;
  const signed = { method: 'POST', scheme: 'http' as const, host, target, body, contentType, authorization };
  return authenticate(signed, { merchants, replayGuard });
}

interface AuthenticRequest extends Pick<SeenRequest, 'login' | 'baseString' | 'signature'> {
  readonly bodyFields: readonly OctetPair[];
  readonly accept: string | undefined;
}

async function answerAuthentic(gateway: SimulatedGateway, route: Route, request: AuthenticRequest): Promise<Delivery> {
  const { settings } = gateway;
  const fields = fieldsOf(request.bodyFields, settings);
  if (fields === undefined) return plain(400, 'Body is not UTF-8');
  const asked = scenarioRequestOf(gateway, route, { login: request.login, fields });
  const scenario = settings.scenario(asked);
  const format = settings.replyFormat === 'as-asked' ? formatOf(request.accept) : settings.replyFormat;
  const deskRequest = { asked, fields, format, serialNumber: gateway.nextSerialNumber() };
  const delivery =
    route.kind === 'start'
      ? await takeStartRequest(gateway, { ...deskRequest, route }, scenario)
      : await takeStatusRequest(gateway, { ...deskRequest, route }, scenario);
  const { operation, endpointId, orderId, receivedAtMs: atMs } = asked;
  const { login, baseString, signature } = request;
  const answer = delivery.kind === 'answer' ? `HTTP ${delivery.answer.status}` : delivery.kind;
  gateway.onSeen({ atMs, operation, endpointId, orderId, login, answer, baseString, signature });
  const latencyMs = typeof settings.latencyMs === 'number' ? settings.latencyMs : settings.latencyMs(asked);
  if (latencyMs > 0) await gateway.wait(latencyMs);
  return delivery;
}

function scenarioRequestOf(
  gateway: SimulatedGateway,
  route: Route,
  { login, fields }: { login: string; fields: Fields },
): ScenarioRequest {
  const orderId = clientOrderIdOf(fields);
  return {
    operation: route.operation,
    login,
    endpointId: route.endpointId,
    orderId,
    amount: fields.get('amount'),
    currency: fields.get('currency'),
    sendNumber: gateway.nextSendNumber(login, route, orderId),
    receivedAtMs: gateway.settings.nowMs(),
  };
}

/** The body's fields as trimmed text, trimmed after the signature was checked; `undefined` when they are no UTF-8. */
function fieldsOf(
  pairs: readonly OctetPair[],
  { orderIdField }: Pick<SimulatorSettings, 'orderIdField'>,
): Fields | undefined {
  const fields = new Map<string, string>();
  for (const [nameOctets, valueOctets] of pairs) {
    const name = textOfOctets(nameOctets);
    const value = textOfOctets(valueOctets);
    if (name === undefined || value === undefined) return undefined;
    if (!fields.has(name)) fields.set(name, value.trim());
  }
  if (orderIdField === 'client_orderid') fields.delete('client-order-id');
  if (orderIdField === 'client-order-id') fields.delete('client_orderid');
  return fields;
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Delivery {
  return { kind: 'answer', answer: plainAnswer(status, text, headers) };
}
