// The table of the idempotency library in memory: its DynamoDB layer's conditions over a map, nothing else.
import {
  IdempotencyItemAlreadyExistsError,
  IdempotencyItemNotFoundError,
  IdempotencyRecordStatus,
} from '@aws-lambda-powertools/idempotency';
import { BasePersistenceLayer, type IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';

/** The library takes a persistence layer as a class of its own kind. */
export class MemoryPersistence extends BasePersistenceLayer {
  readonly #items = new Map<string, IdempotencyRecord>();

  protected override async _putRecord(record: IdempotencyRecord): Promise<void> {
    const found = this.#items.get(record.idempotencyKey);
    if (found && found.getStatus() !== IdempotencyRecordStatus.EXPIRED) {
      throw new IdempotencyItemAlreadyExistsError('exists', found);
    }
    this.#items.set(record.idempotencyKey, record);
  }

  protected override async _updateRecord(record: IdempotencyRecord): Promise<void> {
    this.#items.set(record.idempotencyKey, record);
  }

  protected override async _deleteRecord(record: IdempotencyRecord): Promise<void> {
    this.#items.delete(record.idempotencyKey);
  }

  protected override async _getRecord(idempotencyKey: string): Promise<IdempotencyRecord> {
    const found = this.#items.get(idempotencyKey);
    if (!found) throw new IdempotencyItemNotFoundError();
    return found;
  }
}
