// SQS's own limits over fauxqs, which takes and refuses other messages: a message that the queues of AWS would refuse must be refused on
// this machine first.
import { sqsMaxDelaySeconds } from '../payout/limits.ts';

/** The part of fauxqs's app that is corrected. */
interface SqsApp {
  addHook(name: 'preHandler', hook: (request: SqsRequest) => Promise<void>): unknown;
  addHook(
    name: 'preSerialization',
    hook: (request: SqsRequest, reply: unknown, payload: unknown) => Promise<unknown>,
  ): unknown;
}

interface SqsRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

interface SentEntry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly DelaySeconds?: number;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}

interface RefusedEntry {
  readonly Id: string;
  readonly SenderFault: true;
  readonly Code: string;
  readonly Message: string;
}

/** Every character but these, as SQS says it; those above U+FFFF are legal, halves of them alone are not. */
const illegal = String.raw`[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]`;
/** A character that no message may have. */
export const illegalCharacter = new RegExp(illegal, 'u');

/**
 * fauxqs knows the first 65,536 characters alone and refuses an emoji. Its rule is one regular expression, which is made
 * anew in place. Throws if fauxqs has it no more.
 */
async function takeEveryPlane(): Promise<void> {
  const types = new URL('sqs/sqsTypes.js', import.meta.resolve('fauxqs')).href;
  const { INVALID_MESSAGE_BODY_CHAR: rule } = (await import(types)) as { readonly INVALID_MESSAGE_BODY_CHAR: RegExp };
  rule.compile(illegal, 'u');
}

/** Makes fauxqs judge the text and the delays of a batch of messages as SQS does, each entry by itself. */
export async function judgeAsSqs(app: SqsApp): Promise<void> {
  await takeEveryPlane();
  const refusedOf = new WeakMap<SqsRequest, readonly RefusedEntry[]>();
  app.addHook('preHandler', async (request) => {
    if (request.headers['x-amz-target'] !== 'AmazonSQS.SendMessageBatch') return;
    const body = request.body as { readonly Entries?: readonly SentEntry[] };
    const entries = body.Entries ?? [];
    const refused = entries.flatMap((entry) => refusalOf(entry) ?? []);
    const ids = new Set(refused.map(({ Id }) => Id));
    if (refused.length === 0) return;
    refusedOf.set(request, refused);
    // fauxqs refuses a call without entries: one that it refuses by its own rule stays in its place.
    const left = entries.filter(({ Id }) => !ids.has(Id));
    const [first] = refused;
    request.body = { ...body, Entries: left.length > 0 ? left : [{ Id: first?.Id, MessageBody: '\u0000' }] };
  });
  app.addHook('preSerialization', async (request, _reply, payload) => {
    const refused = refusedOf.get(request);
    if (!refused) return payload;
    const answer = payload as { readonly Successful?: readonly unknown[] };
    return { ...answer, Successful: answer.Successful ?? [], Failed: refused };
  });
}

function refusalOf({ Id, MessageBody, DelaySeconds = 0, MessageAttributes = {} }: SentEntry): RefusedEntry | undefined {
  const refused = (Code: string, Message: string): RefusedEntry => ({ Id, SenderFault: true, Code, Message });
  if (illegalCharacter.test(MessageBody)) return refused('InvalidMessageContents', 'Invalid characters found.');
  if (DelaySeconds > sqsMaxDelaySeconds)
    return refused('InvalidParameterValue', `DelaySeconds must be at most ${sqsMaxDelaySeconds}.`);
  for (const [name, { StringValue }] of Object.entries(MessageAttributes))
    if (StringValue === '' || (StringValue !== undefined && illegalCharacter.test(StringValue)))
      return refused('InvalidParameterValue', `Message attribute '${name}' is empty or holds invalid characters.`);
  return undefined;
}
