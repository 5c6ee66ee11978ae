// Card data in a job: which fields hold it, and where it stands without any business there. Nothing here keeps or repeats
// a value.
import { holdsCardNumber } from './card-numbers.ts';
import { type JsonText, scalarsOf } from './json-text.ts';
import { type OperationName, operations } from '../gateway/operations.ts';
import type { Profile } from '../gateway/profile.ts';

/** The params of a job that are a card number or a CVV: the fields for which a queue is no place in the clear. */
export function plainCardFields(job: {
  readonly operation: OperationName;
  readonly params: Readonly<Record<string, string>>;
}): string[] {
  const { fields } = operations[job.operation];
  return Object.keys(job.params).filter((name) => ['number', 'code'].includes(fields[name]?.card ?? ''));
}

/** Where a card number stands in a job in which it has no business at all: a free text, or the sender's own context. */
export function cardNumbersInText({
  operation,
  params,
  context,
}: Parameters<typeof plainCardFields>[0] & { readonly context?: JsonText }): string[] {
  const { fields } = operations[operation];
  const isFree = (name: string) => fields[name]?.kind === 'text' && !fields[name].sensitive && !fields[name].card;
  const texts = Object.entries(params).filter(([name, text]) => isFree(name) && holdsCardNumber(text));
  return [
    ...texts.map(([name]) => name),
    ...(context !== undefined && holdsCardNumber(scalarsOf(context)) ? ['context'] : []),
  ];
}

/** All that the merchant's profile refuses of it. */
export function refusedCardFields(job: Parameters<typeof cardNumbersInText>[0], profile: Profile): string[] {
  return profile.plainCardData === 'accepted' ? [] : [...plainCardFields(job), ...cardNumbersInText(job)];
}
