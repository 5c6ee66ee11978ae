// What a kill run is made of: how much is to be suffered, and what it is suffered in.
import type { EmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import type { MerchantSecrets } from '../../lib/local/sample-merchants.ts';
import type { createSeededRandom } from '../support/time-and-chance.ts';
import type { Crew } from './crew.ts';
import type { ShakyCable } from './shaky-cable.ts';

/** How much is to be suffered. */
export interface KillRunOptions {
  readonly orders: number;
  readonly kills: number;
  readonly freezes: number;
  readonly workers: number;
  readonly seed: number;
  readonly logDirectory: string;
  /** How long it looks on after the last kill: what a closed lane has told to wait is counted as waiting then. Without end when absent. */
  readonly calmMs?: number;
  readonly onProgress?: (progress: KillProgress) => void;
}

/** How far it is. */
export interface KillProgress {
  readonly kills: number;
  readonly freezes: number;
  readonly sent: number;
  readonly results: number;
  readonly waiting: number;
  readonly elapsedMs: number;
}

/** A run under way. */
export interface Scene {
  readonly options: KillRunOptions;
  readonly startedMs: number;
  readonly random: ReturnType<typeof createSeededRandom>;
  readonly aws: EmbeddedAws;
  readonly gateway: { simulator: GatewaySimulator; secrets: Readonly<Record<string, MerchantSecrets>> };
  readonly ledgerCable: ShakyCable;
  readonly crew: Crew;
}
