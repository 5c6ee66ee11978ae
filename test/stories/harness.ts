// The worker seen from outside: jobs, callbacks, people's decisions, outages and time go in; what the gateway's book holds
// and what was published come out. A story knows nothing else, so it stays true whatever the kernel is made of.
//
// The worker is wired in support/world.ts, over stores in memory; here are SQS, the clock, the people and the faults between them.
import { createHash } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import type { Batch } from '../../lib/batches/batch.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { guardedCredentials, type StoredRecords } from '../../lib/batches/safeguards.ts';
import type { BatchResult } from '../../lib/batches/batch-result.ts';
import { totalsOf } from '../../lib/batches/tally.ts';
import { discardDeadLetter } from '../../lib/dead-letters/discard-dead-letter.ts';
import { planRedrive, redriveDeadLetters } from '../../lib/dead-letters/redrive-dead-letters.ts';
import type { MerchantCredentials } from '../../lib/gateway/ports.ts';
import type { Profile } from '../../lib/gateway/profile.ts';
import { writeOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import { cancelOrder, type OperatePorts, releaseOrder } from '../../lib/payout/operate/decide.ts';
import { type ReadResult, resultText } from '../../lib/payout/message/result.ts';
import { doubtHeld, doubtNamed, namedByParked, namedByResult } from '../../lib/restore/lost-orders.ts';
import { beginPause, endPause, quietFromMs, restoredBy } from '../../lib/restore/pause.ts';
import { approved } from '../support/approvals.ts';
import { sealedFor } from '../support/card-keys.ts';
import { closedGatesOf } from '../support/dead-letter-world.ts';
import { createFakeDeadLetters, deliveryOfRedriven } from '../support/fake-dead-letters.ts';
import { someControlKey, someCredentials } from '../support/fake-credentials.ts';
import type { JobBody } from '../support/jobs.ts';
import { parkedLine } from '../../lib/payout/wait/parked-job.ts';
import { writeReference } from '../../lib/payout/wait/references.ts';
import { firstDueMs } from '../support/settling.ts';
import { aRecord } from '../support/records.ts';
import { rowOf, upload } from '../support/uploaded-batch.ts';
import { aWorld, oneRound, functionsOver, type WorkerPorts, world as wire } from '../support/world.ts';
import { createStoryGateway, type StoryGateway } from './gateway.ts';
import { lookAt } from '../support/look-and-release.ts';

export const seconds = 1_000;
export const minutes = 60 * seconds;
export const hours = 60 * minutes;
export const days = 24 * hours;

/** The merchant of every story. */
const merchant = 'acme-eu';

/** A message that a sender put on the jobs queue. */
export interface Message {
  readonly id: string;
  readonly body: string;
  readonly sentAtMs: number;
}

/** How a message comes. */
interface Sending {
  /** SQS delivers it so much later. */
  readonly comesInMs?: number;
  /** What its sender put beside the body. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** A genuine callback; what is left out is as the gateway's book has it. */
interface Call {
  /** Which of the orders that the gateway took under this order id, from 1; by default the last. */
  readonly n?: number;
  readonly id?: string;
  readonly amount?: string;
  readonly type?: string;
  /** The address ends with a slash. */
  readonly slash?: true;
  /** The control key; by default the merchant's own. */
  readonly key?: string;
}

/** How a person decides. */
interface Deciding {
  /** How far the clock of that person's machine is ahead; negative: behind. */
  readonly clockOffsetMs?: number;
  /** What happens after the person has looked at the order, and before the decision is written. */
  readonly meanwhile?: () => Promise<unknown> | void;
  /** Not even where the gateway cannot be asked, or contradicts: without it the word is meant all the same. */
  readonly unlessContradicted?: true;
  /** What an earlier look has shown; without it, the person looks now. */
  readonly seen?: string;
  /** The id that the gateway's office has named. */
  readonly gatewayOrderId?: string;
}

/** The table at a moment. */
export interface TableAt {
  readonly items: ReadonlyMap<string, unknown>;
}

/** The people who run it. Each answers with how it went, in the words of their tool. */
interface Person {
  decides(orderId: string, what: 'paid' | 'not-paid' | 'cancel', how?: Deciding): Promise<string>;
  /** Looks at the order; answers with the digest of what is shown. */
  looks(orderId: string): Promise<string>;
  /** Throws the dead letters of the order away; answers with how many. */
  discards(orderId: string | undefined): Promise<number>;
  /** Puts every dead letter of the order, of whatever queue, back on its way; answers with how many. */
  redrives(orderId: string): Promise<number>;
  callsOffBatch(batchId: string): Promise<void>;
  pauses(): Promise<void>;
  resumes(): Promise<void>;
}

/** What happens beside a restore. */
interface RestoreChoices {
  readonly resultsPutBack?: boolean;
  /** Once the pause has taken hold. */
  readonly meanwhile?: () => unknown;
}

/** The world of one story. */
export interface StoryWorld {
  readonly gateway: StoryGateway;
  readonly person: Person;
  nowMs(): number;
  /** Time goes by, and everything that is due in it happens. */
  pass(ms: number): Promise<void>;
  /** Happens once, at that time of a coming `pass`. */
  after(ms: number, happens: () => Promise<unknown> | void): void;
  /** A sender sends a job. */
  send(job: JobBody | string, how?: Sending): Message;
  /** The same line once more in the same SendMessageBatch call: an id of its own, the same SentTimestamp. */
  twinOf(message: Message, how?: Sending): Message;
  /** Sends the job once more at its sender's word, naming the end that was told of it, where results bear one. */
  sendAgain(message: Message): Message;
  /** SQS delivers a message once more that was deleted. */
  redeliver(message: Message): void;
  /** SQS delivers once more the answers about the order that could not be written at once, and were on their way. */
  answersComeAgain(orderId: string): void;
  /** Answers that can't be written at once come back so much later than they should, from now on. */
  answersComeLateBy(ms: number): void;
  /** The gateway calls back, signed as it signs; answers with the HTTP status that it gets. */
  callback(orderId: string, status: string, call?: Call): Promise<number>;
  /** The table of orders answers nothing for so long, or writes and loses its answers. */
  ledgerAwayFor(ms: number, how?: 'away' | 'answers lost'): void;
  /** The jobs queue and the worker's own take nothing for so long. */
  queuesAwayFor(ms: number): void;
  resultsAwayFor(ms: number): void;
  /** No table answers for so long, that of orders neither. */
  tablesAwayFor(ms: number): void;
  /** DynamoDB does not say for so long which tables these are. */
  tablesUndescribedFor(ms: number): void;
  /** The key of what waits neither makes nor opens data keys for so long. */
  dataKeysAwayFor(ms: number): void;
  /** No invocation of submit begins for so long; all else goes on. */
  submitAwayFor(ms: number): void;
  /** Whatever is on the queue of references, or on that of checks, is lost. */
  referencesAreLost(): void;
  checksAreLost(): void;
  /** Secrets Manager answers nothing for so long: no merchant's secret, no key of the worker. */
  secretsAwayFor(ms: number): void;
  /** The merchant's secret is this from now on; `unseen`: those who hold the old one have to find out. */
  secretIs(secret: MerchantCredentials, how?: 'unseen'): Promise<void>;
  /** Seals the job's card data as its sender does, and leaves the key of a CVV. */
  seals(job: JobBody): Promise<JobBody>;
  /** Keys of CVVs that anybody could still take. */
  cardKeysLeft(): number;
  /** Registers these jobs as one person and approves them as another; answers with the jobs to send. */
  approves(jobs: readonly JobBody[]): Promise<JobBody[]>;
  /** The process that works on the next message dies before its next POST, after it, or before its next result leaves. */
  workerDies(when: Death): void;
  /** Registers these jobs as a batch and sends its rows; `stopsAfter` rows the uploader dies. */
  uploads(batchId: string, jobs: readonly JobBody[], how?: { readonly stopsAfter?: number }): Promise<Message[]>;
  /** Published results of the order, in the order of their publication. */
  results(orderId: string): readonly ReadResult[];
  /** Results of all orders and messages as text, from now on. */
  resultTexts(): () => readonly string[];
  /** The one that supersedes all others: of the highest revision. */
  last(orderId: string): ReadResult | undefined;
  /** Result ids under which different contents were published: there may be none, ever. */
  retold(): readonly string[];
  /** Results about this message alone. */
  told(message: Message): readonly ReadResult[];
  batchResults(batchId: string): readonly BatchResult[];
  /** Where a message is, itself or what the worker made of it. */
  whereIs(message: Message): 'queue' | 'dead letter' | 'gone';
  /** The dead letters of jobs, with their reasons. */
  deadLetters(): readonly { readonly body: string; readonly code: string | undefined }[];
  /** Deliveries of this message, or of the checks of this order, and the lines of log that they cost, each with its time. */
  work(origin: string): readonly { readonly atMs: number; readonly lines: number }[];
  /** Error lines that hold this text. */
  alarms(text: string): readonly string[];
  /** Everything that left the worker as text: results and log. */
  outlets(): string;
  tableNow(): TableAt;
  /** A table of that moment is the ledger, by the page; results told since name their orders where asked. */
  restoreTableTo(at: TableAt, how?: RestoreChoices): Promise<void>;
}

type Death = 'before the POST' | 'after the POST' | 'before its result';

/** What a story may choose. */
export interface StoryChoices {
  readonly profile?: Partial<Profile>;
  /** Whatever the gateway says, no lane waits: where a story is not about pace. */
  readonly lanes?: 'open';
  /** Merchants beside the one of every story. */
  readonly others?: Readonly<Record<string, MerchantCredentials>>;
  /** The worker asks these for each merchant's safeguards; by default all logins are registered. */
  readonly safeguards?: StoredRecords;
}

type QueueName = 'jobs' | 'own' | 'references';

/** A message as SQS keeps it. */
interface Queued {
  readonly queue: QueueName;
  readonly id: string;
  /** The message that its sender sent. */
  readonly origin: string;
  readonly body: string;
  readonly sentAtMs: number;
  readonly attributes: SQSRecord['messageAttributes'];
  /** The worker sent it to itself. */
  readonly isOwn: boolean;
  visibleAtMs: number;
  receives: number;
  deleted: boolean;
}

const visibilityMs = {
  jobs: 180 * seconds,
  own: 550 * seconds,
  references: 180 * seconds,
} as const;
/** Of the own queue, as it ships; the jobs queue's is the worker's own limit. */
const receivesAtMost = { own: 100, references: 2 } as const;
const sweepEveryMs = 1 * minutes;
/** Where days go by, the sweeper comes less often, so that a story takes no time. */
const sweepEveryOfDaysMs = 10 * minutes;
/** The largest item that DynamoDB takes. */
const itemLimitBytes = 400 * 1024;
const saying = { by: 'ops', reason: 'by hand' };

/** A world in which all is well. */
export function storyWorld({ profile = {}, lanes, others, safeguards }: StoryChoices = {}): StoryWorld {
  const merchants = { [merchant]: someCredentials({ profile }), ...others };
  const world = aWorld({ merchants, limits: { concurrency: 1 }, ...(lanes && { lanes }) });
  const { clock } = world;
  const gateway = createStoryGateway(clock);
  const letters = createFakeDeadLetters(clock);
  const outages = { ledger: 0, answers: 0, queues: 0, results: 0, tables: 0, dataKeys: 0, workers: 0 };
  const queued: Queued[] = [];
  const events: { readonly atMs: number; readonly happens: () => Promise<unknown> | void }[] = [];
  const deadChecks: Queued[] = [];
  const texts: string[] = [];
  const work: { readonly origin: string; readonly atMs: number; readonly lines: number }[] = [];
  let answersLateMs = 0;
  let ids = 0;
  let redrivenSoFar = 0;
  let dies: { readonly when: Death } | undefined;
  let death = () => {};
  // Nothing is sent at the very moment in which the worlds of other tests begin.
  clock.advance(1 * seconds);
  let sweptAtMs = clock.nowMs();
  let roundMs = clock.nowMs();

  const isAway = (untilMs: number) => clock.nowMs() < untilMs;
  const ports = wired();
  const functions = functionsOver(ports);

  /** Puts outages and the gateway's book between the worker and the world in memory. */
  function wired(): WorkerPorts {
    const { store, queues, secrets, ...more } = world.surroundings;
    const guards = safeguards && { store: safeguards, macs: world.approvalKey, clock, ttlMs: 5 * minutes };
    const credentials = guards
      ? guardedCredentials({ credentials: secrets.credentials, ...guards })
      : secrets.credentials;
    const { jobsQueue, ownQueue, references, results } = queues;
    const whileQueuesAreUp = () => (isAway(outages.queues) ? 'away' : 'up');
    const { dueWork } = store;
    const whileTablesAreUp = () => (isAway(outages.tables) ? 'away' : 'up');
    const jobs = failing(store.jobs, whileTablesAreUp);
    return wire({
      ...more,
      secrets: { ...secrets, credentials },
      gateway: { post: mortal(gateway.port.post) },
      store: {
        ...store,
        jobs: { ...jobs, all: store.jobs.all },
        lanes: failing(store.lanes, whileTablesAreUp),
        controls: failing(store.controls, whileTablesAreUp),
        leader: failing(store.leader, whileTablesAreUp),
        dataKeys: failing(store.dataKeys, () => (isAway(outages.dataKeys) ? 'away' : 'up')),
        orders: failing(boundedItems(store.orders), ledgerFault),
        dueWork: {
          async *dueWork(...asked) {
            if (isAway(outages.ledger)) throw new Error('the ledger did not answer (dueWork)');
            yield* dueWork.dueWork(...asked);
          },
          async *measured(...asked) {
            if (isAway(outages.ledger)) throw new Error('the ledger did not answer (measured)');
            yield* dueWork.measured(...asked);
          },
          async move(...asked) {
            if (ledgerFault() === 'away') throw new Error('the ledger did not answer (move)');
            return dueWork.move(...asked);
          },
        },
      },
      queues: {
        ...queues,
        jobsQueue: failing(jobsQueue, whileQueuesAreUp),
        ownQueue: failing(ownQueue, whileQueuesAreUp),
        references: failing(references, whileQueuesAreUp),
        results: failing(heard(results), () => (isAway(outages.results) ? 'away' : 'up')),
      },
    });
  }

  function heard({ send }: WorkerPorts['results']): WorkerPorts['results'] {
    return {
      async send(these) {
        if (dies?.when === 'before its result') return died();
        texts.push(...these.map(resultText));
        return send(these);
      },
    };
  }

  function ledgerFault(): 'up' | 'away' | 'answers lost' {
    if (isAway(Math.max(outages.ledger, outages.tables))) return 'away';
    return isAway(outages.answers) ? 'answers lost' : 'up';
  }

  /** The gateway's port of a process that may die around a POST: then its promise never comes back. */
  function mortal(post: typeof gateway.port.post): typeof gateway.port.post {
    return async (request) => {
      const isInquiry = request.url.includes('/status/');
      if (isInquiry || !dies || dies.when === 'before its result') return post(request);
      if (dies.when === 'after the POST') await post(request);
      return died();
    };
  }

  /** What a process that died answers. */
  function died(): Promise<never> {
    dies = undefined;
    death();
    return new Promise(() => {});
  }

  const functionTimeoutMs = ports.limits.functionTimeoutMs;

  /** What Lambda tells a function that begins now. */
  function invocation() {
    const endsAtMs = clock.nowMs() + functionTimeoutMs;
    return { getRemainingTimeInMillis: () => endsAtMs - clock.nowMs() };
  }

  /** One message; false where it stays on its queue. */
  async function isTaken(queue: QueueName, record: SQSRecord): Promise<boolean> {
    const handler = queue === 'jobs' || queue === 'references' ? functions.submit : functions.inquire;
    const Records = [{ ...record, eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queue}` }];
    // An invocation that throws leaves its message.
    const answered = handler({ Records }, invocation()).catch(() => undefined);
    return (await answered)?.batchItemFailures.length === 0;
  }

  async function deliver(message: Queued): Promise<void> {
    message.receives += 1;
    const { id: messageId, receives: receiveCount, sentAtMs, body, attributes } = message;
    const record = { ...aRecord(body, { messageId, receiveCount, sentAtMs }), messageAttributes: attributes };
    const receivedAtMs = clock.nowMs();
    message.visibleAtMs = receivedAtMs + visibilityMs[message.queue];
    const linesBefore = world.log.length;
    const died = new Promise<boolean>((resolve) => void (death = () => resolve(false)));
    const isDone = await Promise.race([isTaken(message.queue, record), died]);
    work.push({ origin: message.origin, atMs: receivedAtMs, lines: world.log.length - linesBefore });
    if (isDone) message.deleted = true;
    absorb();
  }

  /** What the worker put on its queues is on them; what a person redrove is on the jobs queue. */
  function absorb(): void {
    const nowMs = clock.nowMs();
    for (const { reference, dueAtMs } of world.references.taken.splice(0)) {
      const body = writeReference(reference);
      put({ queue: 'references', origin: reference.key, body, attributes: {}, isOwn: true }, dueAtMs - nowMs);
    }
    for (const { message, dueAtMs } of world.ownQueue.taken.splice(0)) {
      const body = writeOwnTask(message);
      put({ queue: 'own', origin: message.key, body, attributes: {}, isOwn: true }, dueAtMs - nowMs);
    }
    for (const letter of world.jobsQueue.deadLetters.taken.splice(0)) letters.lay(letter);
    for (const letter of letters.sent.slice(redrivenSoFar)) {
      redrivenSoFar += 1;
      const { body, messageAttributes } = deliveryOfRedriven(letter, nowMs);
      put({ queue: 'jobs', body, attributes: messageAttributes, isOwn: false }, 0);
    }
  }

  function put(it: Pick<Queued, 'queue' | 'body' | 'attributes' | 'isOwn'> & Partial<Queued>, delayMs: number): Queued {
    const id = it.id ?? `message-${(ids += 1)}`;
    const lateMs = isAnswer(it) ? answersLateMs : 0;
    const { origin = id, sentAtMs = clock.nowMs() } = it;
    const visibleAtMs = clock.nowMs() + delayMs + lateMs;
    const message = { ...it, id, origin, sentAtMs, visibleAtMs, receives: it.receives ?? 0, deleted: false };
    queued.push(message);
    return message;
  }

  const isAnswer = ({ queue, body }: Pick<Queued, 'queue' | 'body'>) =>
    queue === 'own' && (JSON.parse(body) as { kind?: string }).kind === 'answer';
  const alive = () => queued.filter(({ deleted }) => !deleted);

  function lose(queue: QueueName): void {
    absorb();
    for (const it of alive()) if (it.queue === queue) it.deleted = true;
  }

  /** What was received too often goes where dead letters go. */
  function buryDead(): void {
    for (const message of alive()) {
      const atMost = message.queue === 'jobs' ? ports.limits.maxReceiveCount : receivesAtMost[message.queue];
      if (message.receives < atMost || message.visibleAtMs > clock.nowMs()) continue;
      message.deleted = true;
      if (message.queue !== 'jobs') deadChecks.push(message);
      else letters.move({ ...aRecord(message.body), messageAttributes: message.attributes }, message.origin);
    }
  }

  const isUnserved = ({ queue }: Queued) => isAway(outages.workers) && (queue === 'jobs' || queue === 'references');

  async function pass(ms: number): Promise<void> {
    const endMs = clock.nowMs() + ms;
    for (;;) {
      absorb();
      const sweepAtMs = sweptAtMs + (ms > 6 * hours ? sweepEveryOfDaysMs : sweepEveryMs);
      const roundAtMs = nextRoundMs(ms > 6 * hours);
      const nextMs = Math.min(
        sweepAtMs,
        roundAtMs,
        ...events.map(({ atMs }) => atMs),
        ...alive().map((it) => (isUnserved(it) ? Math.max(it.visibleAtMs, outages.workers) : it.visibleAtMs)),
      );
      if (nextMs > endMs) break;
      clock.advanceTo(nextMs);
      await happen();
      if (clock.nowMs() >= sweepAtMs) {
        sweptAtMs = Math.max(sweepAtMs, clock.nowMs() - sweepEveryMs);
        await functions.sweep({}, invocation()).catch(() => {});
        absorb();
      }
      if (clock.nowMs() >= roundAtMs) {
        roundMs = clock.nowMs();
        await oneRound(ports).catch(() => {});
        absorb();
      }
      buryDead();
      for (const message of alive())
        if (!message.deleted && message.visibleAtMs <= clock.nowMs() && !isUnserved(message)) await deliver(message);
      forgetOld();
    }
    clock.advanceTo(endMs);
  }

  /** The leader's next round that would find something; amid days it leaves lanes to the sweeps. */
  function nextRoundMs(isAmidDays: boolean): number {
    const moments = [...world.parked.values()].flatMap((job) => {
      if (parkedLine(job) === 'moments') return [job.goAtMs];
      return isAmidDays ? [] : [Math.max(job.goAtMs, clock.nowMs())];
    });
    return Math.max(Math.min(...moments, firstDueMs(world.items.values())), roundMs + 2 * seconds);
  }

  async function happen(): Promise<void> {
    const due = events.filter(({ atMs }) => atMs <= clock.nowMs());
    for (const it of due) {
      events.splice(events.indexOf(it), 1);
      await it.happens();
    }
  }

  /** Checks by the thousand: SQS delivers none again that was deleted an hour ago. */
  function forgetOld(): void {
    if (queued.length < 500) return;
    const keep = queued.filter((it) => it.queue === 'jobs' || !it.deleted);
    queued.splice(0, queued.length, ...keep);
  }

  const keyOf = (orderId: string) => `${merchant}/${orderId}`;
  const orderOf = (body: string): unknown => {
    try {
      return (JSON.parse(body) as { orderId?: unknown }).orderId;
    } catch {
      return undefined;
    }
  };
  const textAttributes = (texts: Readonly<Record<string, string>> = {}) =>
    aRecord('', { attributes: texts }).messageAttributes;

  function send(job: JobBody | string, { comesInMs = 0, attributes }: Sending = {}, sentAtMs = clock.nowMs()): Message {
    const body = typeof job === 'string' ? job : JSON.stringify(job);
    return put({ queue: 'jobs', body, attributes: textAttributes(attributes), isOwn: false, sentAtMs }, comesInMs);
  }

  const results = (orderId: string) =>
    world.results.taken.filter(({ resultId }) => resultId.slice(0, resultId.lastIndexOf('/')) === keyOf(orderId));
  const last = (orderId: string) =>
    results(orderId).reduce<ReadResult | undefined>(
      (best, it) => ((it.revision ?? 0) >= (best?.revision ?? 0) ? it : best),
      undefined,
    );

  /** The operators' tools, run on a machine whose clock may be wrong. */
  const person: Person = {
    async decides(orderId, what, how = {}) {
      const { clockOffsetMs = 0, meanwhile, unlessContradicted = false, gatewayOrderId, seen } = how;
      const theirs: OperatePorts = {
        ...ports,
        clock: { nowMs: () => clock.nowMs() + clockOffsetMs, uptimeMs: clock.uptimeMs, sleep: clock.sleep },
        orders: meanwhile ? beforeFirstWrite(ports.orders, meanwhile) : ports.orders,
      };
      const shown = async () => seen ?? (await lookAt(keyOf(orderId), theirs));
      if (what === 'cancel')
        return (await cancelOrder({ merchant, orderId, ...saying, seen: await shown() }, theirs)).kind;
      const says = async (evenUnanswered: boolean) => {
        const meant = { ...(gatewayOrderId !== undefined && { gatewayOrderId }), evenUnanswered };
        const release = { as: what, ...saying, ...meant, seen: { shown: await shown() } };
        return (await releaseOrder(keyOf(orderId), release, theirs)).kind;
      };
      const first = await says(false);
      if (first !== 'asking') return first;
      await pass(1 * minutes);
      return says(!unlessContradicted);
    },
    looks: (orderId) => lookAt(keyOf(orderId), ports),
    async discards(orderId) {
      absorb();
      const taken = (await letters.take()).filter(({ body }) => orderOf(body) === orderId);
      const ends = [];
      for (const it of taken) ends.push(await discardDeadLetter(it, saying, deadLetterPorts()));
      return ends.filter(({ kind }) => kind === 'discarded').length;
    },
    async redrives(orderId) {
      absorb();
      const isMeant = ({ body }: { readonly body: string }) => orderOf(body) === orderId;
      const { plan } = await planRedrive(isMeant, deadLetterPorts());
      const { moved } = await redriveDeadLetters(plan, deadLetterPorts());
      absorb();
      // SQS itself brings back what is behind the worker's own queues: nothing is to be decided there.
      for (const dead of deadChecks.splice(0)) put({ ...dead, receives: 0 }, 0);
      return [...moved.values()].filter((it) => it === 'redriven').length;
    },
    callsOffBatch: async (batchId) => world.controls.cancelBatch(batchId, { ...saying, atMs: clock.nowMs() }),
    pauses: async () => world.controls.pause(merchant, true, { ...saying, atMs: clock.nowMs() }),
    resumes: async () => world.controls.pause(merchant, false, { ...saying, atMs: clock.nowMs() }),
  };

  function deadLetterPorts() {
    const gates = closedGatesOf({ ...world.ports, orders: ports.orders, controls: ports.controls });
    return { ...ports, gates, batches: world.batches, deadLetters: letters, dayTotals: world.controls };
  }

  async function callback(
    orderId: string,
    status: string,
    { n, id, amount, type, slash, key = someControlKey }: Call = {},
  ): Promise<number> {
    const book = gateway.book(orderId);
    const booking = book[(n ?? book.length) - 1];
    const orderid = id ?? booking?.id ?? '';
    const control = createHash('sha1').update(`${status}${orderid}${orderId}${key}`).digest('hex');
    const query = new URLSearchParams({
      status,
      orderid,
      client_orderid: orderId,
      control,
      amount: amount ?? booking?.amount ?? '10.42',
      currency: booking?.currency ?? 'EUR',
      ...(type !== undefined && { type }),
    });
    const { statusCode } = await functions.door({
      rawPath: `/${merchant}${slash ? '/' : ''}`,
      rawQueryString: `${query}`,
      isBase64Encoded: false,
    });
    return statusCode;
  }

  async function uploads(batchId: string, jobs: readonly JobBody[], { stopsAfter }: { stopsAfter?: number } = {}) {
    const rows = jobs.map((job) => ({ ...job, batchId }));
    if (stopsAfter === undefined) {
      await upload(world, rows, { batchId, fileHash: hashOf(batchId) });
      return rows.map((row) => send(row));
    }
    const counted = rows.map(rowOf);
    const content = { batchId, fileHash: hashOf(batchId), contentHash: '12', rows: rows.length };
    const batch: Batch = newBatch({ ...content, totals: totalsOf(counted), merchant, by: 'ada', nowMs: clock.nowMs() });
    await world.batches.register(batch);
    return rows.slice(0, stopsAfter).map((row) => send(row));
  }

  async function restoreTableTo(
    { items }: TableAt,
    { resultsPutBack = false, meanwhile = () => {} }: RestoreChoices = {},
  ): Promise<void> {
    const told = world.results.taken.map((it) => JSON.stringify(it));
    const person = (name: string) => `arn:aws:iam::000000000000:user/${name}`;
    const its = { tables: world.tables.source, clock, limits: ports.limits };
    const restoring = await beginPause({ by: person('anna'), reason: 'the table was lost' }, its);
    const restored = restoredBy(restoring);
    await pass(restored.pausedAtMs - clock.nowMs() + 2 * minutes);
    await meanwhile();
    await pass(quietFromMs(restoring, ports.limits) - clock.nowMs());
    world.items.clear();
    for (const [key, item] of items) world.items.set(key, item as never);
    world.tables.remake();
    const allOrders = {
      async *scan() {
        yield [...world.items.values()].map((order) => ({ kind: 'found', order }) as const);
      },
    };
    const theirs = { ...ports, orders: world.orders, allOrders };
    await doubtHeld(restored, theirs);
    for await (const named of namedByParked(restored, ports.waiting.jobs)) await doubtNamed(named, restored, theirs);
    for (const named of resultsPutBack ? told.flatMap((line) => namedByResult(line) ?? []) : [])
      await doubtNamed(named, restored, theirs);
    const ended = await endPause({
      ...its,
      maker: world.tables.approvalKey,
      whoAmI: async () => person('grace'),
      maybeOnePerson: (one, other) => one === other,
      whyNotReady: async () => {
        const { open, ended, raised } = await doubtHeld(restored, theirs, { isDry: true });
        return open + ended + raised > 0 ? 'not all are in doubt' : undefined;
      },
    });
    if (ended.kind !== 'begun') throw new Error('the pause is not ended');
    await pass(10 * seconds);
  }

  return {
    gateway,
    person,
    nowMs: clock.nowMs,
    pass,
    after: (ms, happens) => void events.push({ atMs: clock.nowMs() + ms, happens }),
    send: (job, how) => send(job, how),
    twinOf: ({ body, sentAtMs }, how) => send(body, how, sentAtMs),
    sendAgain(message) {
      const { orderId, ...job } = JSON.parse(message.body) as JobBody;
      const { endId } = (last(orderId) ?? {}) as { readonly endId?: string };
      return send(JSON.stringify({ ...job, orderId, ...(endId !== undefined && { resends: endId }) }));
    },
    redeliver({ id }) {
      const message = queued.find((it) => it.id === id);
      if (message) put({ ...message }, 0);
    },
    answersComeAgain(orderId) {
      for (const it of queued.filter((message) => isAnswer(message) && message.deleted))
        if (it.origin === keyOf(orderId)) put({ ...it, receives: 0 }, 0);
    },
    answersComeLateBy: (ms) => void (answersLateMs = ms),
    callback,
    ledgerAwayFor: (ms, how = 'away') => void (outages[how === 'away' ? 'ledger' : 'answers'] = clock.nowMs() + ms),
    queuesAwayFor: (ms) => void (outages.queues = clock.nowMs() + ms),
    tablesAwayFor: (ms) => void (outages.tables = clock.nowMs() + ms),
    tablesUndescribedFor(ms) {
      world.tables.answers(false);
      events.push({ atMs: clock.nowMs() + ms, happens: () => world.tables.answers(true) });
    },
    dataKeysAwayFor: (ms) => void (outages.dataKeys = clock.nowMs() + ms),
    submitAwayFor: (ms) => void (outages.workers = clock.nowMs() + ms),
    resultsAwayFor: (ms) => void (outages.results = clock.nowMs() + ms),
    referencesAreLost: () => lose('references'),
    checksAreLost: () => lose('own'),
    secretsAwayFor(ms) {
      const are = (state: 'down' | 'up') => {
        world.credentials.outage(state);
        world.cardKeys.outage(state);
        world.fingerprinting[state === 'up' ? 'find' : 'lose']();
      };
      are('down');
      events.push({ atMs: clock.nowMs() + ms, happens: () => are('up') });
    },
    async secretIs(secret, how) {
      world.credentials.rotate(merchant, secret);
      if (how !== 'unseen') await world.credentials.refresh(merchant, secret);
    },
    seals: (job) => sealedFor(world, job),
    cardKeysLeft: () => world.cardKeysLeft.size,
    approves: (jobs) => approved(world.batches, world.approvalKey, jobs),
    workerDies: (when) => void (dies = { when }),
    uploads,
    results,
    resultTexts() {
      const since = texts.length;
      return () => texts.slice(since);
    },
    last,
    retold() {
      const first = new Map<string, string>();
      for (const it of world.results.taken) if (!first.has(it.resultId)) first.set(it.resultId, JSON.stringify(it));
      return world.results.taken.filter((it) => first.get(it.resultId) !== JSON.stringify(it)).map((it) => it.resultId);
    },
    told: ({ id }) => world.results.taken.filter(({ resultId }) => resultId.startsWith(`rejected/${id}/`)),
    batchResults: (batchId) => world.batchResults.filter((it) => it.batchId === batchId),
    whereIs({ id, body }) {
      absorb();
      if (alive().some(({ queue, origin }) => queue === 'jobs' && origin === id)) return 'queue';
      if ([...world.parked.values()].some(({ messageId }) => messageId === id)) return 'queue';
      return letters.letters.some((it) => it.body === body) ? 'dead letter' : 'gone';
    },
    deadLetters() {
      absorb();
      return letters.letters.map(({ body, attributes }) => ({ body, code: attributes.get('reasonCode')?.text }));
    },
    work: (origin) => work.filter((it) => it.origin === origin),
    alarms: (text) =>
      world.log
        .filter(({ level, fields }) => level === 'error' && JSON.stringify(fields).includes(text))
        .map(({ event }) => event),
    outlets: () => JSON.stringify([world.results.taken, world.log]),
    tableNow: () => ({ items: new Map(world.items) }),
    restoreTableTo,
  };
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A port whose every verb fails as it is told when it is called. */
function failing<Port extends object>(port: Port, fault: () => 'up' | 'away' | 'answers lost'): Port {
  const verbs = Object.entries(port).map(([name, verb]: [string, unknown]) => {
    if (typeof verb !== 'function') return [name, verb];
    const call = verb as (...args: unknown[]) => Promise<unknown>;
    const failed = async (...args: unknown[]) => {
      const how = fault();
      if (how === 'away') throw new Error(`it did not answer (${name})`);
      const answer = await call(...args);
      if (how === 'answers lost') throw new Error(`it did not answer (${name})`);
      return answer;
    };
    return [name, failed];
  });
  return { ...port, ...(Object.fromEntries(verbs) as Partial<Port>) };
}

type Orders = WorkerPorts['orders'];

/** Something happens once, after all that was read and before the first write. */
function beforeFirstWrite(orders: Orders, happens: () => Promise<unknown> | void): Orders {
  let isDone = false;
  const first = async () => {
    if (isDone) return;
    isDone = true;
    await happens();
  };
  return {
    ...orders,
    async write(...args) {
      await first();
      return orders.write(...args);
    },
  };
}

/** As DynamoDB does, it refuses an item that is too large. */
function boundedItems(orders: Orders): Orders {
  const measured = (item: object) => {
    const text = JSON.stringify(item, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    if (text.length > itemLimitBytes) throw new Error('ValidationException: item size has exceeded the maximum');
  };
  return {
    ...orders,
    async write(before, next) {
      measured(next);
      return orders.write(before, next);
    },
  };
}
