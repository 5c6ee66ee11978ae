// The gateway: it reads each POST from its signed form, commits orders by its mood, and answers. The network (network.ts)
// is between it and the worker: connecting takes time, and whether there is time left is the worker's to see. It is a gateway of its
// own, as that of `payouts local` lives on a socket in real time, and weather needs turns of virtual time and answers cut in them.
import type { Evidence, Gateway, GatewayRequest } from '../../lib/gateway/ports.ts';
import { statusRequest } from '../../lib/gateway/inquiry.ts';
import { operationNames, operations } from '../../lib/gateway/operations.ts';
import type { Book, Booking } from './gateway-book.ts';
import { inquiries } from './gateway-looks.ts';
import { type Mood, moods, type Post } from './gateway-moods.ts';
import type { Merchants } from './merchants.ts';
import { createNetwork, type Exchange } from './network.ts';
import type { Process } from './process.ts';
import type { HeldTruth } from './design-rules.ts';
import type { SentPost } from './truth.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';
import type { Weather } from './weather.ts';

/** The surroundings of the gateway. */
export interface GatewaySurroundings {
  readonly timeline: Timeline;
  readonly weather: () => Weather;
  readonly truth: HeldTruth;
  readonly story: Story;
  /** Requests under a login that it does not know are refused. */
  readonly knows: Merchants['knows'];
  /** The gateway itself refuses an order id that it has seen. */
  readonly refusesDuplicates: (merchant: string) => boolean;
  readonly book: Book;
  /** A request leaves. */
  readonly onPost: (post: Post) => void;
  /** An order has entered the books. */
  readonly onBooking: (merchant: string, booking: Booking) => void;
}

/** An order may still be committed so long after the client gave up. */
const lateCommitMs = 45_000;

/** The gateway, as ports for each process. */
export function createGateway(surroundings: GatewaySurroundings): { portFor(process: Process): Gateway } {
  const { timeline, weather, truth, story, knows, refusesDuplicates, book, onPost, onBooking } = surroundings;
  let gatewayOrderIds = 9_000_000;
  let duplicates = 0;

  /** The gateway's own checks come before its mood. */
  function moodFor(post: Post, merchant: string, login: string): Mood {
    const mood = weather().mood(post);
    if (mood.connectionFails) return mood;
    if (!knows(merchant, login, post.origin, false)) return moods['refuses the signature'];
    const isSeenThere = book.of(post.order).some((it) => it.post.origin === post.origin);
    if (isSeenThere && refusesDuplicates(merchant))
      return (
        refusalsOfDuplicates[(gatewayOrderIds + (duplicates += 1)) % refusalsOfDuplicates.length] ?? refusedAsDuplicate
      );
    return mood;
  }

  function commit(post: Post, gatewayOrderId: string): void {
    truth.commits(post, gatewayOrderId);
    const booking = book.enters(post, gatewayOrderId, weather().fate(post));
    if (post.movesMoney) onBooking(post.order.slice(0, post.order.indexOf('/')), booking);
  }

  function receive(sent: SentPost): Evidence {
    const { post, mood } = sent;
    const gatewayOrderId = String((gatewayOrderIds += 1));
    if (mood.commits === 'at once') commit(post, gatewayOrderId);
    if (mood.commits === 'late') {
      const delayMs = (mood.afterMs ?? weather().latencyMs('POST')) + lateCommitMs;
      truth.willCommit(post);
      timeline.after(delayMs, () => commit(post, gatewayOrderId));
    }
    return mood.evidence(post, gatewayOrderId);
  }

  /** A status inquiry: the gateway's books as they can be seen now, or the answer of its mood. */
  function lookExchange({ post, merchant, login, askedId }: RequestRead, process: Process): Exchange {
    const asked = weather().look();
    const isKnown = knows(merchant, login, post.origin, true);
    const mood = !asked.connectionFails && !isKnown ? inquiries['refuses the signature'] : asked;
    const isRefused = mood === inquiries['refuses the signature'];
    const look = () => {
      const booking = book.visible(post.order, post.origin);
      const status = (booking && book.statusNow(booking)) ?? 'processing';
      return { orderId: post.orderId, booking, status, askedId };
    };
    return {
      order: post.order,
      connectionFails: mood.connectionFails ?? false,
      refused: () => replyOf(mood, mood.evidence(look())),
      async exchange() {
        let denied = false;
        const evidence = await process.effectAtOnce('look', post.order, () => {
          truth.asks(post.order, process.name);
          const { booking, ...more } = look();
          // The gateway knows nothing of an order that was sent elsewhere, unless that was denied, declined or refused there before.
          const sentTo = truth.livingPosts(post.order).at(-1)?.post.origin;
          denied = mood.isTrue === true && !booking && (sentTo ?? post.origin) === post.origin;
          if (denied) book.denies(post.order);
          const said = mood.isTrue ? (booking ? `: ${more.status}` : ': no such order') : '';
          story.tell(process.name, post.order, () => `asks for the status: the gateway ${mood.name}${said}`);
          return replyOf(mood, mood.evidence({ booking, ...more }));
        });
        if (denied) truth.hearsDenial(post.order);
        if (isRefused) truth.hearsRefusedSignature(post.order, process.name);
        return evidence;
      },
    };
  }

  function postExchange({ post, merchant, login }: RequestRead, process: Process): Exchange {
    const drawn = moodFor(post, merchant, login);
    return {
      order: post.order,
      connectionFails: drawn.connectionFails ?? false,
      refused() {
        story.tell(process.name, post.order, () => `finds that the gateway ${drawn.name}`);
        return replyOf(drawn, drawn.evidence(post, ''));
      },
      async exchange(connection) {
        onPost(post);
        const mood = connection.state === 'closed unseen' ? moods['resets, nothing committed'] : drawn;
        const sent = truth.posts(post, mood, process);
        const fault = connection.faultOfUse();
        if (fault) truth.breaks(`a POST left for ${post.order} ${fault}`);
        const evidence = await process.effectAtOnce('POST', post.order, () => {
          story.tell(process.name, post.order, () => `POSTs ${post.amount} ${post.currency}: the gateway ${mood.name}`);
          return replyOf(mood, receive(sent));
        });
        truth.hears(sent);
        if (mood === moods['refuses the signature']) truth.hearsRefusedSignature(post.order, process.name);
        return evidence;
      },
    };
  }

  return {
    portFor: (process) =>
      createNetwork(process, {
        weather,
        exchangeOf(request) {
          const read = readRequest(request);
          const isInquiry = request.url.includes(`/${statusRequest.path}/`);
          return isInquiry ? lookExchange(read, process) : postExchange(read, process);
        },
      }),
  };
}

