// The table of the idempotency library, in a world: its own DynamoDB layer's calls and conditions
// (DynamoDBPersistenceLayer in the library's sources) over a map, under the weather that our ledger meets.
import {
  IdempotencyItemAlreadyExistsError,
  IdempotencyItemNotFoundError,
  IdempotencyRecordStatus,
} from '@aws-lambda-powertools/idempotency';
import { BasePersistenceLayer, type IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import { underFault } from './ledger.ts';
import type { Process } from './process.ts';
import type { Effect } from './weather.ts';
import type { RivalSurroundings } from './world.ts';

/** The items by key; one table for all processes. */
export type IdempotencyTable = Map<string, IdempotencyRecord>;

/** The library takes a persistence layer as a class of its own kind. */
export class SimulatedPersistenceLayer extends BasePersistenceLayer {
  readonly #table: IdempotencyTable;
  readonly #process: Process;
  readonly #surroundings: RivalSurroundings;

  constructor(table: IdempotencyTable, process: Process, surroundings: RivalSurroundings) {
    super();
    this.#table = table;
    this.#process = process;
    this.#surroundings = surroundings;
  }

  /** PutItem if there is none, or it has expired, or it is in progress and that has expired. */
  protected override _putRecord(record: IdempotencyRecord): Promise<void> {
    return this.#call('claim', () => {
      const found = this.#table.get(record.idempotencyKey);
      if (found && !mayBeReplaced(found)) throw new IdempotencyItemAlreadyExistsError('exists', found);
      this.#table.set(record.idempotencyKey, record);
    });
  }

  /** UpdateItem without a condition: it writes whoever holds the item, and creates it where there is none. */
  protected override _updateRecord(record: IdempotencyRecord): Promise<void> {
    return this.#call('advance', () => {
      const kept = this.#table.get(record.idempotencyKey)?.inProgressExpiryTimestamp;
      if (kept !== undefined) record.inProgressExpiryTimestamp = kept;
      this.#table.set(record.idempotencyKey, record);
    });
  }

  /** DeleteItem without a condition. */
  protected override _deleteRecord(record: IdempotencyRecord): Promise<void> {
    return this.#call('mark', () => void this.#table.delete(record.idempotencyKey));
  }

  protected override _getRecord(idempotencyKey: string): Promise<IdempotencyRecord> {
    return this.#call('read', () => {
      const found = this.#table.get(idempotencyKey);
      if (!found) throw new IdempotencyItemNotFoundError();
      return found;
    });
  }

  /** Under the name of our ledger's effect of the same kind, so that both meet the same faults. */
  #call<T>(effect: Effect, run: () => T): Promise<T> {
    const { timeline, weather } = this.#surroundings;
    return this.#process.effect(effect, '', () =>
      // `async` turns a failed condition into a rejection; the table changes in this very turn all the same.
      underFault(weather().ledger(effect), timeline, async () => run()),
    );
  }
}

function mayBeReplaced(found: IdempotencyRecord): boolean {
  const status = found.getStatus();
  if (status === IdempotencyRecordStatus.EXPIRED) return true;
  const { inProgressExpiryTimestamp } = found;
  const isOver = inProgressExpiryTimestamp !== undefined && inProgressExpiryTimestamp < Date.now();
  return status === IdempotencyRecordStatus.INPROGRESS && isOver;
}
