// `payouts safeguards show`: what approvers have said that a merchant may pay. Exit codes: 0 they hold, 1 there are none that hold,
// 2 bad input.
import { findSafeguards, safeguardsIn } from '../../batches/safeguards.ts';
import { changeText, safeguardsNow } from '../../operate/merchant-acts.ts';
import { couldBear } from '../../payout/message/job.ts';
import { say } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';
import { UsageError } from '../../files/usage-error.ts';

/** Runs `payouts safeguards show`; returns the exit code. */
export async function showSafeguards(merchant: string, { json }: { readonly json: boolean }): Promise<number> {
  if (!couldBear({ merchant })) throw new UsageError(`no job could bear the merchant "${merchant}"`);
  const { safeguards: store, macs } = toolPorts();
  const found = await findSafeguards(merchant, { store, macs });
  const stored = await store.read(merchant);
  const earlier = (stored?.earlier ?? []).flatMap((text) => safeguardsIn(text, store.place, merchant) ?? []);
  const shown = { merchant, kind: found.kind, ...(found.kind === 'hold' && found.change), earlier };
  const lines = [safeguardsNow(merchant, found), ...earlier.map((it) => `  before that: ${changeText(it)}`)];
  say({ json }, shown, lines.join('\n'));
  return found.kind === 'hold' ? 0 : 1;
}
