// Which dead letters are meant. Only what may be seen of a letter is searched: a search must not become a way to ask
// whether a card number lies in the queue.
import { type DeadLetterView, viewOf } from './dead-letter.ts';
import type { DeadMessage } from './dead-letter-ports.ts';

/** What is asked for; every part that is given must fit. */
export interface DeadLetterFilter {
  readonly merchant?: string;
  readonly batch?: string;
  /** The order's key in the ledger. */
  readonly order?: string;
  /** A reason code, or `sqs` for what SQS moved itself. */
  readonly code?: string;
  /** The message on the dead-letter queue, or the one that was sent first. */
  readonly message?: string;
  /** Text that some part of what is shown must hold, in capitals or not. */
  readonly search?: string;
}

/** True for a letter that fits the choice. */
export function fits(view: DeadLetterView, choice: DeadLetterFilter): boolean {
  const { merchant, batch, order, code, message, search } = choice;
  return (
    (merchant === undefined || view.merchant === merchant) &&
    (batch === undefined || view.batchId === batch) &&
    (order === undefined || view.order === order) &&
    (code === undefined || codeOf(view) === code) &&
    (message === undefined || view.messageId === message || view.originMessageId === message) &&
    (search === undefined || searchable(view).includes(search.toLowerCase()))
  );
}

/** The same, of a message as it lies on the queue. */
export function chosenBy(choice: DeadLetterFilter): (deadLetter: DeadMessage) => boolean {
  return (deadLetter) => fits(viewOf(deadLetter), choice);
}

/** Why the letter is here: the worker's code, or `sqs`. */
export function codeOf({ from, code }: DeadLetterView): string {
  return from === 'sqs' ? 'sqs' : (code ?? 'sqs');
}

function searchable({ messageId, originMessageId, order, operation, batchId, code, reason }: DeadLetterView): string {
  return [messageId, originMessageId, order, operation, batchId, code, reason].join('\n').toLowerCase();
}
