// `payouts erase`: takes texts and context out of an order that has ended, or of all that ended before a day.
import { type Erased, eraseEnded, eraseOrder } from '../../payout/operate/erase.ts';
import { broughtForward } from '../../payout/wait/park.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { UsageError } from '../usage-error.ts';
import { declined, keyOf, partsOf, say } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';

/** Options of `payouts erase`. */
interface EraseOptions {
  readonly json: boolean;
  /** Epoch ms of the beginning of a day. */
  readonly endedBefore?: number;
  readonly yes: boolean;
}

/** Runs the command; returns the exit code. */
export async function runErase(order: string | undefined, options: EraseOptions): Promise<number> {
  const { endedBefore } = options;
  if ((order === undefined) === (endedBefore === undefined))
    throw new UsageError('name either an order or --ended-before');
  return endedBefore === undefined ? eraseOne(order ?? '', options) : eraseAll(endedBefore, options);
}

async function eraseOne(order: string, options: EraseOptions): Promise<number> {
  const [key, its] = [keyOf(partsOf(order)), toolPorts()];
  const erased = await eraseOrder(key, its);
  // Another message of it may wait: it ends by the order's end, and its body goes.
  await broughtForward(key, its);
  const { kind: outcome } = erased;
  say(options, { outcome, ...(erased.kind === 'refused' && { why: erased.why }) }, `${order}: ${textOf(erased)}`);
  return outcome === 'erased' || outcome === 'bare' ? 0 : 1;
}

function textOf(erased: Erased): string {
  switch (erased.kind) {
    case 'erased':
      return 'texts and context are erased; what keeps it from being paid twice stays';
    case 'bare':
      return 'holds no texts and no context';
    case 'not-found':
      return 'the ledger has no such order';
    case 'refused':
      return `not erased: ${erased.why}`;
    default:
      return erased satisfies never;
  }
}

async function eraseAll(beforeMs: number, options: EraseOptions): Promise<number> {
  const day = new Date(beforeMs).toISOString().slice(0, 10);
  if (!options.yes) {
    requireSomebody('say --yes to erase the texts of all orders that ended before the day');
    if (!(await saysYes(`Erase texts and context of every order that ended before ${day}?`)))
      return declined('nothing was changed');
  }
  const toldEvery = 10_000;
  const counts = await eraseEnded(beforeMs, toolPorts(), ({ read, erased }) => {
    if (read % toldEvery === 0 && !options.json)
      process.stderr.write(`payouts: ${read} orders read, ${erased} erased\n`);
  });
  const text = `${counts.erased} orders that ended before ${day} hold no texts any more; ${counts.refused} were not erased, of ${counts.read}`;
  say(options, counts, text);
  return counts.refused > 0 ? 1 : 0;
}
