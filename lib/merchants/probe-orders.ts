// A probe's questions that take orders: which spelling and signature start one, how its answer looks, what becomes of the same order
// id a second time, and which status it has then. Two orders at most are started here.
import { type OrderIdField, operations } from '../gateway/operations.ts';
import { methodsOf } from '../gateway/signed-request.ts';
import { statedIdOf, plain, type ProbeAnswer } from './probe-asker.ts';
import type { Probing } from './probing.ts';
import { askStatus, type StatusWay } from './probe-status.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';
import { formParameters } from '../gateway/fields.ts';

/** How an order is started at this gateway. */
interface StartWay {
  readonly method: SignatureMethodName;
  readonly field: OrderIdField;
}

/** The findings about orders, for the questions that follow. */
export interface Started {
  readonly start: StartWay;
  readonly status?: StatusWay;
}

/** Asks them all; `why` if no order could be started. */
export async function askOrders(it: Probing): Promise<Started | { readonly why: string }> {
  const orderId = `probe-${it.ports.random.id().slice(0, 16)}`;
  const begun = await firstOrder(it, orderId);
  if ('why' in begun) return begun;
  const { start, answer } = begun;
  tellFormat(it, answer);
  const status = await askStatus(it, { orderId, identity: statedIdOf(answer.fields) });
  await askDuplicate(it, orderId, { start, first: answer, status });
  return { start, status };
}

/** The parameters of a start; without `params` the gateway must refuse it, whatever it thinks of the signature. */
function startRequest(it: Probing, orderId: string, { method, field }: StartWay) {
  const { operation: name, endpointId, params } = it.options;
  const operation = operations[name];
  const parameters = formParameters(operation, { orderIdField: field, orderId, params });
  return { path: operation.path, endpointId, method, parameters };
}

const both = (first: OrderIdField): OrderIdField[] =>
  first === 'client_orderid' ? ['client_orderid', 'client-order-id'] : ['client-order-id', 'client_orderid'];

/** The documented method and spelling first; if the gateway refuses them, the others. */
async function firstOrder(
  it: Probing,
  orderId: string,
): Promise<{ readonly start: StartWay; readonly answer: ProbeAnswer } | { readonly why: string }> {
  const { operation: name } = it.options;
  const operation = operations[name];
  const methods = methodsOf(it.credentials).toSorted((one) => (one === operation.signatureMethod ? -1 : 1));
  if (methods.length === 0) return { why: 'the secret has neither privateKey nor controlKey: nothing can be signed' };
  let last: ProbeAnswer | undefined;
  for (const method of methods) {
    for (const field of both(operation.orderIdField)) {
      const answer = await it.asker.ask(startRequest(it, orderId, { method, field }));
      last = answer;
      if (answer.kind === 'accepted') {
        tellStart(it, { method, field }, answer);
        return { start: { method, field }, answer };
      }
      // Another spelling changes nothing for a signature that is not taken, or an address where nothing is.
      if (answer.kind !== 'refused') break;
    }
    if (last && last.kind !== 'not-authentic') break;
  }
  return { why: last ? whyNotStarted(last) : 'no request was made' };
}

function whyNotStarted(last: ProbeAnswer): string {
  switch (last.kind) {
    case 'not-authentic':
      return `the gateway refuses the signature (${last.evidence}): is the key the account's (of an RSA key, has its manager your public one), is the login right, may this login use the endpoint?`;
    case 'refused': {
      const message = last.fields.get('error-message');
      const words = message === undefined ? '' : `: ${plain(message, 120)}`;
      return `the gateway refuses the order (${last.evidence})${words}; give the fields that its contract asks for with --field`;
    }
    case 'not-served':
      return `nothing is served there (${last.evidence}): are baseUrl, profile.apiPath and the endpoint right?`;
    default:
      return `the gateway gives no answer that can be read (${last.evidence}): is baseUrl the gateway's own address?`;
  }
}

function tellStart(it: Probing, { method, field }: StartWay, { evidence }: ProbeAnswer): void {
  const { operation: name } = it.options;
  const operation = operations[name];
  it.tell({
    topic: `signature of ${name}`,
    says: method,
    evidence,
    profile: method === operation.signatureMethod ? undefined : { signatureMethod: { [name]: method } },
  });
  it.tell({
    topic: `spelling of the order id in ${name}`,
    says: field,
    evidence,
    profile: field === operation.orderIdField ? undefined : { orderIdField: { [name]: field } },
  });
}

function tellFormat(it: Probing, { format, evidence }: ProbeAnswer): void {
  it.tell({
    topic: 'form of replies where JSON is asked for',
    says: format === 'json' ? 'JSON' : 'form text; the worker reads both',
    evidence,
  });
}

/** The same order once more: does the contract refuse an order id that it has seen? */
async function askDuplicate(
  it: Probing,
  orderId: string,
  { start, first, status }: Started & { readonly first: ProbeAnswer },
): Promise<void> {
  const second = await it.asker.ask(startRequest(it, orderId, start));
  const ids = [statedIdOf(first.fields), statedIdOf(second.fields)];
  const line = { topic: 'the same order id a second time', evidence: second.evidence };
  const code = second.fields.get('error-code');
  if (second.kind === 'refused') {
    if (code === undefined) return it.tell({ ...line, says: 'refused' });
    return it.tell({
      ...line,
      says: `refused with code ${code}`,
      profile: { duplicateOrderCodes: [code] },
    });
  }
  if (second.kind !== 'accepted')
    return it.tell({ ...line, says: 'gave no answer that can be read', sure: 'not found out' });
  if (ids[0] === ids[1]) {
    const says =
      'answered with the same gateway order id; ask the manager whether that is for ever before relying on it';
    return it.tell({ ...line, says });
  }
  it.tell({
    ...line,
    says: 'taken as a second order, which would be paid too: the worker alone keeps it from happening',
  });
  if (status) await status.askOfTwo(orderId, { older: ids[0] ?? '', newer: ids[1] ?? '' });
}

/** The request that every gateway refuses for its content alone: a start without amount. */
export function hollowStart(it: Probing, { start, status }: Started) {
  if (status) return status.ofUnknown();
  const { path, endpointId, method } = startRequest(it, `probe-${it.ports.random.id().slice(0, 16)}`, start);
  const parameters = [[start.field, `probe-${it.ports.random.id().slice(0, 16)}`]] as const;
  return { path, endpointId, method, parameters };
}
