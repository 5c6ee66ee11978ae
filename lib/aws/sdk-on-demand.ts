// What stands in a function's bundle in the place of the SDK's packages (infra/ puts it there), so that a new process need not
// read, compile and set up the SDK before its first job: that is most of what a first job costs (`npm run bench --
// cold-start`). The calls that every job makes go past it, one try each (http-aws-calls.ts). Whatever that does not answer
// plainly, and every other call, goes the SDK's way, which is loaded then, and repeats, waits and heeds clocks that are
// wrong; after its first trouble a client goes no other way (once in its life a call so has one request more than the
// limits say). Whether a write without an answer was done is never guessed: it is made again under its condition, or its
// caller hears of the failure and takes it for one that may have been done.
import { hash } from 'node:crypto';
import { functionEnvironment } from './env-config.ts';
import {
  addressOfCall,
  createShortExchange,
  shortAddress,
  type ShortDeadlines,
  shortServices,
  signedShortRequest,
} from './http-aws-calls.ts';
import { systemClock } from './system.ts';

/** As much of the SDK as is used: its clients and commands by name. */
export type Sdk = Readonly<Record<string, new (asked: object) => SdkObject>>;

interface SdkObject {
  readonly config?: Readonly<Record<string | symbol, unknown>>;
  readonly middlewareStack: { add(...added: readonly unknown[]): void };
  send?(command: SdkObject, options?: SendOptions): Promise<object>;
}

type SendOptions = { readonly abortSignal?: AbortSignal };

/** What a client is made with (aws-calls.ts). Whoever says more has the SDK read it. */
type Settings = { readonly maxAttempts: number; readonly requestHandler: ShortDeadlines };

const ownSettings = new Set(['maxAttempts', 'requestHandler', 'logger']);

type Next = (args: { readonly input: object }) => Promise<{ readonly output: object }>;
type Middleware = (next: Next, context: { readonly clientName: string; readonly commandName: string }) => Next;
type Added = readonly [middleware: Middleware, options: { readonly step?: string }];

/** Added to the SDK's own stack once it is there. */
function addedMiddleware() {
  const added: Added[] = [];
  return { added, add: (...it: Added) => void added.push(it) };
}

/** The step that surrounds all others, the short way too: failures are logged there. */
const isOutermost = ([, { step }]: Added) => step === 'initialize';

interface Command {
  readonly commandName: string;
  readonly input: object;
  readonly middlewareStack: ReturnType<typeof addedMiddleware>;
}

/** In the place of one of the SDK's commands. */
export function commandOnDemand(commandName: string) {
  return class {
    readonly commandName = commandName;
    readonly middlewareStack = addedMiddleware();
    readonly input: object;
    constructor(input: object) {
      this.input = input;
    }
  };
}

/** In the place of one of the SDK's errors, which are known by their names, whoever has thrown them. */
export function errorOnDemand(name: string) {
  return class extends Error {
    override readonly name = name;
    constructor({ message, ...fields }: { readonly message: string }) {
      super(message);
      Object.assign(this, fields);
    }
    static override [Symbol.hasInstance](it: unknown): boolean {
      return it instanceof Error && it.name === name;
    }
  };
}

/** In the place of one of the SDK's clients. */
export function clientOnDemand(clientName: string, load: () => Promise<Sdk>) {
  return class {
    readonly middlewareStack = addedMiddleware();
    readonly config: object;
    readonly send: (command: Command, options?: SendOptions) => Promise<object>;

    constructor(settings: Settings) {
      const { added } = this.middlewareStack;
      const sdk = sdkClient(clientName, load, settings, added);
      this.config = new Proxy({}, { get: (_, name) => sdk.loaded()?.config?.[name] });
      const short = shortWay(clientName, settings);
      let isTroubled = !short;
      const sent = async (command: Command, options?: SendOptions): Promise<object> => {
        // What else was added counts on the SDK's way alone: that a command may be sent only once, say.
        const isPlain = command.middlewareStack.added.length === 0 && added.every(isOutermost);
        const end = !isTroubled && isPlain ? await short?.(command, options?.abortSignal) : undefined;
        if (end?.kind === 'answer') return end.output;
        if (end?.kind === 'refused') throw end.error;
        isTroubled ||= end?.kind === 'failed';
        if (end && (settings.maxAttempts <= 1 || options?.abortSignal?.aborted)) throw end.error;
        return sdk.send(command, options);
      };
      this.send = async (command, options) => {
        const innermost: Next = async () => ({ output: await sent(command, options) });
        const context = { clientName, commandName: command.commandName };
        const all = added.filter(isOutermost).reduceRight((next, [it]) => it(next, context), innermost);
        return (await all({ input: command.input })).output;
      };
    }
  };
}

