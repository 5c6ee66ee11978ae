// What making a check needs, and what is to become of it.
import type { AskPorts } from './ask-gateway.ts';
import type { Finding } from '../gateway/finding.ts';
import type { Check } from './inquiry-ports.ts';
import type { LedgerEntry } from './ledger.ts';
import type { Limits } from './limits.ts';
import type { Ledger } from './ports.ts';
import type { Result } from './result.ts';

/** What inquiring needs. */
export interface InquirePorts extends AskPorts {
  readonly ledger: Ledger;
  readonly limits: Limits;
}

/** What is to become of a check. */
export interface CheckEnd {
  /** Told now; its mark in the ledger is taken away afterwards, or stays. */
  readonly result?: Result;
  /** The order as it stands. */
  readonly entry?: LedgerEntry;
  /** Sent before this check is acknowledged; should it get lost, the sweeper finds the order when it is due. */
  readonly next?: { readonly check: Check; readonly delaySeconds: number };
  /** Nothing was begun: the same message comes back. */
  readonly comesBack?: true;
  /** What the gateway said, where it was asked. */
  readonly finding?: Finding['kind'];
  /** A callback that was no plain news: dropped, or kept on the order; `contradicts` an end or the order's identity. */
  readonly surprise?: 'forged' | 'unknown-order' | 'recorded' | 'contradicts';
  /** Kept on the order once all the rest is done: from then on the callback's repeats are free. */
  readonly word?: string;
  /** The gateway ended the order, and that does not fit where it stands: for a person. */
  readonly contradicted?: true;
}

/** A check under way. */
export interface Asked {
  readonly check: Check;
  readonly ports: InquirePorts;
}
