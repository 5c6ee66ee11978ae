// The gateway's callbacks, by function URL → the callback function. Strangers reach this function: it holds no secret and has one right,
// to invoke `callback`, once per request. It answers 200 only if nothing is left to store; else 503, and the gateway repeats. The
// journey goes on in functions/callback.ts.
import { readWorkerConfig, type WorkerConfig } from '../lib/aws/env-config.ts';
import {
  type DoorHandler,
  type DoorMessage,
  doorMessageOf,
  functionLog,
  logOfInvocation,
  whileStarting,
  type WriteLine,
  writeLine,
} from '../lib/aws/lambda-handler.ts';
import { createInvoking, newInvokingClient } from '../lib/aws/lambda-functions.ts';
import { errorFields } from '../lib/payout/log-fields.ts';
import type { CallbackAnswer } from '../lib/payout/inquire/handle-callback.ts';
import type { Log } from '../lib/payout/ports.ts';

/** The ports of the function. */
interface DoorPorts {
  /** Invokes `callback`. */
  readonly handOn: (message: DoorMessage) => Promise<unknown>;
  readonly log: Log;
}

const ends: ReadonlySet<unknown> = new Set<CallbackAnswer>(['stored', 'nothing-to-store']);

/** The handler over the given ports. */
export function createDoor(ports: DoorPorts): DoorHandler {
  return async (event, context) => {
    const log = logOfInvocation(ports.log, context?.awsRequestId);
    const message = doorMessageOf(event);
    try {
      const answered = message && ((await ports.handOn(message)) as { readonly answer?: unknown } | null);
      return { statusCode: ends.has(answered?.answer) ? 200 : 503, body: '' };
    } catch (error) {
      log.write('error', 'callback-failed', errorFields(error));
      return { statusCode: 503, body: '' };
    }
  };
}

/** The shipped adapters. */
export function doorPorts({ callbackFunction, limits }: WorkerConfig, write: WriteLine): DoorPorts {
  return { handOn: createInvoking(newInvokingClient({ limits }), callbackFunction), log: functionLog(write) };
}

/** Called by AWS for each request to the function URL. */
export const handler: Promise<DoorHandler> = whileStarting(() => ({
  handle: createDoor(doorPorts(readWorkerConfig(), writeLine)),
  warmUp: async () => {},
}));
