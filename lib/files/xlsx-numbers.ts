// A number of a workbook as its sheet shows it: an account that is shown as 00123456 is 123456 in the file, and its zeros are in its format
// (ISO/IEC 29500-1, 18.8.30). What is shown in a form that is not known here has no text, and is refused if a text is needed.

/** Formats that a workbook need not write out, by their number. */
const builtIn: Readonly<Record<number, string>> = {
  0: 'General',
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  49: '@',
};

/** The format of a number of the list; those that are not known here are formats of days in some language. */
export const builtInFormat = (id: number): string => builtIn[id] ?? (id < 164 ? 'yyyy-mm-dd' : 'General');

/** Colours, languages and conditions. */
const bracketed = /\[[^\]]*\]/g;
const quoted = /"[^"]*"|\\.|_./g;

/** True for a format that shows a day or a time. */
export function isDayFormat(format: string): boolean {
  const bare = format.replaceAll(quoted, '');
  return !isGeneral(bare) && (/\[(?:h+|m+|s+)\]/i.test(bare) || /[dmyhs]/i.test(bare.replaceAll(bracketed, '')));
}

/** True for a format that shows another number than the cell has: a percentage, or thousands. */
export function isScaled(format: string): boolean {
  const bare = format.replaceAll(quoted, '');
  return /%|[0#?],+(?![0#?,])/.test(bare);
}

/** True for a format that shows nothing of a number, or of a text. */
export function showsNothing(format: string, of: 'number' | 'text'): boolean {
  const sections = sectionsOf(format);
  return of === 'text' ? sections[3] === '' : format !== '' && sections.slice(0, 3).every((it) => it.trim() === '');
}

const isGeneral = (format: string) => /^(?:general|@)$/i.test(format.trim());

/** The longest number that is shown in full without a format. */
const generalDigits = 11;

/** The number as text, as it is shown; undefined if it can't be known, or if digits are not shown. */
export function shownNumber(value: number, format: string): string | undefined {
  const sections = sectionsOf(format);
  const [positive = 'General', negative, zero] = sections;
  if (/\[[<>=]/.test(format)) return undefined;
  const section = value < 0 ? negative : value === 0 ? zero : undefined;
  const sign = value < 0 && section === undefined ? '-' : '';
  const shown = shownBy(Math.abs(value), section ?? positive);
  return shown === undefined ? undefined : sign + shown;
}

/** The sections of a format: of numbers above, below and at nought, and of texts. */
function sectionsOf(format: string): string[] {
  const sections = [''];
  for (const [token] of format.matchAll(/"[^"]*"|\\.|\[[^\]]*\]|[^]/g))
    if (token === ';') sections.push('');
    else sections[sections.length - 1] += token;
  return sections;
}

function shownBy(value: number, section: string): string | undefined {
  const bare = section.replaceAll(/\[(?!\$)[^\]]*\]|\[\$-[^\]]*\]/g, '');
  if (isGeneral(bare)) {
    const text = String(value);
    return text.length <= generalDigits && !text.includes('e') ? text : undefined;
  }
  const tokens = [...bare.matchAll(/"([^"]*)"|\\(.)|_(.)|\[\$([^\]-]*)[^\]]*\]|([0#])|([,.])|([-+() $€£¥])|([^])/g)];
  if (tokens.some(([, , , , , , , , other]) => other !== undefined)) return undefined;
  const point = tokens.findIndex(([token]) => token === '.');
  const whole = point < 0 ? tokens : tokens.slice(0, point);
  const behind = point < 0 ? [] : tokens.slice(point + 1);
  const decimals = behind.filter(([, , , , , place]) => place !== undefined);
  const digits = value.toFixed(decimals.length);
  // Digits that are rounded away are not shown, and may be meant; those that may be left out are not worth a rule.
  if (Number(digits) !== value || decimals.some(([token]) => token === '#') || isScaled(bare)) return undefined;
  const [wholeDigits = '', fraction = ''] = digits.split('.');
  const places = whole.filter(([, , , , , place]) => place !== undefined);
  if (places.length === 0) return undefined;
  const leastDigits = places.length - places.findLastIndex(([token]) => token === '#') - 1;
  const all = (wholeDigits === '0' ? '' : wholeDigits).padStart(leastDigits, '0');
  const grouped = whole.some(([token]) => token === ',');
  let [text, left, placesLeft] = ['', all, places.length];
  for (const token of whole.toReversed()) {
    if (token[5] === undefined) {
      text = (token[6] === undefined ? literal(token) : '') + text;
      continue;
    }
    placesLeft -= 1;
    const taken = placesLeft === 0 ? left : left.slice(-1);
    left = placesLeft === 0 ? '' : left.slice(0, -1);
    text = taken + text;
  }
  if (grouped) text = text.replaceAll(/\d(?=(?:\d{3})+(?!\d))/g, '$&,');
  let place = 0;
  const after = behind.map((token) => (token[5] === undefined ? literal(token) : (fraction[place++] ?? ''))).join('');
  return point < 0 ? text : `${text}.${after}`;
}

/** The text of a token that is no digit. */
const literal = ([, quote, escaped, blank, currency, , , sign]: readonly (string | undefined)[]): string =>
  quote ?? escaped ?? (blank === undefined ? undefined : ' ') ?? currency ?? sign ?? '';

/** The number in full, as a spreadsheet keeps it: with fifteen digits. Longer ones are in exponent form. */
export function plainNumber(value: number): string {
  return Math.abs(value) < 1e15 ? String(Number(value.toPrecision(15))) : value.toExponential(14);
}

const dayMs = 86_400_000;

/** The moment of a day of the sheet, in UTC; undefined if it is none. */
export function momentOfDay(value: number, from1904: boolean): string | undefined {
  // The calendar of 1900 has a 29th of February that there was not.
  const days = from1904 ? value + 1462 : value < 61 ? value + 1 : value;
  const moment = new Date(Date.UTC(1899, 11, 30) + Math.round((days * dayMs) / 1000) * 1000);
  return Number.isNaN(moment.getTime()) || value < 0 ? undefined : moment.toISOString();
}
