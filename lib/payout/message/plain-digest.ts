// Two digests of a job: one of its plain fields, to which a seal is bound; and one of what it asks for, by which a batch recognises its
// payouts.
import { hash } from 'node:crypto';
import { operations } from '../../gateway/operations.ts';
import type { Job } from './job.ts';

/**
 * SHA-256, base64url, of every field of the job except `sealedParams`, `approval`, `resends` and plain card data. Of the context only the
 * values and their order count, because serialisers differ in blanks and escapes.
 */
export function plainDigest(job: Job): string {
  return hash('sha256', JSON.stringify(plainFields(job)), 'base64url');
}

/**
 * What the job asks for, as far as it is visible: 132 bits over what a fingerprint covers, without card data. An order with another digest
 * is another payment under the same id. Two jobs with the same digest may still differ in a sealed card.
 */
export function contentDigest({ operation, merchant, endpointId, orderId, money, params }: Job): string {
  const plain = plainParams({ operation, params }).filter(([name]) => name !== 'amount');
  const content = [operation, merchant, endpointId, orderId, money?.minorUnits.toString() ?? null, plain];
  return hash('sha256', JSON.stringify(['content', ...content]), 'base64url').slice(0, 22);
}

/** The params without card data, in the order of their names. */
function plainParams({ operation, params }: Pick<Job, 'operation' | 'params'>): readonly [string, string][] {
  const { fields } = operations[operation];
  return Object.entries(params)
    .filter(([name]) => fields[name]?.card === undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function plainFields(job: Job): readonly unknown[] {
  const { operation, merchant, endpointId, orderId, notBeforeMs, expiresAtMs, batchId, context } = job;
  const own = context?.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  );
  return [
    operation,
    merchant,
    endpointId,
    orderId,
    plainParams(job),
    notBeforeMs ?? null,
    expiresAtMs ?? null,
    batchId ?? null,
    own ?? null,
  ];
}
