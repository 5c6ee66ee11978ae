// A probe's questions to the status inquiry: whether there is one, how it is signed and spelled, when it first knows an
// order, and its answers about an unknown order, of two orders under one id, and of an id that does not fit.
import { statusRequest } from '../gateway/inquiry.ts';
import { operations, type OrderIdField } from '../gateway/operations.ts';
import { methodsOf } from '../gateway/signed-request.ts';
import { statedIdOf, plain, type ProbeAnswer, type ProbeRequest } from './probe-asker.ts';
import type { Probing } from './probing.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';

/** How this gateway is asked for a status. */
export interface StatusWay {
  /** A question about an unknown order. */
  ofUnknown(): ProbeRequest;
  /** Asks about two orders under one id, and finds which of them is answered. */
  askOfTwo(orderId: string, ids: { readonly older: string; readonly newer: string }): Promise<void>;
}

interface Known {
  readonly orderId: string;
  readonly identity: string | undefined;
}

interface Way {
  readonly method: SignatureMethodName;
  readonly field: OrderIdField;
}

/** Asks about the order that was started; undefined if this gateway answers no statuses. */
export async function askStatus(it: Probing, known: Known): Promise<StatusWay | undefined> {
  const { tell } = it;
  const found = await findWay(it, known);
  if (found.kind === 'absent') {
    const says = 'is not answered: an accepted order is the last that is known of it, doubt waits for a person';
    tell({ topic: 'status inquiry', says, evidence: found.evidence, profile: { statusInquiry: false } });
    return undefined;
  }
  const { way, answer } = found;
  tellWay(it, way, answer);
  tellLag(it, answer, found.kind === 'found' ? found.waitedMs : undefined);
  await askOfNobody(it, way);
  await askOfAnother(it, way, known);
  if (found.kind === 'found') tellTypes(it, answer);
  return {
    ofUnknown: () => statusOf(it, way, { orderId: unknownId(it), identity: undefined }),
    askOfTwo: (orderId, ids) => askOfTwo(it, way, orderId, ids),
  };
}

const unknownId = ({ ports }: Probing) => `probe-none-${ports.random.id().slice(0, 16)}`;

function statusOf(it: Probing, { method, field }: Way, { orderId, identity }: Known): ProbeRequest {
  const parameters: [string, string][] = [
    ['login', it.credentials.login],
    [field, orderId],
  ];
  if (identity !== undefined) parameters.push(['orderid', identity]);
  return { path: statusRequest.path, endpointId: it.options.endpointId, method, parameters };
}

type Found =
  | { readonly kind: 'found'; readonly way: Way; readonly answer: ProbeAnswer; readonly waitedMs: number }
  /** The status was asked, and did not know the order in the time given. */
  | { readonly kind: 'unseen'; readonly way: Way; readonly answer: ProbeAnswer }
  | { readonly kind: 'absent'; readonly evidence: string };

/** Seconds between two looks for an order that is not visible yet. */
const pausesSeconds = [0, 1, 2, 4, 8, 15, 30];

/** Asks about the known order until it is reported: an order that is not visible yet looks like one under a wrong spelling. */
async function findWay(it: Probing, known: Known): Promise<Found> {
  const { ports, options, asker } = it;
  const begunMs = ports.clock.nowMs();
  const ways = possibleWays(it);
  let last: Extract<Found, { kind: 'unseen' }> | undefined;
  let evidence = 'the secret has no key for it';
  for (const pause of pausesSeconds) {
    if ((ports.clock.nowMs() - begunMs) / 1000 + pause > options.waitSeconds) break;
    if (pause > 0) await ports.clock.sleep(pause * 1000);
    for (const way of ways) {
      // The other method is tried once this one is out of the question.
      if (last && last.way.method !== way.method) break;
      const answer = await asker.ask(statusOf(it, way, { ...known, identity: undefined }));
      ({ evidence } = answer);
      if (answer.kind === 'reported') return { kind: 'found', way, answer, waitedMs: ports.clock.nowMs() - begunMs };
      if (answer.kind === 'not-served') return { kind: 'absent', evidence };
      // A signature or a spelling that it does not take will not become right by waiting.
      const isWrong = answer.kind === 'not-authentic' || answer.fields.get('type') === 'validation-error';
      if (isWrong) ways.delete(way);
      else last = { kind: 'unseen', way, answer };
    }
    if (ways.size === 0) break;
  }
  return last ?? { kind: 'absent', evidence };
}

