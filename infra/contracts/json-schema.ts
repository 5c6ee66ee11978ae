// From the code's own schemas to JSON Schema. It uses only keywords that mean the same in draft 2020-12 and draft-07; patterns are
// ECMA-262.
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import { jsonObject } from '../../lib/payout/message/job-fields.ts';

export type { JsonSchema };

/** Marks a text whose surrounding blanks do not count; patterns then allow them. */
const trimmedComment = 'Blanks around it do not count.';

/** The part of a step of a valibot pipe that is read here. */
interface Action {
  readonly type: string;
  readonly requirement?: unknown;
  readonly message?: unknown;
}

/** Converts a valibot schema. Throws on a schema or action that neither this file nor the converter knows. */
export function jsonSchemaOf(schema: GenericSchema): JsonSchema {
  const { $schema: _dialect, ...converted } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    overrideSchema({ valibotSchema }) {
      if (Object.is(valibotSchema, jsonObject)) return { type: 'object' };
      return recordOfNames(valibotSchema);
    },
    overrideAction({ valibotAction, jsonSchema }) {
      const { type, requirement, message } = valibotAction as Action;
      const { $comment } = jsonSchema;
      if (type === 'trim') return { ...jsonSchema, $comment: trimmedComment };
      if (type === 'check') {
        return { ...jsonSchema, $comment: [$comment, beyondSchema(String(message))].filter(Boolean).join(' ') };
      }
      if (type === 'max_length' && $comment === trimmedComment) return withinLength(jsonSchema);
      // This action changes the value that is kept, and refuses none.
      if (type === 'transform') return jsonSchema;
      // A second regex on one text is left to the library, which refuses it.
      if (type !== 'regex' || !(requirement instanceof RegExp) || jsonSchema.pattern !== requirement.source)
        return null;
      return { ...jsonSchema, ...textOf(requirement, $comment === trimmedComment) };
    },
  });
  return converted;
}

/** A rule that JSON Schema cannot express, as a sentence; `fault` is the message with which the code refuses. */
export function beyondSchema(fault: string): string {
  if (fault.startsWith('must ')) return `Beyond this schema: it ${fault}.`;
  return `Beyond this schema: ${/^(is|has|holds) /.test(fault) ? `refused when it ${fault}` : fault}.`;
}

/** A text of this shape. With `trimmed`, blanks may surround it, but it must not be blank. */
export function textOf(shape: RegExp, trimmed: boolean): JsonSchema {
  const pattern = portable(shape);
  if (!trimmed) return { pattern };
  const takesBlank = shape.test(' ');
  return { pattern: `^\\s*(?:${pattern.slice(1, -1)})\\s*$`, ...(takesBlank && { allOf: [{ pattern: '\\S' }] }) };
}

/** The pattern for other engines, in which `\d` may match foreign digits. */
function portable(shape: RegExp): string {
  const { source } = shape;
  if (!source.startsWith('^') || !source.endsWith('$')) throw new Error(`${shape} must match the whole text`);
  return source.replaceAll('\\d', '[0-9]').replaceAll('\\/', '/');
}

/** A trimmed text: neither empty nor longer than this. */
export const lengthOfTrimmed = (maxLength: number): JsonSchema => ({
  pattern: `^\\s*\\S[\\s\\S]{0,${maxLength - 1}}\\s*$`,
});

/** `maxLength` would count the blanks too. */
function withinLength({ maxLength = 0, allOf = [], ...schema }: JsonSchema): JsonSchema {
  return { ...schema, allOf: [...allOf, lengthOfTrimmed(maxLength)] };
}

/** A record whose keys are a closed list: an object with optional properties. */
function recordOfNames(schema: object): JsonSchema | undefined {
  const { type, key, value } = schema as { type?: string; key?: { type: string; options: string[] }; value?: unknown };
  if (type !== 'record' || key?.type !== 'picklist') return undefined;
  const of = jsonSchemaOf(value as GenericSchema);
  return {
    type: 'object',
    properties: Object.fromEntries(key.options.map((name) => [name, of])),
    additionalProperties: false,
  };
}
