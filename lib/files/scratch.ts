// A database in a file without a name, which goes with this process: what is gathered in it takes no memory, and is on no disk afterwards.
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from './usage-error.ts';

const cacheKilobytes = 32_768;

/** Opens a scratch database with these tables. Without a journal: nothing is rolled back. */
export function openScratch(tables: string): DatabaseSync {
  const database = new DatabaseSync('');
  database.exec(
    `PRAGMA cache_size = -${cacheKilobytes}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; ${tables}; BEGIN`,
  );
  return database;
}

/** Runs work on a scratch database. Throws UsageError if the disk for temporary files is full. */
export function onScratch<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')) throw error;
    throw new UsageError(`the folder of temporary files can't hold ${what} (${error.message}); set TMPDIR to another`);
  }
}
