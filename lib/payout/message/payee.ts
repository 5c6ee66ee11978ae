// The payee as an order keeps it for the person who decides about it: initials, and the last digits of the account.
import { operations } from '../../gateway/operations.ts';
import { payeeNameIn, type Job } from './job.ts';

/** The payee's masked name and account; undefined if the job shows neither. */
export function maskedPayee({ operation, context, params }: Pick<Job, 'operation' | 'context' | 'params'>) {
  const { fields } = operations[operation];
  const [, account] = Object.entries(params).find(([name]) => fields[name]?.bankAccount) ?? [];
  const initials = payeeNameIn(context)?.match(/(?<!\S)[\p{L}\p{N}]/gu) ?? [];
  const name = initials.slice(0, 4).map((letter) => `${letter}…`);
  // A third of the account at most: a short one would be shown whole.
  const tail = account === undefined ? '' : account.slice(account.length - Math.min(4, Math.floor(account.length / 3)));
  const parts = [...name, ...(tail === '' ? [] : [`…${tail}`])];
  return parts.length === 0 ? undefined : parts.join(' ');
}
