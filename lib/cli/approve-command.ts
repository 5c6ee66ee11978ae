// `payouts approve`: a second person approves a held batch, that an order was not paid, or the end of a restore.
import { actOf } from '../operate/acts.ts';
import { UsageError } from '../files/usage-error.ts';
import { type ApproveOptions, runApprove } from './batches/submit-commands.ts';
import { performAct } from './perform-act.ts';
import { approveRestore } from './restore/restore-commands.ts';

/** The command line of all three. */
interface ApprovalOptions extends ApproveOptions {
  /** The ARN of the person who decides about an order. */
  readonly for?: string;
  readonly id?: string;
  readonly seen?: string;
}

/** Runs the command: a batch is named with its file, an order with the person who decides; a restore is `restore`. */
export async function runApproval(what: string, file: string | undefined, options: ApprovalOptions): Promise<number> {
  if (file !== undefined) return runApprove(what, file, options);
  if (what === 'restore') return approveRestore(options);
  if (!what.includes('/'))
    throw new UsageError('name the file of the batch, or write an order as <merchant>/<order id>');
  const { for: decider, id, seen } = options;
  if (decider === undefined) throw new UsageError('--for: name the person who decides about the order');
  const given = {
    order: what,
    for: decider,
    ...(id !== undefined && { gatewayOrderId: id }),
    ...(seen !== undefined && { seen }),
  };
  return performAct(actOf('approve'), given, options);
}
