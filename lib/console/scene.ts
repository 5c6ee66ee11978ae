// What the console is started with: the person's place, and what only the command knows.
import type { OperatorDesk, Shown } from '../operate/act.ts';
import type { ReportDownloads } from './downloads.ts';
import type { AskSimulator } from './gateway-page.ts';

/** An alarm that is in force. */
export interface Alarm {
  readonly name: string;
  /** What it means, in one sentence. */
  readonly says?: string;
  readonly sinceMs?: number;
}

/** The words that the command line has too. */
interface Words {
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
  /** The simulated gateway of a local run. */
  readonly simulator?: AskSimulator;
}
