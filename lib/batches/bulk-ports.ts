// What sending a file needs from the world.

/** SHA-256. */
export interface Hashing {
  /** A digest of many texts. */
  start(): { add(text: string): void; hex(): string };
}

/** A message on its way to the jobs queue. */
export interface JobToSend {
  readonly body: string;
  /** Jobs of one merchant share a group: none can crowd out the others' jobs. */
  readonly groupId: string;
}

/** What the queue did not take. `again`: trouble that passes; else the queue will never take it. */
interface Untaken {
  readonly index: number;
  readonly again: boolean;
  readonly code: string;
}

/** The jobs queue, as the tool writes to it. At most ten messages a call; rejects where trying again is of no use. */
export interface JobSender {
  send(jobs: readonly JobToSend[]): Promise<readonly Untaken[]>;
}

/** Who runs the command, by credentials that can't be borrowed by a word; rejects where that can't be told. */
export interface Identity {
  whoAmI(): Promise<string>;
}