function possibleWays({ credentials }: Probing): Set<Way> {
  const methods = methodsOf(credentials).toSorted((one) => (one === statusRequest.signatureMethod ? -1 : 1));
  const fields: OrderIdField[] = ['client_orderid', 'client-order-id'];
  return new Set(methods.flatMap((method) => fields.map((field) => ({ method, field }))));
}

function tellWay({ tell }: Probing, { method, field }: Way, { evidence }: ProbeAnswer): void {
  tell({ topic: 'status inquiry', says: 'is answered', evidence, profile: { statusInquiry: true } });
  tell({
    topic: 'signature of status',
    says: method,
    evidence,
    profile: method === statusRequest.signatureMethod ? undefined : { signatureMethod: { status: method } },
  });
  tell({
    topic: 'spelling of the order id in status',
    says: field,
    evidence,
    profile: field === statusRequest.orderIdField ? undefined : { orderIdField: { status: field } },
  });
}

function tellLag({ tell, options }: Probing, { evidence }: ProbeAnswer, waitedMs: number | undefined): void {
  const topic = 'a new order is visible to status';
  if (waitedMs === undefined) {
    const says = `not within ${options.waitSeconds} s: run it again with a longer --wait`;
    return tell({ topic, says, evidence, sure: 'not found out' });
  }
  const says =
    waitedMs < 1_000
      ? 'at once'
      : `after about ${Math.round(waitedMs / 1000)} s; quietPeriodSeconds must be many times that`;
  tell({ topic, says, evidence });
}

/** Only a plain "no such order" may ever prove that an order was not taken. */
async function askOfNobody(it: Probing, way: Way): Promise<void> {
  const answer = await it.asker.ask(statusOf(it, way, { orderId: unknownId(it), identity: undefined }));
  const code = answer.fields.get('error-code');
  const type = answer.fields.get('type');
  const isPlain = type === 'error' && code === '101';
  const says = isPlain
    ? 'type=error, code 101: the worker reads it as "no such order"'
    : `${type === undefined ? 'no type' : `type=${plain(type, 40)}`}${code === undefined ? '' : `, code ${plain(code, 16)}`}: the worker takes it for no answer, so resubmitUnknownOrders is of no use here`;
  it.tell({ topic: 'status of an unknown order', says, evidence: answer.evidence });
}

/** Does a gateway order id that is not the order's change the answer? */
async function askOfAnother(it: Probing, way: Way, known: Known): Promise<void> {
  const topic = 'status with an orderid that does not fit';
  if (known.identity === undefined) return;
  const wrong = /^\d+$/.test(known.identity) ? String(BigInt(known.identity) + 7_777_777n) : `${known.identity}x`;
  const answer = await it.asker.ask(statusOf(it, way, { ...known, identity: wrong }));
  const isIgnored = answer.kind === 'reported' && statedIdOf(answer.fields) === known.identity;
  const says = isIgnored
    ? 'orderid is ignored: the answer goes by the order id alone'
    : 'orderid is heeded: no answer about the order';
  it.tell({ topic, says, evidence: answer.evidence });
}

async function askOfTwo(
  it: Probing,
  way: Way,
  orderId: string,
  { older, newer }: { readonly older: string; readonly newer: string },
): Promise<void> {
  const topic = 'status of two orders under one order id';
  const { ports, asker } = it;
  let answer = await asker.ask(statusOf(it, way, { orderId, identity: undefined }));
  // The second one may not be visible yet: then the answer is about the older one by chance.
  for (const pause of pausesSeconds.slice(1, 4)) {
    if (statedIdOf(answer.fields) !== older) break;
    await ports.clock.sleep(pause * 1000);
    answer = await asker.ask(statusOf(it, way, { orderId, identity: undefined }));
  }
  const named = statedIdOf(answer.fields);
  const { evidence } = answer;
  if (answer.kind === 'reported' && (named === older || named === newer))
    return it.tell({
      topic,
      says: named === newer ? 'tells of the newer' : 'tells of the older',
      evidence,
    });
  it.tell({ topic, says: 'tells of neither; the worker asks by orderid as well', evidence });
}

/** The name of the operation's own transaction: another one is a reversal or chargeback to the worker. */
function tellTypes({ tell, options }: Probing, { fields, evidence }: ProbeAnswer): void {
  const topic = 'transaction type in statuses';
  const type = fields.get('transaction-type');
  if (type === undefined) return tell({ topic, says: 'is not reported', evidence });
  const isKnown = operations[options.operation].transactionTypes.includes(type.toLowerCase());
  tell({
    topic,
    says: `"${plain(type, 40)}"`,
    evidence,
    profile: isKnown ? undefined : { transactionTypes: { [options.operation]: [type] } },
  });
}
