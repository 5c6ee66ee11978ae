// What the functions have in common as Lambda calls them: the shapes of their handlers, when an invocation ends, and where
// the lines of the log go.
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Clock, Log } from '../payout/ports.ts';
import { invocationTraceId } from './env-config.ts';
import type { FunctionUrlEvent } from './function-url.ts';
import { createJsonLogger } from './json-logger.ts';
import { systemClock } from './system.ts';

/** A Lambda handler for a batch of a queue. */
export type QueueHandler = (
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'> & Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<SQSBatchResponse>;

/** A Lambda handler for a function URL. */
export type CallbackHandler = (
  event: FunctionUrlEvent,
  context?: Partial<Pick<Context, 'awsRequestId'>>,
) => Promise<{ statusCode: number; body: string }>;

/** A Lambda handler for a schedule. */
export type ScheduleHandler = (event: unknown, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<void>;

/** Takes a line of the log. */
export type WriteLine = (line: string) => void;

/** Standard output, which Lambda takes to CloudWatch. */
export const writeLine: WriteLine = (line) => void process.stdout.write(`${line}\n`);

/** The log of a function, over a line writer. */
export function functionLog(write: WriteLine): Log {
  return createJsonLogger({ write, nowMs: systemClock.nowMs, traceId: () => invocationTraceId() });
}

/** When the invocation ends (epoch ms). */
export function deadlineOf(clock: Pick<Clock, 'nowMs'>, context: Pick<Context, 'getRemainingTimeInMillis'>): number {
  return clock.nowMs() + context.getRemainingTimeInMillis();
}

/** Kept back by what runs on a schedule, to send what was found and to publish the figures. */
export const scheduleReserveMs = 10_000;
