// The dialect of the Payneteasy family (`/paynet/api/v2` and `v4`): forms signed by OAuth 1.0. This file puts its parts together.
import { payneteasyCallbacks } from './payneteasy-callbacks.ts';
import { formParameters } from './fields.ts';
import { judgeInquiry, statusParameters, statusRequest } from './inquiry.ts';
import { fieldsOutsideContract, operations } from './operations.ts';
import { judge } from './outcome.ts';
import type { Dialect, MerchantContract, MerchantCredentials, StartedOrder } from './ports.ts';
import type { Profile } from './profile.ts';
import { accountOf, missingKey, sendingTime, signatureMethodOf, signedRequest } from './signed-request.ts';

/** The Payneteasy dialect; `access` is what a merchant's secret holds. */
export const payneteasy: Dialect = {
  accountOf: (access: MerchantContract, endpointId) => accountOf(access, endpointId),
  lacks: (operation, access: MerchantContract | MerchantCredentials) =>
    'keys' in access ? missingKey(access, signatureMethodOf(operation, access.profile)) : undefined,
  outsideContract,
  start: (order, access: MerchantCredentials, sending) =>
    signedRequest(
      {
        operation: operations[order.operation],
        endpointId: order.endpointId,
        signatureMethod: signatureMethodOf(order.operation, access.profile),
        parameters: formParameters(operations[order.operation], {
          ...order,
          orderIdField: access.profile.orderIdField[order.operation] ?? operations[order.operation].orderIdField,
        }),
      },
      access,
      sendingTime(sending),
    ),
  judgeStart: judge,
  status: (order, endpointId, access: MerchantCredentials, sending) =>
    signedRequest(
      {
        operation: statusRequest,
        endpointId,
        signatureMethod: access.profile.signatureMethod.status ?? statusRequest.signatureMethod,
        parameters: statusParameters(order, access.login, access.profile),
      },
      access,
      sendingTime(sending),
    ),
  judgeStatus: judgeInquiry,
  callbacks: payneteasyCallbacks,
};

/** The fields that the contract does not have: sent anyway, they would be signed and refused. */
function outsideContract(order: Pick<StartedOrder, 'operation' | 'params'>, profile: Profile): string | undefined {
  const outside = fieldsOutsideContract(profile, order).join(', ');
  return outside === '' ? undefined : `name in the profile's extraFields, or leave out: ${outside}`;
}
