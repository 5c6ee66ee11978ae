// The checks of a payment before it is asked for, row by row: who is paid, by which account or card, in which
// currency, under which cap. A row that cannot be right is refused; an unlikely row is left to a person.
import { operations } from '../gateway/operations.ts';
import type { Profile } from '../gateway/profile.ts';
import { aboveSingleCap } from '../payout/operate/caps.ts';
import { whyTooFarAhead } from '../payout/operate/control.ts';
import { notBeforeLimitDays } from '../payout/message/job-fields.ts';
import type { Job } from '../payout/message/job.ts';
import type { FieldPath } from './bulk-columns.ts';
import type { RowFault, RowFinding, RowWarning, ValueForm } from './row-findings.ts';
import { accountFindings, bankFindings, cardFindings } from './payee-checks.ts';

/** The findings of a row. */
export interface Findings {
  readonly faults: readonly RowFault[];
  readonly warnings: readonly RowWarning[];
}

/** The rules that rows are compared with. */
export interface PreflightRules {
  readonly nowMs: number;
  /** By path. */
  readonly forms: ReadonlyMap<FieldPath, ValueForm>;
}

/** Compares a row with all rules that need no other row. Without a profile the contract's rules are left out. */
export function preflight(job: Job, profile: Profile | undefined, rules: PreflightRules): Findings {
  const found = [
    destinationFindings(job, profile),
    timeFindings(job, rules.nowMs),
    accountFindings(job, rules.forms),
    bankFindings(job, rules.forms),
    cardFindings(job, rules.nowMs),
    capFindings(job, profile),
  ].flat();
  return { faults: found.filter((it) => 'fault' in it), warnings: found.filter((it) => 'warning' in it) };
}

const dayMs = 86_400_000;

/** Sealed fields can't be seen: they may be the missing ones. */
function destinationFindings({ operation, endpointId, params, sealedParams }: Job, profile: Profile | undefined) {
  const [one, other] = operations[operation].payees;
  const found: RowFinding[] = [];
  if (params[one] !== undefined && params[other] !== undefined) {
    const fault = `names a payee, and ${one} another; leave one of them out`;
    found.push({ path: `params.${other}`, fault });
  }
  const required = profile?.requiredFields[`${operation}/${endpointId}`] ?? profile?.requiredFields[operation];
  const choices = required?.map((choice) => choice.split('|')) ?? [operations[operation].payees];
  for (const names of sealedParams === undefined ? choices : []) {
    if (names.some((name) => params[name] !== undefined)) continue;
    const needs = `${operation}${required ? ` at endpoint ${endpointId}` : ''} needs ${names.join(' or ')}`;
    found.push({ path: `params.${names[0]}`, fault: `is missing; ${needs}` });
  }
  return found;
}

/** The worker would refuse it: a job must not grow old while it waits. */
function timeFindings(job: Job, nowMs: number): RowFinding[] {
  const { notBeforeMs } = job;
  if (notBeforeMs !== undefined && notBeforeMs + dayMs < nowMs) {
    const warning = 'is over for more than a day; the payment would go at once';
    return [{ kind: 'past', path: 'notBefore', warning }];
  }
  if (!whyTooFarAhead(job, nowMs)) return [];
  const fault = `is more than ${notBeforeLimitDays} days ahead; send the file nearer to its time`;
  return [{ path: 'notBefore', fault }];
}

function capFindings({ money }: Job, profile: Profile | undefined): RowFinding[] {
  if (!money || !profile || !aboveSingleCap(money, profile)) return [];
  const single = profile.caps[money.currency]?.single;
  const above =
    single === undefined
      ? 'is in a currency that no cap names'
      : `is above the cap of ${single} ${money.currency} for one order`;
  const warning = `${above}; it would wait for a raised cap`;
  return [{ kind: 'cap', path: 'params.amount', warning }];
}