const refusedAsDuplicate: Mood = {
  ...moods['says that the order exists, nothing committed'],
  name: 'refuses a duplicate',
};

/** A filter of duplicates need not say that it is one, and other checks may come before it. */
const refusalsOfDuplicates: readonly Mood[] = [
  refusedAsDuplicate,
  moods['refuses the order'],
  moods['has no gate open for the account'],
  moods['finds the request malformed'],
  moods['finds nothing at the address'],
];

function replyOf({ afterMs }: { readonly afterMs?: number }, evidence: Evidence) {
  return { answer: Promise.resolve(evidence), ...(afterMs !== undefined && { afterMs }) };
}

interface RequestRead {
  readonly post: Post;
  readonly merchant: string;
  readonly login: string;
  readonly askedId: string | undefined;
}

/** The request's order, from the form alone; merchant and key version from the login that signed it. */
function readRequest({ url, headers, body }: GatewayRequest): RequestRead {
  const form = `&${body}&`;
  const field = (name: string) => {
    const at = form.indexOf(`&${name}=`);
    const from = at + name.length + 2;
    return at < 0 ? undefined : decodeURIComponent(form.slice(from, form.indexOf('&', from)));
  };
  const login = /oauth_consumer_key="([^"]*)"/.exec(headers['authorization'] ?? '')?.[1] ?? '';
  const merchant = login.split('.')[0] ?? '';
  const orderId = field('client_orderid') ?? field('client-order-id') ?? '';
  const operation = operationNames.find((name) => url.includes(`/${operations[name].path}/`)) ?? 'payout';
  const { movesMoney } = operations[operation];
  const order = `${merchant}/${orderId}`;
  const [amount, currency] = [field('amount') ?? '', field('currency') ?? ''];
  const code = field('cvv2');
  const { origin } = new URL(url);
  const asked = { order, orderId, operation, movesMoney, origin, amount, currency };
  const post = { ...asked, ...(code !== undefined && { code }) };
  return { post, merchant, login, askedId: field('orderid') };
}
