// The fictitious gateway of meridian.ts: it keeps payments by their reference and answers in its own JSON.
import type { Evidence, Gateway, GatewayRequest } from '../../lib/gateway/ports.ts';
import type { MeridianPayment } from './meridian.ts';

/** What it does with the next payments. */
type Mood = 'takes' | 'refuses' | 'takes and falls silent' | 'loses';

/** A gateway that a story can look into. */
export interface MeridianGateway extends Gateway {
  readonly requests: GatewayRequest[];
  readonly payments: Map<string, MeridianPayment>;
  becomes(mood: Mood): void;
  /** What becomes of a payment that it has. */
  ends(reference: string, state: MeridianPayment['state']): void;
}

const answer = (httpStatus: number, body: object): Evidence => ({
  kind: 'answer',
  httpStatus,
  body: JSON.stringify(body),
  framing: 'delimited',
});
const silence: Evidence = { kind: 'no-answer', reason: 'no answer within 20000 ms' };

/** One that takes whatever bears this token. */
export function createMeridianGateway(token = 'fake-token'): MeridianGateway {
  const payments = new Map<string, MeridianPayment>();
  const requests: GatewayRequest[] = [];
  let mood: Mood = 'takes';

  function pay({ body }: GatewayRequest): Evidence {
    if (mood === 'refuses') return answer(422, { problem: 'the account is closed' });
    if (mood === 'loses') return silence;
    const { reference, value } = JSON.parse(body) as Pick<MeridianPayment, 'reference' | 'value'>;
    const payment = { id: `mp-${payments.size + 1}`, reference, state: 'queued', value } as const;
    payments.set(reference, payment);
    return mood === 'takes' ? answer(201, payment) : silence;
  }

  function show({ url }: GatewayRequest): Evidence {
    const payment = payments.get(url.slice(url.lastIndexOf('/') + 1));
    return payment ? answer(200, payment) : answer(404, { problem: 'unknown-payment' });
  }

  return {
    requests,
    payments,
    becomes: (next) => void (mood = next),
    ends(reference, state) {
      const payment = payments.get(reference);
      if (payment) payments.set(reference, { ...payment, state });
    },
    async post(request) {
      requests.push(request);
      if (request.headers['authorization'] !== `Bearer ${token}`) return answer(401, { problem: 'token' });
      return request.method === 'GET' ? show(request) : pay(request);
    },
  };
}
