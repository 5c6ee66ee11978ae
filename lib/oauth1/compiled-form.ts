// A request form run ahead of time. A merchant sends the same form thousands of times and only the values change, so
// the sorting, joining and encoding of all the rest is done once. It changes the speed and never the text.
import { requestForm } from './request-form.ts';
import type { RequestForm, RequestOutline } from './request-form.ts';
import { normalizedParametersOf } from './signature-base-string.ts';

/** A text with gaps: `head`, then for each gap a value by its place in the list, and the text that follows it. */
interface Template {
  readonly head: string;
  readonly valueIndexes: readonly number[];
  readonly tails: readonly string[];
}

// Unreserved characters only (section 3.6), so that every stage passes a gap on unchanged, like an encoded value.
const GAP = /~gap~(\d+)~/;
const SIGNATURE_GAP = '~gap~signature~';
const gap = (index: number): string => `~gap~${index}~`;

/**
 * Runs the stages once, with gaps in the place of the values, and keeps the texts as templates.
 *
 * Names that repeat are sorted by their values (section 3.4.1.3.2), which are not known ahead: such a request keeps
 * the plain form.
 */
export function compileForm(outline: RequestOutline): RequestForm {
  const form = requestForm(outline);
  // After the body's values come nonce and timestamp.
  const gaps = [...outline.bodyNames, 'nonce', 'timestamp'].map((_, index) => gap(index));
  const baseString = form.textToSign({ once: gaps, twice: gaps });
  const { authorization, body } = form.message({ once: gaps, twice: gaps }, SIGNATURE_GAP);
  if (!canBeCompiled(outline, normalizedParametersOf(baseString))) return form;

  const baseStringTemplate = template(baseString);
  const signatureAt = authorization.indexOf(SIGNATURE_GAP);
  const beforeSignature = template(authorization.slice(0, signatureAt));
  const afterSignature = template(authorization.slice(signatureAt + SIGNATURE_GAP.length));
  const bodyTemplate = template(body);
  return {
    url: form.url,
    textToSign: ({ twice }) => fillIn(baseStringTemplate, twice),
    message: ({ once }, encodedSignature) => ({
      authorization: fillIn(beforeSignature, once) + encodedSignature + fillIn(afterSignature, once),
      body: fillIn(bodyTemplate, once),
    }),
  };
}

/** Whether the names alone decide the order, and no fixed text could be taken for a gap. */
function canBeCompiled(outline: RequestOutline, parameters: string): boolean {
  const signedNames = parameters.split('&').map((pair) => pair.slice(0, pair.indexOf('=')));
  return new Set(signedNames).size === signedNames.length && !JSON.stringify(outline).includes('~gap~');
}

function template(text: string): Template {
  // With a group in the pattern, split returns text and index in turn.
  const [head = '', ...rest] = text.split(GAP);
  return {
    head,
    valueIndexes: rest.filter((_, place) => place % 2 === 0).map(Number),
    tails: rest.filter((_, place) => place % 2 === 1),
  };
}

function fillIn({ head, valueIndexes, tails }: Template, values: readonly string[]): string {
  let text = head;
  for (let place = 0; place < tails.length; place++) {
    text += (values[valueIndexes[place] ?? 0] ?? '') + (tails[place] ?? '');
  }
  return text;
}
