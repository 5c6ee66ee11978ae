// Why rows of a batch were not paid, as a person reads it; it goes when batches read verdict-text.ts.
import type { Reason } from '../../local/verdict.ts';

/** Each reason with its number of jobs, what was said, what to do, and which they are: lines, messages or rows. */
export function reasonsText(reasons: readonly Reason[], counted: string): string {
  if (reasons.length === 0) return '';
  const width = String(Math.max(...reasons.map(({ jobs }) => jobs))).length;
  const lines = reasons.flatMap(
    ({ jobs, which = [], ending, code, gatewayCode, httpStatus, message, remedy, andTheLike }) => {
      const said = [
        ...(gatewayCode === undefined ? [] : [`gateway code ${gatewayCode}`]),
        ...(httpStatus === undefined ? [] : [`HTTP ${httpStatus}`]),
        message,
        ...(andTheLike ? ['and the like'] : []),
      ].join(', ');
      const indent = ' '.repeat(width + 3);
      const more = jobs > which.length ? ` and ${jobs - which.length} more` : '';
      const named = `${indent}${counted}${which.length > 1 ? 's' : ''} ${which.join(', ')}${more}`;
      const head = `  ${String(jobs).padStart(width)} ${ending} · ${code}: ${said}`;
      return [head, `${indent}→ ${remedy}`, ...(which.length > 0 ? [named] : [])];
    },
  );
  return ['  why, and what to do', ...lines].join('\n');
}

/** Failures that are seldom about the orders. */
export const refusedAlikeText =
  'The gateway refused every order in the same words: that is seldom about the orders. Ask it about the account.';
