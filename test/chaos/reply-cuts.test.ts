// The cable is cut at every byte of the reply, for every way in which HTTP can mark a reply's end. A reply is believed
// only as far as its bytes prove it: a cut acceptance is doubt, a cut refusal too, and half an id is never an id.
import { describe, expect, it } from 'vitest';
import type { GatewayOutcome } from '../../lib/gateway/gateway-outcome.ts';
import { reads, says, saysAndStalls, startRawServer } from '../support/raw-server.ts';
import type { CutKind } from './support/cutting-proxy.ts';
import { attempt, attemptAll, offsets, type Seen, shortLimits } from './support/trial.ts';
import {
  acceptance,
  formOf,
  type Framing,
  framings,
  gatewayOrderId,
  isUntilClose,
  jsonOf,
  refusal,
  refusalOfKnownOrder,
  refusalOfTakenOrder,
  wireReply,
} from './support/wire.ts';

interface Reply {
  readonly name: string;
  readonly status: string;
  readonly body: string;
  /** What the whole reply means; an answer until close in form text has no whole. */
  readonly means: GatewayOutcome['kind'];
}

const replies: readonly Reply[] = [
  { name: 'acceptance in form text', status: '200 OK', body: formOf(acceptance), means: 'accepted' },
  { name: 'acceptance in JSON', status: '200 OK', body: jsonOf(acceptance), means: 'accepted' },
  { name: 'refusal in form text', status: '200 OK', body: formOf(refusal), means: 'declined' },
  { name: 'refusal in JSON', status: '400 Bad Request', body: jsonOf(refusal), means: 'declined' },
  { name: 'known order in form text', status: '200 OK', body: formOf(refusalOfKnownOrder), means: 'in-doubt' },
  { name: 'known order in JSON', status: '400 Bad Request', body: jsonOf(refusalOfKnownOrder), means: 'in-doubt' },
  {
    name: 'known order in form text under 401',
    status: '401 Unauthorized',
    body: formOf(refusalOfTakenOrder),
    means: 'in-doubt',
  },
  {
    name: 'known order in JSON under 429',
    status: '429 Too Many Requests',
    body: jsonOf(refusalOfTakenOrder),
    means: 'in-doubt',
  },
  { name: 'a page', status: '404 Not Found', body: '<html><body>Not found</body></html>\n', means: 'not-processed' },
];

/**
 * FIN at every byte: it is the one end that can pass for a whole reply. RST at every byte of the usual framing, else at
 * one in four; silence, which costs its whole time-out, at one in eight. Borders and their neighbours always.
 */
const strideOf = (kind: CutKind, framing: Framing) =>
  kind === 'stall' ? 8 : kind === 'reset' && framing !== 'content-length' ? 4 : 1;

/**
 * Where the end is marked, no cut reply is read at all, so that one refusal serves for all. The rarer framings take the
 * same way through the code as `until close`, and only the replies that can lie there are cut in them.
 */
function repliesIn(framing: Framing): readonly Reply[] {
  if (!isUntilClose(framing)) return replies.filter(({ name }) => !name.startsWith('known order'));
  return framing === 'until close'
    ? replies
    : replies.filter(({ means }) => means === 'accepted' || means === 'in-doubt');
}

describe.each(framings)('a cut in a reply marked by %s', (framing) => {
  it.each(repliesIn(framing))('$name', async (reply) => {
    const bytes = wireReply(framing, reply.status, reply.body);
    const headEnd = bytes.indexOf('\r\n\r\n') + 4;
    const gateway = await replying(bytes, framing);
    const whole = await attempt({ gateway, provable: () => [reply.means] });
    expect(whole.broken).toEqual([]);
    expect(whole.outcome.kind).toBe(meaningOf(reply, framing));
    const lineFeeds = [...reply.body.matchAll(/\n/g)].map((it) => headEnd + it.index + 1);
    const trialsOf = (kind: CutKind) =>
      offsets(bytes.length, strideOf(kind, framing), [headEnd, ...lineFeeds]).map((afterBytes) => ({
        gateway,
        cut: { direction: 'reply', afterBytes, kind } as const,
        provable: (seen: Seen) => provableFrom(seen, { framing, reply, bytes, kind }),
        ...(kind === 'stall' && { limits: shortLimits }),
      }));
    const trials = [...trialsOf('stall'), ...trialsOf('reset'), ...trialsOf('close')];
    // Side by side, so that the others go on while some wait.
    const { broken } = await attemptAll(
      trials.toSorted((a, b) => a.cut.afterBytes - b.cut.afterBytes),
      60,
    );
    expect(broken.slice(0, 5)).toEqual([]);
  });
});

describe('a reply that comes a byte at a time', () => {
  it.each(framings)('is put together whole (%s)', async (framing) => {
    const bytes = wireReply(framing, '200 OK', formOf(acceptance));
    const drips = reads((socket) => {
      let at = 0;
      const drip = () => {
        if (at === bytes.length) return isUntilClose(framing) ? socket.end() : undefined;
        return socket.write(bytes.subarray(at, (at += 1)), () => setImmediate(drip));
      };
      drip();
    });
    const gateway = await startRawServer('http', drips);
    const { outcome, broken } = await attempt({ gateway, provable: () => ['accepted'] });
    expect(broken.slice(0, 5)).toEqual([]);
    expect(outcome).toEqual({ kind: 'accepted', gatewayOrderId });
  });
});

const replying = (bytes: Buffer, framing: Framing) =>
  startRawServer('http', isUntilClose(framing) ? says(bytes) : saysAndStalls(bytes));

/** Where nothing marks the end, text that is not JSON may always have had more to say against it. */
function meaningOf({ means, body }: Reply, framing: Framing): GatewayOutcome['kind'] {
  return isUntilClose(framing) && !body.startsWith('{') && means !== 'accepted' ? 'in-doubt' : means;
}

function provableFrom(
  { passedReply }: Seen,
  { framing, reply, bytes, kind }: { framing: Framing; reply: Reply; bytes: Buffer; kind: CutKind },
): GatewayOutcome['kind'][] {
  if (passedReply.length === bytes.length && (!isUntilClose(framing) || kind === 'close'))
    return [meaningOf(reply, framing)];
  if (!isUntilClose(framing) || kind !== 'close' || reply.means !== 'accepted' || reply.body.startsWith('{')) return [];
  // Form text until close: the acceptance is proven once type, our order id and the gateway's id are there, each ended
  // by its line feed. Nothing that may have followed takes that back.
  const proof = bytes.indexOf(`${gatewayOrderId}\n`) + gatewayOrderId.length + 1;
  return passedReply.length >= proof && passedReply.at(-1) === 0x0a ? ['accepted'] : [];
}
