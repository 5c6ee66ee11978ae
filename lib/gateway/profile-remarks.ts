// Remarks about a profile whose fields are valid one by one: settings that contradict each other or the keys of the secret. A fault
// stops payments or inquiries; a warning is probably not intended.
import { statusRequest } from './inquiry.ts';
import { keyFieldOf } from './signed-request.ts';
import { type OperationName, operationNames, operations } from './operations.ts';
import type { Profile } from './profile.ts';
import type { SignatureMethodName } from '../oauth1/vocabulary.ts';

/** A remark about one field of a secret, with the remedy. Never holds a secret value. */
export interface Remark {
  readonly level: 'fault' | 'warning';
  readonly field: string;
  readonly says: string;
}

type Methods = ReadonlySet<SignatureMethodName>;

/** The remarks about a profile whose secret has the keys for these methods. */
export function profileRemarks(profile: Profile, methods: Methods): Remark[] {
  return [
    ...operationNames.flatMap((name) => keyRemark(name, profile, methods)),
    ...statusRemarks(profile, methods),
    ...operationNames.flatMap((name) => fieldRemarks(name, profile)),
    ...requiredRemarks(profile),
    ...trialRemarks(profile),
  ];
}

/** A chosen method without its key is a mistake. A default method without its key means that the contract lacks the operation. */
function keyRemark(name: OperationName, { signatureMethod }: Profile, methods: Methods): Remark[] {
  const chosen = signatureMethod[name];
  const method = chosen ?? operations[name].signatureMethod;
  if (methods.has(method)) return [];
  const lacks = `${name} is signed by ${method}, and the secret has no ${keyFieldOf(method)}`;
  if (chosen)
    return [{ level: 'fault', field: `profile.signatureMethod.${name}`, says: `${lacks}; add it, or choose another` }];
  const says = `${lacks}: its jobs fail with SECRET_INVALID; add it, or choose another in profile.signatureMethod`;
  return [{ level: 'warning', field: keyFieldOf(method), says }];
}

function statusRemarks(profile: Profile, methods: Methods): Remark[] {
  const { statusInquiry, resubmitUnknownOrders, quietPeriodSeconds, doubtHorizonSeconds } = profile;
  const field = 'profile.statusInquiry';
  if (!statusInquiry) {
    const says = 'is off, so resubmitUnknownOrders has no effect; switch it on, or leave out resubmitUnknownOrders';
    return resubmitUnknownOrders ? [{ level: 'warning', field, says }] : [];
  }
  const method = profile.signatureMethod.status ?? statusRequest.signatureMethod;
  const remarks: Remark[] = [];
  if (!methods.has(method)) {
    const says = `needs ${method}, and the secret has no ${keyFieldOf(method)}: nothing could be asked; add it`;
    remarks.push({ level: 'fault', field, says });
  }
  if (quietPeriodSeconds >= doubtHorizonSeconds) {
    const says = 'is not below doubtHorizonSeconds: doubt is held before "no such order" is believed; lower it';
    remarks.push({ level: 'warning', field: 'profile.quietPeriodSeconds', says });
  }
  return remarks;
}

function fieldRemarks(name: OperationName, { extraFields }: Profile): Remark[] {
  const { fields } = operations[name];
  const odd = (extraFields[name] ?? []).filter((field) => !fields[field]?.contractDependent);
  if (odd.length === 0) return [];
  const says = `names fields that need no permission, or are not of ${name}: ${odd.join(', ')}; leave them out`;
  return [{ level: 'warning', field: `profile.extraFields.${name}`, says }];
}

/** Required fields that no row could name: every row of a file would lack them. */
export function requiredRemarks({
  requiredFields,
  extraFields,
}: Pick<Profile, 'requiredFields' | 'extraFields'>): Remark[] {
  return Object.entries(requiredFields).flatMap(([key, choices]): Remark[] => {
    const field = `profile.requiredFields.${key}`;
    const name = operationNames.find((it) => it === key.split('/', 1)[0]);
    if (!name)
      return [
        {
          level: 'fault',
          field,
          says: `is of no operation; write one of ${operationNames.join(', ')}, or "payout/39915"`,
        },
      ];
    const { fields } = operations[name];
    return choices
      .flatMap((choice) => choice.split('|'))
      .flatMap((required): Remark[] => {
        if (!fields[required])
          return [
            {
              level: 'fault',
              field,
              says: `names "${required}", which is no field of ${name}; correct it or leave it out`,
            },
          ];
        if (!fields[required].contractDependent || extraFields[name]?.includes(required)) return [];
        return [
          {
            level: 'fault',
            field,
            says: `names "${required}", which the contract has only if profile.extraFields.${name} names it too`,
          },
        ];
      });
  });
}

/** The settings that are for tests only. */
function trialRemarks({ testKeys }: Profile): Remark[] {
  const says = 'takes keys that can be broken; never for a merchant that pays real money';
  return testKeys ? [{ level: 'warning', field: 'profile.testKeys', says }] : [];
}