/** The client of the SDK, made when the first call needs it. */
function sdkClient(clientName: string, load: () => Promise<Sdk>, settings: object, added: readonly Added[]) {
  let loading: Promise<{ readonly sdk: Sdk; readonly client: SdkObject }> | undefined;
  let loaded: SdkObject | undefined;
  async function make() {
    const sdk = await load();
    const client = made(sdk, clientName, settings);
    for (const it of added) if (!isOutermost(it)) client.middlewareStack.add(...it);
    loaded = client;
    return { sdk, client };
  }
  return {
    loaded: () => loaded,
    async send({ commandName, input, middlewareStack }: Command, options?: SendOptions): Promise<object> {
      loading ??= make();
      const { sdk, client } = await loading;
      const command = made(sdk, commandName, input);
      for (const it of middlewareStack.added) command.middlewareStack.add(...it);
      return (await client.send?.(command, options)) ?? {};
    },
  };
}

function made(sdk: Sdk, name: string, asked: object): SdkObject {
  const Made = sdk[name];
  if (!Made) throw new TypeError(`the bundle has no ${name}`);
  return new Made(asked);
}

/** How one try ended. What was refused is an answer; what has failed may have been done. */
type ShortEnd =
  | { readonly kind: 'answer'; readonly output: object }
  | { readonly kind: 'refused' | 'failed'; readonly error: unknown };

/** The short way to a service; undefined of a call that does not go by it. */
function shortWay(clientName: string, settings: Settings) {
  const service = shortServices[clientName];
  if (!service || Object.keys(settings).some((name) => !ownSettings.has(name))) return undefined;
  const { maxAttempts, requestHandler } = settings;
  const exchange = createShortExchange({ mayRepeat: maxAttempts > 1 });
  let url: URL | 'unknown' | undefined;
  return async ({ commandName, input }: Command, signal?: AbortSignal): Promise<ShortEnd | undefined> => {
    const operation = commandName.replace(/Command$/, '');
    if (!service.operations.includes(operation)) return undefined;
    const environment = functionEnvironment();
    // Looked for once: to go through the whole environment costs as much as to sign.
    url ??= shortAddress(service, environment) ?? 'unknown';
    if (url === 'unknown') return undefined;
    const to = addressOfCall(url, input);
    const request = to && signedShortRequest(service, to, operation, input, environment, systemClock.nowMs());
    if (!request) return undefined;
    try {
      const { status, text } = await exchange(request, requestHandler, signal);
      // Taken for an answer, anything else would say that there is no such order.
      if (!text.startsWith('{')) throw new TypeError('the answer is no object of JSON');
      const answer = JSON.parse(text) as Readonly<Record<string, unknown>>;
      if (status === 200) return checked(operation, input, { ...answer, $metadata: { attempts: 1 } } as SentBatch);
      const error = refusal(status, answer);
      return { kind: service.answers.includes(error.name) ? 'refused' : 'failed', error };
    } catch (error) {
      return { kind: 'failed', error };
    }
  };
}

/** An error by the name that the service gives it, as the SDK has them. */
function refusal(httpStatusCode: number, { __type, message, Message, Item }: Readonly<Record<string, unknown>>) {
  const error = new Error(String(message ?? Message ?? `answered ${httpStatusCode}`));
  error.name = /[^#]*$/.exec(String(__type ?? 'UnknownError'))?.[0] ?? '';
  return Object.assign(error, Item !== undefined && { Item }, { $metadata: { httpStatusCode, attempts: 1 } });
}

interface SentBatch {
  readonly Entries?: readonly { readonly Id: string; readonly MessageBody: string }[];
  readonly Successful?: readonly { readonly Id: string; readonly MD5OfMessageBody?: string }[];
}

/** SQS says what it has heard of each message; what it heard wrong is no message of ours, and sending again mends nothing. */
function checked(operation: string, { Entries = [] }: SentBatch, output: SentBatch): ShortEnd {
  if (operation !== 'SendMessageBatch') return { kind: 'answer', output };
  const heard = new Map(output.Successful?.map(({ Id, MD5OfMessageBody }) => [Id, MD5OfMessageBody]));
  const isWrong = Entries.some(({ Id, MessageBody }) => heard.has(Id) && heard.get(Id) !== hash('md5', MessageBody));
  if (isWrong) return { kind: 'refused', error: new Error('Invalid MD5 checksum on messages') };
  return { kind: 'answer', output };
}
