// The ports of the functions of a world, and the places in which a planted bug can sit between them and it.
import type { CardKeysByOrder, createMemoryCardKeyStore } from '../support/memory-card-key-store.ts';
import type { InquireFunctionPorts } from '../../functions/inquire.ts';
import type { OperatePorts } from '../../lib/payout/operate/decide.ts';
import type { DueWork } from '../../lib/payout/inquire/due-work.ts';
import type { Lanes } from '../../lib/payout/lanes/lane.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import type { Orders } from '../../lib/payout/order/orders.ts';
import type { LinePorts } from '../../lib/payout/waiting/run-lines.ts';
import type { WaitingRow, WaitingRows } from '../../lib/payout/waiting/waiting-row.ts';
import type { SweepPorts } from '../../lib/payout/inquire/sweep.ts';
import type { CallbackPorts } from '../../lib/payout/inquire/handle-callback.ts';
import type { QueueHandler } from '../../lib/aws/lambda-handler.ts';
import type { Checks } from './checks-queue.ts';
import type { TableRequest } from './table.ts';
import type { Queues } from './queues.ts';

/** All ports of all functions. */
export type WorldPorts = LinePorts & { readonly isLinesQueue: (arn: string) => boolean } & InquireFunctionPorts &
  SweepPorts &
  CallbackPorts &
  OperatePorts;

/** The table of card keys, for every caller. */
export type CardKeyTable = ReturnType<typeof createMemoryCardKeyStore>;

/** A protocol bug switched on in this world alone; see planted-bugs.ts. */
export interface Sabotage {
  readonly store?: (orders: Orders & DueWork, items: Map<string, Order>) => Orders & DueWork;
  readonly cardKeys?: (store: CardKeyTable, keys: CardKeysByOrder) => CardKeyTable;
  /** The lanes' store. */
  readonly lanes?: (lanes: Lanes, items: Map<string, string>) => Lanes;
  /** The table of waiting rows. */
  readonly waiting?: (rows: WaitingRows, items: Map<string, WaitingRow>) => WaitingRows;
  /** The requests of the ledger's adapter to its table. */
  readonly request?: (request: TableRequest) => TableRequest;
  readonly ports?: (ports: WorldPorts) => WorldPorts;
  readonly handler?: (handler: QueueHandler, queues: Queues) => QueueHandler;
  readonly checksHandler?: (handler: QueueHandler, checks: Checks) => QueueHandler;
  readonly operatorPorts?: (ports: WorldPorts) => WorldPorts;
}
