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
 * The digest by which a message proves to be a row of a registered file: 132 bits over every field as it was sent, its seal and its
 * approval to the letter. No copy with another seal, another approval or a further field passes for the row. A plain hash: of a
 * card only the seal goes into it.
 */
export function rowDigest(job: Job): string {
  const { sealedParams, approval, resends } = job;
  const asSent = [sealedParams ?? null, approval ?? null, resends ?? null];
  return hash('sha256', JSON.stringify(['row', ...plainFields(job), ...asSent]), 'base64url').slice(0, 22);
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
