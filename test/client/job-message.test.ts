// The type of a job message has every field of the contract and no other: a mistake here is one of the compiler's.
import { expect, it } from 'vitest';
import { contracts } from '../../infra/contracts/contracts.ts';
import { jobFields } from '../../lib/payout/message/job-fields.ts';
import type { JobMessage } from '../../lib/client/job-message.ts';

/** Does not compile where one of the two has a field that the other has not. */
const typed: { readonly [Field in keyof JobMessage]-?: Field } & { readonly [Field in keyof typeof jobFields]: Field } =
  {
    version: 'version',
    operation: 'operation',
    merchant: 'merchant',
    endpointId: 'endpointId',
    orderId: 'orderId',
    params: 'params',
    sealedParams: 'sealedParams',
    notBefore: 'notBefore',
    expiresAt: 'expiresAt',
    resends: 'resends',
    batchId: 'batchId',
    context: 'context',
    approval: 'approval',
  };

it('a job message has the fields of the contract, as type, as code and as published', () => {
  expect(Object.keys(typed)).toEqual(Object.keys(jobFields));
  expect(Object.keys(typed)).toEqual(Object.keys(contracts.job.schema.properties ?? {}));
});
