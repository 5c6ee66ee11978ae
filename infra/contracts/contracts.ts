// The contracts as files: JSON Schemas of the messages on the queues and of the secrets.
// `npm run docs` writes them; a test compares them, so no field can come without its contract.
import { contractSchema, keysSchema } from '../../lib/aws/merchant-secret.ts';
import { workerSecretSchema } from '../../lib/aws/secret-schemas.ts';
import { batchResultSchema } from '../../lib/batches/batch-result-message.ts';
import { resultSchema } from '../../lib/payout/message/result-message.ts';
import {
  batchResultExamples,
  jobExamples,
  merchantContractExamples,
  merchantKeysExamples,
  resultExamples,
  workerSecretExamples,
} from './examples.ts';
import { jobMessageSchema } from './job-schema.ts';
import { beyondSchema, type JsonSchema, jsonSchemaOf } from './json-schema.ts';

/** A published schema with its examples. */
interface Contract {
  readonly schema: JsonSchema;
  readonly examples: readonly object[];
}

/** Every contract by the name of its file, `<name>.schema.json`. */
export const contracts = {
  job: { schema: jobMessageSchema(), examples: jobExamples },
  result: {
    schema: {
      title: 'Result',
      description:
        'One message on the results queue. Delivered at least once: de-duplicate on `resultId`. Ignore fields that are not named here: later versions may add some. `status` and `operation` are closed lists.',
      ...jsonSchemaOf(resultSchema),
    },
    examples: resultExamples,
  },
  'batch-result': {
    schema: {
      title: 'Batch result',
      description:
        'One message on the results queue when every row of a batch has ended; `kind` tells it from the result of an order. Delivered at least once: de-duplicate on `resultId`. Results of its orders that come later supersede what it counts as not final.',
      ...jsonSchemaOf(batchResultSchema),
    },
    examples: batchResultExamples,
  },
  'merchant-contract': {
    schema: {
      title: 'Merchant contract',
      description:
        "`<SECRET_PREFIX>contract/<merchant>` in Secrets Manager: one merchant's account at the gateway, and its profile. No key is in it.",
      ...jsonSchemaOf(contractSchema),
    },
    examples: merchantContractExamples,
  },
  'merchant-keys': {
    schema: {
      title: 'Merchant keys',
      description:
        "`<SECRET_PREFIX>keys/<merchant>` in Secrets Manager: the keys of the logins of the merchant's contract.",
      $comment: beyondSchema(
        'holds a key that cannot be read, or that is too small, or none for a login of the contract',
      ),
      ...jsonSchemaOf(keysSchema),
    },
    examples: merchantKeysExamples,
  },
  'worker-secret': {
    schema: {
      title: 'Worker secret',
      description: "`<SECRET_PREFIX>_worker` in Secrets Manager: the worker's own keys.",
      ...jsonSchemaOf(workerSecretSchema),
    },
    examples: workerSecretExamples,
  },
} as const satisfies Record<string, Contract>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Every file of infra/contracts that is made from the code: name and text. */
export function contractFiles(): ReadonlyMap<string, string> {
  const files = Object.entries(contracts).map(([name, { schema, examples }]) => {
    const $id = `urn:payouts:contract:1:${name}`;
    const content = { $schema: dialect, $id, ...schema, examples };
    return [`${name}.schema.json`, `${JSON.stringify(content, null, 2)}\n`] as const;
  });
  return new Map(files);
}
