// dynalite ships no types; this is the part of it the embedded environment uses.
declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    createTableMs?: number;
    updateTableMs?: number;
    deleteTableMs?: number;
    /** Directory of the LevelDB store; in memory when absent. */
    path?: string;
  }

  function dynalite(options?: DynaliteOptions): Server;
  export = dynalite;
}
