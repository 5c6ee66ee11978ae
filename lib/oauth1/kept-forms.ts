// Remembers the compiled form of each URL, so that a request of a kind seen before costs only its values.
import { compileForm } from './compiled-form.ts';
import type { RequestForm, RequestOutline } from './request-form.ts';

/** Far more than the operations of one merchant; a bound, so that ever new URLs cannot fill the memory. */
const KEPT_FORMS_LIMIT = 256;

const keptForms = new Map<string, { readonly outline: RequestOutline; readonly form: RequestForm }>();

/** The form of an outline, compiled when the outline differs from the last one with that URL. Holds no secret. */
export function formFor(outline: RequestOutline): RequestForm {
  const kept = keptForms.get(outline.url);
  if (kept !== undefined && isSameOutline(kept.outline, outline)) return kept.form;
  const form = compileForm(outline);
  if (keptForms.size >= KEPT_FORMS_LIMIT) keptForms.clear();
  keptForms.set(outline.url, { outline, form });
  return form;
}

function isSameOutline(kept: RequestOutline, wanted: RequestOutline): boolean {
  return (
    kept.method === wanted.method &&
    kept.realm === wanted.realm &&
    kept.signatureMethod === wanted.signatureMethod &&
    kept.consumerKey === wanted.consumerKey &&
    kept.token === wanted.token &&
    kept.oauthVersion === wanted.oauthVersion &&
    isSameList(kept.bodyNames, wanted.bodyNames) &&
    // They come with each request and are seldom there: not worth a comparison.
    kept.furtherProtocolParameters.length === 0 &&
    wanted.furtherProtocolParameters.length === 0
  );
}

function isSameList(kept: readonly string[], wanted: readonly string[]): boolean {
  if (kept.length !== wanted.length) return false;
  for (let index = 0; index < kept.length; index++) if (kept[index] !== wanted[index]) return false;
  return true;
}
