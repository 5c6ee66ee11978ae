// `payouts safeguards`: what approvers have said that a merchant may pay, and the change of it. Exit codes: 0 done (shown: they
// hold), 1 not done (shown: there are none that hold), 2 bad input.
import { systemClock } from '../../aws/system.ts';
import { personOf } from '../../batches/approval-proof.ts';
import {
  findSafeguards,
  type FoundSafeguards,
  type SafeguardsChange,
  safeguardsIn,
  safeguardsText,
  writeSafeguards,
} from '../../batches/safeguards.ts';
import { minorUnitsOf } from '../../gateway/money.ts';
import { dayCapKinds, dayCapRows } from '../../gateway/profile-limits.ts';
import type { Safeguards } from '../../gateway/profile.ts';
import { redact } from '../../gateway/redact.ts';
import { couldBear } from '../../payout/message/job.ts';
import { requireSomebody, saysYes } from '../asking.ts';
import { declined, say } from '../command-line.ts';
import { tellMoneyOf } from '../orders/operator-commands.ts';
import { toolPorts } from '../tool-ports.ts';
import { UsageError } from '../usage-error.ts';

/** The command line of `payouts safeguards show`. */
interface ShowSafeguardsOptions {
  readonly json: boolean;
}

/** The command line of `payouts safeguards set`. */
interface SetSafeguardsOptions extends ShowSafeguardsOptions {
  readonly twoPersons?: 'on' | 'off';
  /** In the place of all that were there. */
  readonly cap?: Safeguards['caps'];
  readonly uncapped: boolean;
  readonly reason?: string;
  readonly yes: boolean;
}

/** Runs `payouts safeguards show`; returns the exit code. */
export async function showSafeguards(merchant: string, { json }: ShowSafeguardsOptions): Promise<number> {
  const { store, macs } = portsFor(merchant);
  const found = await findSafeguards(merchant, { store, macs });
  const stored = await store.read(merchant);
  const earlier = (stored?.earlier ?? []).flatMap((text) => safeguardsIn(text, store.place, merchant) ?? []);
  const shown = { merchant, kind: found.kind, ...(found.kind === 'hold' && found.change), earlier };
  const lines = [standingText(merchant, found), ...earlier.map((it) => `  before that: ${changeText(it)}`)];
  say({ json }, shown, lines.join('\n'));
  return found.kind === 'hold' ? 0 : 1;
}

/** Runs `payouts safeguards set`; returns the exit code. */
export async function setSafeguards(merchant: string, options: SetSafeguardsOptions): Promise<number> {
  if (options.cap && options.uncapped) throw new UsageError('--cap and --uncapped: say one of them');
  if (!options.yes) requireSomebody('say --yes to write them');
  const { store, macs, maker, identity } = portsFor(merchant);
  const by = await identity.whoAmI();
  if (personOf(by) === undefined) throw new UsageError(`AWS names nobody by ${by}; sign in as a person`);
  const found = await findSafeguards(merchant, { store, macs });
  const its = wanted(options, found.kind === 'hold' ? found.change : undefined);
  const reason = options.reason?.trim();
  const next = { ...its, by, atMs: systemClock.nowMs(), ...(reason && { reason: redact(reason, []) }) };
  checkCaps(its.caps);
  await tellMoneyOf([merchant]);
  tooLong(() => safeguardsText(store.place, merchant, { serial: 1, ...next }));
  if (!options.json)
    process.stderr.write(
      `  now:  ${standingText(merchant, found)}\n  then: ${safeguardsWords(its)}\n  you are ${by}\n\n`,
    );
  if (!options.yes && !(await saysYes('Write them?'))) return declined('nothing was changed');
  const written = await writeSafeguards(merchant, next, { store, maker });
  const text = written
    ? `${merchant}: ${safeguardsWords(written)}; known to every worker within five minutes, and an alarm says so`
    : `not changed: somebody else has changed the safeguards of ${merchant} meanwhile; look at them again`;
  say(options, { merchant, written: written !== undefined, ...written }, text);
  return written ? 0 : 1;
}

/** The safeguards to write: an option that is left out keeps its value, and the first record needs them all. */
function wanted({ twoPersons, cap, uncapped }: SetSafeguardsOptions, before: Safeguards | undefined): Safeguards {
  const twoPersonRelease = twoPersons === undefined ? before?.twoPersonRelease : twoPersons === 'on';
  const caps = cap ?? (uncapped ? {} : before?.caps);
  if (twoPersonRelease !== undefined && caps !== undefined) return { twoPersonRelease, caps };
  const unsaid = [
    ...(twoPersonRelease === undefined ? ['--two-persons on or off'] : []),
    ...(caps === undefined ? ['--cap CURRENCY=SINGLE/DAY or --uncapped'] : []),
  ];
  throw new UsageError(`say ${unsaid.join(', and ')}: nothing holds of it yet`);
}

function checkCaps(caps: Safeguards['caps']): void {
  for (const [currency, { single, perDay }] of Object.entries(caps)) {
    if (single === undefined || perDay === undefined) continue;
    if (minorUnitsOf(single, currency) > minorUnitsOf(perDay, currency))
      throw new UsageError(`--cap ${currency}: ${single} for one order is above ${perDay} a day; lower it`);
  }
}

function tooLong(make: () => unknown): void {
  try {
    make();
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

function standingText(merchant: string, found: FoundSafeguards): string {
  if (found.kind === 'hold') return `${merchant}: ${changeText(found.change)}`;
  const why = found.kind === 'absent' ? 'no safeguards' : 'safeguards that no approver wrote';
  return `${merchant}: ${why}; its jobs wait`;
}

function changeText(it: SafeguardsChange): string {
  const why = it.reason === undefined ? '' : ` (${it.reason})`;
  return `${safeguardsWords(it)}; ${new Date(it.atMs).toISOString()} by ${it.by}${why}`;
}

function safeguardsWords({ twoPersonRelease, caps }: Safeguards): string {
  const each = Object.entries(caps).map(([currency, { single = 'no end', ...ofDay }]) => {
    const days = dayCapKinds.map((kind) => ofDay[kind] && dayCapRows[kind].words(ofDay[kind])).filter(Boolean);
    return [`${currency} ${single} an order`, ...days].join(', ');
  });
  const capped = each.length === 0 ? 'no cap' : `${each.join('; ')}; no other currency`;
  return `two persons ${twoPersonRelease ? 'on' : 'off'}; ${capped}`;
}

function portsFor(merchant: string) {
  if (!couldBear({ merchant })) throw new UsageError(`no job could bear the merchant "${merchant}"`);
  const its = toolPorts();
  return { ...its, store: its.safeguards };
}
