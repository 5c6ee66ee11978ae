// The published schemas as a stranger uses them: the checked-in files, read by ajv.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The text of a file of infra/contracts. */
export const contractText = (name: string): string =>
  readFileSync(new URL(`../../infra/contracts/${name}`, import.meta.url), 'utf8');

const options = { strict: true, strictTypes: false, strictRequired: false, allErrors: true } as const;

/** Judges by `<name>.schema.json`; strict, so that a misspelled keyword is an error and not ignored. */
export function schemaCheck(name: string): ValidateFunction {
  return new Ajv2020(options).compile(JSON.parse(contractText(`${name}.schema.json`)));
}
