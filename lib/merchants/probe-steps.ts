// A probe's questions about a payout in two steps: whether the contract has them, and the one thing that no document has,
// what a second `payout-pay` of the same order does. One more order of the amount is started and paid, at the test account.
import { operations } from '../gateway/operations.ts';
import { type ProbeAnswer, statedIdOf } from './probe-asker.ts';
import type { Started } from './probe-orders.ts';
import type { Probing, ProfilePart } from './probing.ts';
import { formParameters } from '../gateway/fields.ts';

const topic = 'a payout in two steps';
const repeatedTopic = 'payout-pay a second time';

/** Pauses before each try to pay, in seconds: a check is validated within moments, and the gateway says 5 s (facts, part 2). */
const pausesSeconds = [0, 5, 10, 20];

/** Asks both, where a payout is what is probed. */
export async function askSteps(it: Probing, { start, status }: Started): Promise<void> {
  if (it.options.operation !== 'payout') return;
  const orderId = `probe-${it.ports.random.id().slice(0, 16)}`;
  const { endpointId, params } = it.options;
  const { path } = operations['payout-check'];
  const parameters = formParameters(operations['payout-check'], { orderIdField: start.field, orderId, params });
  const check = await it.asker.ask({ path, endpointId, method: start.method, parameters });
  const identity = statedIdOf(check.fields);
  if (check.kind !== 'accepted' || identity === undefined) return tellNotOffered(it, check);
  const paid = await payOnceValidated(it, { start, orderId, identity });
  if (paid.kind !== 'accepted') {
    const within = `${pausesSeconds.reduce((sum, pause) => sum + pause, 0)} s`;
    const says = `not as it stands, so that the profile goes without: payout-check is taken, and payout-pay was not within ${within}; ask the manager what a check waits for`;
    // A refusal of the payment is an answer; no answer is none.
    return it.tell({
      topic,
      says,
      evidence: `${check.evidence}; ${paid.evidence}`,
      sure: paid.kind === 'refused' ? 'inferred' : 'not found out',
    });
  }
  it.tell({
    topic,
    says: status
      ? 'payout-check and payout-pay are offered'
      : 'payout-check and payout-pay are offered, and no status: nobody would hear that a check is validated',
    evidence: `${check.evidence}; ${paid.evidence}`,
    ...(status && { profile: profileOf(start) }),
  });
  tellRepeated(it, await it.asker.ask(payRequest(it, { start, orderId, identity })), identity);
}

/** As far as it differs from what the documents say of both. */
function profileOf({ method, field }: Started['start']): ProfilePart {
  const { signatureMethod, orderIdField } = operations['payout-check'];
  return {
    twoStepPayouts: true,
    ...(method !== signatureMethod && { signatureMethod: { 'payout-check': method, 'payout-pay': method } }),
    ...(field !== orderIdField && { orderIdField: { 'payout-check': field, 'payout-pay': field } }),
  };
}

interface Checked {
  readonly start: Started['start'];
  readonly orderId: string;
  readonly identity: string;
}

function payRequest({ options, credentials }: Probing, { start, orderId, identity }: Checked) {
  const names = [
    [start.field, orderId] as const,
    ['orderid', identity] as const,
    ['login', credentials.login] as const,
  ];
  const { path } = operations['payout-pay'];
  return { path, endpointId: options.endpointId, method: start.method, parameters: names };
}

/** Too early is refused, and moves nothing. Only a refusal is followed by another try. */
async function payOnceValidated(it: Probing, checked: Checked): Promise<ProbeAnswer> {
  let last: ProbeAnswer | undefined;
  for (const pause of pausesSeconds) {
    if (pause > 0) await it.ports.clock.sleep(pause * 1000);
    last = await it.asker.ask(payRequest(it, checked));
    if (last.kind !== 'refused') return last;
  }
  return last ?? it.asker.ask(payRequest(it, checked));
}

function tellNotOffered({ tell }: Probing, { kind, evidence }: ProbeAnswer): void {
  if (kind === 'not-served') return tell({ topic, says: 'is not offered: payouts go in one step', evidence });
  const says = 'payout-check is not taken in this way: payouts go in one step, unless the manager says otherwise';
  tell({ topic, says, evidence, sure: 'inferred' });
}

function tellRepeated({ tell }: Probing, again: ProbeAnswer, identity: string): void {
  const { kind, evidence, fields } = again;
  if (kind !== 'accepted') {
    const code = fields.get('error-code');
    const says = `is refused${code === undefined ? '' : ` with code ${code}`}: a payment whose answer was lost is not made twice by it`;
    const isRefusal = kind === 'refused' || kind === 'odd';
    return tell({ topic: repeatedTopic, says, evidence, sure: isRefusal ? 'seen' : 'inferred' });
  }
  const order = statedIdOf(fields) === identity ? 'the same order' : 'another order';
  const says = `is taken again, as ${order}: look at the balance whether it paid twice; the worker never sends it by itself`;
  tell({ topic: repeatedTopic, says, evidence });
}
