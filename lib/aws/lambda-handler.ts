// Common parts of the Lambda handlers: their types, the start, the deadline of an invocation, the log, and callback requests.
import type { APIGatewayProxyEventV2, Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { CallbackAnswer, IncomingCallback } from '../payout/inquire/handle-callback.ts';
import type { Clock, Log } from '../payout/ports.ts';
import { endingIn } from './aws-calls.ts';
import { functionEnvironment, invocationTraceId } from './env-config.ts';
import { systemClock } from './system.ts';
import { createJsonLogger } from './cloudwatch-lines.ts';

/** A Lambda handler for a batch of messages. */
export type QueueHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<SQSBatchResponse>;

/** A Lambda handler for a function URL. */
export type DoorHandler = (
  event: FunctionUrlEvent,
  context?: Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<{ statusCode: number; body: string }>;

/** The handler of the callback function, which the door invokes. */
export type CallbackHandler = (
  event: DoorMessage,
  context?: Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<{ answer: CallbackAnswer }>;

/** A Lambda handler for a schedule. */
export type ScheduleHandler = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void>;

/** Makes the handler once, at the first event: a wrong setting fails that event. */
export function atFirstEvent<Asked extends readonly unknown[], Answer>(
  make: () => (...asked: Asked) => Answer,
): (...asked: Asked) => Answer {
  let handle: ((...asked: Asked) => Answer) | undefined;
  return (...asked) => (handle ??= make())(...asked);
}

/** Reads the values that every event needs, while the function starts. It writes nothing. */
export interface WarmUp {
  readonly warmUp: () => Promise<unknown>;
}

/** A handler and its warm-up, which never rejects. */
interface WarmedHandler<Asked extends readonly unknown[], Answer> extends WarmUp {
  readonly handle: (...asked: Asked) => Answer;
}

/** Longest wait for a warm-up; the first event then meets values that are still on their way. */
const warmUpAtMostMs = 1_000;

/**
 * Makes and warms up the handler while the function starts, when Lambda gives it full processors. The warm-up is awaited for at most
 * a second, so that the function is not frozen halfway. A wrong setting fails the first event, not the start. Outside Lambda the
 * handler is made at the first event.
 */
export async function whileStarting<Asked extends readonly unknown[], Answer>(
  make: () => WarmedHandler<Asked, Answer>,
): Promise<(...asked: Asked) => Answer> {
  let handler: WarmedHandler<Asked, Answer> | undefined;
  if (functionEnvironment()['AWS_LAMBDA_FUNCTION_NAME'] !== undefined) {
    try {
      const { warmUp } = (handler = make());
      await endingIn(warmUpAtMostMs, warmUp);
    } catch {
      // The first event fails again if the fault remains.
    }
  }
  return (...asked) => (handler ??= make()).handle(...asked);
}

/** Takes a line of the log. */
export type WriteLine = (line: string) => void;

/** Standard output, which Lambda sends to CloudWatch. */
export const writeLine: WriteLine = (line) => void process.stdout.write(`${line}\n`);

/** The log of a function, over a line writer. */
export function functionLog(write: WriteLine): Log {
  return createJsonLogger({ write, nowMs: systemClock.nowMs, traceId: () => invocationTraceId() });
}

/** A log whose every line names the invocation. */
export function logOfInvocation(log: Log, requestId: string | undefined): Log {
  if (requestId === undefined) return log;
  return { write: (level, event, fields) => log.write(level, event, { requestId, ...fields }) };
}

/** When the invocation ends (epoch ms). */
export function deadlineOf(clock: Pick<Clock, 'nowMs'>, context: Pick<Context, 'getRemainingTimeInMillis'>): number {
  return clock.nowMs() + context.getRemainingTimeInMillis();
}

/** Time that a scheduled function reserves at its end, to send and publish what it has found. */
export const scheduleReserveMs = 10_000;

// A callback as the door receives it: GET with a query, or POST with a form body. It is never logged: the query holds the order id and
// its proof.

/** The part of the event that is read. */
export type FunctionUrlEvent = Pick<APIGatewayProxyEventV2, 'rawPath' | 'rawQueryString' | 'body' | 'isBase64Encoded'>;

/** The message that the door hands on: the only input from strangers. */
export interface DoorMessage {
  readonly path: string;
  readonly query: string;
  readonly form: string;
}

/** Longest path, query and body together, in characters; the gateway's are well under 1 KB. */
const textLimit = 8_192;

/** The request as it is handed on; undefined if it is longer than any callback. */
export function doorMessageOf({
  rawPath,
  rawQueryString,
  body = '',
  isBase64Encoded,
}: FunctionUrlEvent): DoorMessage | undefined {
  if (rawPath.length + rawQueryString.length + body.length > textLimit) return undefined;
  const form = isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
  return { path: rawPath, query: rawQueryString, form };
}

/** The merchant is the last segment of the path. Parameters come from query and form; the form wins. */
export function incomingCallback({ path, query, form }: DoorMessage): IncomingCallback {
  const parameters = [query, form].flatMap((text) => [...new URLSearchParams(text)]);
  return { merchant: /([^/]*)\/?$/.exec(path)?.[1] ?? '', parameters: new Map(parameters) };
}
