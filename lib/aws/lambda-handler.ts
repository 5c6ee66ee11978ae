// The common parts of the functions' handlers in Lambda: their shapes, the deadline of an invocation, and the log.
import type { APIGatewayProxyEventV2, Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { CallbackAnswer, IncomingCallback } from '../payout/inquire/handle-callback.ts';
import type { Clock, Log } from '../payout/ports.ts';
import { endingIn } from './aws-calls.ts';
import { functionEnvironment, invocationTraceId } from './env-config.ts';
import { systemClock } from './system.ts';
import { createJsonLogger } from './cloudwatch-lines.ts';

/** A Lambda handler for a batch of a queue. */
export type QueueHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<SQSBatchResponse>;

/** A Lambda handler for a function URL. */
export type DoorHandler = (
  event: FunctionUrlEvent,
  context?: Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<{ statusCode: number; body: string }>;

/** The Lambda handler that the door invokes. */
export type CallbackHandler = (
  event: DoorMessage,
  context?: Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<{ answer: CallbackAnswer }>;

/** A Lambda handler for a schedule. */
export type ScheduleHandler = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void>;

/** Made once per cold start, at the first event: a wrong setting then fails that event, and a batch stays on its queue. */
export function atFirstEvent<Asked extends readonly unknown[], Answer>(
  make: () => (...asked: Asked) => Answer,
): (...asked: Asked) => Answer {
  let made: ((...asked: Asked) => Answer) | undefined;
  return (...asked) => (made ??= make())(...asked);
}

/** Reads, while a function starts, the values that every event needs. Reads alone: a second start reads again. */
export interface WarmUp {
  readonly warmUp: () => Promise<unknown>;
}

/** A handler that is made, and its reads before the first call; that never rejects. */
interface MadeHandler<Asked extends readonly unknown[], Answer> extends WarmUp {
  readonly handle: (...asked: Asked) => Answer;
}

/** The start of a function waits so long for its warm-up; values that arrive later arrive with the first event. */
const warmUpAtMostMs = 1_000;

/**
 * Made while the function starts, when it has its processors whole, and warmed up: awaited, so that it is not frozen halfway,
 * but never for long. A wrong setting fails the first event all the same, and not the start; outside Lambda it is made then.
 */
export async function whileStarting<Asked extends readonly unknown[], Answer>(
  make: () => MadeHandler<Asked, Answer>,
): Promise<(...asked: Asked) => Answer> {
  let made: MadeHandler<Asked, Answer> | undefined;
  if (functionEnvironment()['AWS_LAMBDA_FUNCTION_NAME'] !== undefined) {
    try {
      const { warmUp } = (made = make());
      await endingIn(warmUpAtMostMs, warmUp);
    } catch {
      // The first event meets any failure again.
    }
  }
  return (...asked) => (made ??= make()).handle(...asked);
}

/** Takes a line of the log. */
export type WriteLine = (line: string) => void;

/** Standard output, which Lambda takes to CloudWatch. */
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

/** The time when the invocation ends (epoch ms). */
export function deadlineOf(clock: Pick<Clock, 'nowMs'>, context: Pick<Context, 'getRemainingTimeInMillis'>): number {
  return clock.nowMs() + context.getRemainingTimeInMillis();
}

/** The time that a function on a schedule keeps back, to send its findings and to publish its figures. */
export const scheduleReserveMs = 10_000;

// A request to the door's function URL as a callback: GET with a query, or POST with a form body. Nothing of it is
// logged: the query bears the order and what is signed about it.

/** The part of the event that is read. */
export type FunctionUrlEvent = Pick<APIGatewayProxyEventV2, 'rawPath' | 'rawQueryString' | 'body' | 'isBase64Encoded'>;

/** What the door hands on: all that strangers may say. */
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

/** Merchant from the last segment of the path, one slash at its end aside; parameters from query and form, the form's if both are. */
export function incomingCallback({ path, query, form }: DoorMessage): IncomingCallback {
  const parameters = [query, form].flatMap((text) => [...new URLSearchParams(text)]);
  return { merchant: /([^/]*)\/?$/.exec(path)?.[1] ?? '', parameters: new Map(parameters) };
}
