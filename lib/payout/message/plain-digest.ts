// The plain fields of a job, as one digest: a seal is bound to it; and what a job asks for, by which a batch knows its payouts.
import { hash } from 'node:crypto';
import { operations } from '../../gateway/operations.ts';
import type { Job } from './job.ts';

/**
 * SHA-256, base64url, of every field of the job but `sealedParams`, `approval`, `resends` and card data in the clear. Of the
 * context's text nothing counts but its values and their order, as blanks and escapes may differ from serialiser to serialiser.
 */
export function plainDigest(job: Job): string {
  return hash('sha256', JSON.stringify(plainFields(job)), 'base64url');
}

/**
 * What the job asks for, as far as it shows: 132 bits over what a fingerprint covers, without card data. An order of another digest is
 * another payment under the same id. Two jobs of one digest may still differ in a card that is sealed.
 */
export function contentDigest({ operation, merchant, endpointId, orderId, money, params }: Job): string {
  const { fields } = operations[operation];
  const plain = Object.entries(params)
    .filter(([name]) => name !== 'amount' && fields[name]?.card === undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const content = [operation, merchant, endpointId, orderId, money?.minorUnits.toString() ?? null, plain];
  return hash('sha256', JSON.stringify(['content', ...content]), 'base64url').slice(0, 22);
}

function plainFields(job: Job): readonly unknown[] {
  const { operation, merchant, endpointId, orderId, params, notBeforeMs, expiresAtMs, batchId, context } = job;
  const { fields } = operations[operation];
  const plain = Object.entries(params)
    .filter(([name]) => fields[name]?.card === undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const own = context?.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  );
  return [
    operation,
    merchant,
    endpointId,
    orderId,
    plain,
    notBeforeMs ?? null,
    expiresAtMs ?? null,
    batchId ?? null,
    own ?? null,
  ];
}
