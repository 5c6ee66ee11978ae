// One trial: one POST through the real adapter over a cable that is cut at one byte, judged by the real table, and what
// must never be true of it. One trial at a time has a port for itself, so that a second connection can't hide.
import { createHttpGateway } from '../../../lib/gateway/http-gateway.ts';
import type { Evidence, GatewayRequest } from '../../../lib/gateway/ports.ts';
import { defaultLimits } from '../../../lib/payout/limits.ts';
import type { GatewayOutcome } from '../../../lib/gateway/gateway-outcome.ts';
import { judge } from '../../../lib/gateway/outcome.ts';
import { defaultProfile } from '../../../lib/gateway/profile.ts';
import { aPayoutJob, jobOf } from '../../support/jobs.ts';
import type { Heard, RawServer } from '../../support/raw-server.ts';
import { testCertificatePem } from '../../local/gateway/support/tls-certificate.ts';
import { socketsOpenedTo } from './client-sockets.ts';
import { type Cut, type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import { gatewayOrderId, orderId } from './wire.ts';

/** What one trial is about. */
export interface Trial {
  readonly gateway: Pick<RawServer, 'port' | 'heardFrom'>;
  readonly cut?: Cut;
  readonly scheme?: 'http' | 'https';
  /** Outcomes that the bytes which got through can prove, given all that was seen; doubt is always allowed. */
  readonly provable?: (seen: Seen) => readonly GatewayOutcome['kind'][];
  readonly limits?: Partial<typeof patientLimits>;
}

/** What was seen of one trial. */
export interface Seen {
  readonly evidence: Evidence;
  readonly outcome: GatewayOutcome;
  readonly heard: Heard;
  /** Bytes on the wire that got through. */
  readonly passedRequest: Buffer;
  readonly passedReply: Buffer;
}

/** Nothing in a trial waits for these but what is meant to. */
export const patientLimits = {
  ...defaultLimits,
  gatewayConnectTimeoutMs: 5_000,
  gatewayHeadersTimeoutMs: 5_000,
  gatewayBodyTimeoutMs: 5_000,
  gatewayTotalTimeoutMs: 15_000,
};

/** For a gateway that falls silent. */
export const shortLimits = {
  gatewayConnectTimeoutMs: 150,
  gatewayHeadersTimeoutMs: 150,
  gatewayBodyTimeoutMs: 150,
  gatewayTotalTimeoutMs: 450,
};

/** The order of every trial. */
const job = jobOf(aPayoutJob({ orderId }));

/** A request of the size and shape of a real one. */
export function requestTo(url: string): GatewayRequest {
  const signature = `${'kQ7%2FsR2%2B'.repeat(34)}%3D%3D`;
  return {
    url: `${url}/paynet/api/v4/payout/39915`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/vnd.pay+json',
      authorization: `OAuth oauth_consumer_key="acme", oauth_nonce="n", oauth_signature="${signature}"`,
    },
    body: `client-order-id=${orderId}&amount=10.42&currency=EUR&account_number=DE89370400440532013000`,
    notAfterMs: Number.POSITIVE_INFINITY,
  };
}

/** A trial's outcome, and a sentence for each rule that was broken. */
export type Verdict = Seen & { readonly broken: readonly string[] };

/** Makes one trial. */
export async function attempt(trial: Trial): Promise<Verdict> {
  const proxy = await startCuttingProxy(trial.gateway.port);
  try {
    return await attemptOver(proxy, trial);
  } finally {
    await proxy.close();
  }
}

async function attemptOver(proxy: CuttingProxy, trial: Trial): Promise<Verdict> {
  const { gateway, cut, scheme = 'http', limits, provable = () => [] } = trial;
  const passage = proxy.begin(cut);
  // Ports come round: what went to this one before is another story.
  socketsOpenedTo(proxy.port);
  const adapter = createHttpGateway({
    limits: { ...patientLimits, ...limits },
    nowMs: Date.now,
    uptimeMs: () => 0,
    ...(scheme === 'https' && { ca: testCertificatePem }),
  });
  const evidence = await adapter.post(requestTo(`${scheme}://127.0.0.1:${proxy.port}`));
  const sockets = socketsOpenedTo(proxy.port);
  const open = sockets.filter((socket) => !socket.closed).length;
  await passage.end();
  const outcome = judge(evidence, job, defaultProfile);
  const heard = gateway.heardFrom(passage.upstreamPorts());
  const passed = { passedRequest: passage.passed('request'), passedReply: passage.passed('reply') };
  const seen: Seen = { evidence, outcome, heard, ...passed };
  const broken: string[] = [];
  if (open > 0) broken.push('a socket was open when post() resolved');
  if (sockets.length !== 1 || passage.connections() > 1) {
    broken.push(`${sockets.length} sockets, ${passage.connections()} connections for one post()`);
  }
  if (heard.requests > 1) broken.push('the gateway read two requests');
  broken.push(...liesOf(seen, scheme, provable(seen)));
  const where = cut ? `${cut.kind} after ${cut.afterBytes} bytes of the ${cut.direction}: ` : '';
  return { ...seen, broken: broken.map((it) => `${where}${it} (${JSON.stringify({ outcome, evidence })})`) };
}

function liesOf({ evidence, outcome, heard, passedRequest }: Seen, scheme: string, provable: readonly string[]) {
  const untruths: string[] = [];
  // Below TLS the first bytes are the handshake's; there the gateway itself says whether it read a request byte.
  const reached = scheme === 'https' ? heard.requestBytes : Math.max(heard.requestBytes, passedRequest.length);
  if (reached > 0 && evidence.kind === 'not-sent') untruths.push(`said not sent, but ${reached} bytes arrived`);
  const allowed = [
    ...provable,
    'in-doubt',
    ...(reached === 0 && evidence.kind === 'not-sent' ? ['not-processed'] : []),
  ];
  if (!allowed.includes(outcome.kind)) untruths.push(`said ${outcome.kind}, which nothing proves`);
  if (outcome.kind === 'accepted' && outcome.gatewayOrderId !== gatewayOrderId) untruths.push('told a wrong id');
  return untruths;
}

/** Makes many trials at one gateway, so many at a time; answers with every broken rule. */
export async function attemptAll(trials: readonly Trial[], atOnce = 32): Promise<{ tried: number; broken: string[] }> {
  const [first] = trials;
  if (!first) throw new RangeError('nothing was tried');
  const queue = trials.values();
  const broken: string[] = [];
  const lane = async () => {
    const proxy = await startCuttingProxy(first.gateway.port);
    for (const trial of queue) broken.push(...(await attemptOver(proxy, trial)).broken);
    await proxy.close();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return { tried: trials.length, broken };
}

/** 0 to `last`: every one, or one in `stride` and those named. */
export function offsets(last: number, stride = 1, always: readonly number[] = []): number[] {
  const wanted = new Set([0, 1, last - 1, last, ...always.flatMap((it) => [it - 1, it, it + 1])]);
  return Array.from({ length: last + 1 }, (_, offset) => offset).filter((it) => it % stride === 0 || wanted.has(it));
}
