// The published schemas as a stranger uses them: the checked-in files, read by ajv.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The text of a file of infra/contracts. */
export const contractText = (name: string): string =>
  readFileSync(new URL(`../../infra/contracts/${name}`, import.meta.url), 'utf8');

/** A message of the AsyncAPI document. */
interface AsyncApiMessage {
  readonly headers: object;
  readonly payload: object;
  readonly examples: readonly { readonly payload: unknown; readonly headers?: object }[];
}

/** The messages of the AsyncAPI document. */
export const asyncApiMessages = JSON.parse(contractText('asyncapi.json')).components.messages as Readonly<
  Record<string, AsyncApiMessage>
>;

const options = { strict: true, strictTypes: false, strictRequired: false, allErrors: true } as const;

/** Judges by `<name>.schema.json`; strict, so that a misspelled keyword is an error and not ignored. */
export function schemaCheck(name: string): ValidateFunction {
  return new Ajv2020(options).compile(JSON.parse(contractText(`${name}.schema.json`)));
}

/** Judges by a schema out of the AsyncAPI document; these are draft-07. */
export function asyncApiCheck(schema: object): ValidateFunction {
  const { components } = JSON.parse(contractText('asyncapi.json')) as { components: { schemas: object } };
  const ajv = new Ajv(options);
  for (const [name, it] of Object.entries(components.schemas)) ajv.addSchema(it, `#/components/schemas/${name}`);
  return ajv.compile(schema);
}
