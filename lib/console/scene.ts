// What the console is started with: the person's place, and what only the command knows.
import type { OperatorDesk, Shown } from '../operate/act.ts';
import type { HistoryLine } from '../payout/order/history.ts';
import type { ReportDownloads } from './downloads.ts';
import type { Simulator } from './gateway-page.ts';

/** One answer of several: what was found, or why not. */
export type Part<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'not-allowed'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

/** An alarm that is in force. */
export interface Alarm {
  readonly name: string;
  /** What it means, in one sentence. */
  readonly says?: string;
  readonly sinceMs?: number;
}

/** The words that the command line has too. */
export interface Words {
  /** A line of an order's life. */
  readonly life: (line: HistoryLine) => string;
  /** The effect of an act on something other than an order. */
  readonly shown: (shown: Shown) => string | undefined;
  /** A text without what could deceive a reader. */
  readonly safely: (text: string) => string;
}

/** The scene that the console serves. */
export interface ConsoleScene {
  readonly desk: OperatorDesk;
  readonly alarms: () => Promise<readonly Alarm[]>;
  /** As `stage prod`, or where else. */
  readonly stage: string;
  /** The stage, and whose money is live; undefined in a local run, which has none. */
  readonly moneyNotice: (whose: Iterable<string> | 'every merchant') => Promise<string | undefined>;
  readonly isReadOnly: boolean;
  readonly reports: ReportDownloads;
  readonly words: Words;
  /** Asks, and never rejects: what AWS refuses is told as that. */
  readonly part: <T>(work: () => Promise<T>) => Promise<Part<T>>;
  /** The simulated gateway of a local run. */
  readonly simulator?: Simulator;
}
