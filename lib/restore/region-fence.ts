// The fence between a lost Region and the one that takes over. Nothing in AWS keeps a Region that comes back from paying, out of full
// queues and by a ledger of its own, the orders that the other one has begun to pay: copies of a table know nothing of each other. The
// gateway can: it refuses the keys that the lost Region signs with, or its addresses. Before that is known the copy does not become
// the ledger, and by a table that is not the ledger nothing is sent or asked. A later inquiry was then made after the last payment
// that the lost Region can have made, so that "no such order" is the truth.

/** The Region that a copy of the ledger comes from. */
export interface MovedFrom {
  readonly region: string;
  /** The gateways are known to refuse requests from there. */
  readonly isRefused: boolean;
}

/** True where a copy may become the ledger. */
export const mayTakeOver = (moved: MovedFrom | undefined): boolean => moved === undefined || moved.isRefused;
